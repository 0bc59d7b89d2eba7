// SPDX-License-Identifier: Apache-2.0
//! Transfers whose arrival times are independent of earlier ones: Poisson or recorded.

use super::super::transport::Nothing;
use super::{Process, ProcessContext, RANDOM, RECORDED, Rules, Transfers, Window, late, read};
use crate::diagnostic::Fault;
use crate::field::{At, Field, Reported};
use crate::input::InputFile;
use crate::recorded_rate::{Wanted, pairs};
use crate::section::keys;
use crate::value::{Count, Element, File, List, Or, Positive};
use narrows_model::{Demand, traffic};
use narrows_units::{Bytes, Span, Time};

keys! {
    /// A Poisson process of transfers of `size` that begins at `start`.
    pub struct Poisson = "poisson" {
        /// Mean interarrival time.
        interval: Positive<Span>,
        /// Time at or after which no transfer starts.
        until: Positive<Span> => "the end of the run",
        /// Maximum number of concurrent transfers; further arrivals are rejected, and counted.
        concurrent: Count<1, 1_000_000> = 10_000,
    }
}

keys! {
    /// A Poisson process, as poisson, whose rate is piecewise constant.
    pub struct PoissonSteps = "poisson-steps" {
        /// Mean interarrival times, one for each time; "none" for no arrivals.
        intervals: List<Or<Positive<Span>, Nothing>>,
        /// Times from which they apply, counted from `start`, ascending; the first is 0s.
        times: List<Span>,
        /// Period after which the steps repeat.
        period: Positive<Span> => "none",
        /// Time at or after which no transfer starts.
        until: Positive<Span> => "the end of the run",
        /// Maximum number of concurrent transfers; further arrivals are rejected, and counted.
        concurrent: Count<1, 1_000_000> = 10_000,
    }
}

keys! {
    /// A recorded list of transfers, with start time and size of each.
    pub struct Arrivals = "arrivals" {
        /// A file with a start time, in seconds from `start`, and a payload in bytes on each line, or with other units in
        /// its header, as `time_ms,bytes`; times are ascending.
        arrivals: File,
        /// Maximum number of concurrent transfers; further arrivals are rejected, and counted.
        concurrent: Count<1, 1_000_000> = 10_000,
    }
}

impl Process for Poisson {
    fn rules(&self) -> Rules {
        RANDOM
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let window = context.window.until(&mut self.until, faults)?;
        let interval = self.interval.copied()?;
        let pattern = [(Span::ZERO, rate(Some(interval)))];
        check_arrivals(&pattern, window, &self.interval, faults)?;
        let slots = self.concurrent.copied()?;
        Ok(steps(&pattern, None, window, slots, &self.table))
    }
}

impl Process for PoissonSteps {
    fn rules(&self) -> Rules {
        RANDOM
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let window = context.window.until(&mut self.until, faults)?;
        let (times, intervals) = (self.times.get()?, self.intervals.get()?);
        let ascending = times.first().is_some_and(|first| first.value == Span::ZERO)
            && times.windows(2).all(|pair| pair[0].value < pair[1].value);
        if times.len() != intervals.len() || !ascending {
            let fault = self.times.fault("times are not one for each interval, ascending from 0s");
            let fault = fault.given(format!("{} times, {} intervals", times.len(), intervals.len()));
            return Err(fault.allowed("0s, then later times, one for each interval").report(faults));
        }
        let pattern: Vec<_> =
            times.iter().zip(intervals).map(|(at, interval)| (at.value, rate(interval.value))).collect();
        let period = self.period.copied()?;
        if let Some(period) = period.filter(|period| *period <= pattern[pattern.len() - 1].0) {
            let fault = self.period.fault("shorter than its steps").given(period.to_string());
            return Err(fault.allowed("longer than the last of times").report(faults));
        }
        let count = period.map_or(1, |period| (window.until - window.from).as_ps().div_ceil(period.as_ps()));
        if count.saturating_mul(pattern.len() as u64) > MOST_STEPS {
            let fault = self.period.fault(format!("more than {MOST_STEPS} steps in a run of this duration"));
            return Err(fault.allowed("a longer period, or fewer steps").report(faults));
        }
        let slots = self.concurrent.copied()?;
        let transfers = steps(&pattern, period, window, slots, &self.table);
        if let Demand::Open(traffic::Arrivals::Poisson(steps)) = &transfers.demand {
            let steps: Vec<_> = steps.iter().map(|(at, rate)| (at.since(Time::ZERO), *rate)).collect();
            check_arrivals(&steps, Window { from: Span::ZERO, ..window }, &self.intervals, faults)?;
        }
        Ok(transfers)
    }
}

/// Transfers that arrive as `schedule` says, at most `slots` at a time.
pub fn arriving(schedule: traffic::Arrivals, slots: u32, words: String) -> Transfers {
    Transfers::new(Demand::Open(schedule), slots, words)
}

/// Refuses more arrivals, at the rates of `steps` from the start of `window` on, than a run can end with.
pub fn check_arrivals<V>(
    steps: &[(Span, f64)],
    window: Window,
    intervals: &Field<V>,
    faults: &mut Vec<Fault>,
) -> Result<(), Reported> {
    let length = window.until - window.from;
    let ends = steps.iter().skip(1).map(|(at, _)| *at).chain([length]);
    let arrivals = steps
        .iter()
        .zip(ends)
        .map(|((at, rate), end)| rate * end.min(length).saturating_sub(*at).as_secs_f64());
    if arrivals.sum::<f64>() <= MOST_ARRIVALS {
        return Ok(());
    }
    let fault = intervals.fault(format!("more than {MOST_ARRIVALS:e} arrivals in a run of this duration"));
    Err(fault.allowed("longer times between arrivals").report(faults))
}

