// SPDX-License-Identifier: Apache-2.0
//! `rate`: a rate that is constant, generated or recorded.

mod autorate;
mod recorded;

use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::emit::{Naming, TomlTable, short};
use crate::field::{At, Field, Reported};
use crate::forms::{Choice, Forms, PlainOr, forms};
use crate::input::InputFile;
use crate::kind::Variant;
use crate::links;
use crate::queue::Groups;
use crate::section::{Fields, Table, keys};
use crate::trace;
use crate::value::{FASTEST, File, List, Or, Positive, PositiveFraction, Word, words};
use autorate::AutorateKeys;
use narrows_model::{Origin, RateModel, Step};
use narrows_units::{Bytes, Rate, Span};
use recorded::Recorded;
use std::path::PathBuf;
use std::sync::Arc;

keys! {
    /// A piecewise constant rate.
    pub struct Steps = "steps" {
        /// Rates, one for each time.
        rates: List<Rate>,
        /// Times from which the rates apply, ascending; the first is 0s.
        times: List<Span>,
    }
}

keys! {
    /// A square wave.
    pub struct Square = "square" {
        /// Rate in the first part of each period.
        high: Positive<Rate>,
        /// Rate in the second part of each period.
        low: Rate,
        /// Period of the wave.
        period: Positive<Span>,
        /// Duty cycle: fraction of the period at the high rate.
        duty: PositiveFraction = 0.5,
    }
}

keys! {
    /// A bounded random walk.
    pub struct Walk = "walk" {
        /// Initial rate.
        start: Positive<Rate> => "midway between the bounds",
        /// Size of a step; the maximum size if steps are uniform.
        step: Positive<Rate>,
        /// fixed: a step up or down with equal probability. uniform: a step drawn uniformly from -step to +step.
        steps: StepSizes = StepSizes::Fixed,
        /// How a step beyond a bound is handled. reflect: it is reflected at the bound. clip: it ends at the bound.
        /// Fixed steps are always reflected.
        bounds: Bounds = Bounds::Reflect,
        /// Lower bound.
        minimum: Rate,
        /// Upper bound.
        maximum: Positive<Rate>,
        /// Time between steps.
        interval: Positive<Span>,
    }
}

keys! {
    /// A random walk in which each rate is uniform between zero and the previous rate plus step, clipped to the bounds.
    pub struct AdditiveWalk = "additive-walk" {
        /// Initial rate.
        start: Positive<Rate>,
        /// Maximum increase of the rate in one step.
        step: Positive<Rate>,
        /// Lower bound.
        minimum: Rate = Rate::ZERO,
        /// Upper bound.
        maximum: Positive<Rate>,
        /// Time between steps.
        interval: Positive<Span>,
    }
}

keys! {
    /// A random walk in which each rate is uniform between zero and factor times the previous rate, clipped to the
    /// bounds. The rate stays at zero once it is zero, and tends to zero if factor is less than e.
    pub struct MultiplicativeWalk = "multiplicative-walk" {
        /// Initial rate.
        start: Positive<Rate>,
        /// Maximum ratio of a rate to the previous one.
        factor: f64,
        /// Lower bound.
        minimum: Rate = Rate::ZERO,
        /// Upper bound.
        maximum: Positive<Rate>,
        /// Time between steps.
        interval: Positive<Span>,
    }
}

keys! {
    /// Independent rates, uniform between the bounds.
    pub struct Uniform = "uniform" {
        /// Lower bound.
        minimum: Rate,
        /// Upper bound.
        maximum: Positive<Rate>,
        /// Time between draws.
        interval: Positive<Span>,
    }
}

keys! {
    /// A recorded link: each line is the time in milliseconds of one delivery opportunity of 1500 bytes; the recording
    /// is repeated. Or a link of the product by its name, whose rates are synthetic, with the statistics of a recording.
    pub struct Trace = "trace" {
        /// Path of a file in the format of mahimahi, relative to the scenario file; or, without a dot and a slash, the name of a
        /// link, as `narrows list links` lists them.
        trace: File,
        /// Position in the recording at the start of a run. random: drawn for each replication, the same for all links
        /// whose recordings have the same length and for all algorithms that are compared.
        start: Or<Span, Random> = None,
    }
}

