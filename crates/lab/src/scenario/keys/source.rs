//! Keys of `source`: what the application above a flow writes.

use super::distribution::{SIZES, SPANS};
use super::path::GENERATED;
use super::transfers::{ARRIVALS, POISSON, POISSON_STEPS, USERS, VECTORS};
use super::{Key, Kind, RATE, SIZE, TIME, Variant};

/// A rate over time, of bits on the wire.
const SENDING_RATE: Kind = Kind::Variants { plain: Some(RATE), variants: GENERATED };

/// A time, or a distribution of times.
const SPAN: Kind = Kind::Variants { plain: Some(TIME), variants: SPANS };

pub(super) const SOURCE: Kind = Kind::Variants {
    plain: None,
    variants: &[
        Variant { name: "bulk", keys: &[], meaning: "Always something to send, up to size." },
        Variant {
            name: "cbr",
            keys: &[
                Key::new(
                    "rate",
                    SENDING_RATE,
                    "none",
                    "The rate on the wire; it runs from the start of the run.",
                ),
                Key::new(
                    "leaves",
                    SENDING_RATE,
                    "none",
                    "Instead of rate: what the source leaves of a constant path.rate to others.",
                ),
                Key::new(
                    "sharing",
                    Kind::Integer { minimum: 0, maximum: 1_000_000 },
                    "0",
                    "With leaves, where every flow has an equal share: how many others there are; 0 where shares are not \
                     equal. As many of the group's \
                     flows send as leave them theirs, n (C - B) / B of them for B of C left to n others (CMU-CS-02-139 \
                     §3.3), each 5 % more than its share; count is the most that there can be.",
                ),
            ],
            meaning: "Full packets, one whenever the rate has made the bits of one; each of several flows has the whole rate.",
        },
        Variant {
            name: "onoff",
            keys: &[
                Key::required("rate", Kind::Quantity(RATE), "The rate on the wire while it is on."),
                Key::required("on", SPAN, "How long it is on, each time; it is on when the run starts."),
                Key::required("off", SPAN, "How long it is off, each time."),
            ],
            meaning: "As cbr, at a rate that comes and goes.",
        },
        Variant {
            name: "writes",
            keys: &[
                Key::required("interval", SPAN, "Time between two writes; the first is at the start."),
                Key::required(
                    "size",
                    Kind::Variants { plain: Some(SIZE), variants: SIZES },
                    "What is written each time, rounded up to full packets.",
                ),
            ],
            meaning: "The application writes now and then, and congestion control sends it when it may.",
        },
        POISSON,
        POISSON_STEPS,
        ARRIVALS,
        VECTORS,
        USERS,
    ],
};
