// SPDX-License-Identifier: Apache-2.0
//! The times of a table: a column of numbers or of dates, or a constant step.

use super::field::{Form, OPEN_COMMA, calendar, has_open_comma, number, words};
use super::table::{Row, Table, is_number};
use super::{Key, Part, Problem, RateUnit, Reading, TimeUnit};
use narrows_units::Span;

/// Where the times of a table are.
pub struct Clock {
    /// Index of the column of times; `None` with a constant step.
    pub column: Option<usize>,
    /// Description of the times, and its source.
    pub understood: String,
    /// Index of the column of the ends of the intervals, if there is one.
    end: Option<usize>,
    /// Seconds of one unit of the column; `None` if it holds dates.
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
        return Ok(Clock { column: None, understood, end: None, scale: None, step });
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
    let unit = scale.unwrap_or(TimeUnit::Seconds);
    let end = (0..table.names.len()).find(|&other| {
        let stated = TimeUnit::named(&table.names[other]).unwrap_or(TimeUnit::Seconds);
        other != column && is_end(&table.names[other]) && stated == unit
    });
    let end = end.filter(|_| reading.times_are == Part::Start);
    let ends = end.map_or_else(String::new, |end| format!(", ends in column \"{}\"", table.name(end)));
    let understood = format!("times in column \"{name}\", {source}{ends}");
    let scale = scale.map(TimeUnit::seconds);
    Ok(Clock { column: Some(column), understood, end, scale, step: Span::ZERO })
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
        let mut form = None;
        for row in rows {
            seconds.push(self.time(row, column, &mut form)?);
        }
        for (index, pair) in seconds.windows(2).enumerate() {
            if pair[1] < pair[0] {
                let night = form.is_some_and(|form| !form.dated) && pair[0] - pair[1] > HALF_DAY_S;
                let night = if night { ": times of day without a date go past midnight there" } else { "" };
                let line = rows[index + 1].line;
                let message = format!("the time on line {line} is earlier than the one before{night}");
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
        if let Some(end) = self.end {
            let mut last = Span::ZERO;
            for (row, at) in rows.iter().zip(&times) {
                last = Span::from_secs_f64((self.time(row, end, &mut form)? - first).clamp(0.0, LONGEST_S));
                if last <= *at {
                    let message = format!("the end on line {} is not after its time", row.line);
                    return Err(Problem::new(Key::Time, message, "ends after their times"));
                }
            }
            return Ok((times, last));
        }
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

    /// The time of a line in seconds; `form` is how dates on the lines before are written.
    fn time(&self, row: &Row<'_>, column: usize, form: &mut Option<Form>) -> Result<f64, Problem> {
        let field = row.fields[column];
        let found = match self.scale {
            Some(scale) => number(field).map(|number| number * scale),
            None => calendar(field).map(|date| {
                let same = *form.get_or_insert(date.form) == date.form;
                if same { date.seconds } else { f64::NAN }
            }),
        };
        let fault = |what: &str| {
            let allowed = "numbers, or dates as in 2019-12-14 10:16:30 or 2019-12-14T10:16:30+01:00, with the year first, AM or PM \
                           behind them, and zones as Z, UTC or +01:00; or step =, the time between two lines";
            let of = if self.end == Some(column) { "end" } else { "time" };
            Problem::new(Key::Time, format!("the {of} on line {} {what}", row.line), allowed)
        };
        match found {
            Some(seconds) if seconds.is_nan() => Err(fault(
                "has a date, a time zone, AM or PM, and the first has none, or the other way round",
            )),
            Some(seconds) => Ok(seconds),
            None if has_open_comma(field) => Err(fault(&format!("is {OPEN_COMMA}"))),
            None if self.scale.is_some() => Err(fault("is not a number")),
            None => Err(fault("is not a date with a time, or a time of day")),
        }
    }
}

/// Reports the line that holds much longer than usual, if there is one.
pub fn longest_gap(rows: &[Row<'_>], times: &[Span]) -> String {
    let gaps: Vec<Span> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    let mut sorted = gaps.clone();
    sorted.sort_unstable();
    let usual = sorted.get(sorted.len() / 2).copied().unwrap_or(Span::ZERO);
    match gaps.iter().enumerate().max_by_key(|(_, gap)| **gap) {
        Some((index, gap)) if usual > Span::ZERO && gap.as_ps() / LONG_GAP >= usual.as_ps() => {
            format!("; line {} holds for {gap}; {usual} is usual", rows[index].line)
        }
        _ => String::new(),
    }
}

/// Whether a column has the name of the ends of intervals, with or without a unit.
fn is_end(name: &str) -> bool {
    match words(name)[..] {
        [word] => word.eq_ignore_ascii_case("end"),
        [word, unit] => word.eq_ignore_ascii_case("end") && TimeUnit::named(unit).is_some(),
        _ => false,
    }
}

/// The column that holds the times by its name; by its place without names.
fn likely(table: &Table<'_>) -> Result<usize, Problem> {
    let is_time = |column: usize| {
        let first = table.rows.first().map_or("", |row| row.fields[column]);
        is_number(first) || calendar(first).is_some()
    };
    let step = "step =, the time between two lines, as in step = \"1s\"";
    if table.names.is_empty() {
        // Beside the only column of numbers there may be one of texts, such as units.
        let is_alone = is_number(table.rows.first().map_or("", |row| row.fields[0]))
            && (1..table.width).all(|column| !table.is_numeric(column));
        return if table.width > 1 && is_time(0) && !is_alone {
            Ok(0)
        } else {
            let message = "it has no column of times";
            Err(Problem::new(Key::Step, message, format!("{step}, or time =, the number of a column")))
        };
    }
    let is_rate = |column: usize| RateUnit::named(&table.names[column]).is_some();
    let all: Vec<usize> = (0..table.width).filter(|&column| is_time(column) && !is_rate(column)).collect();
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

/// Times of day that decrease by more than this have passed midnight.
const HALF_DAY_S: f64 = 43_200.0;

/// A gap of at least this multiple of the usual one is reported.
const LONG_GAP: u64 = 60;
