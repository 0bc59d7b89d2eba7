// SPDX-License-Identifier: Apache-2.0
//! The times of a table: a column of numbers or of dates, or a constant step.

use super::field::{calendar, number, words};
use super::table::{Row, Table};
use super::{Key, Part, Problem, Reading, TimeUnit};
use narrows_units::Span;

/// Where the times of a table are.
pub struct Clock {
    /// Index of the column of times; `None` with a constant step.
    pub column: Option<usize>,
    /// What the times are, and from where that is known.
    pub understood: String,
    /// Seconds of one unit of the column; `None` where it holds dates.
    scale: Option<f64>,
    step: Span,
}

/// Returns where the times are.
///
/// # Errors
///
/// If the scenario must say it.
pub fn find(table: &Table<'_>, reading: &Reading<'_>) -> Result<Clock, Problem> {
    if let Some(step) = reading.step {
        let understood = format!("a line every {step}");
        return Ok(Clock { column: None, understood, scale: None, step });
    }
    let column = match reading.time {
        Some(name) => table.column(name, Key::Time)?,
        None => likely(table)?,
    };
    let name = table.name(column);
    let Some(first) = table.rows.first() else { return Err(Problem::new(Key::File, "it has no data", "")) };
    let calendar = number(first.fields[column]).is_none();
    let stated = table.names.get(column).and_then(|name| TimeUnit::named(name));
    let (scale, source) = match (calendar, reading.time_unit, stated) {
        (true, None, _) => (None, "dates".to_owned()),
        (true, Some(_), _) => {
            let message = format!("the column \"{name}\" does not hold numbers");
            return Err(Problem::new(Key::TimeUnit, message, "no unit for dates and times of day"));
        }
        (false, Some(unit), _) => (Some(unit), format!("in {}", unit.word())),
        (false, None, Some(unit)) => (Some(unit), format!("in {}, from the header", unit.word())),
        (false, None, None) => {
            plausible(table, column)?;
            (Some(TimeUnit::Seconds), "in s, which the file does not say".to_owned())
        }
    };
    let understood = format!("times in column \"{name}\", {source}");
    Ok(Clock { column: Some(column), understood, scale: scale.map(TimeUnit::seconds), step: Span::ZERO })
}

impl Clock {
    /// Returns the times of all lines from the start of the recording, and its length.
    ///
    /// # Errors
    ///
    /// If a time is missing, earlier than the one before, or too late.
    pub fn times(&self, table: &Table<'_>, part: Part) -> Result<(Vec<Span>, Span), Problem> {
        let rows = &table.rows;
        let Some(column) = self.column else {
            let longest = LONGEST_S / self.step.as_secs_f64();
            if rows.len() as f64 > longest {
                let message = format!("{} lines are more than {LONGEST_S} s", rows.len());
                return Err(Problem::new(Key::Step, message, "a shorter step"));
            }
            let times = (0..rows.len() as u64).map(|index| self.step * index).collect();
            return Ok((times, self.step * rows.len() as u64));
        };
        let mut seconds = Vec::with_capacity(rows.len());
        for row in rows {
            seconds.push(self.time(row, column)?);
        }
        for (index, pair) in seconds.windows(2).enumerate() {
            if pair[1] < pair[0] {
                let message =
                    format!("the time on line {} is earlier than the one before", rows[index + 1].line);
                let allowed = "ascending times; of several recordings in one file only = [\"COLUMN=TEXT\"] keeps one, and \
                               step = gives the time between two lines of a file without times";
                return Err(Problem::new(Key::Time, message, allowed));
            }
        }
        let (first, last) = (seconds[0], seconds[seconds.len() - 1]);
        if last - first > LONGEST_S {
            let message = format!("the recording is longer than {LONGEST_S} s");
            return Err(Problem::new(Key::TimeUnit, message, TimeUnit::allowed()));
        }
        let mut times: Vec<Span> = seconds.iter().map(|at| Span::from_secs_f64(at - first)).collect();
        let apart = |pair: &[Span]| (pair[0] < pair[1]).then(|| pair[1].saturating_sub(pair[0]));
        let gap = match part {
            Part::Start => times.windows(2).rev().find_map(apart),
            Part::End => times.windows(2).find_map(apart),
        };
        let Some(gap) = gap else {
            let message = "all lines have one time, so the recording has no length";
            return Err(Problem::new(Key::Step, message, "step =, the time between two lines"));
        };
        let length = times[times.len() - 1] + gap;
        if part == Part::End {
            // A line holds from the time of the line before it; the first as long as the second.
            let starts = [Span::ZERO].into_iter().chain(times.iter().map(|at| *at + gap));
            times = starts.take(rows.len()).collect();
        }
        Ok((times, length))
    }

