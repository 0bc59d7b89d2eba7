// SPDX-License-Identifier: Apache-2.0
//! `rate = { file = … }`: rates over time from a table of text.

use super::{MOST_CHANGES, RateContext};
use crate::diagnostic::Fault;
use crate::emit::short;
use crate::field::Reported;
use crate::file;
use crate::input::InputFile;
use crate::recorded_rate::{self, Key, Missing, Part, Problem, RateUnit, Rates, Reading, TimeUnit};
use crate::section::keys;
use crate::value::{File, List, Positive, words};
use narrows_model::{RateModel, Recording};
use narrows_units::{Rate, Span};
use std::path::PathBuf;
use std::sync::Arc;

keys! {
    /// Recorded rates, each of which holds until the next: a file with a line for each, its fields between commas,
    /// semicolons, tabs or spaces, with or without a header. Lines that begin with # are comments. A comma within a field is the
    /// decimal point; a number in which it may be between thousands, as in 1,250, is refused. Or a pattern in the JSON of netem-trace.
    pub struct Recorded = "file" {
        /// Path of the file, relative to the scenario file.
        file: File,
        /// Name of the column of rates, or its number from 1.
        column: String => "the only one, or the only one with the name of a rate",
        /// Unit of the rates; B, kB, MB and bit are amounts in the interval of a line.
        unit: RateUnit => "the unit in the name of the column; required if it has none",
        /// Name of the column of times, or its number from 1. Times are numbers, dates as in 2019-12-14 10:16:30 or times of
        /// day, with AM or PM and a zone (Z, UTC, +01:00) behind them in all lines or in none, and ascend; of lines with
        /// the same time the last holds. A column `end` in the same unit states the ends of the intervals.
        time: String => "the only one with the name of a time; without a header the first",
        /// Unit of the times.
        time_unit: TimeUnit => "the unit in the name of the column, otherwise s",
        /// Part of its interval at which the time of a line is. start: a rate holds until the time of the next line.
        /// end: a rate held since the time of the line before, as of bytes received since then.
        times_are: Part = Part::Start,
        /// Time between two lines; given instead of a column of times.
        step: Positive<Span> => "none",
        /// Lines that count: each text is COLUMN=TEXT, as in "run_num=1".
        only: List<String> = Vec::new(),
        /// Treatment of lines without a rate (empty, -, NaN, NA, null). hold: the rate before it stays. zero: the rate is zero.
        missing: Missing = Missing::Refuse,
        /// Whether the recording is repeated; otherwise its last rate stays.
        repeat: bool = true,
        /// Period after which the recording is repeated.
        period: Positive<Span> => "its length: the last line holds as long as the line before",
        /// Position in the recording at the start of a run.
        start: Span = Span::ZERO,
    }
}

words!(Missing { Refuse = "refuse", Hold = "hold", Zero = "zero" });
words!(Part { Start = "start", End = "end" });

