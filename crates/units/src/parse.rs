// SPDX-License-Identifier: Apache-2.0
//! Quantities in text: `"10Mbps"`, `"40ms"`, `"64KiB"`, `"100pkt"`, `"1.5bdp"`, `"1%"`.
//!
//! The number is decimal and is scaled exactly: a rate, size or time that is not a whole number of the smallest unit
//! (bit/s, byte, picosecond) is rejected, so that nothing is rounded, least of all to zero. The spellings of tc
//! (`Mbit`) and ns-3 (`Mbps`, `Mb/s`) are accepted; those that mean bits to one tool and bytes to another (`mbps`,
//! `MB/s`, `Mb`) are rejected with the reason.

mod spelling;

use crate::{Bytes, Rate, Span};
use alloc::{borrow::ToOwned, format, string::String, vec, vec::Vec};
use core::fmt;
use core::str::FromStr;
use spelling::{UNITS, Unit, find, unknown};

/// The dimension of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A rate, in bits per second.
    Rate,
    /// A duration.
    Time,
    /// A size in bytes.
    Size,
    /// A number of packets.
    Packets,
    /// A multiple of the bandwidth-delay product.
    Bdp,
    /// A fraction, written as a percentage.
    Fraction,
}

/// A quantity of any dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// A rate.
    Rate(Rate),
    /// A duration.
    Time(Span),
    /// A size.
    Size(Bytes),
    /// A number of packets, not necessarily whole.
    Packets(f64),
    /// A multiple of the bandwidth-delay product.
    Bdp(f64),
    /// A fraction: 0.01 for `"1%"`.
    Fraction(f64),
}

/// The error of a text that is not a quantity of a permitted dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// The text.
    pub given: String,
    /// Problem of the text.
    pub problem: Problem,
    /// The permitted dimensions.
    pub allowed: Vec<Dimension>,
}

/// The problem of the text of a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The text does not start with a decimal number.
    NoNumber,
    /// The number has no unit.
    NoUnit,
    /// There is no such unit.
    UnknownUnit {
        /// The unit in the text.
        unit: String,
    },
    /// The unit has different meanings in different tools.
    Ambiguous {
        /// The unit in the text.
        unit: String,
        /// The meanings, and what to write instead.
        reason: String,
    },
    /// The quantity has a dimension that is not permitted.
    WrongDimension {
        /// The dimension of the quantity.
        found: Dimension,
    },
    /// The number is negative.
    Negative,
    /// The quantity exceeds the range of its type.
    TooLarge,
    /// The quantity is not a whole number of the smallest unit.
    NotWhole {
        /// The smallest unit of the type: `bps`, `B` or `ps`.
        unit: &'static str,
    },
}

impl Quantity {
    /// Parses a number with a unit of one of the `allowed` dimensions.
    ///
    /// # Errors
    ///
    /// If the text is no such quantity, is negative, or is not representable exactly.
    pub fn parse(text: &str, allowed: &[Dimension]) -> Result<Self, UnitError> {
        let fail = |problem| UnitError { given: text.to_owned(), problem, allowed: allowed.to_vec() };
        let (number, unit) = split(text.trim()).ok_or_else(|| fail(Problem::NoNumber))?;
        if unit.is_empty() {
            return Err(fail(Problem::NoUnit));
        }
        let (dimension, scale) = find(unit).ok_or_else(|| fail(unknown(unit)))?;
        if !allowed.contains(&dimension) {
            return Err(fail(Problem::WrongDimension { found: dimension }));
        }
        if number.negative {
            return Err(fail(Problem::Negative));
        }
        let whole = || number.times(scale).map_err(|inexact| fail(inexact.problem(dimension)));
        Ok(match dimension {
            Dimension::Rate => Self::Rate(Rate::from_bps(whole()?)),
            Dimension::Time => Self::Time(Span::from_ps(whole()?)),
            Dimension::Size => {
                let count = whole()?;
                // The number of bits must fit 64 bits, too.
                if count > u64::MAX / 8 {
                    return Err(fail(Problem::TooLarge));
                }
                Self::Size(Bytes::new(count))
            }
            Dimension::Packets => Self::Packets(number.real(0).map_err(fail)?),
            Dimension::Bdp => Self::Bdp(number.real(0).map_err(fail)?),
            Dimension::Fraction => Self::Fraction(number.real(-2).map_err(fail)?),
        })
    }

    /// Returns the dimension of the quantity.
    pub const fn dimension(self) -> Dimension {
        match self {
            Self::Rate(_) => Dimension::Rate,
            Self::Time(_) => Dimension::Time,
            Self::Size(_) => Dimension::Size,
            Self::Packets(_) => Dimension::Packets,
            Self::Bdp(_) => Dimension::Bdp,
            Self::Fraction(_) => Dimension::Fraction,
        }
    }

