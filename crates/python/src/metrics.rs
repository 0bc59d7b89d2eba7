// SPDX-License-Identifier: Apache-2.0
//! Metrics of a run's series, computed in Python: a scenario that expects one asks there what its name means.

use narrows_lab::card::Owner;
use narrows_lab::scenario::{MetricFault, SeriesMetric, SeriesMetrics};
use pyo3::prelude::*;

/// The metrics of the series, which the Python package `narrows.metrics` computes.
#[derive(Debug)]
pub struct PythonMetrics;

impl SeriesMetrics for PythonMetrics {
    fn read(&self, text: &str, owner: Option<Owner>) -> Result<SeriesMetric, MetricFault> {
        Python::attach(|py| {
            let read = || {
                py.import("narrows._internal.metrics.request")?
                    .getattr("named_group")?
                    .call1((text, owner.map(Owner::text)))
            };
            let group = read().and_then(|group| group.extract()).map_err(|error| fault(py, text, &error))?;
            Ok(SeriesMetric { group })
        })
    }
}

fn fault(py: Python<'_>, text: &str, error: &PyErr) -> MetricFault {
    let detail =
        |name: &str| error.value(py).getattr(name).and_then(|detail| detail.extract::<String>()).ok();
    MetricFault {
        message: detail("message").unwrap_or_else(|| error.to_string()),
        given: detail("given").unwrap_or_else(|| text.to_owned()),
        allowed: detail("allowed").unwrap_or_default(),
        nearest: detail("nearest"),
    }
}
