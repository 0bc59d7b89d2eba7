//! The cards of algorithms, queues and measures as dicts.

use narrows_lab::{algorithms, metrics, queues};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The cards of all algorithms.
#[pyfunction(name = "algorithms")]
pub fn algorithm_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    algorithms::entries().iter().map(|entry| algorithm(py, entry)).collect()
}

/// The cards of all queue disciplines.
#[pyfunction(name = "queues")]
pub fn queue_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    queues::entries().iter().map(|entry| queue(py, entry)).collect()
}

/// What every measure means.
#[pyfunction(name = "metrics")]
pub fn metric_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    metrics::catalogue().iter().map(|metric| measure(py, metric)).collect()
}

fn algorithm<'py>(py: Python<'py>, entry: &algorithms::Entry) -> PyResult<Bound<'py, PyDict>> {
    let parameters: Vec<_> = entry
        .parameters
        .iter()
        .map(|parameter| {
            let card = PyDict::new(py);
            card.set_item("name", parameter.name)?;
            card.set_item("meaning", parameter.meaning)?;
            card.set_item("unit", parameter.unit)?;
            card.set_item("default", parameter.domain.default().to_string())?;
            card.set_item("allowed", parameter.domain.to_string())?;
            card.set_item("source", parameter.source)?;
            Ok(card)
        })
        .collect::<PyResult<_>>()?;
    let card = PyDict::new(py);
    card.set_item("name", entry.name)?;
    card.set_item("family", entry.family)?;
    card.set_item("summary", entry.summary)?;
    card.set_item("source", entry.source)?;
    card.set_item("equations", entry.equations)?;
    card.set_item("parameters", parameters)?;
    card.set_item("transport", entry.transport().to_string())?;
    card.set_item("deviations", entry.deviations)?;
    card.set_item("validation", entry.validation)?;
    Ok(card)
}

fn queue<'py>(py: Python<'py>, entry: &queues::Entry) -> PyResult<Bound<'py, PyDict>> {
    let parameters: Vec<_> = entry
        .parameters
        .iter()
        .map(|parameter| {
            let card = PyDict::new(py);
            card.set_item("name", parameter.name)?;
            card.set_item("meaning", parameter.meaning)?;
            card.set_item("unit", parameter.unit)?;
            card.set_item("default", parameter.default)?;
            card.set_item("source", parameter.source)?;
            Ok(card)
        })
        .collect::<PyResult<_>>()?;
    let card = PyDict::new(py);
    card.set_item("name", entry.name)?;
    card.set_item("family", entry.family)?;
    card.set_item("summary", entry.summary)?;
    card.set_item("source", entry.source)?;
    card.set_item("equations", entry.equations)?;
    card.set_item("parameters", parameters)?;
    card.set_item("deviations", entry.deviations)?;
    card.set_item("validation", entry.validation)?;
    Ok(card)
}

fn measure<'py>(py: Python<'py>, metric: &metrics::Metric) -> PyResult<Bound<'py, PyDict>> {
    let card = PyDict::new(py);
    card.set_item("name", metric.name)?;
    card.set_item("family", metric.of)?;
    card.set_item("summary", metric.definition)?;
    card.set_item("unit", metric.unit)?;
    card.set_item("better", metric.better)?;
    card.set_item("source", metric.source)?;
    card.set_item("validation", None::<&str>)?;
    Ok(card)
}
