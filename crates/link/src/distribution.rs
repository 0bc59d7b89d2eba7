// SPDX-License-Identifier: Apache-2.0
//! Distributions of sizes, spans and counts, each by its inverse.
//!
//! A value is in the unit of the parameters: bytes, seconds, or a plain count. A draw takes one number from its stream,
//! and one more for each mixture it passes through; a constant takes none.
//!
//! Sources: Crovella, Harchol-Balter and Murta, "Task Assignment in a Distributed System", 1998 (the bounded Pareto);
//! Barford and Crovella, "Generating Representative Web Workloads for Network and Server Performance Evaluation",
//! SIGMETRICS 1998 (body and tail).

use crate::normal;
use alloc::string::String;
use alloc::sync::Arc;
use narrows_engine::Stream;
use narrows_units::{Bytes, Span};

/// A distribution of non-negative values: bytes for sizes, seconds for durations.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// A constant value.
    Constant(f64),
    /// The uniform distribution on [`minimum`, `maximum`].
    Uniform {
        /// Smallest value.
        minimum: f64,
        /// Largest value.
        maximum: f64,
    },
    /// The exponential distribution.
    Exponential {
        /// Mean of the values.
        mean: f64,
    },
    /// The Pareto distribution, P(X > x) = (minimum / x)^shape, conditional on X ≤ `maximum` if that is given.
    Pareto {
        /// Smallest value.
        minimum: f64,
        /// Tail index: without a maximum, moments of this order and above are infinite.
        shape: f64,
        /// Largest value; `None` without a limit.
        maximum: Option<f64>,
    },
    /// The normal distribution; a value below zero is zero.
    Normal {
        /// Mean of the normal distribution, before values below zero are zero.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
    },
    /// The lognormal distribution.
    LogNormal {
        /// Median: e to the power of the mean of the logarithm.
        median: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// A lognormal body that is truncated at the minimum of a Pareto tail (Barford and Crovella 1998).
    BodyAndTail {
        /// Median of the lognormal distribution before its truncation.
        median: f64,
        /// Standard deviation of the logarithm of the body.
        sigma: f64,
        /// Probability of the tail, 0 to 1.
        tail: f64,
        /// Smallest value of the tail.
        minimum: f64,
        /// Tail index.
        shape: f64,
        /// Largest value of the tail; `None` without a limit.
        maximum: Option<f64>,
    },
    /// A measured distribution function: values with the probability of all values up to them, both ascending, the last
    /// probability 1. Interpolated linearly; the first value has all of its probability.
    Empirical(Arc<[(f64, f64)]>),
    /// A mixture of distributions.
    Mixture(Arc<[Component]>),
}

/// A component of a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Name of the class of its values, such as "mice" or "elephants".
    pub class: String,
    /// Weight; the weights of a mixture sum to 1.
    pub share: f64,
    /// Distribution of its values.
    pub distribution: Distribution,
}

/// A distribution of sizes, whose values are in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes(pub Distribution);

/// A distribution of durations, whose values are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Spans(pub Distribution);

