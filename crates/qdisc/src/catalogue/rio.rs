//! The card of RIO.

use super::{Entry, LIMIT, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "rio",
    family: "active",
    summary: "RED with In and Out: favoured flows are signalled later, and dropped only when nobody else is left",
    source: "Clark and Fang 1998; defaults of ns-2.35",
    equations: &[
        "In: RED with avg_in over waiting In packets, moved by In arrivals",
        "Out: RED with avg_total over all waiting packets, moved by every arrival",
        "full and the arrival is In: push out the youngest Out packets",
    ],
    parameters: &[
        LIMIT,
        Parameter {
            name: "in",
            meaning: "groups of flows whose packets are In; all others are Out",
            unit: "",
            default: "none: required",
            source: "with none it is RED with Out's settings",
        },
        Parameter {
            name: "in_min",
            meaning: "average of waiting In packets below which none of them is signalled",
            unit: "pkt, B, time or bdp",
            default: "15pkt",
            source: "in_thresh_ in ns-2.35",
        },
        Parameter {
            name: "in_max",
            meaning: "average of waiting In packets at which in_max_p is reached",
            unit: "pkt, B, time or bdp",
            default: "30pkt",
            source: "in_maxthresh_ in ns-2.35",
        },
        Parameter {
            name: "in_max_p",
            meaning: "probability of a signal to In packets just below in_max",
            unit: "",
            default: "0.02",
            source: "in_linterm_ 50 in ns-2.35",
        },
        Parameter {
            name: "out_min",
            meaning: "average of all waiting packets below which no Out packet is signalled",
            unit: "pkt, B, time or bdp",
            default: "5pkt",
            source: "out_thresh_ in ns-2.35",
        },
        Parameter {
            name: "out_max",
            meaning: "average of all waiting packets at which out_max_p is reached",
            unit: "pkt, B, time or bdp",
            default: "15pkt",
            source: "out_maxthresh_ in ns-2.35",
        },
        Parameter {
            name: "out_max_p",
            meaning: "probability of a signal to Out packets just below out_max",
            unit: "",
            default: "0.2",
            source: "out_linterm_ 5 in ns-2.35",
        },
        Parameter {
            name: "weight",
            meaning: "weight of the newest length in both averages",
            unit: "",
            default: "0.002",
            source: "ns-2.35",
        },
        Parameter {
            name: "gentle",
            meaning: "as in red, for both",
            unit: "",
            default: "false",
            source: "ns-2.35",
        },
        Parameter {
            name: "wait",
            meaning: "as in red, for both",
            unit: "",
            default: "true",
            source: "ns-2.35",
        },
        Parameter {
            name: "ecn",
            meaning: "as in red, for both",
            unit: "",
            default: "false",
            source: "ns-2.35",
        },
    ],
    deviations: &[
        "ns-2 moves avg_total by In arrivals only, a mistake that its source notes; here every arrival moves it, \
         as in the paper",
        "out_max_p is what ns-2.35 sets in out_linterm_ and never reads: its Out packets meet linterm_ 10, 0.1",
        "an In packet that finds the queue full pushes out the youngest Out packet; ns-2 drops the arrival",
        "the card of red applies to both laws",
    ],
    validation: Some(
        "constant rates beyond the link's: Out takes the excess and In none of it, the queue within 5 % of where the \
         ramp of the precedence that is signalled gives the excess; not held against a program that is not ours",
    ),
};
