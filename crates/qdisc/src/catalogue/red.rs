//! The card of RED.

use super::{Entry, LIMIT, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "red",
    family: "active",
    summary: "random early detection: signals at random, more often the longer the average queue",
    source: "Floyd and Jacobson 1993; gentle: Floyd 2000; adaptive: Floyd, Gummadi and Shenker 2001; \
             as in ns-2.35",
    equations: &[
        "avg = (1 - weight) avg + weight q on every arrival; (1 - weight)^m avg after m idle packet times",
        "p_b = max_p (avg - min) / (max - min); gentle: max_p + (1 - max_p) (avg - max) / max up to 2 max",
        "p_a = p_b / (1 - count p_b); wait: 0 while count p_b < 1, then p_b / (2 - count p_b)",
        "adaptive, every 0.5 s: max_p += min(0.01, max_p / 4) if avg > min + 0.6 (max - min) and max_p <= 0.5; \
         max_p *= 0.9 if avg < min + 0.4 (max - min) and max_p >= 0.01",
        "ns-2.35's own choice for C packets a second: min = max(5, 5 ms C / 2), max = 3 min, \
         weight = 1 - exp(-1 / (10 C max(100 ms, 3 (delay + 1 / C))))",
    ],
    parameters: &[
        LIMIT,
        Parameter {
            name: "min",
            meaning: "average queue below which nothing is signalled; its unit is the average's",
            unit: "pkt, B, time or bdp",
            default: "5pkt",
            source: "Floyd 1997, \"RED: Discussions of Setting Parameters\"",
        },
        Parameter {
            name: "max",
            meaning: "average queue at which max_p is reached",
            unit: "pkt, B, time or bdp",
            default: "15pkt",
            source: "Floyd 1997: three times min",
        },
        Parameter {
            name: "max_p",
            meaning: "probability of a signal just below max",
            unit: "",
            default: "0.1",
            source: "Floyd 1997; linterm 10 in ns-2.35",
        },
        Parameter {
            name: "weight",
            meaning: "weight of the newest queue length in the average",
            unit: "",
            default: "0.002",
            source: "Floyd and Jacobson 1993 §6",
        },
        Parameter {
            name: "gentle",
            meaning: "between max and twice max the probability grows from max_p to 1 instead of being 1",
            unit: "",
            default: "true",
            source: "ns-2.35 (since April 2001)",
        },
        Parameter {
            name: "wait",
            meaning: "after a signal wait 1/p_b packets before the next becomes possible",
            unit: "",
            default: "true",
            source: "ns-2.35",
        },
        Parameter {
            name: "ecn",
            meaning: "mark ECN-capable packets instead of dropping them while the average is below max",
            unit: "",
            default: "false",
            source: "ns-2.35; RFC 3168 §7",
        },
        Parameter {
            name: "adaptive",
            meaning: "every half second move max_p so that the average stays half-way between min and max",
            unit: "",
            default: "false",
            source: "ns-2.35",
        },
    ],
    deviations: &[
        "the arrival that ends an idle time decays the average once more, as ns-2 does and the paper does not",
        "count holds the present arrival, as in the paper's algorithm and ns-2: signals are 1 to 1/p_b - 1 \
         arrivals apart, 1/p_b to 2/p_b - 1 with wait, so their mean rate at a constant average is \
         2 p_b or 2/3 p_b, not p_b",
        "one packet or none waiting is never signalled, as in ns-2, and counted in packets in byte mode too",
        "thresholds in bytes imply an average in bytes and probabilities in proportion to packet size; \
         ns-2 sets the two apart",
        "adaptive: max_p moves by a timer from the first arrival on, as in the paper; ns-2 waits for the first \
         arrival after the interval and rests only after a change",
    ],
    validation: Some(
        "ns-2.35, ten SACK flows, gentle, with and without ECN and wait: loss, marking rate and mean queue within 2 %",
    ),
};