impl Recorded {
    pub(super) fn resolve(
        &mut self,
        context: RateContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<RateModel, Reported> {
        if self.step.copied()?.is_some() {
            let excluded = [(self.time.written, &self.time.at), (self.time_unit.written, &self.time_unit.at)];
            if let Some((_, at)) = excluded.iter().find(|(written, _)| *written) {
                let fault = at.fault("a file with a step has no column of times");
                return Err(fault.allowed("either step, or time and time_unit").report(faults));
            }
        }
        let (text, path, digest) = self.text(context, faults)?;
        let rates = self.read(&text, faults)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (steps, period) = self.repeated(&rates, context, faults)?;
        let understood = rates.understood;
        Ok(RateModel::Recording(Arc::new(Recording { name, digest, understood, steps, period })))
    }

    /// The content of the file, its path and its digest.
    fn text(
        &mut self,
        context: RateContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<(String, PathBuf, String), Reported> {
        let location = self.file.at.location.clone();
        let reference = self.file.get_mut()?;
        let found = context.load.path(&reference.name, &location);
        match found.and_then(|path| Ok((file::text(&path)?, path))) {
            Ok(((text, digest), path)) => {
                reference.found =
                    Some(InputFile::new(&reference.name, &location, path.clone(), digest.clone()));
                Ok((text, path, digest))
            }
            Err(problem) => {
                let given = format!("\"{}\"", reference.name);
                let allowed =
                    "a file of text with a rate in each line; narrows import writes one from a capture";
                Err(self.file.fault(problem).given(given).allowed(allowed).report(faults))
            }
        }
    }

    fn read(&self, text: &str, faults: &mut Vec<Fault>) -> Result<Rates, Reported> {
        let mut only = Vec::new();
        for element in self.only.get()? {
            let Some((column, text)) = element.value.split_once('=') else {
                let fault = element.at.fault("no column and text").given(format!("\"{}\"", element.value));
                return Err(fault.allowed("COLUMN=TEXT, as in \"run_num=1\"").report(faults));
            };
            only.push((column.trim(), text.trim()));
        }
        let reading = Reading {
            column: self.column.get()?.as_deref(),
            unit: self.unit.copied()?,
            time: self.time.get()?.as_deref(),
            time_unit: self.time_unit.copied()?,
            step: self.step.copied()?,
            only,
            missing: self.missing.copied()?,
            times_are: self.times_are.copied()?,
        };
        recorded_rate::read(text, &reading).map_err(|Problem { key, message, allowed }| {
            let at = match key {
                Key::File => &self.file.at,
                Key::Column => &self.column.at,
                Key::Unit => &self.unit.at,
                Key::Time => &self.time.at,
                Key::TimeUnit => &self.time_unit.at,
                Key::Step => &self.step.at,
                Key::Only => &self.only.at,
                Key::Missing => &self.missing.at,
            };
            at.fault(message).allowed(allowed).report(faults)
        })
    }

    /// The steps from the start of the run, and the time after which they are repeated.
    fn repeated(
        &self,
        rates: &Rates,
        context: RateContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<(Steps, Option<Span>), Reported> {
        let (repeat, start, duration) = (self.repeat.copied()?, self.start.copied()?, context.duration?);
        let written = self.period.copied()?;
        let period = written.unwrap_or(rates.length);
        let last = rates.steps[rates.steps.len() - 1].0;
        if let Some(given) = written.filter(|period| !repeat || *period <= last) {
            let (message, allowed) = if repeat {
                ("not after the last line", format!("more than {last}"))
            } else {
                ("the recording is not repeated", "no period, or repeat = true".to_owned())
            };
            let fault = self.period.fault(message).given(given.to_string());
            return Err(fault.allowed(allowed).report(faults));
        }
        if start >= period {
            let fault = self.start.fault("after the end of the recording").given(start.to_string());
            return Err(fault.allowed(format!("less than {period}")).report(faults));
        }
        let turns = duration.as_ps() / period.as_ps() + 1;
        if repeat && turns.saturating_mul(rates.steps.len() as u64) > MOST_CHANGES {
            let fault = self.file.fault(format!("the rate would change more than {MOST_CHANGES} times"));
            return Err(fault.allowed("a longer recording, a shorter run, or repeat = false").report(faults));
        }
        let first = rates.steps.partition_point(|(at, _)| *at <= start) - 1;
        let shifted = |&(at, rate): &(Span, Rate)| (at.saturating_sub(start), rate);
        let mut steps: Vec<_> = rates.steps[first..].iter().map(shifted).collect();
        if repeat {
            let before = rates.steps[..=first].iter().filter(|(at, _)| *at < start);
            steps.extend(before.map(|&(at, rate)| (at + period.saturating_sub(start), rate)));
        }
        Ok((steps, repeat.then_some(period)))
    }
}

/// Times and the rate from each on.
type Steps = Vec<(Span, Rate)>;

/// Describes a recording.
pub(super) fn describe(recording: &Recording) -> String {
    let Recording { name, digest, understood, steps, period } = recording;
    let mbps = |bps: u64| short(bps as f64 / 1e6, 3);
    let rates = || steps.iter().map(|(_, rate)| rate.as_bps());
    let (least, most) = (rates().min().unwrap_or(0), rates().max().unwrap_or(0));
    let repeated =
        period.map_or_else(|| "the last stays".to_owned(), |period| format!("repeated every {period}"));
    format!(
        "{} recorded rates from {} to {} Mbps, {repeated} ({name}: {understood}; SHA-256 {digest})",
        steps.len(),
        mbps(least),
        mbps(most)
    )
}
