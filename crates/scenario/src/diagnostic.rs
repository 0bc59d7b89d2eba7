// SPDX-License-Identifier: Apache-2.0
//! Errors in a scenario: the place, the given value, the allowed values.

use super::location::Location;
use narrows_card::nearest;
use std::fmt::Write;

/// An error in a scenario file or in an argument that changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the file, or the argument (`--set path.rate=fast`) if the error is there.
    pub file: String,
    /// Line in the file, from 1; `None` for an argument.
    pub line: Option<usize>,
    /// Column of the first character, from 1, counted in characters; `None` for an argument.
    pub column: Option<usize>,
    /// Key path, as in `path.queue.limit` or `flows.1.rtt`; empty for an error of syntax.
    pub path: String,
    /// Description of the error.
    pub message: String,
    /// The value as written; `None` if something is missing.
    pub given: Option<String>,
    /// Allowed values, in words; empty if the message gives them.
    pub allowed: String,
    /// The nearest known name, or a remedy; `None` without one.
    pub hint: Option<String>,
    /// The line of the file, or the argument.
    pub source_line: String,
    /// Number of characters to mark, from `column` on.
    pub length: usize,
    /// Whether only the backend refuses this: another one may honour it.
    pub refused: bool,
}

impl Diagnostic {
    /// Returns the diagnostic as plain text: place, message, the source line with the place underlined, the hint, and
    /// the allowed values unless the hint names the nearest of them.
    pub fn render(&self) -> String {
        let mut text = String::new();
        let place = match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.file),
            _ => self.file.clone(),
        };
        let path = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        let _ = writeln!(text, "{place}: {path}{}", self.message);
        if let (Some(line), Some(column)) = (self.line, self.column) {
            let number = line.to_string();
            // A tab stays a tab, so that the marks stand below what they mark.
            let indent = |c| if c == '\t' { '\t' } else { ' ' };
            let before: String = self.source_line.chars().take(column - 1).map(indent).collect();
            let _ = writeln!(text, "  {number} | {}", self.source_line);
            // A line of which the end is left out may not have the place in the part shown.
            if column <= self.source_line.chars().count() + 1 {
                let marks = "^".repeat(self.length.max(1));
                let _ = writeln!(text, "  {} | {before}{marks}", " ".repeat(number.len()));
            }
        }
        let given = self.given.as_deref().filter(|given| !given.is_empty());
        let hint = self.hint.as_deref();
        // Whoever mistyped one of fifty names needs that one.
        let near = hint.is_some_and(|hint| hint.starts_with(NEAREST));
        let allowed = Some(self.allowed.as_str()).filter(|allowed| !allowed.is_empty() && !near);
        for (label, value) in [("hint", hint), ("given", given), ("allowed", allowed)] {
            if let Some(value) = value {
                let _ = writeln!(text, "  {label}: {value}");
            }
        }
        text
    }
}

/// A fault before its place is known in lines and columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// Place of the error.
    pub place: Location,
    /// Key path; empty for an error of syntax.
    pub path: Box<str>,
    /// Description of the error.
    pub message: Box<str>,
    /// The value as written; `None` if something is missing.
    pub given: Option<String>,
    /// Allowed values, in words; empty if the message gives them.
    pub allowed: Box<str>,
    /// The nearest known name, or a remedy; `None` without one.
    pub hint: Option<String>,
}

impl Fault {
    /// Creates an error at `place` with the key path `path`, without a value, allowed values and a hint.
    pub fn new(place: &Location, path: impl Into<Box<str>>, message: impl Into<Box<str>>) -> Self {
        Self {
            place: place.clone(),
            path: path.into(),
            message: message.into(),
            given: None,
            allowed: Box::default(),
            hint: None,
        }
    }

    /// Returns the same error with the value as written.
    pub fn given(mut self, given: impl Into<String>) -> Self {
        self.given = Some(given.into());
        self
    }

