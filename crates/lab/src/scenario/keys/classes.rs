//! Keys of the queues that favour groups of flows: strict priority and RIO.

use super::queue::{LIMIT, early, ecn};
use super::{Key, Kind, LENGTH, Quantities, Variant};

/// `kind = "priority"`.
pub(super) const PRIORITY: Variant = Variant {
    name: "priority",
    keys: &[
        LIMIT,
        Key::required(
            "classes",
            Kind::Named(&Kind::Integer { minimum: 0, maximum: WORST }),
            "The class of each group of flows by its name, as in { voice = 0, web = 1 }; 0 leaves first. Groups that are \
             not named share a class behind all of these. Acknowledgements are in the class of their flow.",
        ),
        Key::new(
            "limits",
            Kind::List(&Kind::Quantity(LENGTH.or("infinite"))),
            "none",
            "What may wait of each class, from class 0 on, besides the common limit.",
        ),
    ],
    meaning: "Strict priority: a packet leaves only when none of a better class waits.",
};

/// `kind = "rio"`.
pub(super) const RIO: Variant = Variant {
    name: "rio",
    keys: &[
        LIMIT,
        Key::required(
            "in",
            Kind::List(&Kind::Text),
            "The groups of flows, by name, whose packets are In, as in [\"voice\"]; all others are Out. Acknowledgements \
             are what their flow is.",
        ),
        threshold("in_min", "15pkt", "Average of waiting In packets at which signals to them begin."),
        threshold("in_max", "30pkt", "Average of waiting In packets at which in_max_p is reached."),
        probability("in_max_p", "0.02", "Probability of a signal to In packets just below in_max."),
        threshold("out_min", "5pkt", "Average of all waiting packets at which signals to Out packets begin."),
        threshold("out_max", "15pkt", "Average of all waiting packets at which out_max_p is reached."),
        probability("out_max_p", "0.2", "Probability of a signal to Out packets just below out_max."),
        early::WEIGHT,
        early::gentle("false"),
        early::WAIT,
        ecn("false"),
    ],
    meaning: "RED with In and Out: favoured flows are signalled later (Clark and Fang 1998).",
};

const fn threshold(name: &'static str, default: &'static str, meaning: &'static str) -> Key {
    const FRACTIONAL: Quantities = LENGTH.fractional();
    Key::new(name, Kind::Quantity(FRACTIONAL), default, meaning)
}

const fn probability(name: &'static str, default: &'static str, meaning: &'static str) -> Key {
    Key::new(name, Kind::Fraction { zero: false }, default, meaning)
}

/// The worst class that can be given: Linux's `prio` has sixteen at most, too.
const WORST: u64 = 15;