    fn time(&self, row: &Row<'_>, column: usize) -> Result<f64, Problem> {
        let field = row.fields[column];
        let found = match self.scale {
            Some(scale) => number(field).map(|number| number * scale),
            None => calendar(field),
        };
        found.ok_or_else(|| {
            let what = if self.scale.is_some() { "a number" } else { "a date with a time, or a time of day" };
            let message = format!("the time on line {} is not {what}", row.line);
            let allowed = "numbers, or dates as in 2019-12-14 10:16:30, with the year first; or step =, the time between two lines";
            Problem::new(Key::Time, message, allowed)
        })
    }
}

/// The column that holds the times by its name; by its place without names.
fn likely(table: &Table<'_>) -> Result<usize, Problem> {
    let is_time = |column: usize| {
        let first = table.rows.first().map_or("", |row| row.fields[column]);
        number(first).is_some() || calendar(first).is_some()
    };
    let step = "step =, the time between two lines, as in step = \"1s\"";
    if table.names.is_empty() {
        return if table.width > 1 && is_time(0) {
            Ok(0)
        } else {
            let message = "it has no column of times";
            Err(Problem::new(Key::Step, message, format!("{step}, or time =, the number of a column")))
        };
    }
    let all: Vec<usize> = (0..table.width).filter(|&column| is_time(column)).collect();
    let of =
        |test: fn(&str) -> bool| all.iter().copied().filter(|&column| test(&table.names[column])).collect();
    let (whole, part): (Vec<usize>, Vec<usize>) = (
        of(|name| NAMES.contains(&name.to_lowercase().as_str())),
        of(|name| words(name).iter().any(|word| NAMES.contains(&word.to_lowercase().as_str()))),
    );
    match (whole.as_slice(), part.as_slice()) {
        (&[column], _) | ([], &[column]) => Ok(column),
        ([], []) => {
            let allowed = format!("{step}, or time =, one of {}", table.shown(&all));
            Err(Problem::new(Key::Step, "no column has the name of a time", allowed))
        }
        (several, others) => {
            let several = if several.is_empty() { others } else { several };
            let message = "several columns have the name of a time";
            Err(Problem::new(Key::Time, message, format!("one of {}, or {step}", table.shown(several))))
        }
    }
}

/// Refuses times that would be in seconds only if a recording lasted for ages.
fn plausible(table: &Table<'_>, column: usize) -> Result<(), Problem> {
    let times: Vec<f64> = table.rows.iter().filter_map(|row| number(row.fields[column])).collect();
    let mut gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_by(f64::total_cmp);
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(0.0);
    if usual < LONG_GAP_S && times.first().is_none_or(|first| *first < LATEST_S) {
        return Ok(());
    }
    let message = format!(
        "the unit of the times in column \"{}\" is not known, and they are too large for s",
        table.name(column)
    );
    Err(Problem::new(Key::TimeUnit, message, TimeUnit::allowed()))
}

/// Names of columns of times, in lower case.
const NAMES: &[&str] = &[
    "time",
    "times",
    "timestamp",
    "ts",
    "t",
    "date",
    "datetime",
    "dtime",
    "elapsed",
    "epoch",
    "seconds",
    "sec",
    "secs",
];

/// Longest time of a scenario, seconds.
const LONGEST_S: f64 = 1e7;

/// Seconds since 1970 are less than this for three thousand years.
const LATEST_S: f64 = 1e11;

/// Rates are recorded more often than this.
const LONG_GAP_S: f64 = 100.0;
