// SPDX-License-Identifier: Apache-2.0
//! A table of text: fields between separators, quoted or not, with or without a header.

use super::field::{calendar, has_open_comma, is_missing, number};
use super::{Key, Problem, SHAPE};
use narrows_card::nearest;

/// The lines of a table.
#[derive(Debug)]
pub struct Table<'a> {
    /// Names of the columns; empty without a header.
    pub names: Vec<String>,
    /// Number of columns.
    pub width: usize,
    /// Whether the names are in a comment.
    pub named_in_comment: bool,
    /// The lines with data.
    pub rows: Vec<Row<'a>>,
}

/// A line with data.
#[derive(Debug)]
pub struct Row<'a> {
    /// Number of the line, from 1.
    pub line: usize,
    /// Its fields.
    pub fields: Vec<&'a str>,
}

impl<'a> Table<'a> {
    /// Reads the table in `text`. Lines that begin with `#` are comments; the last one before the data is the header if it
    /// has as many fields.
    ///
    /// # Errors
    ///
    /// If there are no data, or a line has another number of fields than the first.
    pub fn read(text: &'a str) -> Result<Self, Problem> {
        Self::of(text, |line| line)
    }

    /// Reads the table in `text`, in which a comment may follow the fields of a line.
    ///
    /// # Errors
    ///
    /// As for `read`.
    pub fn commented(text: &'a str) -> Result<Self, Problem> {
        Self::of(text, |line| match line.find('#') {
            Some(at) if !line[..at].trim().is_empty() => &line[..at],
            _ => line,
        })
    }

    fn of(text: &'a str, content: fn(&str) -> &str) -> Result<Self, Problem> {
        let lines = || text.lines().enumerate().map(|(index, line)| (index + 1, content(line).trim_end()));
        let is_comment = |line: &str| line.trim_start().starts_with('#');
        let first = lines().find(|(_, line)| !line.trim().is_empty() && !is_comment(line));
        let Some((_, first)) = first else { return Err(Problem::new(Key::File, "it has no data", SHAPE)) };
        if first.trim_start().starts_with(['{', '[', '<']) {
            let allowed = format!(
                "{SHAPE}; or a pattern of netem-trace; narrows import writes one from a capture or a result of iperf3"
            );
            return Err(Problem::new(Key::File, "no table of text", allowed));
        }
        let separator = Separator::of(first);
        let mut comment: Vec<&str> = Vec::new();
        let mut names = Vec::new();
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (line, text) in lines().filter(|(_, line)| !line.trim().is_empty()) {
            if is_comment(text) {
                if rows.is_empty() {
                    comment = separator.split(text.trim_start().trim_start_matches('#').trim());
                }
                continue;
            }
            let fields = separator.split(text);
            if rows.is_empty() && names.is_empty() && is_header(&fields) {
                names = fields.iter().map(|name| (*name).to_owned()).collect();
                continue;
            }
            rows.push(Row { line, fields });
        }
        let Some(first) = rows.first() else {
            return Err(Problem::new(Key::File, "line 1 is a header, and no data follows it", SHAPE));
        };
        let width = if names.is_empty() { first.fields.len() } else { names.len() };
        let named_in_comment = names.is_empty() && comment.len() == width && is_header(&comment);
        if named_in_comment {
            names = comment.iter().map(|name| (*name).to_owned()).collect();
        }
        if let Some(row) = rows.iter().find(|row| row.fields.len() != width) {
            let comma = if matches!(separator, Separator::Of(',')) && row.fields.len() > width {
                "; decimal commas are not read between commas"
            } else {
                ""
            };
            let count = row.fields.len();
            let what = format!("has another number of fields ({count}) than the first ({width}){comma}");
            return Err(Problem::of_line(row.line, &what));
        }
        Ok(Self { names, width, named_in_comment, rows })
    }

