//! Sources whose transfers come and go.

use super::distribution::SPANS;
use super::{Key, Kind, Quantities, TIME, Variant};

const SEATS: Key = Key::new(
    "concurrent",
    Kind::Integer { minimum: 1, maximum: 1_000_000 },
    "10000",
    "So many transfers may be under way at once; one more is turned away, and counted.",
);

const UNTIL: Key =
    Key::new("until", Kind::Quantity(TIME), "the end of the run", "Nothing begins at or after this.");

/// Mean time between arrivals.
const INTERVAL: Quantities = TIME.or("none");

/// Transfers arrive at a rate.
pub(super) const POISSON: Variant = Variant {
    name: "poisson",
    keys: &[Key::required("interval", Kind::Quantity(TIME), "Mean time between arrivals."), UNTIL, SEATS],
    meaning: "Transfers of `size` arrive independently from `start` on, whatever becomes of those before.",
};

/// Transfers arrive at a rate that changes.
pub(super) const POISSON_STEPS: Variant = Variant {
    name: "poisson-steps",
    keys: &[
        Key::required(
            "intervals",
            Kind::List(&Kind::Quantity(INTERVAL)),
            "Mean time between arrivals from each time on; \"none\" for no arrivals.",
        ),
        Key::required(
            "times",
            Kind::List(&Kind::Quantity(TIME.or_zero())),
            "Ascending, the first 0s, counted from `start`.",
        ),
        Key::new("period", Kind::Quantity(TIME), "none", "After this the steps begin again."),
        UNTIL,
        SEATS,
    ],
    meaning: "As poisson, at a rate that is constant between given times.",
};

/// Recorded arrivals.
pub(super) const ARRIVALS: Variant = Variant {
    name: "arrivals",
    keys: &[
        Key::required(
            "arrivals",
            Kind::File,
            "A file with a time in seconds, counted from `start`, and a payload in bytes on each line, times ascending.",
        ),
        SEATS,
    ],
    meaning: "Recorded transfers: when each begins and how much it carries.",
};

/// Recorded connections.
pub(super) const VECTORS: Variant = Variant {
    name: "vectors",
    keys: &[
        Key::required(
            "vectors",
            Kind::File,
            "A file of Tmix connection vectors, in the original format or the alternate one of ns-2.",
        ),
        Key::new(
            "rtt",
            Kind::Choice(&["recorded", "group"]),
            "recorded",
            "The round trip of a connection: its recorded shortest one, never less than that of its way, or the group's `rtt`.",
        ),
        Key::new(
            "window",
            Kind::Choice(&["recorded", "group"]),
            "recorded",
            "What a host can hold: the window recorded of it, at most the group's `receive_window`, or the latter alone.",
        ),
        Key::new(
            "share",
            Kind::Fraction { zero: false },
            "1",
            "The share of the connections that are made again, evenly over the file: a dose.",
        ),
    ],
    meaning: "Recorded connections over which both sides write: times count from `start`, the initiators are where the group's data comes from. \
              What each side writes goes as one transfer, with congestion control of its own; who writes first opens the connection, and the other \
              side answers on it. Of a concurrent connection each side opens its own at the same time. Recorded loss rates and segment sizes are \
              not used.",
};

/// A time of greater transfers.
const SURGE: &[Key] = &[
    Key::required("from", Kind::Quantity(TIME.or_zero()), "It begins then."),
    Key::required("until", Kind::Quantity(TIME), "It is over then."),
    Key::new(
        "share",
        Kind::Fraction { zero: false },
        "1",
        "The share of transfers that begin meanwhile and are greater.",
    ),
    Key::required("factor", Kind::Number, "How many times greater."),
    Key::new("at", Kind::List(&Kind::Text), "all", "Classes of edges whose sources make them."),
];

/// Users.
pub(super) const USERS: Variant = Variant {
    name: "users",
    keys: &[
        Key::required(
            "think",
            Kind::Variants { plain: Some(TIME), variants: SPANS },
            "Time from the end of a transfer, or from `start`, to the begin of the next.",
        ),
        Key::new(
            "patience",
            Kind::Variants { plain: Some(TIME.or("infinite")), variants: SPANS },
            "infinite",
            "A transfer that takes longer is abandoned.",
        ),
        UNTIL,
        Key::new("surges", Kind::Tables(&[SURGE]), "none", "Times in which some transfers are greater."),
    ],
    meaning: "`count` users, each of whom thinks, transfers `size`, and thinks again.",
};