impl Distribution {
    /// Returns the Pareto distribution with this mean and tail index, conditional on values up to `maximum`; `None` if
    /// there is none: for a mean above `maximum`, or an index of at most 1 without a maximum.
    pub fn pareto_of_mean(mean: f64, shape: f64, maximum: Option<f64>) -> Option<Self> {
        let of = |minimum| Self::Pareto { minimum, shape, maximum };
        let Some(maximum) = maximum else {
            return (shape > 1.0).then(|| of(mean * (shape - 1.0) / shape));
        };
        if mean > maximum {
            return None;
        }
        // The mean grows with the minimum, from nothing to the maximum.
        let (mut low, mut high) = (0.0, maximum);
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            if of(middle).mean() < mean {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(of(high))
    }

    /// Returns the lognormal distribution with the given mean; `sigma` is the standard deviation of the logarithm.
    pub fn log_normal_of_mean(mean: f64, sigma: f64) -> Self {
        Self::LogNormal { median: mean * libm::exp(-0.5 * sigma * sigma), sigma }
    }

    /// Draws a value.
    pub fn sample(&self, stream: &mut Stream) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Mixture(components) => components[choose(components, stream)].distribution.sample(stream),
            _ => self.quantile(open_uniform(stream)),
        }
    }

    /// Draws a value, and returns it with the index of its component; 0 if this is not a mixture. Uses the same draws
    /// as [`sample`](Self::sample).
    pub fn sample_class(&self, stream: &mut Stream) -> (usize, f64) {
        match self {
            Self::Mixture(components) => {
                let class = choose(components, stream);
                (class, components[class].distribution.sample(stream))
            }
            _ => (0, self.sample(stream)),
        }
    }

    /// The value that the share `share`, in (0, 1), of all values do not pass.
    ///
    /// # Panics
    ///
    /// For a mixture, whose quantile has no closed form.
    fn quantile(&self, share: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Uniform { minimum, maximum } => minimum + share * (maximum - minimum),
            Self::Exponential { mean } => -mean * libm::log1p(-share),
            Self::Pareto { minimum, shape, maximum } => pareto_quantile(*minimum, *shape, *maximum, share),
            Self::Normal { mean, deviation } => (mean + deviation * normal::quantile(share)).max(0.0),
            Self::LogNormal { median, sigma } => median * libm::exp(sigma * normal::quantile(share)),
            Self::BodyAndTail { median, sigma, tail, minimum, shape, maximum } => {
                let body = 1.0 - tail;
                if share < body {
                    let uncut = normal::share_below(libm::log(minimum / median) / sigma);
                    (median * libm::exp(sigma * normal::quantile(share / body * uncut))).min(*minimum)
                } else {
                    pareto_quantile(*minimum, *shape, *maximum, (share - body) / tail)
                }
            }
            Self::Empirical(points) => {
                let next = points.partition_point(|(_, upto)| *upto < share).min(points.len() - 1);
                let (value, upto) = points[next];
                let Some((from, below)) = next.checked_sub(1).map(|before| points[before]) else {
                    return value;
                };
                from + (value - from) * (share - below) / (upto - below)
            }
            Self::Mixture(_) => unreachable!("a mixture draws its component first"),
        }
    }

    /// Returns the smallest value that can be drawn.
    pub fn least(&self) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Uniform { minimum, .. } | Self::Pareto { minimum, .. } => *minimum,
            Self::Exponential { .. }
            | Self::Normal { .. }
            | Self::LogNormal { .. }
            | Self::BodyAndTail { .. } => 0.0,
            Self::Empirical(points) => points[0].0,
            Self::Mixture(parts) => {
                parts.iter().map(|part| part.distribution.least()).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Returns the mean; infinite for an unbounded Pareto tail with an index of at most 1.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(mean) | Self::Exponential { mean } => *mean,
            Self::Uniform { minimum, maximum } => f64::midpoint(*minimum, *maximum),
            Self::Pareto { minimum, shape, maximum } => pareto_mean(*minimum, *shape, *maximum),
            Self::Normal { mean, deviation } => {
                let score = mean / deviation;
                mean * normal::share_below(score) + deviation * normal::density(score)
            }
            Self::LogNormal { median, sigma } => median * libm::exp(0.5 * sigma * sigma),
            Self::BodyAndTail { median, sigma, tail, minimum, shape, maximum } => {
                let cut = libm::log(minimum / median) / sigma;
                let kept = normal::share_below(cut - sigma) / normal::share_below(cut);
                let body = median * libm::exp(0.5 * sigma * sigma) * kept;
                // Without a tail its mean, which may be infinite, does not count.
                let beyond = if *tail > 0.0 { tail * pareto_mean(*minimum, *shape, *maximum) } else { 0.0 };
                (1.0 - tail) * body + beyond
            }
            Self::Empirical(points) => {
                let (first, share) = points[0];
                let between = points.windows(2).map(|pair| {
                    let [(from, below), (value, upto)] = [pair[0], pair[1]];
                    (upto - below) * f64::midpoint(from, value)
                });
                first * share + between.sum::<f64>()
            }
            Self::Mixture(components) => {
                components.iter().map(|component| component.share * component.distribution.mean()).sum()
            }
        }
    }
}

