// SPDX-License-Identifier: Apache-2.0
//! The value of a parameter as written.

use alloc::{borrow::ToOwned, string::String};
use core::fmt;

/// The value of a parameter as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A word, or a number with its unit.
    Word(String),
}

impl Value {
    /// Parses `text`: `true` and `false` as flags, decimal numbers as numbers, everything else as a word.
    pub fn parse(text: &str) -> Self {
        match text {
            "true" => Self::Flag(true),
            "false" => Self::Flag(false),
            _ => text.parse().map_or_else(|_| Self::Word(text.to_owned()), Self::Number),
        }
    }
}

/// As [`Value::parse`] reads it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}
