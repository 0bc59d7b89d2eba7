//! TOML documents other than scenarios, with the place of everything in them: whoever reads them can complain about
//! them alike.

use super::diagnostic::{self, Diagnostic, Fault};
use super::location::Location;
use super::tree::{self, Node, Value};
use std::ops::Range;

/// A value and the bytes of the document that it was read from.
#[derive(Clone, Debug)]
pub struct Located {
    /// What was written.
    pub value: Written,
    /// Bytes of the document.
    pub span: Range<usize>,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub enum Written {
    /// A string; a date or time as its text.
    Text(String),
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A list.
    List(Vec<Located>),
    /// A table in the order of the document: key, bytes of the key, value.
    Table(Vec<(String, Range<usize>, Located)>),
}

/// What is wrong at a place of a document.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// Bytes of the document.
    pub span: Range<usize>,
    /// The key path.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What was written.
    pub given: Option<String>,
    /// What would do; empty where the message says it.
    pub allowed: String,
    /// The nearest known name, or what to do.
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

/// Complaints about the document `text`, which messages call `file`, in its order and with lines and columns.
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
