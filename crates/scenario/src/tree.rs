// SPDX-License-Identifier: Apache-2.0
//! A scenario as written: a tree in which every key and value knows its place.
//!
//! The TOML library gives the tree with byte ranges; here it is brought into the order of the file and into a form in
//! which an argument can replace a part of it.

use super::diagnostic::Fault;
use super::location::Location;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The value.
    pub value: Value,
    /// Place of the value.
    pub place: Location,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    /// TOML does not bound integers; ours hold at least 64 bits with either sign.
    Integer(i128),
    Float(f64),
    Flag(bool),
    /// Dates and times have no use in a scenario.
    Date(String),
    List(Vec<Node>),
    Table(Vec<Pair>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The key.
    pub key: String,
    /// Place of the key.
    pub key_place: Location,
    /// The value of the key.
    pub node: Node,
}

impl Value {
    /// Returns the name of the TOML type, with its article.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Flag(_) => "a boolean",
            Self::Date(_) => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }

    /// Returns the value as shown in messages.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => format!("\"{text}\""),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => format!("{number:?}"),
            Self::Flag(flag) => flag.to_string(),
            Self::Date(text) => text.clone(),
            Self::List(_) | Self::Table(_) => self.kind().to_owned(),
        }
    }

    /// Returns the entry `key`; `None` if this is not a table or has no such key.
    pub fn get(&self, key: &str) -> Option<&Pair> {
        match self {
            Self::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }
}

/// Reads a document. Faults of syntax are all reported; none of the document can be used then.
pub(super) fn parse(text: &str) -> Result<Node, Vec<Fault>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let end = text.len();
        let fault = |error: &toml::de::Error| {
            Fault::new(&Location::File(error.span().unwrap_or(end..end)), "", error.message().trim())
        };
        return Err(errors.iter().take(MOST_ERRORS).map(fault).collect());
    }
    let span = table.span();
    Ok(Node { value: of_table(table.get_ref(), &Location::File), place: Location::File(span) })
}

/// Adds a fault for each text and key below a node that exceeds the limit: names are compared, described and written so often
/// that a long one takes a long time.
pub(super) fn check_lengths(node: &Node, path: &str, faults: &mut Vec<Fault>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match &node.value {
        Value::Text(text) => faults.extend(too_long(text, &node.place, path)),
        Value::List(nodes) => {
            for (index, each) in nodes.iter().enumerate() {
                check_lengths(each, &below(&index.to_string()), faults);
            }
        }
        Value::Table(entries) => {
            for entry in entries {
                match too_long(&entry.key, &entry.key_place, path) {
                    Some(fault) => faults.push(fault),
                    None => check_lengths(&entry.node, &below(&entry.key), faults),
                }
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Flag(_) | Value::Date(_) => {}
    }
}

fn too_long(text: &str, place: &Location, path: &str) -> Option<Fault> {
    (text.len() > LONGEST_TEXT).then(|| {
        let start: String = text.chars().take(SHOWN).collect();
        Fault::new(place, path, format!("a text of {} bytes", text.len()))
            .given(format!("\"{start}…\""))
            .allowed(format!("at most {LONGEST_TEXT} bytes"))
    })
}

/// Bytes of a text or a key.
const LONGEST_TEXT: usize = 10_000;

/// Characters of a longer one that a message shows.
const SHOWN: usize = 40;

/// Faults of syntax that are reported of one document.
const MOST_ERRORS: usize = 200;

/// Reads the value of a `--set` argument: TOML if it is, else a string.
pub(super) fn parse_argument(text: &str, index: usize) -> Node {
    let here = |_| Location::Argument(index);
    let value = DeValue::parse(text)
        .map_or_else(|_| Value::Text(text.to_owned()), |value| of(value.get_ref(), &here));
    Node { value, place: Location::Argument(index) }
}

type MakeLocation<'a> = &'a dyn Fn(Range<usize>) -> Location;

fn of_table(table: &DeTable<'_>, place: MakeLocation<'_>) -> Value {
    let mut entries: Vec<(usize, Pair)> = table
        .iter()
        .map(|(key, value)| {
            let entry = Pair {
                key: key.get_ref().to_string(),
                key_place: place(key.span()),
                node: node(value, place),
            };
            (key.span().start, entry)
        })
        .collect();
    entries.sort_by_key(|(start, _)| *start);
    Value::Table(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn node(value: &Spanned<DeValue<'_>>, place: MakeLocation<'_>) -> Node {
    Node { value: of(value.get_ref(), place), place: place(value.span()) }
}

fn of(value: &DeValue<'_>, place: MakeLocation<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        // A number beyond 128 bits becomes a float: every bound refuses it all the same.
        DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix())
            .map_or(Value::Float(f64::INFINITY), Value::Integer),
        DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(values) => Value::List(values.iter().map(|value| node(value, place)).collect()),
        DeValue::Table(table) => of_table(table, place),
    }
}
