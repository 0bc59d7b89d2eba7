// SPDX-License-Identifier: Apache-2.0
//! The entry of `bbr1` in the catalogue.

use super::Bbr1;
use crate::{Dash, Entry, Hue, Needs, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Variable};

/// The catalogue entry of `bbr1`.
pub const BBR1: Entry = Entry {
    card: Card {
        name: "bbr1",
        family: "model",
        summary: "BBR version 1: paces at the measured bandwidth and ignores losses",
        source: "Cardwell et al., ACM Queue 14(5), 2016; Linux 6.12 net/ipv4/tcp_bbr.c",
        equations: &[
            "bw = max over 10 rounds of delivered / max(send time, ACK time); min_rtt = min over 10 s",
            "pacing rate = 0.99 gain bw; gain 2.89 in Startup, 0.34 in Drain, then a cycle of 5/4, 3/4 and six times 1, each for about min_rtt",
            "cwnd = ceil(2 bw min_rtt) + extra_acked + 3 tso_segs_goal, even; ProbeRTT: 4 for 200 ms and a round when no sample of 10 s was smaller than min_rtt",
        ],
        parameters: &[
            Parameter::number(
                "high_gain",
                "pacing and window gain of Startup; its inverse is the pacing gain of Drain",
                2.885,
                1.25..=3.99,
            )
            .source("bbr_high_gain: 2/ln 2"),
            Parameter::number("cwnd_gain", "window over bandwidth-delay product in ProbeBW", 2.0, 1.0..=3.99)
                .source("bbr_cwnd_gain"),
            Parameter::number(
                "probe_gain",
                "pacing gain of the phase of ProbeBW that probes for more bandwidth",
                1.25,
                1.0..=3.99,
            )
            .source("bbr_pacing_gain"),
            Parameter::number(
                "min_rtt_window",
                "length of the min_rtt filter; ProbeRTT follows when min_rtt is older",
                10.0,
                0.1..=3600.0,
            )
            .unit("s")
            .source("bbr_min_rtt_win_sec"),
            Parameter::flag(
                "policer",
                "long-term bandwidth sampling, which detects token-bucket policers and sends at their rate",
                true,
            )
            .source("bbr_lt_bw_sampling"),
        ],
        variables: &[
            Variable { name: "bandwidth_bps", unit: "bps", meaning: "estimated bandwidth of the path" },
            Variable { name: "min_rtt_s", unit: "s", meaning: "estimated round-trip propagation delay" },
            Variable {
                name: "pacing_gain",
                unit: "",
                meaning: "factor of the bandwidth at which packets are paced",
            },
            Variable {
                name: "cwnd_gain",
                unit: "",
                meaning: "factor of the bandwidth-delay product that the window is",
            },
            Variable {
                name: "extra_acked",
                unit: "packets",
                meaning: "part of the window that covers the aggregation of acknowledgements",
            },
        ],
        deviations: &[
            "Times are exact; Linux counts jiffies of 4 ms.",
            "CE marks are ignored, as in Linux, though packets are ECN-capable if the flow has ECN enabled.",
            "The first ten packets leave unpaced by the algorithm's rule, as with every preset but linux; in Linux, and with preset linux, the transport does the same (`unpaced_packets`).",
            "Bursts do not grow on paths shorter than 16 ms; in Linux segmentation in the transport makes them longer there.",
            "A delayed acknowledgement counts as any other when min_rtt expires, and one without new packets changes nothing.",
        ],
    },
    style: Some(Style(Hue::Slate, Dash::Long)),
    needs: |_| Needs { rate_samples: true, ..Needs::RELIABLE },
    build: |values, setup| Box::new(Bbr1::new(values, setup)),
};
