//! The card of PIE.

use super::{Entry, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "pie",
    family: "active",
    summary: "signals arrivals at random, with a probability moved until packets wait as long as they should",
    source: "RFC 8033; the wait as in Linux's sch_pie.c",
    equations: &[
        "every update: p += f(p) (alpha (delay - target) + beta (delay - delay_old))",
        "f = 1/2048, 1/512, 1/128, 1/32, 1/8, 1/2 for p below 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1; else 1 and steps <= 0.02",
        "delay > 250 ms: p += 0.02; delay = delay_old = 0: p = 0.98 p",
        "sum of p since the last signal < 0.85: none; >= 8.5: certain; between: with probability p",
        "none within burst, with delay_old < target / 2 and p < 0.2, or with two packets or fewer waiting",
    ],
    parameters: &[
        Parameter {
            name: "limit",
            meaning: "the most that may wait, not counting the packet in transmission",
            unit: "pkt, B, time or bdp",
            default: "1000pkt",
            source: "sch_pie.c",
        },
        Parameter {
            name: "target",
            meaning: "the time that packets should wait",
            unit: "time",
            default: "15ms",
            source: "RFC 8033 §4.2: QDELAY_REF",
        },
        Parameter {
            name: "update",
            meaning: "how often the probability is moved",
            unit: "time",
            default: "15ms",
            source: "RFC 8033 §4.2: T_UPDATE",
        },
        Parameter {
            name: "alpha",
            meaning: "how far the distance from the target moves the probability, per second of it and update",
            unit: "",
            default: "0.125",
            source: "RFC 8033 §4.2",
        },
        Parameter {
            name: "beta",
            meaning: "how far a change of the wait moves the probability, per second of change",
            unit: "",
            default: "1.25",
            source: "RFC 8033 §4.2",
        },
        Parameter {
            name: "burst",
            meaning: "for so long after calm nothing is signalled",
            unit: "time",
            default: "150ms",
            source: "RFC 8033 §4.4: MAX_BURST",
        },
        Parameter {
            name: "ecn",
            meaning: "mark ECN-capable packets instead of dropping them while p <= 0.1",
            unit: "",
            default: "false",
            source: "sch_pie.c",
        },
    ],
    deviations: &[
        "the wait is that of the last packet to leave, zero once none waits, as in Linux; RFC 8033 divides the backlog by \
         an estimate of the rate, or takes time stamps",
        "the law is at work from the first arrival on, as in Linux; RFC 8033 may wait until a third of the limit is used",
        "at a constant p the sum that must reach 0.85 makes the rate of signals p / 1.85, as in RFC 8033 and Linux",
        "a signal at a sum of 8.5 starts the sum again also when it is a mark; Linux forgets it",
        "Linux decays by 63/64 and signals nothing below two packets of the largest size; here 0.98 and two typical ones, \
         as in RFC 8033",
    ],
    validation: Some(
        "spacing of signals at p = 1/8: 6 + 8 (1 - (7/8)^62) arrivals within 5 standard errors (0.5 %); \
         mean wait of 10, 20 and 30 NewReno flows against the target: +6.1 %, -0.1 %, +1.0 %",
    ),
};
