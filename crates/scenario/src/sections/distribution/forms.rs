// SPDX-License-Identifier: Apache-2.0
//! The forms of a distribution, and what they resolve to.

use super::Unit;
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::emit::{Naming, TomlTable};
use crate::field::{At, Field, Reported};
use crate::file;
use crate::forms::{Choice, Forms, PlainOr, emit_form, forms};
use crate::kind::Variant;
use crate::recorded_rate::{Wanted, pairs};
use crate::section::{Fields, Form, Section, Tables, keys};
use crate::value::{Element, File, Fraction, List, Positive, PositiveFraction};
use narrows_model::traffic::{Component, Distribution};
use std::path::Path;

keys! {
    /// A constant, the same as a quantity without a table.
    pub struct Constant<U: Unit> = "constant" {
        /// The value.
        value: Positive<U>,
    }
}

keys! {
    /// The uniform distribution between two bounds.
    pub struct Uniform<U: Unit> = "uniform" {
        /// Lower bound.
        minimum: U,
        /// Upper bound.
        maximum: Positive<U>,
    }
}

keys! {
    /// The exponential distribution.
    pub struct Exponential<U: Unit> = "exponential" {
        /// The mean.
        mean: Positive<U>,
    }
}

keys! {
    /// The Pareto distribution, optionally truncated at a maximum.
    pub struct Pareto<U: Unit> = "pareto" {
        /// Mean; given instead of the minimum.
        mean: Positive<U> => "none",
        /// Scale parameter: the minimum.
        minimum: Positive<U> => "what the mean asks for",
        /// Shape parameter (tail index) α: P(X > x) decreases as x^-α.
        shape: f64,
        /// Upper truncation point.
        maximum: Positive<U> => "none",
    }
}

keys! {
    /// The normal distribution, as of tc-netem; a value below zero is zero.
    pub struct Normal<U: Unit> = "normal" {
        /// Mean, before values below zero are zero.
        mean: Positive<U>,
        /// Standard deviation.
        deviation: Positive<U>,
    }
}

keys! {
    /// The lognormal distribution.
    pub struct LogNormal<U: Unit> = "lognormal" {
        /// Mean; given instead of the median.
        mean: Positive<U> => "none",
        /// Median.
        median: Positive<U> => "what the mean asks for",
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    }
}

keys! {
    /// A lognormal body with a Pareto tail (Barford and Crovella 1998).
    pub struct Web<U: Unit> = "web" {
        /// Median of the lognormal body, before truncation where the tail begins.
        median: Positive<U>,
        /// Standard deviation of the natural logarithm of the body.
        sigma: f64,
        /// Fraction of values in the tail.
        tail: PositiveFraction,
        /// Lower bound of the Pareto tail.
        minimum: Positive<U>,
        /// Shape parameter (tail index) of the Pareto tail.
        shape: f64,
        /// Upper truncation point of the tail.
        maximum: Positive<U> => "none",
    }
}

keys! {
    /// An empirical distribution function, interpolated linearly; the probability of the first value is its cumulative
    /// probability.
    pub struct Empirical<U: Unit> = "empirical" {
        /// Values, ascending.
        values: List<U> => "those of the file",
        /// Cumulative probability of each value; the last is 1.
        shares: List<Fraction> => "those of the file",
        /// A file with a value, in bytes or seconds or the unit of its header, as `value_ms,share`, and its cumulative
        /// probability (0 to 1) on each line; given instead of values and shares.
        file: File => "none",
    }
}

forms! {
    /// The forms that may be parts of a mixture.
    pub enum Simple<U: Unit> {
        Constant<U>, Uniform<U>, Exponential<U>, Normal<U>, Pareto<U>, LogNormal<U>, Web<U>, Empirical<U>,
    }
}

keys! {
    /// A mixture of distributions, weighted by their shares.
    pub struct Mixture<U: Unit> = "mixture" {
        /// Components of the mixture; at least one.
        parts: Tables<Part<U>>,
    }
}

keys! {
    /// A part of a mixture.
    pub struct Part<U: Unit> {
        /// Name of the component.
        class: String => "its number",
        /// Weight of the component; the weights sum to 1.
        share: PositiveFraction,
        /// Distribution of the component; zero for values that are none, as a delay that is cut.
        of: PlainOr<U, Simple<U>>,
    }
}