    /// Whether the quantity is zero.
    pub fn is_zero(self) -> bool {
        match self {
            Self::Rate(rate) => rate == Rate::ZERO,
            Self::Time(span) => span == Span::ZERO,
            Self::Size(bytes) => bytes == Bytes::ZERO,
            Self::Packets(number) | Self::Bdp(number) | Self::Fraction(number) => number <= 0.0,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate) => rate.fmt(f),
            Self::Time(span) => span.fmt(f),
            Self::Size(bytes) => bytes.fmt(f),
            Self::Packets(number) => write!(f, "{number}pkt"),
            Self::Bdp(number) => write!(f, "{number}bdp"),
            Self::Fraction(number) => write!(f, "{number}"),
        }
    }
}

/// As in `"20Mbps"`: a whole number of the largest unit for which it is whole.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "Gbps"), (1_000_000, "Mbps"), (1000, "kbps"), (1, "bps")];
        largest_whole(f, self.as_bps(), &units)
    }
}

/// As in `"40ms"`: a whole number of the largest unit, up to seconds, for which it is whole.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ZERO {
            return f.write_str("0s");
        }
        let units = [(SECOND, "s"), (SECOND / 1000, "ms"), (1_000_000, "us"), (1000, "ns"), (1, "ps")];
        largest_whole(f, self.as_ps(), &units)
    }
}

/// As in `"1500B"`: a whole number of gigabytes, megabytes or bytes.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ZERO {
            return f.write_str("0B");
        }
        largest_whole(f, self.count(), &[(1_000_000_000, "GB"), (1_000_000, "MB"), (1, "B")])
    }
}

impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match Quantity::parse(text, &[Dimension::Rate])? {
            Quantity::Rate(rate) => Ok(rate),
            other => unreachable!("{other} is not a rate"),
        }
    }
}

impl FromStr for Span {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match Quantity::parse(text, &[Dimension::Time])? {
            Quantity::Time(span) => Ok(span),
            other => unreachable!("{other} is not a time"),
        }
    }
}

impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match Quantity::parse(text, &[Dimension::Size])? {
            Quantity::Size(bytes) => Ok(bytes),
            other => unreachable!("{other} is not a size"),
        }
    }
}

impl Dimension {
    /// Returns the name of a quantity of this dimension without an article, and its common units in parentheses, for
    /// messages.
    pub const fn with_units(self) -> &'static str {
        match self {
            Self::Rate => "rate (bps, kbps, Mbps, Gbps or Tbps; also bit, Mbit, Mbit/s, Mb/s)",
            Self::Time => "time (s, ms, us, ns, ps, min or h)",
            Self::Size => "size (B, kB, MB, GB, KiB, MiB or GiB)",
            Self::Packets => "number of packets (pkt)",
            Self::Bdp => "multiple of the bandwidth-delay product (bdp)",
            Self::Fraction => "percentage (%)",
        }
    }

    /// Returns a quantity as an example, for messages.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Rate => "10Mbps",
            Self::Time => "40ms",
            Self::Size => "1500B",
            Self::Packets => "100pkt",
            Self::Bdp => "1.5bdp",
            Self::Fraction => "1%",
        }
    }

    /// The units to suggest for a number without one.
    const fn usual_units(self) -> &'static [&'static str] {
        match self {
            Self::Rate => &["Mbps"],
            Self::Time => &["s", "ms"],
            Self::Size => &["B"],
            Self::Packets => &["pkt"],
            Self::Bdp => &["bdp"],
            Self::Fraction => &["%"],
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Rate => "a rate",
            Self::Time => "a time",
            Self::Size => "a size",
            Self::Packets => "a number of packets",
            Self::Bdp => "a multiple of the bandwidth-delay product",
            Self::Fraction => "a percentage",
        }
    }
}

