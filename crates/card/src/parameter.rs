// SPDX-License-Identifier: Apache-2.0
//! The parameters of a card and the values that they may take.

use crate::fault::Fault;
use crate::value::Value;
use alloc::{borrow::ToOwned, string::ToString};
use core::fmt;
use core::ops::RangeInclusive;
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Dimension, Quantity, Rate};

/// A parameter of an algorithm or a queue discipline.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name in scenario files and on the command line.
    pub name: &'static str,
    /// Meaning of the parameter.
    pub meaning: &'static str,
    /// Unit of a bare number; `""` for a pure number, and for values that are written with their unit.
    pub unit: &'static str,
    /// Paper or RFC, with section, that gives the default; `""` if the source of the whole card does.
    pub source: &'static str,
    /// Allowed values, and the default.
    pub domain: Domain,
}

/// The value of a parameter that is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Default<T> {
    /// This value.
    Value(T),
    /// A value that follows from other parameters, described in words.
    Follows(&'static str),
    /// Nothing: it must be given.
    Required,
}

impl<T> Default<T> {
    /// Returns the value; `None` if there is none.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Follows(_) | Self::Required => None,
        }
    }
}

/// The value, or the words; empty for a required parameter.
impl<T: fmt::Display> fmt::Display for Default<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::Follows(words) => f.write_str(words),
            Self::Required => Ok(()),
        }
    }
}

/// The values that a parameter may have, and its default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// A number from `minimum` to `maximum`, both allowed.
    Number {
        /// Default value.
        default: f64,
        /// Smallest allowed value.
        minimum: f64,
        /// Largest allowed value; may be infinite.
        maximum: f64,
    },
    /// A whole number from `minimum` to `maximum`, both allowed.
    Integer {
        /// Default value.
        default: u64,
        /// Smallest allowed value.
        minimum: u64,
        /// Largest allowed value.
        maximum: u64,
    },
    /// A fraction, from 0 to 1: a percentage or a number.
    Fraction {
        /// Default value.
        default: f64,
        /// Whether 0 is allowed.
        zero: bool,
    },
    /// A rate above zero, with its unit.
    Rate {
        /// Default, as written.
        default: &'static str,
    },
    /// A duration with its unit.
    Span {
        /// Default, as written.
        default: &'static str,
        /// Whether zero is allowed.
        zero: bool,
    },
    /// A size in bytes, or in whole packets of the largest size.
    Size {
        /// Default, as written.
        default: &'static str,
    },
    /// A queue length above zero, in packets, bytes, transmission time or bandwidth-delay products.
    Length {
        /// Default, as written.
        default: Default<&'static str>,
        /// Whether a number of packets must be whole.
        whole: bool,
    },
    /// A buffer limit: a queue length with room for at least one packet, or `infinite`.
    Limit {
        /// Default, as written.
        default: &'static str,
    },
    /// A list of buffer limits; the default is an empty list.
    Limits,
    /// `true` or `false`.
    Flag {
        /// Default value.
        default: bool,
    },
    /// One of several words.
    Choice {
        /// Default word.
        default: &'static str,
        /// The allowed words.
        allowed: &'static [&'static str],
    },
    /// A required list of names of flow groups.
    Groups,
    /// A table with the class, from 0 to `worst`, of each flow group that it names.
    Classes {
        /// Largest class number.
        worst: u64,
        /// Whether it must be given; the default is an empty table.
        required: bool,
    },
    /// Another queue discipline with its parameters.
    Discipline {
        /// Words of how the default follows.
        default: &'static str,
        /// Names of the allowed disciplines.
        allowed: &'static [&'static str],
    },
}

impl Parameter {
    /// Returns a number in `range`, both ends allowed, without unit and without a source of its own.
    ///
    /// ```
    /// # use narrows_card::Parameter;
    /// const TARGET: Parameter = Parameter::number("target", "queueing delay aimed at", 0.1, 0.001..=1.0)
    ///     .unit("s")
    ///     .source("RFC 6817 §2.5");
    /// ```
    pub const fn number(
        name: &'static str,
        meaning: &'static str,
        default: f64,
        range: RangeInclusive<f64>,
    ) -> Self {
        let domain = Domain::Number { default, minimum: *range.start(), maximum: *range.end() };
        Self { name, meaning, unit: "", source: "", domain }
    }

    /// Returns `true` or `false`, without a source of its own.
    pub const fn flag(name: &'static str, meaning: &'static str, default: bool) -> Self {
        Self { name, meaning, unit: "", source: "", domain: Domain::Flag { default } }
    }

    /// Returns the same parameter with the unit of a bare number.
    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Returns the same parameter with the paper or RFC that gives its default.
    #[must_use]
    pub const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// Returns `value`, if it is inside the domain.
    pub(crate) fn check(&self, value: Value) -> Result<Value, Fault> {
        // One word of a choice may look like a number, as in `rules=2001`.
        let value = match (self.domain, value) {
            (Domain::Choice { .. }, Value::Number(number)) => Value::Word(number.to_string()),
            (_, value) => value,
        };
        if self.domain.contains(&value) {
            return Ok(value);
        }
        Err(Fault::BadValue {
            parameter: self.name,
            given: value.to_string(),
            allowed: self.domain.to_string(),
        })
    }
}