/// Arrivals a second.
fn rate(interval: Option<Span>) -> f64 {
    interval.map_or(0.0, |interval| 1.0 / interval.as_secs_f64())
}

/// Arrivals at the rates of `pattern`, again after each period, all of which are written out.
fn steps(pattern: &[(Span, f64)], period: Option<Span>, window: Window, slots: u32, at: &At) -> Transfers {
    let mut steps = Vec::new();
    let mut origin = window.from;
    while origin < window.until {
        let here = pattern.iter().map(|(at, rate)| (origin + *at, *rate));
        steps.extend(here.filter(|(at, _)| *at < window.until));
        let Some(period) = period else { break };
        origin += period;
    }
    let element = |value| Element { at: at.clone(), value };
    let time = |(time, _): &(Span, f64)| Element { at: at.clone(), value: time.saturating_sub(window.from) };
    // The mean time between arrivals, which gives the rate.
    let interval = |rate: f64| (rate > 0.0).then(|| Span::from_secs_f64(1.0 / rate));
    let keys = PoissonSteps {
        table: at.clone(),
        intervals: Field::of(at, steps.iter().map(|(_, rate)| element(interval(*rate))).collect()),
        times: Field::of(at, steps.iter().map(time).collect()),
        period: Field::of(at, None),
        until: Field::of(at, Some(window.until)),
        concurrent: Field::of(at, slots),
    };
    let end = (window.until, 0.0);
    let rates: Vec<_> = steps.into_iter().chain([end]).map(|(at, rate)| (Time::ZERO + at, rate)).collect();
    let words = match rates[..] {
        [(_, rate), (until, _)] => {
            let (every, until) = (Span::from_secs_f64(1.0 / rate), until.since(Time::ZERO));
            format!("Poisson arrivals, one every {every} in the mean, until {until}")
        }
        _ => format!("Poisson arrivals at a rate that changes {} times", rates.len() - 1),
    };
    Transfers { written: Some(keys), ..arriving(traffic::Arrivals::Poisson(rates.into()), slots, words) }
}

impl Process for Arrivals {
    fn rules(&self) -> Rules {
        Rules { no_size: Some(RECORDED), spreads: false, ..RANDOM }
    }

    fn recording(&self) -> Option<&InputFile> {
        self.arrivals.get().ok()?.found.as_ref()
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let ProcessContext { window, load, .. } = context;
        let allowed = "a file with a time in seconds and a size in bytes on each line, times ascending";
        let records = read(&mut self.arrivals, load, allowed, records, faults)?;
        let words = range(&records);
        let at = |at: f64| Time::ZERO + window.from + Span::from_secs_f64(at);
        let records: Vec<_> = records.into_iter().map(|(time, size)| (at(time), Bytes::new(size))).collect();
        let early = records.iter().filter(|(time, _)| *time < Time::ZERO + window.until).count();
        let name = &self.arrivals.get()?.name;
        if early == 0 {
            let fault = self.arrivals.fault(format!("none of its transfers starts before {}", window.until));
            return Err(fault.given(format!("\"{name}\"")).allowed(allowed).report(faults));
        }
        load.assume(late(records.len() - early, records.len(), "transfers", name));
        Ok(arriving(traffic::Arrivals::Trace(records.into()), self.concurrent.copied()?, words))
    }
}

/// Describes recorded transfers.
fn range(records: &[(f64, u64)]) -> String {
    let sizes = || records.iter().map(|(_, size)| *size);
    let [least, most] = [sizes().min(), sizes().max()].map(|size| Bytes::new(size.unwrap_or(0)));
    let [begin, end] = [records.first(), records.last()]
        .map(|record| Span::from_secs_f64(record.map_or(0.0, |(time, _)| *time)));
    format!("{} recorded arrivals of {least} to {most}, from {begin} to {end} after the start", records.len())
}

/// Times in seconds and sizes in bytes, times ascending.
fn records(text: &str) -> Result<Vec<(f64, u64)>, String> {
    let mut records: Vec<(f64, u64)> = Vec::new();
    for row in pairs(text, [TIME, SIZE])? {
        let last = records.last().map_or(0.0, |(time, _)| *time);
        let size =
            Some(row.second).filter(|size| (1.0..=LARGEST_TRANSFER).contains(size) && size.fract() == 0.0);
        let record =
            size.filter(|_| (last..LATEST_S).contains(&row.first)).map(|size| (row.first, size as u64));
        records.push(record.ok_or_else(|| {
            format!(
                "line {} is not a time, from {last} to {LATEST_S} s, and a size of 1 to {LARGEST_TRANSFER} bytes",
                row.line
            )
        })?);
    }
    Ok(records)
}

const TIME: Wanted = Wanted::time("time", &["time", "start", "timestamp", "ts", "t", "seconds"]);
const SIZE: Wanted = Wanted::bytes("size", &["size", "bytes", "payload", "octets"]);

/// Arrivals of one group in a run, which would take hours.
const MOST_ARRIVALS: f64 = 1e9;

/// Changes of the rate of arrivals in a run.
const MOST_STEPS: u64 = 1_000_000;

/// Seconds of thirty years.
const LATEST_S: f64 = 1e9;

/// Bytes of an exabyte: eight times as many bits can be counted.
const LARGEST_TRANSFER: f64 = 1e18;
