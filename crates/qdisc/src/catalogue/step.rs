//! The card of step marking.

use super::{Entry, LIMIT, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "step",
    family: "active",
    summary: "first in, first out; an arrival that finds more than a threshold waiting is marked, as DCTCP expects",
    source: "Alizadeh et al. 2010 §3.1; RFC 8257 §3.1",
    equations: &["mark the arrival if waiting > threshold", "drop the arrival if waiting + arrival > limit"],
    parameters: &[
        LIMIT,
        Parameter {
            name: "threshold",
            meaning: "what may wait before an arrival without its being marked",
            unit: "pkt, B, time or bdp",
            default: "0.17bdp",
            source: "Alizadeh, Javanmard and Prabhakar 2011: enough for full use of the link",
        },
    ],
    deviations: &[
        "what cannot be marked joins as long as there is room; switches that make a step of RED drop it",
    ],
    validation: Some(
        "closed form of Alizadeh et al. 2010 for one DCTCP flow, g = 0.02, thresholds of 20 to 80 packets: share of marked \
         packets against sqrt(2 / (C RTT + K)) -0.7 % to +0.7 %, mean queue within a packet; half as many marks where \
         packets leave with a random delay, as they do by default",
    ),
};