impl Sizes {
    /// Draws a size of at least one byte.
    pub fn sample(&self, stream: &mut Stream) -> Bytes {
        Bytes::new((libm::round(self.0.sample(stream)) as u64).max(1))
    }
}

impl Spans {
    /// Returns the duration if it is constant; `None` if it is random.
    pub fn constant(&self) -> Option<Span> {
        match self.0 {
            Distribution::Constant(seconds) => Some(Span::from_secs_f64(seconds)),
            _ => None,
        }
    }

    /// Returns the mean duration.
    pub fn mean(&self) -> Span {
        Span::from_secs_f64(self.0.mean())
    }

    /// Returns the shortest duration that can be drawn.
    pub fn least(&self) -> Span {
        Span::from_secs_f64(self.0.least())
    }

    /// Draws a duration, rounded to the picosecond.
    pub fn sample(&self, stream: &mut Stream) -> Span {
        Span::from_secs_f64(self.0.sample(stream))
    }

    /// Draws a duration whose normal score has the correlation `correlation` with `score`, the score of the last draw,
    /// and replaces `score` by its own: a Gaussian copula, which leaves the distribution as it is. The first draw
    /// follows a score from the standard normal distribution.
    ///
    /// # Panics
    ///
    /// For a mixture, whose quantile has no closed form.
    pub fn sample_correlated(&self, correlation: f64, score: &mut f64, stream: &mut Stream) -> Span {
        let fresh = normal::quantile(open_uniform(stream));
        *score = correlation * *score + libm::sqrt(1.0 - correlation * correlation) * fresh;
        let share = normal::share_below(*score).clamp(LEAST_SHARE, 1.0 - LEAST_SHARE);
        Span::from_secs_f64(self.0.quantile(share))
    }
}

/// The component of a mixture that a uniform draw selects.
fn choose(components: &[Component], stream: &mut Stream) -> usize {
    let mut left = open_uniform(stream);
    let chosen = components.iter().position(|component| {
        left -= component.share;
        left < 0.0
    });
    // If rounding makes the sum of the shares less than one, the gap belongs to the last component.
    chosen.unwrap_or(components.len() - 1)
}

/// Uniform in (0, 1), without its ends, so that every inverse is finite.
fn open_uniform(stream: &mut Stream) -> f64 {
    ((stream.bits() >> 12) as f64 + 0.5) * (1.0 / 4_503_599_627_370_496.0)
}

/// The value that the share `upto` of a Pareto distribution does not pass.
fn pareto_quantile(minimum: f64, shape: f64, maximum: Option<f64>, upto: f64) -> f64 {
    let beyond = maximum.map_or(0.0, |maximum| libm::pow(minimum / maximum, shape));
    let value = minimum * libm::pow(1.0 - upto * (1.0 - beyond), -1.0 / shape);
    maximum.map_or(value, |maximum| value.min(maximum))
}

fn pareto_mean(minimum: f64, shape: f64, maximum: Option<f64>) -> f64 {
    let Some(maximum) = maximum else {
        return if shape > 1.0 { minimum * shape / (shape - 1.0) } else { f64::INFINITY };
    };
    let logarithm = libm::log(maximum / minimum);
    // The logarithm is the limit of the other form for an index of 1.
    let growth = if (shape - 1.0).abs() < 1e-9 {
        logarithm
    } else {
        libm::expm1((1.0 - shape) * logarithm) / (1.0 - shape)
    };
    let within = -libm::expm1(-shape * logarithm);
    if within > 0.0 { minimum * shape * growth / within } else { minimum }
}

/// Least share of a distribution of which a quantile is computed, so that every quantile is finite.
const LEAST_SHARE: f64 = 1.0 / 4_503_599_627_370_496.0;

/// Halvings after which a float has no bit left to gain.
const BISECTIONS: usize = 200;

#[cfg(test)]
mod tests;
