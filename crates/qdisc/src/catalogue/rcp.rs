//! The card of RCP's router.

use super::{DISCIPLINE, Entry, LIMIT, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "rcp",
    family: "explicit",
    summary: "RCP's router: offers every RCP flow the same rate; under it DropTail or RED",
    source: "Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005",
    equations: &[
        "every T = min(d, interval): R = R (1 + T / d (alpha (C - y) - beta Q / d) / C), packet / d <= R <= C",
        "d = d + gain (rtt - d) for each packet",
        "a departure: rate = min(rate, R)",
    ],
    parameters: &[
        LIMIT,
        DISCIPLINE,
        Parameter {
            name: "alpha",
            meaning: "part of the spare rate that is offered more in a round trip",
            unit: "",
            default: "0.1",
            source: "Dukkipati et al. 2005",
        },
        Parameter {
            name: "beta",
            meaning: "part of the queue that is taken back in a round trip",
            unit: "",
            default: "1",
            source: "Dukkipati et al. 2005",
        },
        Parameter {
            name: "gain",
            meaning: "weight of the newest round-trip time in the mean",
            unit: "",
            default: "0.02",
            source: "RTT_GAIN in the authors' ns-2 code",
        },
        Parameter {
            name: "interval",
            meaning: "longest time between updates of the rate",
            unit: "time",
            default: "10ms",
            source: "TIMESLOT in the authors' ns-2 code",
        },
        Parameter {
            name: "initial",
            meaning: "the first rate, as a part of the link's",
            unit: "",
            default: "0.05",
            source: "init_rate_fact_ in the authors' ns-2 code",
        },
    ],
    deviations: &[
        "the timer begins with the first arrival",
        "the mean round-trip time moves by a fixed gain, as in the paper; the authors' ns-2 code weighs by bytes",
    ],
    validation: Some(
        "four flows with round trips of 40 and 200 ms share alike within 2 %, at a utilisation above 0.98 and \
         without a drop",
    ),
};
