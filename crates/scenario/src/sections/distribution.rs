// SPDX-License-Identifier: Apache-2.0
//! Keys that hold a distribution of sizes or times.
//!
//! Bounds and medians that follow from a mean are rounded to the whole byte or picosecond, so that the resolved file can
//! say them.

mod forms;
mod unit;

pub use forms::{Distributed, Simple};
pub use unit::Unit;

use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::emit::short;
use crate::field::Reported;
use crate::forms::{Choice, PlainOr};
use crate::value::{Or, Positive};
use forms::Constant;
use narrows_model::traffic::{Component, Distribution};

/// The type of a key whose value is a positive quantity, or a distribution of such quantities.
pub type Drawn<U> = PlainOr<Positive<U>, Distributed<U>>;

/// As [`Drawn`], with a word for no limit.
pub type DrawnOr<U, W> = PlainOr<Or<Positive<U>, W>, Distributed<U>>;

/// The plain value of a key that may also be a distribution.
pub trait Plain<U> {
    /// Returns the quantity; `None` for the word that means no limit.
    fn quantity(&self) -> Option<U>;

    /// Returns the plain value of a quantity.
    fn of(quantity: U) -> Self;
}

impl<U: Unit> Plain<U> for U {
    fn quantity(&self) -> Option<U> {
        Some(*self)
    }

    fn of(quantity: U) -> Self {
        quantity
    }
}

impl<U: Unit> Plain<U> for Option<U> {
    fn quantity(&self) -> Option<U> {
        *self
    }

    fn of(quantity: U) -> Self {
        Some(quantity)
    }
}

/// Resolves the distribution, and fills in parameters that follow from a given mean; `None` for the word that means no
/// limit.
///
/// # Errors
///
/// If the distribution has errors, which are added to `faults`.
pub fn resolve<P: Plain<U>, U: Unit>(
    written: &mut Choice<P, Distributed<U>>,
    context: &LoadContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Option<Distribution>, Reported> {
    let form = match written {
        Choice::Plain(plain) => {
            return Ok(plain.quantity().map(|value| Distribution::Constant(value.amount())));
        }
        Choice::Form(form) => form,
    };
    let distribution = form.resolve(context, faults)?;
    if let Distributed::Simple(Simple::Constant(Constant { value, .. })) = form {
        *written = Choice::Plain(P::of(value.copied()?));
    }
    Ok(Some(distribution))
}

/// Resolves the distribution of a key without a word for no limit, as [`resolve`].
///
/// # Errors
///
/// If the distribution has errors, which are added to `faults`.
pub fn resolve_drawn<U: Unit>(
    written: &mut Choice<U, Distributed<U>>,
    context: &LoadContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Distribution, Reported> {
    resolve(written, context, faults)?.ok_or_else(Reported::before)
}

/// Describes a distribution in words.
pub fn describe<U: Unit>(distribution: &Distribution) -> String {
    let of = |value: &f64| U::from_amount(*value).to_string();
    let up_to = |maximum: &Option<f64>| {
        maximum.as_ref().map_or(String::new(), |it| format!(" and at most {}", of(it)))
    };
    match distribution {
        Distribution::Constant(value) => of(value),
        Distribution::Uniform { minimum, maximum } => {
            format!("uniform between {} and {}", of(minimum), of(maximum))
        }
        Distribution::Exponential { mean } => format!("exponential of mean {}", of(mean)),
        Distribution::Pareto { minimum, shape, maximum } => {
            format!("Pareto of index {shape}, at least {}{}", of(minimum), up_to(maximum))
        }
        Distribution::Normal { mean, deviation } => {
            format!("normal of mean {} and standard deviation {}", of(mean), of(deviation))
        }
        Distribution::LogNormal { median, sigma } => {
            format!("lognormal of median {} and sigma {sigma}", of(median))
        }
        Distribution::BodyAndTail { median, sigma, tail, minimum, shape, maximum } => format!(
            "lognormal of median {} and sigma {sigma}, and {} % in a Pareto tail of index {shape} from {} on{}",
            of(median),
            short(tail * 100.0, 4),
            of(minimum),
            up_to(maximum)
        ),
        Distribution::Empirical(points) => {
            let (first, last) = (&points[0].0, &points[points.len() - 1].0);
            format!("measured, {} points from {} to {}", points.len(), of(first), of(last))
        }
        Distribution::Mixture(parts) => {
            let part = |part: &Component| {
                let share = short(part.share * 100.0, 4);
                format!("{share} % {} ({})", part.class, describe::<U>(&part.distribution))
            };
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}