    /// Returns the same error with the allowed values, in words.
    pub fn allowed(mut self, allowed: impl Into<Box<str>>) -> Self {
        self.allowed = allowed.into();
        self
    }

    /// Returns the same error with a hint; `None` for none.
    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Returns the same error with the hint that the nearest of the `known` names was meant, or one of several of one length that
    /// `given` begins, as `bbr` does `bbr1` and `bbr3`; without a hint if none is near.
    pub fn nearest<'a>(self, given: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        self.hint(nearest(given, known.iter().copied()).map(|nearest| {
            let is_begun = |name: &str| name.starts_with(given) && name.len() == nearest.len();
            let is_meant = |name: &&str| *name == nearest || (is_begun(nearest) && is_begun(name));
            let meant: Vec<String> =
                known.into_iter().filter(is_meant).map(|name| format!("`{name}`")).collect();
            format!("{NEAREST} {}?", meant.join(" or "))
        }))
    }
}

/// Returns all faults in the order of the file, those of arguments behind them.
pub(super) fn locate(
    mut faults: Vec<Fault>,
    text: &str,
    file: &str,
    arguments: &[String],
) -> Vec<Diagnostic> {
    faults.sort_by_key(|fault| match &fault.place {
        Location::File(span) => (0, span.start),
        Location::Argument(index) => (1, *index),
        Location::CommandLine => (2, 0),
    });
    // What [transport] says badly is met again in every flow that inherits it.
    let mut seen: Vec<Fault> = Vec::new();
    let mut faults = faults.into_iter();
    for fault in faults.by_ref() {
        if seen.contains(&fault) {
            continue;
        }
        seen.push(fault);
        if seen.len() == MOST_SHOWN {
            break;
        }
    }
    let mut shown: Vec<_> = seen.into_iter().map(|fault| place(fault, text, file, arguments)).collect();
    if faults.len() > 0
        && let Some(last) = shown.last_mut()
    {
        let more = format!("{} more faults follow", faults.len());
        last.hint = Some(last.hint.take().map_or(more.clone(), |hint| format!("{hint}; {more}")));
    }
    shown
}

fn place(fault: Fault, text: &str, file: &str, arguments: &[String]) -> Diagnostic {
    let mut diagnostic = Diagnostic {
        file: file.to_owned(),
        line: None,
        column: None,
        path: shortened(&fault.path),
        message: shortened(&fault.message),
        given: fault.given.as_deref().map(shortened),
        allowed: shortened(&fault.allowed),
        hint: fault.hint,
        source_line: String::new(),
        length: 0,
        refused: false,
    };
    match fault.place {
        Location::File(span) => {
            let start = floor(text, span.start);
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let line = text[line_start..].lines().next().unwrap_or("");
            let column = text[line_start..start].chars().count() + 1;
            // What spans several lines is marked to the end of its first.
            let end = floor(text, span.end).clamp(start, start.max(line_start + line.len()));
            diagnostic.line = Some(text[..start].matches('\n').count() + 1);
            diagnostic.column = Some(column);
            diagnostic.length = text[start..end].chars().count().max(1);
            diagnostic.source_line = line.chars().take(LONGEST_SHOWN).collect();
            diagnostic.length = diagnostic.length.min(LONGEST_SHOWN);
        }
        Location::Argument(index) => {
            let argument = arguments.get(index).map_or("", String::as_str);
            diagnostic.file = format!("--set {argument}");
            argument.clone_into(&mut diagnostic.source_line);
        }
        Location::CommandLine => "the command line".clone_into(&mut diagnostic.file),
    }
    diagnostic
}

/// How a hint with the nearest known name begins.
const NEAREST: &str = "did you mean";

/// Faults that are shown: who mends so many reads the rest then.
const MOST_SHOWN: usize = 100;

/// Characters of a line or a value that are shown.
const LONGEST_SHOWN: usize = 2000;

/// A text of which the end is left out if it is long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The start of the character at or before byte `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
