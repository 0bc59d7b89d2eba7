// SPDX-License-Identifier: Apache-2.0
//! Metrics of a run's series, as in `cov(bin=10s)`: computed outside the simulator, and known only there.

use crate::kind::list;
use narrows_card::{Owner, nearest};
use narrows_records::metrics::catalogue;
use std::fmt::Debug;

/// The metrics of the series, as provided by the program that computes them.
pub trait SeriesMetrics: Debug + Send + Sync {
    /// Parses a metric of the series, with or without parameters, as in `cov(bin=10s)`.
    ///
    /// `text` has no white space; `owner` is what must have the metric; `None` for either.
    ///
    /// # Errors
    ///
    /// If the text is no such metric, or one of its parameters is not allowed.
    fn read(&self, text: &str, owner: Option<Owner>) -> Result<SeriesMetric, MetricFault>;
}

/// The part of a metric of the series that a scenario must know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesMetric {
    /// Name of a flow group in its parameters; `None` if they have none.
    pub group: Option<String>,
}

/// The reason why a text is not a metric of the series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricFault {
    /// What is wrong.
    pub message: String,
    /// The part of the text that is wrong.
    pub given: String,
    /// Allowed values of that part.
    pub allowed: String,
    /// The nearest known name; `None` if none is near.
    pub nearest: Option<String>,
}

/// Reads the metric of the series that `text` names; `None` if counters give it. `series` is `None` where only they do.
pub(crate) fn read(
    series: Option<&dyn SeriesMetrics>,
    text: &str,
    owner: Option<Owner>,
) -> Result<Option<SeriesMetric>, MetricFault> {
    let counted = || catalogue().iter().filter(|metric| owner.is_none_or(|owner| metric.of == owner));
    if counted().any(|metric| metric.name == text) {
        return Ok(None);
    }
    if let Some(series) = series {
        return series.read(text, owner).map(Some);
    }
    let known = counted().map(|metric| metric.name);
    Err(MetricFault {
        message: "unknown metric".to_owned(),
        given: text.to_owned(),
        nearest: nearest(text, known.clone()).map(str::to_owned),
        allowed: list(known),
    })
}
