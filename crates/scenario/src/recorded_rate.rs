// SPDX-License-Identifier: Apache-2.0
//! Rates over time from a table of text: lines of fields between commas, semicolons, tabs or spaces, with or without a
//! header. Nothing is guessed silently: an ambiguous file is refused with the candidates, and columns and units taken
//! from its header are part of the result.

mod field;
mod pairs;
mod pattern;
mod table;
mod times;
mod units;

pub use field::{calendar, number};
pub use pairs::{Wanted, pairs};
pub use table::Table;
pub use units::{RateUnit, TimeUnit};

use narrows_units::{Rate, Span};

/// The keys of the scenario on a file.
#[derive(Debug)]
pub struct Reading<'a> {
    /// Name or number of the column of rates.
    pub column: Option<&'a str>,
    /// Unit of the rates.
    pub unit: Option<RateUnit>,
    /// Name or number of the column of times.
    pub time: Option<&'a str>,
    /// Unit of the times.
    pub time_unit: Option<TimeUnit>,
    /// Time between two lines, of a file without times.
    pub step: Option<Span>,
    /// Columns and the text that they must hold in lines that count.
    pub only: Vec<(&'a str, &'a str)>,
    /// Treatment of a field without a number.
    pub missing: Missing,
    /// The part of its interval at which the time of a line is.
    pub times_are: Part,
}

/// The treatment of a line without a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is an error.
    Refuse,
    /// The rate before it stays.
    Hold,
    /// The rate is zero.
    Zero,
}

/// A part of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its start.
    Start,
    /// Its end.
    End,
}

/// The rates of a file.
#[derive(Debug, PartialEq)]
pub struct Rates {
    /// Times from the start of the recording, ascending from zero, and the rate from each on.
    pub steps: Vec<(Span, Rate)>,
    /// Length of the recording.
    pub length: Span,
    /// The columns and units, and the source of this information.
    pub understood: String,
}

/// A key of the scenario with which a problem can be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The name of the file.
    File,
    /// The column of rates.
    Column,
    /// The unit of rates.
    Unit,
    /// The column of times.
    Time,
    /// The unit of times.
    TimeUnit,
    /// The time between two lines.
    Step,
    /// The lines that count.
    Only,
    /// Lines without a rate.
    Missing,
}

/// The reason why a file gives no rates.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key to blame.
    pub key: Key,
    /// What is wrong. Of the file it has names of columns at most: the file may be a different and secret one.
    pub message: String,
    /// What is allowed there.
    pub allowed: String,
}

impl Problem {
    fn new(key: Key, message: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self { key, message: message.into(), allowed: allowed.into() }
    }

    fn of_line(line: usize, what: &str) -> Self {
        Self::new(Key::File, format!("line {line} {what}"), SHAPE)
    }
}

/// Reads the rates in `text`.
///
/// # Errors
///
/// If the text is no table, or it leaves open what the scenario does not say.
pub fn read(text: &str, reading: &Reading<'_>) -> Result<Rates, Problem> {
    if pattern::is_pattern(text) {
        return of_pattern(text, reading);
    }
    let mut table = Table::read(text)?;
    table.keep(&reading.only)?;
    let clock = times::find(&table, reading)?;
    let rates = units::find(&table, reading, clock.column)?;
    let (times, length) = clock.times(&table, reading.times_are)?;
    let mut steps: Vec<(Span, Rate)> = Vec::with_capacity(times.len());
    let mut doubled = 0_usize;
    for (index, row) in table.rows.iter().enumerate() {
        let at = times[index];
        let until = times.get(index + 1).copied().unwrap_or(length);
        if at == until {
            // Of lines with the same time the last holds.
            doubled += 1;
            continue;
        }
        let before = steps.last().map(|(_, rate)| *rate);
        let rate = rates.of(row, until.saturating_sub(at), before, reading.missing)?;
        steps.push((at, rate));
    }
    if steps.iter().all(|(_, rate)| *rate == Rate::ZERO) {
        return Err(Problem::new(Key::Column, "every rate is zero", "a column with a rate above zero"));
    }
    let doubled = match doubled {
        0 => String::new(),
        1 => "; 1 line has the time of the next and is not used".to_owned(),
        count => format!("; {count} lines have the time of the next and are not used"),
    };
    let gap = if clock.column.is_some() { times::longest_gap(&table.rows, &times) } else { String::new() };
    let understood = format!("{}, {}{doubled}{gap}", rates.understood, clock.understood);
    Ok(Rates { steps, length, understood })
}

/// Reads a pattern, which has neither columns nor lines.
fn of_pattern(text: &str, reading: &Reading<'_>) -> Result<Rates, Problem> {
    let written = [
        (reading.column.is_some(), Key::Column),
        (reading.unit.is_some(), Key::Unit),
        (reading.time.is_some(), Key::Time),
        (reading.time_unit.is_some(), Key::TimeUnit),
        (reading.step.is_some(), Key::Step),
        (!reading.only.is_empty(), Key::Only),
    ];
    match written.into_iter().find(|(is_written, _)| *is_written) {
        Some((_, key)) => {
            Err(Problem::new(key, "a pattern of netem-trace has no columns and no lines", "no such key"))
        }
        None => pattern::read(text),
    }
}

/// The shape of a file.
const SHAPE: &str = "a table of numbers, its fields between commas, semicolons, tabs or spaces, with or without a header; \
                     for mahimahi's format write trace = instead of file =";

#[cfg(test)]
mod tests;
