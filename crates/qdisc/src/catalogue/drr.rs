//! The card of DRR.

use super::{Entry, LIMIT, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "drr",
    family: "fair",
    summary: "deficit round robin: a queue for every flow, served in rounds of equal bytes",
    source: "Shreedhar and Varghese 1995; dropping as in ns-2.35",
    equations: &[
        "each visit: deficit += quantum; send while size <= deficit, deficit -= size; emptied: deficit = 0",
        "|sent_i - sent_j| <= quantum + 2 size_max while both flows wait",
        "limit exceeded: drop from the longest queue, at its head or tail",
    ],
    parameters: &[
        LIMIT,
        Parameter {
            name: "quantum",
            meaning: "bytes that each flow may send more in each round",
            unit: "B or pkt",
            default: "1pkt",
            source: "Shreedhar and Varghese 1995: at least the largest packet, so that a packet costs constant time",
        },
        Parameter {
            name: "drop",
            meaning: "which packet of the longest queue makes room: \"head\", the oldest, or \"tail\", the youngest",
            unit: "",
            default: "head",
            source: "ns-2.35",
        },
    ],
    deviations: &[
        "each leg of each flow has a queue of its own; the paper and ns-2 hash flows into buckets",
        "the longest queue is found to 64 bytes; of equals it is the one that grew last, in ns-2 the one whose \
         turn is next",
    ],
    validation: Some(
        "fairness measure of Shreedhar and Varghese 1995: three flows with packets of 40 to 1500 bytes never differ by more \
         than quantum + 2 x 1500 bytes over any interval, quantum 200 to 3000 bytes; NewReno flows of 40 and 80 ms and \
         a source that does not react get a third of the link each, within 0.1 %",
    ),
};
