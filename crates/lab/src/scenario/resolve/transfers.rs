//! Sources whose transfers come and go.

mod vectors;

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Table};
use super::super::tree::Place;
use super::Surroundings;
use super::distribution::{self, Unit};
use crate::model::{Demand, Start, Surge};
use crate::network::Transfers;
use crate::trace::hexadecimal;
use crate::traffic::{Arrivals, Distribution};
use narrows_units::{Bytes, Quantity, Span, Time};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What the group's other keys say.
pub(super) struct Beside {
    pub count: u64,
    pub start: Start,
    pub sized: bool,
    pub duration: Option<Span>,
}

/// The kinds that this module resolves.
pub(super) const KINDS: &[&str] = &["poisson", "poisson-steps", "arrivals", "vectors", "users"];

/// Resolves a source of one of [`KINDS`]; `None` if a fault stands in the way.
pub(super) fn resolve(
    kind: &str,
    form: &Table,
    flow: &Table,
    beside: &Beside,
    around: &Surroundings<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Transfers> {
    let start = match beside.start {
        Start::At(at) => at,
        Start::Between(..) => {
            let message = "transfers that come and go begin at one time";
            let fault = Fault::new(flow.place_of("start"), flow.path_of("start"), message);
            faults.push(fault.allowed("a time"));
            return None;
        }
    };
    let recorded_size = matches!(kind, "arrivals" | "vectors");
    if beside.sized && recorded_size {
        let fault = Fault::new(flow.place_of("size"), flow.path_of("size"), "what is recorded has its size");
        faults.push(fault.allowed("no size"));
        return None;
    }
    if !beside.sized && !recorded_size {
        let fault = Fault::new(flow.place_of("size"), flow.path_of("size"), "transfers that come and go end");
        faults.push(fault.given("unlimited").allowed("a size, or a distribution of sizes"));
        return None;
    }
    if kind != "users" && flow.has("count") {
        let message = "only users are counted: arrivals make as many transfers as arrive";
        let fault = Fault::new(flow.place_of("count"), flow.path_of("count"), message);
        let bound = if kind == "vectors" {
            ""
        } else {
            "; `concurrent` in source bounds how many are under way at once"
        };
        faults.push(fault.allowed(format!("no count{bound}")));
        return None;
    }
    let until = form.read("until", beside.duration?, Checked::span)?;
    if until <= start {
        let fault = Fault::new(form.place_of("until"), form.path_of("until"), "nothing ever begins");
        faults.push(fault.given(until.to_string()).allowed(format!("after start, {start}")));
        return None;
    }
    let (demand, seats, file) = match kind {
        "users" => (users(form, (start, until), around, faults)?, beside.count as u32, None),
        "arrivals" => {
            let (arrivals, file) = recorded(form, start, around, faults)?;
            (Demand::Open(arrivals), seats(form)?, Some(file))
        }
        "vectors" => return vectors::resolve(form, start, until, around, faults),
        _ => (Demand::Open(poisson(kind, form, (start, until), faults)?), seats(form)?, None),
    };
    let surges = if form.has("surges") { surges(form, beside.duration?, faults)? } else { Vec::new() };
    Some(Transfers { demand, seats, surges, file, share: 1.0 })
}

/// How many seats a group with a source of one of [`KINDS`] has; `None` if a fault stands in the way.
pub(super) fn all_seats(
    kind: &str,
    form: &Table,
    flow: &Table,
    (count, duration): (Option<u64>, Option<Span>),
    around: &Surroundings<'_>,
) -> Option<u64> {
    match kind {
        "users" => count,
        "vectors" => {
            let start = flow.read("start", (Span::ZERO, Span::ZERO), Checked::range)?.0;
            // Its faults are told when the group itself is resolved.
            let transfers = vectors::resolve(form, start, duration?, around, &mut Vec::new())?;
            Some(u64::from(transfers.seats) * 2)
        }
        _ => seats(form).map(u64::from),
    }
}

/// How many transfers of a source that is neither users nor connections may be under way at once.
fn seats(form: &Table) -> Option<u32> {
    form.read("concurrent", 10_000, Checked::integer).map(|seats| seats as u32)
}

fn users(
    form: &Table,
    (from, until): (Span, Span),
    around: &Surroundings<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Demand> {
    let think = distribution::resolve(form, "think", Unit::Seconds, around, faults)?;
    let patience = if form.has("patience") && !matches!(form.value("patience")?, Checked::Unlimited) {
        Some(distribution::resolve(form, "patience", Unit::Seconds, around, faults)?)
    } else {
        None
    };
    if think == Distribution::Constant(0.0) {
        let fault = Fault::new(form.place_of("think"), form.path_of("think"), "users who never pause");
        faults.push(fault.given("0s").allowed("a time above zero, or a distribution"));
        return None;
    }
    Some(Demand::Users { think, from, until, patience })
}

fn surges(form: &Table, duration: Span, faults: &mut Vec<Fault>) -> Option<Vec<(Surge, Vec<String>)>> {
    let mut all = Vec::new();
    for table in form.value("surges")?.tables() {
        let from = table.given("from", Checked::span)?;
        let until = table.given("until", Checked::span)?;
        let factor = table.given("factor", Checked::number)?;
        let share = table.read("share", 1.0, Checked::number)?;
        if until <= from || until > duration {
            let fault = Fault::new(table.place_of("until"), table.path_of("until"), "no time of the run");
            faults.push(fault.given(until.to_string()).allowed(format!("after {from} and up to {duration}")));
            return None;
        }
        if factor <= 0.0 || factor > GREATEST_FACTOR {
            let fault = Fault::new(table.place_of("factor"), table.path_of("factor"), "out of range");
            faults.push(
                fault.given(factor.to_string()).allowed(format!("above 0 and up to {GREATEST_FACTOR}")),
            );
            return None;
        }
        let at = if table.has("at") { list(table, "at", Checked::text)? } else { Vec::new() };
        all.push((Surge { from, until, share, factor }, at));
    }
    Some(all)
}

fn poisson(
    kind: &str,
    form: &Table,
    (start, until): (Span, Span),
    faults: &mut Vec<Fault>,
) -> Option<Arrivals> {
    let rate = |interval: Option<Quantity>| match interval {
        None => 0.0,
        Some(Quantity::Time(interval)) => 1.0 / interval.as_secs_f64(),
        Some(other) => unreachable!("{other} is no time"),
    };
    let pattern: Vec<(Span, f64)> = if kind == "poisson" {
        vec![(Span::ZERO, rate(form.given("interval", Checked::limit)?))]
    } else {
        let times = list(form, "times", Checked::span)?;
        let rates: Vec<f64> = list(form, "intervals", Checked::limit)?.into_iter().map(rate).collect();
        let ascending = times.first() == Some(&Span::ZERO) && times.windows(2).all(|pair| pair[0] < pair[1]);
        if times.len() != rates.len() || !ascending {
            let message = "times are not one for each interval, ascending from 0s";
            let fault = Fault::new(form.place_of("times"), form.path_of("times"), message);
            let given = format!("{} times, {} intervals", times.len(), rates.len());
            faults.push(fault.given(given).allowed("0s, then later times, one for each interval"));
            return None;
        }
        times.into_iter().zip(rates).collect()
    };
    let period = form.read("period", None, |value| Some(value.span()))?;
    if let Some(period) = period.filter(|period| *period <= pattern[pattern.len() - 1].0) {
        let fault = Fault::new(form.place_of("period"), form.path_of("period"), "shorter than its steps");
        faults.push(fault.given(period.to_string()).allowed("longer than the last of times"));
        return None;
    }
    let mut steps = Vec::new();
    let mut origin = start;
    while origin < until {
        let here = pattern.iter().map(|(at, rate)| (origin + *at, *rate)).filter(|(at, _)| *at < until);
        steps.extend(here.map(|(at, rate)| (Time::ZERO + at, rate)));
        let Some(period) = period else { break };
        origin += period;
    }
    steps.push((Time::ZERO + until, 0.0));
    Some(Arrivals::Poisson(steps.into()))
}

fn list<T>(form: &Table, key: &str, convert: impl Fn(&Checked) -> T) -> Option<Vec<T>> {
    match form.value(key)? {
        Checked::List(items) => items.iter().map(|item| item.value.as_ref().map(&convert)).collect(),
        other => unreachable!("{other:?} is no list"),
    }
}

fn recorded(
    form: &Table,
    start: Span,
    around: &Surroundings<'_>,
    faults: &mut Vec<Fault>,
) -> Option<(Arrivals, (PathBuf, String))> {
    let (name, path) = file(form, "arrivals", around)?;
    match read(&path) {
        Ok((records, digest)) => {
            let at = |at: f64| Time::ZERO + start + Span::from_secs_f64(at);
            let records: Vec<_> =
                records.into_iter().map(|(time, size)| (at(time), Bytes::new(size))).collect();
            Some((Arrivals::Trace(records.into()), (path, digest)))
        }
        Err(problem) => {
            let fault = Fault::new(form.place_of("arrivals"), form.path_of("arrivals"), problem);
            let allowed = "a file with a time in seconds and a size in bytes on each line, times ascending";
            faults.push(fault.given(format!("\"{name}\"")).allowed(allowed));
            None
        }
    }
}

/// The name that `key` gives, and where that file is.
fn file(form: &Table, key: &str, around: &Surroundings<'_>) -> Option<(String, PathBuf)> {
    let name = form.given(key, Checked::text)?;
    let base = match form.place_of(key) {
        Place::File(_) => around.directory,
        _ => &around.options.overrides_directory,
    };
    let path = base.join(&name);
    Some((name, path))
}

fn read(path: &Path) -> Result<(Vec<(f64, u64)>, String), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut records: Vec<(f64, u64)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> =
            line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
        let record = match words[..] {
            [] => continue,
            [time, size] => time.parse::<f64>().ok().zip(size.parse::<u64>().ok()),
            _ => None,
        };
        let last = records.last().map_or(0.0, |(time, _)| *time);
        let record = record.filter(|(time, size)| (last..1e9).contains(time) && *size > 0);
        records.push(record.ok_or_else(|| format!("line {} is not a later time and a size", index + 1))?);
    }
    if records.is_empty() {
        return Err("it has no arrivals".into());
    }
    Ok((records, hexadecimal(&Sha256::digest(text))))
}

/// A file that grows by more than this is surely a slip.
const GREATEST_FACTOR: f64 = 1e6;
