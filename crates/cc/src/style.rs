// SPDX-License-Identifier: Apache-2.0
//! How algorithms are drawn.

/// The style of an algorithm in all figures; no two algorithms of the catalogue have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style(pub Hue, pub Dash);

/// The hue of lines, dots and areas. These eight stay apart for people with colour vision deficiency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are named after what they look like")]
pub enum Hue {
    Blue,
    Vermilion,
    Green,
    Purple,
    Ochre,
    Cyan,
    Rose,
    Slate,
}

/// The dashes of lines, each with a marker for dots, which repeat the distinction without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// A solid line, and a circle.
    Solid,
    /// Dashes, and a square.
    Dashed,
    /// Dots, and a diamond.
    Dotted,
    /// A dash and a dot in turn, and a triangle.
    DashDot,
    /// Long dashes, and a triangle that points down.
    Long,
    /// A dash and two dots in turn, and a cross.
    DashDotDot,
    /// A long and a short dash in turn, and an hourglass.
    LongShort,
    /// Dots far apart, and a star.
    Sparse,
    /// Two dashes and a gap in turn, and a triangle that points right.
    Pair,
}
