//! Keys of the queues that answer requests: XCP, RCP and Quick-Start.

use super::queue::{DROPTAIL, LIMIT, RED};
use super::{Key, Kind, TIME, Variant};

/// `kind = "xcp"`.
pub(super) const XCP: Variant = Variant {
    name: "xcp",
    keys: &[
        LIMIT,
        DISCIPLINE,
        Key::new(
            "alpha",
            Kind::Fraction { zero: true },
            "0.4",
            "Part of the spare rate handed out in an interval.",
        ),
        Key::new(
            "beta",
            Kind::Fraction { zero: true },
            "0.226",
            "Part of the queue taken back in an interval.",
        ),
        Key::new(
            "gamma",
            Kind::Fraction { zero: true },
            "0.1",
            "Part of the traffic that changes hands in an interval.",
        ),
        Key::new("min_interval", Kind::Quantity(TIME), "1ms", "Shortest control interval."),
        Key::new("max_interval", Kind::Quantity(TIME), "1s", "Longest round-trip time that counts."),
        Key::new(
            "initial_interval",
            Kind::Quantity(TIME),
            "50ms",
            "Control interval while no round-trip time is known.",
        ),
    ],
    meaning: "XCP's router (Katabi, Handley and Rohrs 2002); flows of algorithm xcp obey it.",
};

/// `kind = "rcp"`.
pub(super) const RCP: Variant = Variant {
    name: "rcp",
    keys: &[
        LIMIT,
        DISCIPLINE,
        Key::new(
            "alpha",
            Kind::Fraction { zero: true },
            "0.1",
            "Part of the spare rate offered more in a round trip.",
        ),
        Key::new("beta", Kind::Fraction { zero: true }, "1", "Part of the queue taken back in a round trip."),
        Key::new(
            "gain",
            Kind::Fraction { zero: false },
            "0.02",
            "Weight of the newest round-trip time in the mean.",
        ),
        Key::new("interval", Kind::Quantity(TIME), "10ms", "Longest time between updates of the rate."),
        Key::new(
            "initial",
            Kind::Fraction { zero: false },
            "0.05",
            "The first rate offered, as a part of the link's.",
        ),
    ],
    meaning: "RCP's router (Dukkipati et al. 2005); flows of algorithm rcp obey it.",
};

/// `kind = "quick-start"`.
pub(super) const QUICK_START: Variant = Variant {
    name: "quick-start",
    keys: &[
        LIMIT,
        DISCIPLINE,
        Key::new(
            "threshold",
            Kind::Fraction { zero: false },
            "0.85",
            "Nothing is approved while the link is used by this part of its rate.",
        ),
        Key::new(
            "share",
            Kind::Fraction { zero: false },
            "0.85",
            "Use and approvals together may come to this part of the link's rate.",
        ),
        Key::new(
            "interval",
            Kind::Quantity(TIME),
            "200ms",
            "Over which use is measured and approvals are remembered.",
        ),
        Key::new("encoding", Kind::Choice(ENCODINGS), "rfc4782", "How a rate is written into a packet."),
    ],
    meaning: "Quick-Start's router (RFC 4782); flows with quick_start ask it.",
};

/// How packets wait.
const DISCIPLINE: Key = Key::new(
    "discipline",
    Kind::Variants { plain: None, variants: &[DROPTAIL, RED] },
    "droptail with this limit",
    "How packets wait, with a limit of its own.",
);

/// What `encoding` may say.
const ENCODINGS: &[&str] = &["rfc4782", "linear", "exact"];
