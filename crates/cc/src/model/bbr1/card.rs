//! What is said of BBR, version 1.

use super::Bbr1;
use crate::catalogue::{Domain, Entry, Needs, Parameter};

/// The card.
pub const BBR1: Entry = Entry {
    name: "bbr1",
    family: "model",
    summary: "BBR version 1: paces at the measured bandwidth and ignores losses",
    source: "Cardwell et al., ACM Queue 14(5), 2016; Linux 6 net/ipv4/tcp_bbr.c",
    equations: &[
        "bw = max over 10 rounds of delivered / max(send time, ack time); min_rtt = min over 10 s",
        "pacing = 0.99 gain bw, gain 2.89 in Startup, 0.34 in Drain, then 5/4, 3/4, 1 x 6, each about min_rtt",
        "cwnd = ceil(2 bw min_rtt) + extra_acked + 3 bursts, even; 4 for 200 ms and a round where min_rtt is 10 s old",
    ],
    parameters: &[
        Parameter {
            name: "high_gain",
            meaning: "pacing and window gain of Startup; Drain paces by its inverse",
            unit: "",
            source: "bbr_high_gain: 2/ln 2",
            domain: Domain::Number { default: 2.885, minimum: 1.25, maximum: 3.99 },
        },
        Parameter {
            name: "cwnd_gain",
            meaning: "window over bandwidth-delay product while probing for bandwidth",
            unit: "",
            source: "bbr_cwnd_gain",
            domain: Domain::Number { default: 2.0, minimum: 1.0, maximum: 3.99 },
        },
        Parameter {
            name: "min_rtt_window",
            meaning: "how long a smallest round-trip time is believed before the flow pauses to see it anew",
            unit: "s",
            source: "bbr_min_rtt_win_sec",
            domain: Domain::Number { default: 10.0, minimum: 0.1, maximum: 3600.0 },
        },
        Parameter {
            name: "policer",
            meaning: "token-bucket policers are looked for, and sent by where found",
            unit: "",
            source: "bbr_lt_bw_sampling",
            domain: Domain::Flag { default: true },
        },
    ],
    deviations: &[
        "Times are exact; Linux counts jiffies of 4 ms.",
        "Marks are ignored, as in Linux, though packets are marked ECN-capable where the flow has ECN on.",
        "The first ten packets leave unpaced by the algorithm's own rule; in Linux by the transport's.",
        "Bursts do not grow on paths shorter than 16 ms; in Linux the transport's segmentation makes them longer there.",
    ],
    validation: Some(
        "Linux 6.18, recorded, one flow, 20 Mbps, 40 ms, DropTail of 1 BDP: utilization 97.6 % (97.8 ± 0.3), goodput 18.85 Mbps \
         (18.88 ± 0.05), 146 drops in Startup (146 to 150), first pause at 10.04 s (10.05), queueing delay p95 11.7 ms \
         (12.1 ± 0.2) but mean 4.4 ms (4.8 ± 0.2): Linux holds back a lone segment, the host here sends it",
    ),
    needs: Needs { packets: false, rate_samples: true },
    build: |values, setup| Box::new(Bbr1::new(values, setup)),
};
