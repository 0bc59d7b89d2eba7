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
            meaning: "groups of flows from the best class to the worst; what is not named comes last",
            unit: "",
            default: "none",
            source: "without classes it is DropTail",
        },
    ],
    deviations: &["all classes share one limit; Linux's prio limits each class and never pushes out"],
    validation: Some(
        "M/D/1 with two classes at loads 0.3 and 0.4: mean waits R / (1 - r0) and R / ((1 - r0) (1 - r0 - r1)) \
         within 2 %",
    ),
};
