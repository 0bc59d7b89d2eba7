// SPDX-License-Identifier: Apache-2.0
//! What can be wrong with an algorithm and its parameters as written.

use alloc::{string::String, vec::Vec};
use core::fmt;

/// An error in the name or the parameters of an algorithm as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// There is no algorithm with that name.
    UnknownName {
        /// The name as written.
        given: String,
        /// The nearest known name; `None` if none is near.
        nearest: Option<&'static str>,
    },
    /// The algorithm has no such parameter.
    UnknownParameter {
        /// The name as written.
        given: String,
        /// Names of all its parameters.
        allowed: Vec<&'static str>,
        /// The nearest of these names; `None` if none is near.
        nearest: Option<&'static str>,
    },
    /// The value has the wrong type, or is outside the parameter's domain.
    BadValue {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value as written.
        given: String,
        /// Allowed values, in words.
        allowed: String,
    },
    /// A parameter was given twice.
    Repeated {
        /// Name of the parameter.
        parameter: &'static str,
    },
    /// The text is not of the form `name` or `name(parameter=value, …)`.
    Form {
        /// The text as written.
        given: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName { given, nearest } => {
                write!(f, "unknown algorithm \"{given}\"")?;
                suggest(f, *nearest)
            }
            Self::UnknownParameter { given, allowed, nearest } => {
                if allowed.is_empty() {
                    return write!(f, "unknown parameter \"{given}\"; it has no parameters");
                }
                match nearest {
                    Some(_) => write!(f, "unknown parameter \"{given}\""),
                    None => write!(f, "unknown parameter \"{given}\"; allowed: {}", allowed.join(", ")),
                }?;
                suggest(f, *nearest)
            }
            Self::BadValue { parameter, given, allowed } => {
                write!(f, "{parameter}: expected {allowed}, got \"{given}\"")
            }
            Self::Repeated { parameter } => write!(f, "{parameter} is given twice"),
            Self::Form { given } => {
                write!(f, "\"{given}\" is not of the form name or name(parameter=value, ...)")
            }
        }
    }
}

impl core::error::Error for Fault {}

fn suggest(f: &mut fmt::Formatter<'_>, nearest: Option<&str>) -> fmt::Result {
    match nearest {
        Some(name) => write!(f, "; did you mean \"{name}\"?"),
        None => Ok(()),
    }
}
