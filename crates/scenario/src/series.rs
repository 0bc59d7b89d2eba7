//! Metrics of a run's series, as in `cov(bin=10s)`: computed outside the simulator, and known only there.

use crate::kind::list;
use narrows_card::nearest;
use narrows_records::metrics::catalogue;
use std::fmt::Debug;

/// The metrics of the series, of the program that computes them.
pub trait SeriesMetrics: Debug + Send + Sync {
    /// Reads a metric that counters do not give, with or without parameters, as in `cov(bin=10s)`.
    ///
    /// `text` has no white space; `owner` is `"group"` or `"link"` where only metrics of one of them will do.
    fn read(&self, text: &str, owner: Option<&str>) -> Result<SeriesMetric, MetricFault>;
}

/// What a scenario must know of a metric of the series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesMetric {
    /// A group of flows that its parameters name.
    pub group: Option<String>,
}

/// Why a text is no metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricFault {
    /// What is wrong.
    pub message: String,
    /// The part of the text that is wrong.
    pub given: String,
    /// What is allowed there.
    pub allowed: String,
    /// The nearest known name.
    pub nearest: Option<String>,
}

/// The metric of the series that `text` names; `None` if counters give it. `series` is `None` where only they do.
pub(crate) fn read(
    series: Option<&dyn SeriesMetrics>,
    text: &str,
    owner: Option<&str>,
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
        message: "no such metric".to_owned(),
        given: text.to_owned(),
        nearest: nearest(text, known.clone()).map(str::to_owned),
        allowed: list(known),
    })
}