keys! {
    /// A token bucket in front of a faster line, as tc-tbf has it. The link's queue waits for the bucket; a limit in time
    /// is counted at `rate`.
    pub struct TokenBucket = "token-bucket" {
        /// Rate at which the bucket is filled: that of the link in the long run.
        rate: Positive<Rate>,
        /// Depth of the bucket, at least a full packet: what is sent at the peak rate after an idle period. It is full at the
        /// start.
        burst: Positive<Bytes>,
        /// Rate of the line behind the bucket.
        peak: Positive<Rate> => "ten times rate",
        /// Rule by which the rate follows the round-trip times of probes during a run, as cake-autorate 3.0.1 changes the rate of a
        /// shaper in front of a line of unknown capacity, or behind it.
        autorate: Table<AutorateKeys> => "none: the rate stays",
    }
}

forms! {
    /// A rate over time. The last forms are those of links alone, so that sources can exclude them.
    pub enum VaryingRate {
        Steps, Square, Walk, AdditiveWalk, MultiplicativeWalk, Uniform, TokenBucket, Recorded, Trace,
    }
}

/// The type of the key of a link's rate.
pub type LinkRate = PlainOr<Positive<Rate>, VaryingRate>;

/// The type of a key whose value is a table that generates a rate, neither a recording nor a property of a line.
#[derive(Clone, Debug)]
pub struct Generated;

impl Forms for Generated {
    type Value = VaryingRate;
    const VARIANTS: &'static [Variant] = VaryingRate::VARIANTS.split_at(VaryingRate::VARIANTS.len() - 3).0;

    fn take(name: &str, fields: &mut Fields<'_>) -> Option<VaryingRate> {
        VaryingRate::take(name, fields)
    }

    fn emit(value: &VaryingRate, naming: Naming, table: &mut TomlTable) {
        VaryingRate::emit(value, naming, table);
    }
}

/// The word for a start that is drawn for each replication.
#[derive(Clone, Debug)]
pub struct Random;

impl Word for Random {
    const WORD: &'static str = "random";
}

/// How the sizes of the steps of a random walk are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepSizes {
    /// Always the same size.
    Fixed,
    /// Uniformly distributed.
    Uniform,
}

words!(StepSizes { Fixed = "fixed", Uniform = "uniform" });

/// How a step beyond a bound is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// It is reflected at the bound.
    Reflect,
    /// It ends at the bound.
    Clip,
}

words!(Bounds { Reflect = "reflect", Clip = "clip" });

/// A rate as written: constant, or over time.
pub type WrittenRate = Choice<Rate, VaryingRate>;

/// The values on which a rate depends.
#[derive(Clone, Copy)]
pub struct RateContext<'a> {
    /// The place from which the scenario is loaded.
    pub load: &'a LoadContext<'a>,
    /// Duration of the run.
    pub duration: Result<Span, Reported>,
    /// Size of a full data packet on the wire, for a link.
    pub packet: Option<Bytes>,
    /// The flow groups that a rate may name; `None` if they have errors.
    pub groups: Option<&'a Groups>,
}

