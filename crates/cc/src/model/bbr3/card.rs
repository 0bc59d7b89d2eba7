//! What is said of BBR, version 3.

use super::Bbr3;
use crate::catalogue::{Domain, Entry, Needs, Parameter};

/// The card.
pub const BBR3: Entry = Entry {
    name: "bbr3",
    family: "model",
    summary: "BBR version 3: paces at the measured bandwidth, within bounds that losses set",
    source: "draft-ietf-ccwg-bbr-06",
    equations: &[
        "bw = min(max over 2 probing cycles of delivered / max(send time, ack time), bw_shortterm); min_rtt over 10 s",
        "pacing = 0.99 gain bw, gain 2.77 in Startup, 0.5 in Drain, then 0.9, 1, 1, 1.25; a probe every 2 to 3 s or min(63, BDP) rounds",
        "cwnd = 2 bw min_rtt + extra_acked (2.25 in Up, 0.5 in a pause every 5 s), at most inflight_longterm and inflight_shortterm",
        "loss above 2 % in a probe: inflight_longterm = max(inflight then, 0.7 min(BDP, cwnd))",
        "a lossy round otherwise: bw_shortterm, inflight_shortterm = max(delivered in it, 0.7 of before) until the next probe",
    ],
    parameters: &[
        Parameter {
            name: "loss_threshold",
            meaning: "part of a round's packets whose loss ends a probe or Startup",
            unit: "",
            source: "LossThresh, section 2.8",
            domain: Domain::Number { default: 0.02, minimum: 0.0, maximum: 0.5 },
        },
        Parameter {
            name: "beta",
            meaning: "part of a bound that is kept at least at a loss",
            unit: "",
            source: "Beta, section 2.8",
            domain: Domain::Number { default: 0.7, minimum: 0.1, maximum: 0.99 },
        },
        Parameter {
            name: "headroom",
            meaning: "part of inflight_longterm that is left to others while cruising",
            unit: "",
            source: "Headroom, section 2.8",
            domain: Domain::Number { default: 0.15, minimum: 0.0, maximum: 0.9 },
        },
    ],
    deviations: &[
        "Marks are ignored: the draft leaves the response to ECN open (section 3.7).",
        "What a false loss gives back is saved when an episode begins, as section 5.5.11.1 says; `NoteLoss` would save again in it.",
        "Without selective acknowledgements Startup and probes end at a loss above the threshold, not at any loss.",
    ],
    validation: Some(
        "the draft's example cases A.1 to A.8, A.10, A.11, A.14 to A.16, A.18 to A.22 over a path that is known: bandwidth within \
         2 % at the end of Startup, as it asks; no implementation of others has been held beside it",
    ),
    needs: Needs { packets: true, rate_samples: true },
    build: |values, setup| Box::new(Bbr3::new(values, setup)),
};