/// All forms of a distribution.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a scenario has few of them")]
pub enum Distributed<U: Unit> {
    /// A distribution that is not a mixture.
    Simple(Simple<U>),
    /// A mixture.
    Mixture(Mixture<U>),
}

impl<U: Unit> Forms for Distributed<U> {
    type Value = Self;
    const VARIANTS: &'static [Variant] = &{
        let simple = Simple::<U>::VARIANTS;
        let mut all = [Mixture::<U>::VARIANT; SIMPLE + 1];
        let mut index = 0;
        while index < SIMPLE {
            all[index] = simple[index];
            index += 1;
        }
        all
    };

    fn take(name: &str, fields: &mut Fields<'_>) -> Option<Self> {
        if name == Mixture::<U>::VARIANT.name {
            return Some(Self::Mixture(Section::take(fields)));
        }
        Simple::take(name, fields).map(Self::Simple)
    }

    fn emit(value: &Self, naming: Naming, table: &mut TomlTable) {
        match value {
            Self::Simple(form) => Simple::emit(form, naming, table),
            Self::Mixture(form) => emit_form(form, naming, table),
        }
    }
}

impl<U: Unit> Distributed<U> {
    /// Resolves the distribution, with parameters that follow from a given mean filled in.
    ///
    /// # Errors
    ///
    /// If the distribution has errors, which are added to `faults`.
    pub fn resolve(
        &mut self,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Distribution, Reported> {
        match self {
            Self::Simple(form) => form.resolve(context, faults),
            Self::Mixture(form) => form.resolve(context, faults),
        }
    }
}

impl<U: Unit> Simple<U> {
    fn resolve(
        &mut self,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Distribution, Reported> {
        match self {
            Self::Constant(form) => Ok(Distribution::Constant(form.value.copied()?.amount())),
            Self::Uniform(form) => {
                let (minimum, maximum) = (form.minimum.copied()?.amount(), form.maximum.copied()?.amount());
                check_order(minimum, &form.minimum.at, ("maximum", Some(maximum)), faults)?;
                Ok(Distribution::Uniform { minimum, maximum })
            }
            Self::Exponential(form) => Ok(Distribution::Exponential { mean: form.mean.copied()?.amount() }),
            Self::Normal(form) => Ok(Distribution::Normal {
                mean: form.mean.copied()?.amount(),
                deviation: form.deviation.copied()?.amount(),
            }),
            Self::Pareto(form) => form.resolve(faults),
            Self::LogNormal(form) => form.resolve(faults),
            Self::Web(form) => form.resolve(faults),
            Self::Empirical(form) => form.resolve(context, faults),
        }
    }
}

impl<U: Unit> Pareto<U> {
    fn resolve(&mut self, faults: &mut Vec<Fault>) -> Result<Distribution, Reported> {
        let shape = positive(&self.shape, faults)?;
        let maximum = amount(&self.maximum)?;
        let (mean, minimum) = (amount(&self.mean)?, amount(&self.minimum)?);
        let minimum = match (mean, minimum) {
            (None, Some(minimum)) => {
                check_order(minimum, &self.minimum.at, ("maximum", maximum), faults)?;
                return Ok(Distribution::Pareto { minimum, shape, maximum });
            }
            (Some(mean), None) => {
                check_order(mean, &self.mean.at, ("maximum", maximum), faults)?;
                let made = Distribution::pareto_of_mean(mean, shape, maximum);
                let Some(Distribution::Pareto { minimum, .. }) = made else {
                    let message = "the mean is infinite for an index up to 1 without a maximum";
                    let fault = self.shape.fault(message).given(shape.to_string());
                    return Err(fault.allowed("above 1, or a maximum").report(faults));
                };
                U::whole(minimum)
            }
            _ => return Err(one_of(&self.mean.at, "mean", "minimum").report(faults)),
        };
        // A mean that its maximum makes all but certain leaves no smaller value; zero would have no tail.
        if minimum <= 0.0 {
            let fault = self.mean.fault("too small for a tail of this index");
            return Err(fault.allowed("a greater mean, or a greater index").report(faults));
        }
        self.mean.fill(None);
        self.minimum.fill(Some(U::from_amount(minimum)));
        Ok(Distribution::Pareto { minimum, shape, maximum })
    }
}

impl<U: Unit> LogNormal<U> {
    fn resolve(&mut self, faults: &mut Vec<Fault>) -> Result<Distribution, Reported> {
        let sigma = positive(&self.sigma, faults)?;
        let median = match (amount(&self.mean)?, amount(&self.median)?) {
            (None, Some(median)) => median,
            (Some(mean), None) => match Distribution::log_normal_of_mean(mean, sigma) {
                Distribution::LogNormal { median, .. } => median,
                other => other.mean(),
            },
            _ => return Err(one_of(&self.mean.at, "mean", "median").report(faults)),
        };
        let median = U::whole(median);
        self.mean.fill(None);
        self.median.fill(Some(U::from_amount(median)));
        Ok(Distribution::LogNormal { median, sigma })
    }
}

impl<U: Unit> Web<U> {
    fn resolve(&self, faults: &mut Vec<Fault>) -> Result<Distribution, Reported> {
        let (sigma, shape) = (positive(&self.sigma, faults), positive(&self.shape, faults));
        let (median, minimum) = (self.median.copied()?.amount(), self.minimum.copied()?.amount());
        let (tail, maximum) = (self.tail.copied()?, amount(&self.maximum)?);
        check_order(minimum, &self.minimum.at, ("maximum", maximum), faults)?;
        Ok(Distribution::BodyAndTail { median, sigma: sigma?, tail, minimum, shape: shape?, maximum })
    }
}

impl<U: Unit> Empirical<U> {
    fn resolve(
        &mut self,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Distribution, Reported> {
        let points = match (self.values.written || self.shares.written, self.file.get()?) {
            (true, None) => self.listed(faults)?,
            (false, Some(file)) => {
                let path = context.path(&file.name, &self.file.at.location);
                let read = path.and_then(|path| read_points(&path, U::COLUMN)).map_err(|problem| {
                    let fault = self.file.fault(problem).given(format!("\"{}\"", file.name));
                    let allowed =
                        "a file with a value, in bytes or seconds, and a share from 0 to 1 on each line";
                    fault.allowed(allowed).report(faults)
                })?;
                read.into_iter().map(|(value, up_to)| (U::whole(value), up_to)).collect()
            }
            (_, file) => {
                let at = if file.is_some() { &self.file.at } else { &self.values.at };
                let fault = at.fault("one source of points is needed");
                return Err(fault.allowed("either values and shares, or a file").report(faults));
            }
        };
        let at = if self.file.written { &self.file.at } else { &self.shares.at };
        check_points(&points, at, faults)?;
        let values = points.iter().map(|(value, _)| element(&self.values.at, U::from_amount(*value)));
        let shares = points.iter().map(|(_, share)| element(&self.shares.at, *share));
        let (values, shares) = (values.collect(), shares.collect());
        self.values.fill(Some(values));
        self.shares.fill(Some(shares));
        self.file.fill(None);
        Ok(Distribution::Empirical(points.into()))
    }

    /// The points of the keys `values` and `shares`.
    fn listed(&self, faults: &mut Vec<Fault>) -> Result<Vec<(f64, f64)>, Reported> {
        let (values, shares) = (self.values.get()?, self.shares.get()?);
        let (values, shares) = (values.as_deref().unwrap_or(&[]), shares.as_deref().unwrap_or(&[]));
        if values.len() != shares.len() || values.is_empty() {
            let message = format!("{} values for {} shares", values.len(), shares.len());
            let fault = self.values.fault(message).allowed("one share for each value, at least one");
            return Err(fault.report(faults));
        }
        Ok(values.iter().zip(shares).map(|(value, share)| (value.value.amount(), share.value)).collect())
    }
}

impl<U: Unit> Mixture<U> {
    fn resolve(
        &mut self,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Distribution, Reported> {
        let mut components: Vec<Component> = Vec::new();
        for (index, part) in self.parts.get_mut()?.iter_mut().enumerate() {
            let class = part.class.get()?.clone().unwrap_or_else(|| index.to_string());
            part.class.fill(Some(class.clone()));
            let share = part.share.copied()?;
            let distribution = match part.of.get_mut()? {
                Choice::Plain(value) => Distribution::Constant(value.amount()),
                Choice::Form(form) => form.resolve(context, faults)?,
            };
            if let Ok(Choice::Form(Simple::Constant(Constant { value, .. }))) = part.of.get() {
                let value = value.copied()?;
                part.of.fill(Choice::Plain(value));
            }
            if components.iter().any(|other| other.class == class) {
                let fault = part.class.fault("two parts have this name").given(class);
                return Err(fault.allowed("a name that no other part has").report(faults));
            }
            components.push(Component { class, share, distribution });
        }
        let sum: f64 = components.iter().map(|part| part.share).sum();
        if (sum - 1.0).abs() > 1e-9 {
            let fault = self.parts.fault("the shares do not sum to 1").given(sum.to_string());
            return Err(fault.allowed("shares whose sum is 1").report(faults));
        }
        if components.iter().all(|part| matches!(part.distribution, Distribution::Constant(0.0))) {
            let fault = self.parts.fault("all parts are zero").allowed("a part above zero");
            return Err(fault.report(faults));
        }
        Ok(Distribution::Mixture(components.into()))
    }
}

fn element<V>(at: &At, value: V) -> Element<V> {
    Element { at: at.clone(), value }
}

/// A quantity as a number.
fn amount<U: Unit>(field: &Field<Option<U>>) -> Result<Option<f64>, Reported> {
    Ok(field.copied()?.map(U::amount))
}

/// An index or deviation.
fn positive(field: &Field<f64>, faults: &mut Vec<Fault>) -> Result<f64, Reported> {
    let value = field.copied()?;
    if value <= 0.0 || value > STEEPEST {
        let fault = field.fault("out of range").given(value.to_string());
        return Err(fault.allowed(format!("a number in (0, {STEEPEST}]")).report(faults));
    }
    Ok(value)
}

/// The fault of two keys of which not exactly one is written.
fn one_of(at: &At, one: &str, other: &str) -> Fault {
    at.fault(format!("either {one} or {other}")).allowed("exactly one of the two")
}

fn check_order(
    low: f64,
    at: &At,
    (high_key, high): (&str, Option<f64>),
    faults: &mut Vec<Fault>,
) -> Result<(), Reported> {
    if high.is_some_and(|high| low > high) {
        let fault = at.fault(format!("more than {high_key}"));
        return Err(fault.allowed(format!("at most {high_key}")).report(faults));
    }
    Ok(())
}

fn check_points(points: &[(f64, f64)], at: &At, faults: &mut Vec<Fault>) -> Result<(), Reported> {
    let ascending = points.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1);
    let last = points.last().map_or(0.0, |(_, up_to)| *up_to);
    if ascending && (last - 1.0).abs() <= 1e-9 {
        return Ok(());
    }
    let message = if ascending { "the last share is not 1" } else { "the points do not ascend" };
    Err(at.fault(message).allowed("ascending values and shares, the last share 1").report(faults))
}

/// Reads a column of values, which `value` describes, and one of shares.
fn read_points(path: &Path, value: Wanted) -> Result<Vec<(f64, f64)>, String> {
    let (text, _) = file::text(path)?;
    let share = Wanted::number("share", &["share", "cdf", "probability", "cumulative", "p", "fraction"]);
    let range = 0.0..=GREATEST;
    pairs(&text, [value, share])?
        .into_iter()
        .map(|row| {
            let sound = range.contains(&row.first) && range.contains(&row.second);
            let problem = || format!("line {} is not two numbers from 0 to {GREATEST}", row.line);
            sound.then_some((row.first, row.second)).ok_or_else(problem)
        })
        .collect()
}

/// The number of forms of which a mixture may be made.
const SIMPLE: usize = 8;

/// An index or deviation beyond this is surely a slip.
const STEEPEST: f64 = 100.0;

/// Every whole number up to here is exact.
const GREATEST: f64 = 9_007_199_254_740_992.0;
