//! Keys of distributions: of sizes and of times.

use super::{Key, Kind, SIZE, TIME, Variant};

/// The forms of a distribution of one kind of quantity, and the same without the mixture, of which a mixture is made.
macro_rules! distributions {
    ($forms:ident, $simple:ident, $parts:ident, $quantity:expr) => {
        const $simple: &[Variant] = &[
            Variant {
                name: "constant",
                keys: &[Key::required("value", Kind::Quantity($quantity), "The value.")],
                meaning: "Always the same; a plain quantity says so too.",
            },
            Variant {
                name: "uniform",
                keys: &[
                    Key::required("minimum", Kind::Quantity($quantity.or_zero()), "Lower bound."),
                    Key::required("maximum", Kind::Quantity($quantity), "Upper bound."),
                ],
                meaning: "Uniform between the bounds.",
            },
            Variant {
                name: "exponential",
                keys: &[Key::required("mean", Kind::Quantity($quantity), "The mean.")],
                meaning: "Without memory.",
            },
            Variant {
                name: "pareto",
                keys: &[
                    Key::new("mean", Kind::Quantity($quantity), "none", "The mean; instead of the minimum."),
                    Key::new("minimum", Kind::Quantity($quantity), "what the mean asks for", "The smallest value."),
                    Key::required("shape", Kind::Number, "The tail's index: P(X > x) falls as x to this power."),
                    Key::new("maximum", Kind::Quantity($quantity), "none", "No value passes it."),
                ],
                meaning: "A heavy tail from the smallest value on.",
            },
            Variant {
                name: "lognormal",
                keys: &[
                    Key::new("mean", Kind::Quantity($quantity), "none", "The mean; instead of the median."),
                    Key::new("median", Kind::Quantity($quantity), "what the mean asks for", "Half of all values are smaller."),
                    Key::required("sigma", Kind::Number, "Standard deviation of the natural logarithm."),
                ],
                meaning: "The logarithm is normal.",
            },
            Variant {
                name: "web",
                keys: &[
                    Key::required("median", Kind::Quantity($quantity), "Median of the lognormal body, before it is cut off where the tail begins."),
                    Key::required("sigma", Kind::Number, "Standard deviation of the body's natural logarithm."),
                    Key::required("tail", Kind::Fraction { zero: false }, "Share of all values that are in the tail."),
                    Key::required("minimum", Kind::Quantity($quantity), "Where the Pareto tail begins."),
                    Key::required("shape", Kind::Number, "The tail's index."),
                    Key::new("maximum", Kind::Quantity($quantity), "none", "Where the tail ends."),
                ],
                meaning: "A lognormal body with a Pareto tail (Barford and Crovella 1998).",
            },
            Variant {
                name: "empirical",
                keys: &[
                    Key::new("values", Kind::List(&Kind::Quantity($quantity.or_zero())), "those of the file", "Ascending."),
                    Key::new("shares", Kind::List(&Kind::Fraction { zero: true }), "those of the file", "The share of all values up to each of them; the last is 1."),
                    Key::new("file", Kind::File, "none", "Instead of values and shares: a file with a value, in bytes or seconds, and a share from 0 to 1 on each line."),
                ],
                meaning: "Measured; linear between the points, and the first value has the whole of its share.",
            },
        ];

        const $parts: &[Key] = &[
            Key::new("class", Kind::Text, "its number", "What these values are called."),
            Key::required("share", Kind::Fraction { zero: false }, "Their share; the shares sum to 1."),
            Key::required("of", Kind::Variants { plain: Some($quantity), variants: $simple }, "Their distribution."),
        ];

        /// The forms of a distribution.
        pub(super) const $forms: &[Variant] = &[
            $simple[0], $simple[1], $simple[2], $simple[3], $simple[4], $simple[5], $simple[6],
            Variant {
                name: "mixture",
                keys: &[Key::required("parts", Kind::Tables(&[$parts]), "At least one.")],
                meaning: "One of several distributions, by their shares.",
            },
        ];
    };
}

distributions!(SIZES, SIMPLE_SIZES, SIZE_PARTS, SIZE);
distributions!(SPANS, SIMPLE_SPANS, SPAN_PARTS, TIME);