impl Domain {
    /// Returns the default, a value as written.
    pub fn default(&self) -> Default<Value> {
        let word = |text: &str| Default::Value(Value::Word(text.to_owned()));
        match self {
            Self::Number { default, .. } | Self::Fraction { default, .. } => {
                Default::Value(Value::Number(*default))
            }
            Self::Integer { default, .. } => Default::Value(Value::Number(*default as f64)),
            Self::Flag { default } => Default::Value(Value::Flag(*default)),
            Self::Rate { default }
            | Self::Span { default, .. }
            | Self::Size { default }
            | Self::Limit { default }
            | Self::Choice { default, .. }
            | Self::Length { default: Default::Value(default), .. } => word(default),
            Self::Length { default: Default::Follows(words), .. }
            | Self::Discipline { default: words, .. } => Default::Follows(words),
            Self::Limits | Self::Classes { required: false, .. } => word("none"),
            Self::Length { default: Default::Required, .. } | Self::Groups | Self::Classes { .. } => {
                Default::Required
            }
        }
    }

    /// Whether the parameter must be given.
    pub fn is_required(&self) -> bool {
        self.default() == Default::Required
    }

    /// Whether `value` is allowed. Always false for parameters that are lists, tables or disciplines, which have no
    /// [`Value`].
    pub fn contains(&self, value: &Value) -> bool {
        let is_a = |word: &str, dimensions| Quantity::parse(word, dimensions).is_ok();
        match (self, value) {
            (Self::Number { minimum, maximum, .. }, Value::Number(number)) => {
                minimum <= number && number <= maximum
            }
            (Self::Integer { minimum, maximum, .. }, Value::Number(number)) => {
                number.fract() == 0.0 && (*minimum as f64..=*maximum as f64).contains(number)
            }
            (Self::Fraction { zero, .. }, Value::Number(number)) => {
                (0.0..=1.0).contains(number) && (*zero || *number > 0.0)
            }
            (Self::Fraction { .. }, Value::Word(word)) => is_a(word, &[Dimension::Fraction]),
            (Self::Rate { .. }, Value::Word(word)) => rate(word).is_some(),
            (Self::Span { .. }, Value::Word(word)) => is_a(word, &[Dimension::Time]),
            (Self::Size { .. }, Value::Word(word)) => is_a(word, SIZES),
            (Self::Length { .. }, Value::Word(word)) => is_a(word, LENGTHS),
            (Self::Limit { .. }, Value::Word(word)) => word == INFINITE || is_a(word, LENGTHS),
            (Self::Flag { .. }, Value::Flag(_)) => true,
            (Self::Choice { allowed, .. }, Value::Word(word)) => allowed.contains(&word.as_str()),
            _ => false,
        }
    }
}

/// The domain in words: `a number in [0, 1]`.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { minimum, maximum: f64::INFINITY, .. } => {
                write!(f, "a number, at least {minimum}")
            }
            Self::Number { minimum, maximum, .. } => write!(f, "a number in [{minimum}, {maximum}]"),
            Self::Integer { minimum, maximum, .. } => write!(f, "a whole number from {minimum} to {maximum}"),
            Self::Fraction { zero: true, .. } => f.write_str("a percentage, as in 1%, or a number in [0, 1]"),
            Self::Fraction { .. } => f.write_str("a percentage, as in 1%, or a number in (0, 1]"),
            Self::Rate { .. } => f.write_str("a positive rate with a unit, as in 10Mbps"),
            Self::Span { zero: true, .. } => f.write_str("a time with a unit, as in 10ms"),
            Self::Span { .. } => f.write_str("a positive time with a unit, as in 10ms"),
            Self::Size { .. } => f.write_str("a size, as in 1500B, or a whole number of packets, as in 2pkt"),
            Self::Length { .. } => f.write_str("a queue length, as in 100pkt, 9kB, 5ms or 0.5bdp"),
            Self::Limit { .. } => {
                write!(f, "{INFINITE}, or a queue length, as in 100pkt, 9kB, 5ms or 0.5bdp")
            }
            Self::Limits => write!(f, "a list, each {INFINITE} or a queue length, as in 100pkt"),
            Self::Flag { .. } => f.write_str("true or false"),
            Self::Choice { allowed, .. } => write!(f, "one of {}", allowed.join(", ")),
            Self::Groups => f.write_str("a list of names of flow groups"),
            Self::Classes { worst, .. } => {
                write!(f, "a table of names of flow groups, each with a class from 0 to {worst}")
            }
            Self::Discipline { allowed, .. } => write!(f, "a queue of kind {}", allowed.join(" or ")),
        }
    }
}

/// Returns the rate that `text` writes, if it is one above zero.
pub(crate) fn rate(text: &str) -> Option<Rate> {
    match Quantity::parse(text, &[Dimension::Rate]) {
        Ok(Quantity::Rate(rate)) if rate > Rate::ZERO => Some(rate),
        _ => None,
    }
}

/// The word for a missing limit.
pub const INFINITE: &str = "infinite";

/// Dimensions in which a queue length may be written.
pub const LENGTHS: &[Dimension] = &[Dimension::Packets, Dimension::Size, Dimension::Time, Dimension::Bdp];

/// Dimensions in which a size may be written.
pub const SIZES: &[Dimension] = &[Dimension::Packets, Dimension::Size];
