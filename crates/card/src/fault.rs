//! What can be wrong with an algorithm and its parameters as written.

use std::fmt;

/// What is wrong with an algorithm or its parameters as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// No algorithm has that name.
    UnknownName {
        /// As written.
        given: String,
        /// The nearest known name.
        nearest: Option<&'static str>,
    },
    /// The algorithm has no such parameter.
    UnknownParameter {
        /// As written.
        given: String,
        /// All parameters that it has.
        allowed: Vec<&'static str>,
        /// The nearest of them.
        nearest: Option<&'static str>,
    },
    /// The value is of another kind than the parameter's, or outside its domain.
    BadValue {
        /// The parameter.
        parameter: &'static str,
        /// As written.
        given: String,
        /// The values it may take, in words.
        allowed: String,
    },
    /// The parameter was given twice.
    Repeated {
        /// The parameter.
        parameter: &'static str,
    },
    /// Not of the form `name` or `name(key=value, …)`.
    Form {
        /// As written.
        given: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName { given, nearest } => {
                write!(f, "there is no algorithm \"{given}\"")?;
                suggest(f, *nearest)
            }
            Self::UnknownParameter { given, allowed, nearest } => {
                if allowed.is_empty() {
                    return write!(f, "there is no parameter \"{given}\": this algorithm has none");
                }
                write!(f, "there is no parameter \"{given}\", only {}", allowed.join(", "))?;
                suggest(f, *nearest)
            }
            Self::BadValue { parameter, given, allowed } => {
                write!(f, "{parameter} is \"{given}\" but must be {allowed}")
            }
            Self::Repeated { parameter } => write!(f, "{parameter} is given twice"),
            Self::Form { given } => {
                write!(f, "\"{given}\" is not of the form name or name(parameter=value, ...)")
            }
        }
    }
}

impl std::error::Error for Fault {}

fn suggest(f: &mut fmt::Formatter<'_>, nearest: Option<&str>) -> fmt::Result {
    match nearest {
        Some(name) => write!(f, "; did you mean \"{name}\"?"),
        None => Ok(()),
    }
}
