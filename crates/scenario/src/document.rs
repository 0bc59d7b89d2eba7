// SPDX-License-Identifier: Apache-2.0
//! TOML documents other than scenarios, with the place of everything in them: whoever reads them can complain about
//! them alike.

use super::diagnostic::{self, Diagnostic, Fault};
use super::location::Location;
use super::tree::{self, Node, Value};
use std::ops::Range;

/// A value with its position in the document.
#[derive(Clone, Debug)]
pub struct Located {
    /// The value.
    pub value: Written,
    /// Byte range of the value in the document.
    pub span: Range<usize>,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub enum Written {
    /// A string; a date or time as text.
    Text(String),
    /// A whole number.
    Integer(i128),
    /// A floating-point number.
    Number(f64),
    /// A boolean.
    Flag(bool),
    /// An array.
    List(Vec<Located>),
    /// A table in the order of the document: key, byte range of the key, value.
    Table(Vec<(String, Range<usize>, Located)>),
}

/// An error found in a document by the program that reads it.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// Byte range of its place in the document.
    pub span: Range<usize>,
    /// Key path.
    pub path: String,
    /// Description of the error.
    pub message: String,
    /// The value as written; `None` if something is missing.
    pub given: Option<String>,
    /// Allowed values, in words; empty if the message gives them.
    pub allowed: String,
    /// The nearest known name, or a remedy; `None` without one.
    pub hint: Option<String>,
}

/// Parses the TOML document `text`, which messages call `file`.
///
/// # Errors
///
/// All errors of syntax.
pub fn read_document(text: &str, file: &str) -> Result<Located, Vec<Diagnostic>> {
    tree::parse(text).map(located).map_err(|faults| diagnostic::locate(faults, text, file, &[]))
}

/// Returns the diagnostics of `complaints` about the document `text`, which messages call `file`, in the order of the
/// document.
pub fn complain(complaints: Vec<Complaint>, text: &str, file: &str) -> Vec<Diagnostic> {
    let fault = |complaint: Complaint| Fault {
        place: Location::File(complaint.span),
        path: complaint.path.into(),
        message: complaint.message.into(),
        given: complaint.given,
        allowed: complaint.allowed.into(),
        hint: complaint.hint,
    };
    diagnostic::locate(complaints.into_iter().map(fault).collect(), text, file, &[])
}

fn located(node: Node) -> Located {
    let value = match node.value {
        Value::Text(text) | Value::Date(text) => Written::Text(text),
        Value::Integer(number) => Written::Integer(number),
        Value::Float(number) => Written::Number(number),
        Value::Flag(flag) => Written::Flag(flag),
        Value::List(nodes) => Written::List(nodes.into_iter().map(located).collect()),
        Value::Table(entries) => Written::Table(
            entries
                .into_iter()
                .map(|entry| (entry.key, span(entry.key_place), located(entry.node)))
                .collect(),
        ),
    };
    Located { value, span: span(node.place) }
}

fn span(place: Location) -> Range<usize> {
    match place {
        Location::File(span) => span,
        Location::Argument(_) | Location::CommandLine => {
            unreachable!("a document is read from its text alone")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Truth: contract. A complaint about a value is shown at its line and column, in the order of the document.
    #[test]
    fn complaints_are_placed_in_the_order_of_the_document() {
        let text = "a = 1\nb = [\"x\", 2]\n";
        let Written::Table(entries) = read_document(text, "d.toml").unwrap().value else {
            panic!("no table")
        };
        let Written::List(items) = &entries[1].2.value else { panic!("no list") };
        let about = |span: &Range<usize>, message: &str| Complaint {
            span: span.clone(),
            path: String::new(),
            message: message.to_owned(),
            given: None,
            allowed: String::new(),
            hint: None,
        };
        let said =
            complain(vec![about(&items[1].span, "second"), about(&entries[0].1, "first")], text, "d.toml");
        let places: Vec<_> =
            said.iter().map(|each| (each.message.as_str(), each.line, each.column)).collect();
        assert_eq!(places, [("first", Some(1), Some(1)), ("second", Some(2), Some(11))]);
    }
}
