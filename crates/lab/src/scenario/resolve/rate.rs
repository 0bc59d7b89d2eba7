//! The key `rate`: a constant, something generated, or something recorded.

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Item, Table};
use super::super::tree::Place;
use super::Surroundings;
use crate::model::{RateModel, Step};
use crate::trace;
use narrows_units::{Rate, Span};
use std::path::PathBuf;
use std::sync::Arc;

/// A rate over time, and the file it was recorded in.
#[derive(Clone)]
pub(super) struct Source {
    pub rate: RateModel,
    pub file: Option<PathBuf>,
}

impl Source {
    /// The greatest rate that the link ever has.
    pub fn greatest_bps(&self) -> f64 {
        let bps = |rate: &Rate| rate.as_bps() as f64;
        match &self.rate {
            RateModel::Constant(rate) => bps(rate),
            RateModel::Steps(steps) => steps.iter().map(|(_, rate)| bps(rate)).fold(0.0, f64::max),
            RateModel::Square { high, .. } => bps(high),
            RateModel::Walk { maximum, .. } | RateModel::Uniform { maximum, .. } => bps(maximum),
            RateModel::Trace(trace) => trace.greatest_bps(),
        }
    }
}

/// Resolves a rate over time, as at the key `rate` of `[path]`; `None` if a fault stands in the way.
pub(super) fn resolve(
    table: &Table,
    key: &str,
    duration: Option<Span>,
    around: &Surroundings<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Source> {
    let checked = table.value(key)?;
    let generated = |rate| Some(Source { rate, file: None });
    let Checked::Variant(kind, form) = checked else {
        return generated(RateModel::Constant(checked.rate()));
    };
    match *kind {
        "steps" => generated(steps(form, faults)?),
        "square" => {
            let (high, low) = (form.given("high", Checked::rate), form.given("low", Checked::rate));
            let ordered = ordered(form, ("low", low), ("high", high), faults);
            let duty = form.read("duty", 0.5, Checked::number);
            let period = calm(form, "period", duration, faults);
            let (low, high) = ordered?;
            generated(RateModel::Square { high, low, period: period?, duty: duty? })
        }
        "walk" | "additive-walk" | "multiplicative-walk" => generated(walk(kind, form, duration, faults)?),
        "uniform" => {
            let (minimum, maximum) =
                (form.given("minimum", Checked::rate), form.given("maximum", Checked::rate));
            let (minimum, maximum) = ordered(form, ("minimum", minimum), ("maximum", maximum), faults)?;
            let interval = calm(form, "interval", duration, faults)?;
            generated(RateModel::Uniform { minimum, maximum, interval })
        }
        "trace" => recorded(form, around, faults),
        other => unreachable!("the keys know no rate of kind {other}"),
    }
}

fn steps(form: &Table, faults: &mut Vec<Fault>) -> Option<RateModel> {
    let items = |key| match form.value(key) {
        Some(Checked::List(items)) => Some(items),
        _ => None,
    };
    let (rates, times): (&Vec<Item>, &Vec<Item>) = (items("rates")?, items("times")?);
    let fault = |place: &Place, key: &str, message: String| Fault::new(place, form.path_of(key), message);
    if rates.len() != times.len() || rates.is_empty() {
        let message = format!("{} rates for {} times", rates.len(), times.len());
        faults.push(
            fault(form.place_of("times"), "times", message).allowed("one time for each rate, at least one"),
        );
        return None;
    }
    let mut resolved: Vec<(Span, Rate)> = Vec::new();
    for (index, (rate, time)) in rates.iter().zip(times).enumerate() {
        let (rate, at) = (rate.value.as_ref()?.rate(), time.value.as_ref()?.span());
        let before = resolved.last().map(|(before, _)| *before);
        if index == 0 && at != Span::ZERO {
            let fault = fault(&time.place, "times.0", "the first rate must hold from the start".into());
            faults.push(fault.given(at.to_string()).allowed("0s"));
            return None;
        }
        if before.is_some_and(|before| at <= before) {
            let fault =
                fault(&time.place, &format!("times.{index}"), "not later than the time before it".into());
            faults.push(fault.given(at.to_string()).allowed("ascending times"));
            return None;
        }
        resolved.push((at, rate));
    }
    Some(RateModel::Steps(resolved))
}

fn walk(kind: &str, form: &Table, duration: Option<Span>, faults: &mut Vec<Fault>) -> Option<RateModel> {
    let minimum = form.read("minimum", Rate::ZERO, Checked::rate);
    let maximum = form.given("maximum", Checked::rate);
    let ordered = ordered(form, ("minimum", minimum), ("maximum", maximum), faults);
    let interval = calm(form, "interval", duration, faults);
    let start = form.read("start", None, |value| Some(value.rate()));
    let (minimum, maximum) = ordered?;
    let middle = Rate::from_bps(u64::midpoint(minimum.as_bps(), maximum.as_bps()));
    let start = start?.unwrap_or(middle);
    if start < minimum || start > maximum {
        let fault =
            Fault::new(form.place_of("start"), form.path_of("start"), "outside the bounds of the walk");
        faults.push(fault.given(start.to_string()).allowed(format!("{minimum} to {maximum}")));
        return None;
    }
    let step = match kind {
        "multiplicative-walk" => Step::Multiplicative(factor(form, faults)?),
        "additive-walk" => Step::Additive(form.given("step", Checked::rate)?),
        _ => bounded_step(form, Rate::from_bps(maximum.as_bps() - minimum.as_bps()), faults)?,
    };
    Some(RateModel::Walk { start, step, minimum, maximum, interval: interval? })
}

/// The step of a walk that is `width` wide.
fn bounded_step(form: &Table, width: Rate, faults: &mut Vec<Fault>) -> Option<Step> {
    let step = form.given("step", Checked::rate)?;
    let steps = form.read("steps", "fixed", Checked::word)?;
    let bounds = form.read("bounds", "reflect", Checked::word)?;
    if steps == "fixed" && bounds == "clip" {
        let fault = Fault::new(form.place_of("bounds"), form.path_of("bounds"), "fixed steps turn back");
        faults.push(fault.given("\"clip\"").allowed("\"reflect\", or steps = \"uniform\""));
        return None;
    }
    if step > width && bounds == "reflect" {
        let fault =
            Fault::new(form.place_of("step"), form.path_of("step"), "a step longer than the whole walk");
        faults.push(fault.given(step.to_string()).allowed(format!("at most {width}")));
        return None;
    }
    Some(match (steps, bounds) {
        ("fixed", _) => Step::Fixed(step),
        (_, "reflect") => Step::Mirrored(step),
        _ => Step::Clipped(step),
    })
}

fn factor(form: &Table, faults: &mut Vec<Fault>) -> Option<f64> {
    let factor = form.given("factor", Checked::number)?;
    if factor > 0.0 && factor <= GREATEST_FACTOR {
        return Some(factor);
    }
    let fault = Fault::new(form.place_of("factor"), form.path_of("factor"), "out of range");
    faults.push(fault.given(factor.to_string()).allowed(format!("above 0 and up to {GREATEST_FACTOR}")));
    None
}

/// The time between changes at `key`, if a run of that duration does not spend its time on them alone.
fn calm(form: &Table, key: &str, duration: Option<Span>, faults: &mut Vec<Fault>) -> Option<Span> {
    let interval = form.given(key, Checked::span)?;
    let changes = duration?.as_ps() / interval.as_ps();
    if changes > MOST_CHANGES {
        let message = format!("the rate would change more than {MOST_CHANGES} times");
        let least = duration? / MOST_CHANGES;
        let fault = Fault::new(form.place_of(key), form.path_of(key), message).given(interval.to_string());
        faults.push(fault.allowed(format!("at least {least} in a run of this duration")));
        return None;
    }
    Some(interval)
}

/// Two rates of which the first may not exceed the second.
fn ordered(
    form: &Table,
    (low_key, low): (&str, Option<Rate>),
    (high_key, high): (&str, Option<Rate>),
    faults: &mut Vec<Fault>,
) -> Option<(Rate, Rate)> {
    let (low, high) = (low?, high?);
    if low > high {
        let fault =
            Fault::new(form.place_of(low_key), form.path_of(low_key), format!("more than {high_key}"));
        faults.push(fault.given(low.to_string()).allowed(format!("at most {high}")));
        return None;
    }
    Some((low, high))
}

fn recorded(form: &Table, around: &Surroundings<'_>, faults: &mut Vec<Fault>) -> Option<Source> {
    let name = form.given("trace", Checked::text)?;
    let place = form.place_of("trace");
    // What is typed on the command line is relative to where it is typed.
    let base =
        if matches!(place, Place::File(_)) { around.directory } else { &around.options.overrides_directory };
    let file = base.join(&name);
    match trace::read(&file) {
        Ok(trace) => {
            let file = std::path::absolute(&file).unwrap_or(file);
            Some(Source { rate: RateModel::Trace(Arc::new(trace)), file: Some(file) })
        }
        Err(error) => {
            let fault = Fault::new(place, form.path_of("trace"), error.to_string());
            let allowed = "a file in mahimahi's format: a whole number of milliseconds per line, ascending";
            faults.push(fault.given(format!("\"{name}\"")).allowed(allowed));
            None
        }
    }
}

/// Changes of a generated rate in one run: far finer than a packet on any link that is worth the time.
const MOST_CHANGES: u64 = 10_000_000;

/// A rate that can grow by more than this at once is surely a slip.
const GREATEST_FACTOR: f64 = 1000.0;
