// SPDX-License-Identifier: Apache-2.0
//! The text of the resolved file: TOML tables whose keys have an order and may have comments.

use crate::input;
use std::fmt::{Display, Write};
use std::path::Path;
use toml_writer::{ToTomlValue, TomlStringBuilder};

/// The names of files in the resolved scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Absolute paths, so that the scenario can be read again.
    Path,
    /// Digests of the contents, so that the text does not depend on the locations of files.
    Digest,
    /// Names of files as in the folder of results that has the text.
    Kept,
}

impl Naming {
    /// Returns the name of the file at `path` whose content has this digest.
    pub fn of(self, path: &Path, digest: &str) -> String {
        match self {
            Self::Path => path.to_string_lossy().into_owned(),
            Self::Digest => format!("sha256:{digest}"),
            Self::Kept => input::kept(path, digest),
        }
    }
}

/// A TOML table of the resolved file: keys, then subtables.
#[derive(Clone, Debug, Default)]
pub struct TomlTable {
    keys: Vec<Line>,
    below: Vec<Below>,
}

#[derive(Clone, Debug)]
struct Line {
    key: String,
    value: String,
    comment: Option<String>,
}

#[derive(Clone, Debug)]
struct Below {
    name: String,
    /// Whether the table is an element of a list of tables.
    is_element: bool,
    table: TomlTable,
}

impl TomlTable {
    /// Adds a key; `value` is TOML.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.comment(key, value, None);
    }

    /// Adds a key with a comment after it; `value` is TOML.
    pub fn comment(&mut self, key: &str, value: impl Into<String>, comment: Option<String>) {
        self.keys.push(Line { key: key.to_owned(), value: value.into(), comment });
    }

    /// Adds the subtable `[name]` and returns it.
    pub fn table(&mut self, name: &str) -> &mut Self {
        self.add(name, false)
    }

    /// Adds an element of the array of tables `[[name]]` and returns it.
    pub fn element(&mut self, name: &str) -> &mut Self {
        self.add(name, true)
    }

    fn add(&mut self, name: &str, is_element: bool) -> &mut Self {
        self.below.push(Below { name: name.to_owned(), is_element, table: Self::default() });
        let last = self.below.len() - 1;
        &mut self.below[last].table
    }

    /// Gives the key at `path`, as in `flows[1].recovery`, another value, or removes it, if it is there.
    pub fn replace(&mut self, path: &str, value: Option<&str>) {
        let Some((step, rest)) = path.split_once('.') else {
            let Some(value) = value else { return self.keys.retain(|line| line.key != path) };
            for line in self.keys.iter_mut().filter(|line| line.key == path) {
                value.clone_into(&mut line.value);
            }
            return;
        };
        let (name, place) = step.split_once('[').unwrap_or((step, "0]"));
        let place = place.trim_end_matches(']').parse().unwrap_or(0);
        if let Some(below) = self.below.iter_mut().filter(|below| below.name == name).nth(place) {
            below.table.replace(rest, value);
        }
    }

    /// Returns the table as an inline table.
    pub fn inline(&self) -> String {
        let line = |line: &Line| format!("{} = {}", line.key, line.value);
        let mut keys: Vec<String> = self.keys.iter().map(line).collect();
        for below in
            self.below.chunk_by(|one, next| one.is_element && next.is_element && one.name == next.name)
        {
            let tables: Vec<String> = below.iter().map(|each| each.table.inline()).collect();
            let value =
                if below[0].is_element { format!("[{}]", tables.join(", ")) } else { tables.concat() };
            keys.push(format!("{} = {value}", below[0].name));
        }
        if keys.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", keys.join(", ")) }
    }

    /// Returns the table as a TOML document.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write("", &mut text);
        text
    }

    fn write(&self, path: &str, text: &mut String) {
        for Line { key, value, comment } in &self.keys {
            let comment = comment.as_ref().map_or(String::new(), |comment| format!("  # {comment}"));
            let _ = writeln!(text, "{key} = {value}{comment}");
        }
        for Below { name, is_element, table } in &self.below {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let heading = if *is_element { format!("[[{path}]]") } else { format!("[{path}]") };
            let _ = writeln!(text, "\n{heading}");
            table.write(&path, text);
        }
    }
}

/// Returns `value` as a TOML string.
pub fn text(value: impl Display) -> String {
    TomlStringBuilder::new(&value.to_string()).as_basic().to_toml_value()
}

/// Returns `value` as a TOML float that is read as the same number.
pub fn number(value: f64) -> String {
    format!("{value:?}")
}

/// Returns `value` with at most `decimals` decimals, without trailing zeros.
pub fn short(value: f64, decimals: usize) -> String {
    let digits = format!("{value:.decimals$}");
    if !digits.contains('.') {
        return digits;
    }
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}
