//! What can be wrong with an algorithm as somebody wrote it, said in plain words.

use std::fmt;

/// What is wrong with an algorithm as somebody wrote it.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// No entry of that name; the nearest that exists.
    UnknownName {
        /// As written.
        given: String,
        /// The nearest known name.
        nearest: Option<&'static str>,
    },
    /// The entry has no such parameter.
    UnknownParameter {
        /// As written.
        given: String,
        /// All that it has.
        allowed: Vec<&'static str>,
        /// The nearest of them.
        nearest: Option<&'static str>,
    },
    /// The parameter is there but the value is of another kind or outside its range.
    BadValue {
        /// Whose value.
        parameter: &'static str,
        /// As written.
        given: String,
        /// In words.
        allowed: String,
    },
    /// The parameter was given twice.
    Repeated {
        /// Which.
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

/// The known name that differs from `given` in the fewest letters, if a slip of the pen could explain it.
pub(super) fn nearest(given: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let given = given.to_lowercase();
    known
        .map(|name| (strsim::damerau_levenshtein(&given, name), name))
        .filter(|(distance, name)| *distance <= name.len().max(given.len()).div_ceil(3))
        .min()
        .map(|(_, name)| name)
}

fn suggest(f: &mut fmt::Formatter<'_>, nearest: Option<&str>) -> fmt::Result {
    match nearest {
        Some(name) => write!(f, "; did you mean \"{name}\"?"),
        None => Ok(()),
    }
}