    /// Keeps the lines whose columns hold these texts.
    ///
    /// # Errors
    ///
    /// If there is no such column, or no line remains.
    pub fn keep(&mut self, only: &[(&str, &str)]) -> Result<(), Problem> {
        for (name, text) in only {
            let column = self.column(name, Key::Only)?;
            self.rows.retain(|row| row.fields[column] == *text);
            if self.rows.is_empty() {
                let message = format!("no line has \"{text}\" in the column \"{name}\"");
                return Err(Problem::new(Key::Only, message, "a text that the column holds"));
            }
        }
        Ok(())
    }

    /// Returns the index of the column `name`: its name, or its number from 1.
    ///
    /// # Errors
    ///
    /// If there is none, or several have the name.
    pub fn column(&self, name: &str, key: Key) -> Result<usize, Problem> {
        let of_name: Vec<usize> = (0..self.names.len()).filter(|&index| self.names[index] == name).collect();
        match (of_name.as_slice(), name.parse::<usize>()) {
            (&[index], _) => return Ok(index),
            ([], Ok(number)) if (1..=self.width).contains(&number) => return Ok(number - 1),
            _ => {}
        }
        let known =
            self.shown(&(0..self.width).filter(|&column| self.is_numeric(column)).collect::<Vec<_>>());
        let message = match of_name.len() {
            0 => format!("no column \"{name}\""),
            count => format!("{count} columns have the name \"{name}\""),
        };
        let near = nearest(name, self.names.iter().map(String::as_str));
        let near = near.filter(|near| known.contains(&format!("\"{near}\"")));
        let near = near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
        Err(Problem::new(key, message, format!("{known}, or a number from 1 to {}{near}", self.width)))
    }

    /// Lists columns for a message: their names, or their numbers.
    pub fn shown(&self, columns: &[usize]) -> String {
        let names: Vec<String> = columns.iter().map(|&column| format!("\"{}\"", self.name(column))).collect();
        if names.is_empty() { "no column of numbers is there".to_owned() } else { names.join(", ") }
    }

    /// Returns the name of a column, or its number from 1.
    pub fn name(&self, column: usize) -> String {
        self.names.get(column).cloned().unwrap_or_else(|| (column + 1).to_string())
    }

    /// Whether the column holds a number in one of the first lines.
    pub fn is_numeric(&self, column: usize) -> bool {
        self.rows.iter().take(LOOKED_AT).any(|row| is_number(row.fields[column]))
    }
}

/// Whether these are names of columns: texts, none of which is a number, a date or missing.
fn is_header(fields: &[&str]) -> bool {
    let mut texts = fields.iter().filter(|field| !field.is_empty()).peekable();
    texts.peek().is_some()
        && texts.all(|field| !is_number(field) && calendar(field).is_none() && !is_missing(field))
}

/// Whether a field is a number, or one with an open comma, which is refused where it counts.
pub fn is_number(field: &str) -> bool {
    number(field).is_some() || has_open_comma(field)
}

#[derive(Clone, Copy)]
enum Separator {
    Of(char),
    Space,
}

impl Separator {
    /// The separator of a table whose first line is `line`.
    fn of(line: &str) -> Self {
        let found = ['\t', ';', ',', '|'].into_iter().find(|&separator| line.contains(separator));
        found.map_or(Self::Space, Self::Of)
    }

    /// The fields of a line, without white space and quotation marks around them (RFC 4180 §2).
    fn split<'a>(self, line: &'a str) -> Vec<&'a str> {
        let mut quoted = false;
        let mut ends = |c: char| {
            quoted ^= c == '"';
            !quoted
                && match self {
                    Self::Of(separator) => c == separator,
                    Self::Space => c.is_whitespace() || c == ',',
                }
        };
        let parts: Vec<&'a str> = line.split(&mut ends).map(str::trim).collect();
        let fields = parts.into_iter().filter(|part| matches!(self, Self::Of(_)) || !part.is_empty());
        fields.map(|field| field.trim_matches('"').trim()).collect()
    }
}

/// Lines that show whether a column holds numbers.
const LOOKED_AT: usize = 100;
