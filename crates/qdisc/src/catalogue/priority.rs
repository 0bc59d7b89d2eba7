//! The card of strict priority.

use super::{Entry, LIMIT, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "priority",
    family: "fair",
    summary: "strict priority: a packet leaves only when none of a better class waits",
    source: "Kleinrock 1976, \"Queueing Systems\" vol. 2 §3.6: head of the line",
    equations: &[
        "send the oldest packet of the best class",
        "no room: push out the youngest packets of the worst class below the arrival's, else drop the arrival",
    ],
    parameters: &[
        LIMIT,
        Parameter {
            name: "classes",
            meaning: "class of each group of flows by name, 0 the best; what is not named comes behind all of these",
            unit: "",
            default: "none: required",
            source: "without classes it is DropTail",
        },
        Parameter {
            name: "limits",
            meaning: "what may wait of each class, the best first, besides the common limit",
            unit: "pkt, B, time or bdp",
            default: "none",
            source: "Linux's prio, where each class is a queue of its own",
        },
    ],
    deviations: &[
        "all classes share one limit besides their own; Linux's prio limits each class alone and never pushes out",
    ],
    validation: Some(
        "M/D/1 with two classes at loads 0.3 and 0.4: mean waits R / (1 - r0) and R / ((1 - r0) (1 - r0 - r1)) \
         within 2 %; over a full link a packet of the best class waits for half a packet, within 3 %, and none is lost",
    ),
};
