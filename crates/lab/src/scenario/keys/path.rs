//! Keys of `[path]`: rates and losses.

use super::queue::QUEUE_KIND;
use super::{Key, Kind, RATE, SIZE, TIME, Variant};

/// `[path]`.
pub(super) const PATH: &[Key] = &[
    Key::required("rate", RATE_KIND, "Rate of the bottleneck, forward."),
    Key::required(
        "rtt",
        Kind::Quantity(TIME),
        "Two-way propagation delay of a flow, unless the flow says otherwise.",
    ),
    Key::new("packet", Kind::Quantity(SIZE), "1500B", "A full data packet on the wire."),
    Key::new("queue", QUEUE_KIND, "droptail, 1bdp", "What waits for the bottleneck."),
    Key::new("loss", LOSS_KIND, "none", "Random loss on the bottleneck, behind its queue."),
    Key::new(
        "access_rate",
        Kind::Quantity(RATE),
        "ten times the bottleneck's greatest rate",
        "Rate of each flow's own access links.",
    ),
    Key::new(
        "delay",
        Kind::Quantity(TIME.or_zero()),
        "0.4 of the smallest round trip of any group",
        "One-way propagation delay of the bottleneck; the access links share the rest of a flow's round trip.",
    ),
    Key::new(
        "reverse",
        Kind::Table(REVERSE),
        "the same rate, unlimited queue, no loss",
        "The bottleneck in the other direction.",
    ),
];

/// `[path.reverse]`.
const REVERSE: &[Key] = &[
    Key::new("rate", RATE_KIND, "that of the path", "Rate of the bottleneck, reverse."),
    Key::new("queue", QUEUE_KIND, "droptail, unlimited", "What waits for it."),
    Key::new("loss", LOSS_KIND, "none", "Random loss on it, behind its queue."),
];

/// Rates of a link: everything generated, or a recording.
pub(super) const RATE_KIND: Kind = Kind::Variants {
    plain: Some(RATE),
    variants: &[
        GENERATED[0],
        GENERATED[1],
        GENERATED[2],
        GENERATED[3],
        GENERATED[4],
        GENERATED[5],
        Variant {
            name: "trace",
            keys: &[Key::required(
                "trace",
                Kind::File,
                "A file in mahimahi's format, relative to the scenario file.",
            )],
            meaning: "A recorded link: one 1500-byte delivery opportunity per line, in milliseconds, repeated.",
        },
    ],
};

/// Rates that are made, not recorded.
pub(super) const GENERATED: &[Variant] = &[
    Variant {
        name: "steps",
        keys: &[
            Key::required(
                "rates",
                Kind::List(&Kind::Quantity(RATE.or_zero())),
                "The rate from each time on.",
            ),
            Key::required("times", Kind::List(&Kind::Quantity(TIME.or_zero())), "Ascending, the first 0s."),
        ],
        meaning: "Constant between given times.",
    },
    Variant {
        name: "square",
        keys: &[
            Key::required("high", Kind::Quantity(RATE), "First part of each period."),
            Key::required("low", Kind::Quantity(RATE.or_zero()), "Second part of each period."),
            Key::required("period", Kind::Quantity(TIME), "Both parts."),
            Key::new("duty", Kind::Fraction { zero: false }, "0.5", "Share of the period at the high rate."),
        ],
        meaning: "A square wave.",
    },
    Variant {
        name: "walk",
        keys: &[
            Key::new("start", Kind::Quantity(RATE), "midway between the bounds", "The rate at the start."),
            Key::required(
                "step",
                Kind::Quantity(RATE),
                "Size of a step; the greatest where steps are uniform.",
            ),
            Key::new(
                "steps",
                Kind::Choice(&["fixed", "uniform"]),
                "fixed",
                "fixed: step up or down, each as likely; uniform: any change from -step to +step, each as likely.",
            ),
            Key::new(
                "bounds",
                Kind::Choice(&["reflect", "clip"]),
                "reflect",
                "What becomes of a step beyond a bound: it turns back, or ends at the bound. Fixed steps turn back.",
            ),
            Key::required("minimum", Kind::Quantity(RATE.or_zero()), "Lower bound."),
            Key::required("maximum", Kind::Quantity(RATE), "Upper bound."),
            Key::required("interval", Kind::Quantity(TIME), "Time between steps."),
        ],
        meaning: "A random walk between two bounds.",
    },
    Variant {
        name: "additive-walk",
        keys: &[
            Key::required("start", Kind::Quantity(RATE), "The rate at the start."),
            Key::required("step", Kind::Quantity(RATE), "The most that the rate can rise at once."),
            Key::new("minimum", Kind::Quantity(RATE.or_zero()), "0bps", "Lower bound."),
            Key::required("maximum", Kind::Quantity(RATE), "Upper bound."),
            Key::required("interval", Kind::Quantity(TIME), "Time between steps."),
        ],
        meaning: "Each rate is uniform between nothing and step more than the last, clipped to the bounds.",
    },
    Variant {
        name: "multiplicative-walk",
        keys: &[
            Key::required("start", Kind::Quantity(RATE), "The rate at the start."),
            Key::required("factor", Kind::Number, "The most by which the rate can grow at once."),
            Key::new("minimum", Kind::Quantity(RATE.or_zero()), "0bps", "Lower bound."),
            Key::required("maximum", Kind::Quantity(RATE), "Upper bound."),
            Key::required("interval", Kind::Quantity(TIME), "Time between steps."),
        ],
        meaning: "Each rate is uniform between nothing and factor times the last, clipped to the bounds. From \
                 nothing it never returns, and a factor below e leads there.",
    },
    Variant {
        name: "uniform",
        keys: &[
            Key::required("minimum", Kind::Quantity(RATE.or_zero()), "Lower bound."),
            Key::required("maximum", Kind::Quantity(RATE), "Upper bound."),
            Key::required("interval", Kind::Quantity(TIME), "Time between draws."),
        ],
        meaning: "Independent draws, uniform between the bounds.",
    },
];

pub(super) const LOSS_KIND: Kind = Kind::Variants {
    plain: None,
    variants: &[
        Variant {
            name: "bernoulli",
            keys: &[Key::required(
                "rate",
                Kind::Fraction { zero: true },
                "Probability that a packet is lost.",
            )],
            meaning: "Each packet is lost with the same probability.",
        },
        Variant {
            name: "gilbert-elliott",
            keys: &[
                Key::required(
                    "good_to_bad",
                    Kind::Fraction { zero: false },
                    "Probability per packet of turning bad.",
                ),
                Key::required(
                    "bad_to_good",
                    Kind::Fraction { zero: false },
                    "Probability per packet of turning good.",
                ),
                Key::new(
                    "loss_good",
                    Kind::Fraction { zero: true },
                    "0",
                    "Loss probability in the good state.",
                ),
                Key::new(
                    "loss_bad",
                    Kind::Fraction { zero: true },
                    "1",
                    "Loss probability in the bad state.",
                ),
            ],
            meaning: "Two states with a loss probability each (Gilbert 1960, Elliott 1963).",
        },
    ],
};