/// Alternatives as a list in words: `a, b or c`.
pub fn alternatives(each: &[String]) -> String {
    match each {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

impl UnitError {
    /// Returns a description of the permitted dimensions, for messages.
    pub fn allowed(&self) -> String {
        let each = self.allowed.iter().map(|dimension| dimension.with_units().to_owned());
        format!("a {}", alternatives(&each.collect::<Vec<_>>()))
    }

    /// Returns a suggestion of what to write instead, if there is one.
    pub fn hint(&self) -> Option<String> {
        match &self.problem {
            // No unit makes a negative number a valid one.
            Problem::NoUnit if self.given.trim().starts_with('-') => None,
            Problem::NoUnit => {
                let number = self.given.trim();
                let with_units = |dimension: &Dimension| -> Vec<String> {
                    // So large a rate was counted in bits per second.
                    let rate =
                        format!("{number}bps").parse::<Rate>().ok().filter(|_| *dimension == Dimension::Rate);
                    match rate.filter(|rate| rate.as_bps() >= SURELY_BPS) {
                        Some(rate) => vec![format!("\"{rate}\"")],
                        None => {
                            dimension.usual_units().iter().map(|unit| format!("\"{number}{unit}\"")).collect()
                        }
                    }
                };
                let each: Vec<String> = self.allowed.iter().flat_map(with_units).collect();
                Some(format!("write {}", each.join(" or ")))
            }
            Problem::UnknownUnit { unit } => {
                let same = |(name, dimension, _): &&Unit| {
                    name.eq_ignore_ascii_case(unit) && self.allowed.contains(dimension)
                };
                UNITS.iter().find(same).map(|(name, ..)| format!("did you mean `{name}`?"))
            }
            _ => None,
        }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::NoNumber => f.write_str("no number"),
            Problem::NoUnit => f.write_str("a number without a unit"),
            Problem::UnknownUnit { unit } => write!(f, "unknown unit `{unit}`"),
            Problem::Ambiguous { unit, reason } => write!(f, "ambiguous unit `{unit}`: {reason}"),
            Problem::WrongDimension { found } => write!(f, "wrong unit: this is {}", found.noun()),
            Problem::Negative => f.write_str("a negative quantity"),
            Problem::TooLarge => f.write_str("too large to count"),
            Problem::NotWhole { unit } => write!(f, "not a whole number of {unit}"),
        }
    }
}

impl core::error::Error for UnitError {}

/// A decimal number: `digits × 10^exponent` and a sign.
struct Decimal {
    negative: bool,
    digits: u128,
    exponent: i32,
}

/// Why a number is not a whole number of units in 64 bits.
enum Inexact {
    TooLarge,
    NotWhole,
}

impl Inexact {
    fn problem(&self, dimension: Dimension) -> Problem {
        match (self, dimension) {
            (Self::TooLarge, _) => Problem::TooLarge,
            (Self::NotWhole, Dimension::Rate) => Problem::NotWhole { unit: "bps" },
            (Self::NotWhole, Dimension::Size) => Problem::NotWhole { unit: "B" },
            (Self::NotWhole, _) => Problem::NotWhole { unit: "ps" },
        }
    }
}

impl Decimal {
    /// The number times `scale`, if that is a whole number.
    fn times(&self, scale: u64) -> Result<u64, Inexact> {
        if self.digits == 0 {
            return Ok(0);
        }
        let scaled = self.digits.checked_mul(u128::from(scale)).ok_or(Inexact::TooLarge)?;
        let shift = 10_u128.checked_pow(self.exponent.unsigned_abs());
        let value = if self.exponent >= 0 {
            shift.and_then(|shift| scaled.checked_mul(shift)).ok_or(Inexact::TooLarge)?
        } else {
            let shift = shift.ok_or(Inexact::NotWhole)?;
            if scaled % shift != 0 {
                return Err(Inexact::NotWhole);
            }
            scaled / shift
        };
        u64::try_from(value).map_err(|_| Inexact::TooLarge)
    }

    /// The number times `10^shift`, rounded once to the nearest floating-point number.
    fn real(&self, shift: i32) -> Result<f64, Problem> {
        let text = format!("{}e{}", self.digits, self.exponent.saturating_add(shift));
        let value: f64 = text.parse().expect("digits and an exponent are a number");
        if value.is_finite() && (value > 0.0 || self.digits == 0) {
            Ok(value)
        } else {
            Err(Problem::TooLarge)
        }
    }
}

/// The number at the start of `text`, and the unit after it.
fn split(text: &str) -> Option<(Decimal, &str)> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let digits_end = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (integer, mut rest) = text.split_at(digits_end(text));
    let mut fraction = "";
    if let Some(behind) = rest.strip_prefix('.') {
        (fraction, rest) = behind.split_at(digits_end(behind));
        if fraction.is_empty() {
            return None;
        }
    }
    if integer.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut exponent = 0;
    if let Some(behind) = rest.strip_prefix(['e', 'E']) {
        let unsigned = behind.strip_prefix(['+', '-']).unwrap_or(behind);
        let length = behind.len() - unsigned.len() + digits_end(unsigned);
        if digits_end(unsigned) > 0 {
            exponent = behind[..length].parse().ok()?;
            rest = &behind[length..];
        }
    }
    let digits: String = [integer, fraction].concat();
    let fraction = fraction.trim_end_matches('0').len();
    let digits = digits[..integer.len() + fraction].trim_start_matches('0');
    let digits = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u128::MAX) };
    let exponent = i32::checked_sub(exponent, i32::try_from(fraction).ok()?)?;
    Some((Decimal { negative, digits, exponent }, rest.trim_start()))
}

/// Writes `value` as a whole number of the largest of `units` for which it is whole; each has its scale and name.
fn largest_whole(f: &mut fmt::Formatter<'_>, value: u64, units: &[(u64, &str)]) -> fmt::Result {
    let divides = |(scale, _): &&(u64, &str)| value.is_multiple_of(*scale) && value > 0;
    let (scale, unit) = units.iter().find(divides).or(units.last()).copied().unwrap_or((1, ""));
    write!(f, "{}{unit}", value / scale)
}

/// A number without a unit from which on it does not mean megabits per second.
const SURELY_BPS: u64 = 100_000;

/// Picoseconds in a second.
const SECOND: u64 = 1_000_000_000_000;

#[cfg(test)]
mod tests;
