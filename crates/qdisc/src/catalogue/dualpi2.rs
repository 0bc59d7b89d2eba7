//! The card of DualPI2.

use super::{Entry, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "dualpi2",
    family: "active",
    summary: "a queue for flows that want little delay beside one for all others, coupled to the same rate",
    source: "RFC 9332 appendix A; settings, scheduler and overload as in Linux's sch_dualpi2.c",
    equations: &[
        "ECT(1) and CE: low-latency queue; all others: classic",
        "every update: p += alpha (delay - target) + beta (delay - delay_old), delay the longer wait of the two heads",
        "classic: dropped, or marked if ECT(0), with probability p^2",
        "low-latency: marked if it waited longer than step, else with probability coupling p",
        "coupling p > 1: both dropped with probability p^2, low-latency packets marked otherwise",
        "while both wait the classic queue has classic_share of the bytes",
    ],
    parameters: &[
        Parameter {
            name: "limit",
            meaning: "the most that may wait in both queues, not counting the packet in transmission",
            unit: "pkt, B, time or bdp",
            default: "10000pkt",
            source: "sch_dualpi2.c",
        },
        Parameter {
            name: "target",
            meaning: "the time that classic packets should wait",
            unit: "time",
            default: "15ms",
            source: "RFC 9332 appendix A.1; sch_dualpi2.c",
        },
        Parameter {
            name: "update",
            meaning: "how often the probability is moved",
            unit: "time",
            default: "16ms",
            source: "sch_dualpi2.c",
        },
        Parameter {
            name: "alpha",
            meaning: "how far the distance from the target moves the probability, per second of it and update",
            unit: "",
            default: "0.16",
            source: "sch_dualpi2.c, 41/256; RFC 9332 appendix A.1: 0.1 update / RTT_max^2 at 100 ms",
        },
        Parameter {
            name: "beta",
            meaning: "how far a change of the wait moves the probability, per second of change",
            unit: "",
            default: "3.2",
            source: "sch_dualpi2.c, 819/256; RFC 9332 appendix A.1: 0.3 / RTT_max is 3",
        },
        Parameter {
            name: "coupling",
            meaning: "k: low-latency marks to the root of classic signals",
            unit: "",
            default: "2",
            source: "RFC 9332 §2.1; sch_dualpi2.c",
        },
        Parameter {
            name: "step",
            meaning: "the wait from which every low-latency packet is marked",
            unit: "time",
            default: "1ms",
            source: "sch_dualpi2.c",
        },
        Parameter {
            name: "classic_share",
            meaning: "the classic queue's share of the bytes while both wait",
            unit: "",
            default: "0.1",
            source: "sch_dualpi2.c",
        },
    ],
    deviations: &[
        "a step at 1 ms where RFC 9332 has a ramp from 0.8 to 1.2 ms, as in Linux",
        "signals are drawn independently, as in Linux; RFC 9332 counts up to them",
        "p in full precision; Linux rounds alpha, beta and p to 32 bits",
        "only ECN chooses the queue; Linux knows filters too",
    ],
    validation: Some(
        "shares of signals at p = 0.05, 0.2, 0.4 and in overload at 0.6: p^2 and 2 p within 5 standard errors of 100000 \
         draws; classic share 10 and 25 % to 2 packets of 1000",
    ),
};
