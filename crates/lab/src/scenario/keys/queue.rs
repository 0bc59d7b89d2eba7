//! Keys of a queue, one form per discipline.

use super::{Key, Kind, LENGTH, PACKETS_OR_BYTES, TIME, Variant, classes, explicit};

/// `queue`.
pub(super) const QUEUE_KIND: Kind = Kind::Variants {
    plain: None,
    variants: &[
        DROPTAIL,
        RED,
        Variant {
            name: "drr",
            keys: &[
                LIMIT,
                quantum("What a flow may send more in each round."),
                Key::new(
                    "drop",
                    Kind::Choice(&["head", "tail"]),
                    "head",
                    "Where the longest queue drops when the limit is exceeded.",
                ),
            ],
            meaning: "Deficit round robin, a queue for each flow (Shreedhar and Varghese 1995).",
        },
        Variant {
            name: "step",
            keys: &[
                LIMIT,
                Key::new(
                    "threshold",
                    Kind::Quantity(LENGTH),
                    "0.17bdp",
                    "What may wait before an arrival without its being marked.",
                ),
            ],
            meaning: "Marks every arrival that finds more than a threshold (DCTCP, RFC 8257 §3.1).",
        },
        Variant {
            name: "codel",
            keys: &[
                limit("1000pkt"),
                time("target", "5ms", "The time that packets may wait for good."),
                time(
                    "interval",
                    "100ms",
                    "How long they may wait longer: about the longest usual round trip.",
                ),
                ecn("false"),
            ],
            meaning: "Controlled delay (RFC 8289).",
        },
        Variant {
            name: "fq-codel",
            keys: &[
                limit("10240pkt"),
                time("target", "5ms", "The time that packets may wait for good."),
                time(
                    "interval",
                    "100ms",
                    "How long they may wait longer: about the longest usual round trip.",
                ),
                quantum("What a flow may send in its turn."),
                Key::new(
                    "flows",
                    Kind::Integer { minimum: 1, maximum: 65_536 },
                    "1024",
                    "Queues that flows are hashed into.",
                ),
                ecn("true"),
            ],
            meaning: "Fair queueing with CoDel in each queue (RFC 8290).",
        },
        Variant {
            name: "pie",
            keys: &[
                limit("1000pkt"),
                time("target", "15ms", "The time that packets should wait."),
                time("update", "15ms", "How often the probability is moved."),
                gain("alpha", "0.125", "How far the distance from the target moves it."),
                gain("beta", "1.25", "How far a change of the wait moves it."),
                Key::new(
                    "burst",
                    Kind::Quantity(TIME.or_zero()),
                    "150ms",
                    "For so long after calm nothing is signalled.",
                ),
                ecn("false"),
            ],
            meaning: "Proportional integral controller, enhanced (RFC 8033).",
        },
        Variant {
            name: "dualpi2",
            keys: &[
                limit("10000pkt"),
                time("target", "15ms", "The time that classic packets should wait."),
                time("update", "16ms", "How often the probability is moved."),
                gain("alpha", "0.16", "How far the distance from the target moves it."),
                gain("beta", "3.2", "How far a change of the wait moves it."),
                gain("coupling", "2", "Low-latency marks to the root of classic signals."),
                time("step", "1ms", "The wait from which every low-latency packet is marked."),
                Key::new(
                    "classic_share",
                    Kind::Fraction { zero: false },
                    "0.1",
                    "The classic queue's share of the bytes while both wait.",
                ),
            ],
            meaning: "Coupled queues for low latency and for all others (RFC 9332).",
        },
        classes::PRIORITY,
        classes::RIO,
        explicit::XCP,
        explicit::RCP,
        explicit::QUICK_START,
    ],
};

pub(super) const DROPTAIL: Variant = Variant {
    name: "droptail",
    keys: &[LIMIT],
    meaning: "First in, first out; an arrival that would exceed the limit is dropped.",
};

pub(super) const RED: Variant = Variant {
    name: "red",
    keys: &[
        LIMIT,
        Key::new("min", Kind::Quantity(LENGTH.fractional()), "5pkt", "Average queue at which signals begin."),
        Key::new(
            "max",
            Kind::Quantity(LENGTH.fractional()),
            "three times min",
            "Average queue at which max_p is reached.",
        ),
        Key::new("max_p", Kind::Fraction { zero: false }, "0.1", "Probability of a signal just below max."),
        early::WEIGHT,
        early::gentle("true"),
        early::WAIT,
        ecn("false"),
        Key::new(
            "adaptive",
            Kind::Flag,
            "false",
            "Move max_p so that the average stays between min and max.",
        ),
    ],
    meaning: "Random early detection (Floyd and Jacobson 1993).",
};

/// Keys that every queue of RED's kind has.
pub(super) mod early {
    use super::{Key, Kind};

    pub(in super::super) const WEIGHT: Key = Key::new(
        "weight",
        Kind::Fraction { zero: false },
        "0.002",
        "Weight of the newest length in the average.",
    );

    pub(in super::super) const WAIT: Key =
        Key::new("wait", Kind::Flag, "true", "Signals keep a distance, as in ns-2.");

    pub(in super::super) const fn gentle(default: &'static str) -> Key {
        Key::new("gentle", Kind::Flag, default, "Between max and twice max the probability grows to 1.")
    }
}

pub(super) const LIMIT: Key = limit("1bdp");

const fn limit(default: &'static str) -> Key {
    Key::new(
        "limit",
        Kind::Quantity(LENGTH.or("infinite")),
        default,
        "What may wait, not counting the packet in transmission.",
    )
}

const fn quantum(meaning: &'static str) -> Key {
    Key::new("quantum", Kind::Quantity(PACKETS_OR_BYTES), "1pkt", meaning)
}

const fn time(name: &'static str, default: &'static str, meaning: &'static str) -> Key {
    Key::new(name, Kind::Quantity(TIME), default, meaning)
}

/// A factor of a controller.
const fn gain(name: &'static str, default: &'static str, meaning: &'static str) -> Key {
    Key::new(name, Kind::Number, default, meaning)
}

pub(super) const fn ecn(default: &'static str) -> Key {
    Key::new("ecn", Kind::Flag, default, "Mark ECN-capable packets instead of dropping them.")
}
