//! The card of CoDel.

use super::{Entry, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "codel",
    family: "active",
    summary: "controlled delay: signals at the head while packets have waited too long for too long",
    source: "RFC 8289; marks as in Linux's codel_impl.h",
    equations: &[
        "above = sojourn >= target and more than a packet waits behind",
        "first signal: above at every packet for an interval",
        "next: interval / sqrt(count) after the last, count += 1, until not above",
        "again within 16 intervals: count starts at what it grew by last time; else at 1",
    ],
    parameters: &[
        Parameter {
            name: "limit",
            meaning: "the most that may wait, not counting the packet in transmission",
            unit: "pkt, B, time or bdp",
            default: "1000pkt",
            source: "sch_codel.c",
        },
        TARGET,
        INTERVAL,
        Parameter {
            name: "ecn",
            meaning: "mark ECN-capable packets instead of dropping them",
            unit: "",
            default: "false",
            source: "codel_impl.h",
        },
    ],
    deviations: &[
        "times are not rounded to 1.024 us and the square root is exact; Linux takes a Newton step of 16 bits",
        "after a mark the packet leaves and the next signal falls due as after a drop, as in Linux; RFC 8289 leaves \
         it open",
    ],
    validation: Some(
        "signal n + 1 against traffic that does not react falls due sum(1 / sqrt(k), k = 1..n) intervals after the \
         first: 2 sqrt(n) + zeta(1/2) + 1 / (2 sqrt(n)) within 20 us at n = 1000; \
         of a constant rate of twice the link's (t / (2 interval))^2 packets are lost in 10 s, within 1 %",
    ),
};

pub(super) const TARGET: Parameter = Parameter {
    name: "target",
    meaning: "the time that packets may wait for good",
    unit: "time",
    default: "5ms",
    source: "RFC 8289: 5 to 10 % of interval",
};

pub(super) const INTERVAL: Parameter = Parameter {
    name: "interval",
    meaning: "how long packets may wait longer than target: about the longest usual round-trip time",
    unit: "time",
    default: "100ms",
    source: "RFC 8289",
};