/// Resolves the rate over time; defaults are filled in.
///
/// # Errors
///
/// If a key has errors, which are added to `faults`.
pub fn resolve(
    written: &mut WrittenRate,
    context: RateContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<RateModel, Reported> {
    match written {
        Choice::Plain(rate) => Ok(RateModel::Constant(*rate)),
        Choice::Form(VaryingRate::Steps(form)) => form.resolve(faults),
        Choice::Form(VaryingRate::Square(form)) => form.resolve(context, faults),
        Choice::Form(VaryingRate::Walk(form)) => form.resolve(context, faults),
        Choice::Form(VaryingRate::AdditiveWalk(form)) => form.resolve(context, faults),
        Choice::Form(VaryingRate::MultiplicativeWalk(form)) => form.resolve(context, faults),
        Choice::Form(VaryingRate::Uniform(form)) => form.resolve(context, faults),
        Choice::Form(VaryingRate::TokenBucket(form)) => form.resolve(context, faults),
        Choice::Form(VaryingRate::Recorded(form)) => form.resolve(context, faults),
        Choice::Form(VaryingRate::Trace(form)) => form.resolve(context, faults),
    }
}

impl Steps {
    fn resolve(&self, faults: &mut Vec<Fault>) -> Result<RateModel, Reported> {
        let (rates, times) = (self.rates.get()?, self.times.get()?);
        if rates.len() != times.len() || rates.is_empty() {
            let fault = self.times.fault(format!("{} rates for {} times", rates.len(), times.len()));
            return Err(fault.allowed("one time for each rate, at least one").report(faults));
        }
        if let Some(first) = times.first().filter(|first| first.value != Span::ZERO) {
            let fault = first.at.fault("the first rate must hold from the start");
            return Err(fault.given(first.value.to_string()).allowed("0s").report(faults));
        }
        if let Some(pair) = times.windows(2).find(|pair| pair[1].value <= pair[0].value) {
            let fault = pair[1].at.fault("not later than the time before it");
            return Err(fault.given(pair[1].value.to_string()).allowed("ascending times").report(faults));
        }
        Ok(RateModel::Steps(times.iter().zip(rates).map(|(at, rate)| (at.value, rate.value)).collect()))
    }
}

impl Square {
    fn resolve(&self, context: RateContext<'_>, faults: &mut Vec<Fault>) -> Result<RateModel, Reported> {
        let ordered = ordered(&self.low, ("high", &self.high), faults);
        let period = period(&self.period, context, faults);
        let (low, high) = ordered?;
        Ok(RateModel::Square { high, low, period: period?, duty: self.duty.copied()? })
    }
}

impl Walk {
    fn resolve(&mut self, context: RateContext<'_>, faults: &mut Vec<Fault>) -> Result<RateModel, Reported> {
        let range = WalkRange::new(&self.minimum, &self.maximum, &self.interval, context, faults)?;
        let start = range.start(self.start.copied()?, &self.start.at, faults)?;
        self.start.fill(Some(start));
        let step = self.step(Rate::from_bps(range.maximum.as_bps() - range.minimum.as_bps()), faults)?;
        self.steps.omitted = self.steps.copied()? == StepSizes::Fixed;
        self.bounds.omitted = self.bounds.copied()? == Bounds::Reflect;
        Ok(range.walk(start, step))
    }

    /// The step of a walk that is `width` wide.
    fn step(&self, width: Rate, faults: &mut Vec<Fault>) -> Result<Step, Reported> {
        let step = self.step.copied()?;
        let (steps, bounds) = (self.steps.copied()?, self.bounds.copied()?);
        if (steps, bounds) == (StepSizes::Fixed, Bounds::Clip) {
            let fault = self.bounds.fault("fixed steps turn back").given("\"clip\"");
            return Err(fault.allowed("\"reflect\", or steps = \"uniform\"").report(faults));
        }
        if step > width && bounds == Bounds::Reflect {
            let fault = self.step.fault("a step longer than the whole walk").given(step.to_string());
            return Err(fault.allowed(format!("at most {width}")).report(faults));
        }
        Ok(match (steps, bounds) {
            (StepSizes::Fixed, _) => Step::Fixed(step),
            (StepSizes::Uniform, Bounds::Reflect) => Step::Mirrored(step),
            (StepSizes::Uniform, Bounds::Clip) => Step::Clipped(step),
        })
    }
}

impl AdditiveWalk {
    fn resolve(&self, context: RateContext<'_>, faults: &mut Vec<Fault>) -> Result<RateModel, Reported> {
        let range = WalkRange::new(&self.minimum, &self.maximum, &self.interval, context, faults)?;
        let start = range.start(Some(self.start.copied()?), &self.start.at, faults)?;
        Ok(range.walk(start, Step::Additive(self.step.copied()?)))
    }
}

impl MultiplicativeWalk {
    fn resolve(&self, context: RateContext<'_>, faults: &mut Vec<Fault>) -> Result<RateModel, Reported> {
        let range = WalkRange::new(&self.minimum, &self.maximum, &self.interval, context, faults)?;
        let start = range.start(Some(self.start.copied()?), &self.start.at, faults)?;
        let factor = self.factor.copied()?;
        if factor <= 0.0 || factor > GREATEST_FACTOR {
            let fault = self.factor.fault("out of range").given(factor.to_string());
            return Err(fault.allowed(format!("a number in (0, {GREATEST_FACTOR}]")).report(faults));
        }
        Ok(range.walk(start, Step::Multiplicative(factor)))
    }
}

/// The common part of the walks.
struct WalkRange {
    minimum: Rate,
    maximum: Rate,
    interval: Span,
}

impl WalkRange {
    fn new(
        minimum: &Field<Rate>,
        maximum: &Field<Rate>,
        interval: &Field<Span>,
        context: RateContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Self, Reported> {
        let ordered = ordered(minimum, ("maximum", maximum), faults);
        let interval = period(interval, context, faults);
        let (minimum, maximum) = ordered?;
        Ok(Self { minimum, maximum, interval: interval? })
    }

    /// The rate at the start: the middle if none was written.
    fn start(&self, written: Option<Rate>, at: &At, faults: &mut Vec<Fault>) -> Result<Rate, Reported> {
        let Self { minimum, maximum, .. } = *self;
        let middle = Rate::from_bps(u64::midpoint(minimum.as_bps(), maximum.as_bps()));
        let start = written.unwrap_or(middle);
        if start < minimum || start > maximum {
            let fault = at.fault("outside the bounds of the walk").given(start.to_string());
            return Err(fault.allowed(format!("{minimum} to {maximum}")).report(faults));
        }
        Ok(start)
    }

    fn walk(self, start: Rate, step: Step) -> RateModel {
        let Self { minimum, maximum, interval } = self;
        RateModel::Walk { start, step, minimum, maximum, interval }
    }
}

impl Uniform {
    fn resolve(&self, context: RateContext<'_>, faults: &mut Vec<Fault>) -> Result<RateModel, Reported> {
        let (minimum, maximum) = ordered(&self.minimum, ("maximum", &self.maximum), faults)?;
        let interval = period(&self.interval, context, faults)?;
        Ok(RateModel::Uniform { minimum, maximum, interval })
    }
}

impl TokenBucket {
    fn resolve(&mut self, context: RateContext<'_>, faults: &mut Vec<Fault>) -> Result<RateModel, Reported> {
        let (rate, burst) = (self.rate.copied()?, self.burst.copied()?);
        let usual = Rate::from_bps_f64(rate.as_bps() as f64 * 10.0).min(FASTEST);
        let peak = self.peak.copied()?.unwrap_or(usual);
        if peak < rate {
            let fault = self.peak.fault("below the rate of the bucket").given(peak.to_string());
            return Err(fault.allowed(format!("at least {rate}")).report(faults));
        }
        if let Some(packet) = context.packet.filter(|packet| burst < *packet) {
            let fault = self.burst.fault("no full packet would ever be sent").given(burst.to_string());
            return Err(fault.allowed(format!("at least {packet}")).report(faults));
        }
        self.peak.fill(Some(peak));
        let autorate = self.autorate.get_mut()?.as_mut();
        let autorate = autorate.map(|keys| keys.resolve(rate, peak, context, faults).map(Box::new));
        Ok(RateModel::TokenBucket { rate, burst, peak, autorate: autorate.transpose()? })
    }
}

impl Trace {
    fn resolve(&mut self, context: RateContext<'_>, faults: &mut Vec<Fault>) -> Result<RateModel, Reported> {
        let location = self.trace.at.location.clone();
        let start = self.start.copied();
        let reference = self.trace.get_mut()?;
        if links::is_name(&reference.name) {
            let name = reference.name.clone();
            return match links::find(&name) {
                Ok(link) => self.started(link.trace(None), start?, faults),
                Err(allowed) => {
                    let fault = self.trace.fault("no link has this name").given(format!("\"{name}\""));
                    Err(fault.allowed(allowed).report(faults))
                }
            };
        }
        let found = context.load.path(&reference.name, &location);
        let read = |file: PathBuf| Ok((trace::read(&file).map_err(|error| error.to_string())?, file));
        match found.and_then(read) {
            Ok((trace, file)) => {
                reference.found =
                    Some(InputFile::new(&reference.name, &location, file, trace.digest.clone()));
                self.started(trace, start?, faults)
            }
            Err(problem) => {
                let given = format!("\"{}\"", reference.name);
                let allowed =
                    "a file in mahimahi's format: a whole number of milliseconds per line, ascending";
                Err(self.trace.fault(problem).given(given).allowed(allowed).report(faults))
            }
        }
    }

    /// The link that starts at `start` of its recording.
    fn started(
        &self,
        trace: narrows_model::Trace,
        start: Option<Span>,
        faults: &mut Vec<Fault>,
    ) -> Result<RateModel, Reported> {
        if let Some(start) = start.filter(|start| *start >= trace.period) {
            let fault = self.start.fault("after the end of the recording").given(start.to_string());
            let allowed = format!("less than {}, or \"random\"", trace.period);
            return Err(fault.allowed(allowed).report(faults));
        }
        Ok(RateModel::Trace(Arc::new(narrows_model::Trace { start, ..trace })))
    }
}

/// The time between changes, if a run does not spend its time on them alone.
fn period(field: &Field<Span>, context: RateContext<'_>, faults: &mut Vec<Fault>) -> Result<Span, Reported> {
    let (interval, duration) = (field.copied()?, context.duration?);
    if duration.as_ps() / interval.as_ps() > MOST_CHANGES {
        let fault = field.fault(format!("the rate would change more than {MOST_CHANGES} times"));
        let least = duration / MOST_CHANGES;
        let allowed = format!("at least {least} in a run of this duration");
        return Err(fault.given(interval.to_string()).allowed(allowed).report(faults));
    }
    Ok(interval)
}

/// Two rates of which the first may not exceed the second.
fn ordered(
    low: &Field<Rate>,
    (high_key, high): (&str, &Field<Rate>),
    faults: &mut Vec<Fault>,
) -> Result<(Rate, Rate), Reported> {
    let (lowest, highest) = (low.copied()?, high.copied()?);
    if lowest > highest {
        let fault = low.fault(format!("more than {high_key}")).given(lowest.to_string());
        return Err(fault.allowed(format!("at most {highest}")).report(faults));
    }
    Ok((lowest, highest))
}

/// Returns the recording of a rate.
pub fn recording(rate: &WrittenRate) -> Option<&InputFile> {
    match rate {
        Choice::Form(VaryingRate::Trace(form)) => form.trace.get().ok()?.found.as_ref(),
        Choice::Form(VaryingRate::Recorded(form)) => form.file.get().ok()?.found.as_ref(),
        _ => None,
    }
}

/// Returns the highest rate over time, bits per second.
pub fn greatest_bps(model: &RateModel) -> f64 {
    match model {
        RateModel::Trace(trace) => trace.greatest_bps(),
        other => other.highest_bps(),
    }
}

/// Returns the default rate of access links: ten times `greatest_bps`, the highest rate of any link, bits per second.
pub fn usual_access_rate(greatest_bps: f64) -> Rate {
    Rate::from_bps_f64(greatest_bps * 10.0).min(FASTEST)
}

/// Describes a rate over time.
pub fn describe(rate: &RateModel) -> String {
    match rate {
        RateModel::Constant(rate) => rate.to_string(),
        RateModel::Steps(steps) if steps.len() > MOST_DESCRIBED => {
            let (from, to) = (least(steps), greatest_bps(rate));
            format!("{} rates from {from} to {}, one after the other", steps.len(), Rate::from_bps_f64(to))
        }
        RateModel::Steps(steps) => {
            let steps: Vec<String> = steps.iter().map(|(at, rate)| format!("{rate} from {at}")).collect();
            steps.join(", ")
        }
        RateModel::Square { high, low, period, duty } => {
            let duty = short(duty * 100.0, 4);
            format!("a square wave of {high} for {duty} % of every {period} and {low} for the rest")
        }
        RateModel::Walk { start, step, minimum, maximum, interval } => {
            let step = match step {
                Step::Fixed(step) => format!("in steps of {step}"),
                Step::Mirrored(step) => format!("in uniform steps of up to {step}, mirrored"),
                Step::Clipped(step) => format!("in uniform steps of up to {step}, clipped"),
                Step::Additive(step) => format!("to a rate uniform from 0 to {step} more"),
                Step::Multiplicative(factor) => format!("to a rate uniform from 0 to {factor} times as much"),
            };
            format!("a random walk from {start} {step} every {interval}, between {minimum} and {maximum}")
        }
        RateModel::Uniform { minimum, maximum, interval } => {
            format!("a new rate every {interval}, uniform between {minimum} and {maximum}")
        }
        RateModel::TokenBucket { rate, burst, peak, autorate } => {
            let bucket = format!("{rate} by a token bucket of {burst}, which is sent at {peak}");
            autorate
                .as_ref()
                .map_or_else(|| bucket.clone(), |rule| format!("{bucket}; {}", autorate::describe(rule)))
        }
        RateModel::Recording(recording) => recorded::describe(recording),
        RateModel::Trace(trace) => format!(
            "the {} link {}, {} Mbps on average, from {}, repeated every {} (SHA-256 {})",
            match trace.origin {
                Origin::Recorded => "recorded",
                Origin::Synthetic => "synthetic",
            },
            trace.name,
            short(trace.mean_bps() / 1e6, 3),
            trace.start.map_or_else(|| "a random place on".to_owned(), |start| format!("{start} on")),
            trace.period,
            trace.digest
        ),
    }
}

fn least(steps: &[(Span, Rate)]) -> Rate {
    steps.iter().map(|(_, rate)| *rate).min().unwrap_or(Rate::ZERO)
}

/// Rates that are described one by one.
const MOST_DESCRIBED: usize = 20;

/// Changes of a generated rate in one run: far finer than a packet on any link that is worth the time.
const MOST_CHANGES: u64 = 10_000_000;

/// A rate that can grow by more than this at once is surely a slip.
const GREATEST_FACTOR: f64 = 1000.0;
