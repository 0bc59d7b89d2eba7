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
    let parameters = entry.parameters.iter().map(|parameter| {
        let card = PyDict::new(py);
        set_all(
            &card,
            &[
                ("name", parameter.name),
                ("meaning", parameter.meaning),
                ("unit", parameter.unit),
                ("default", &parameter.domain.default().to_string()),
                ("allowed", &parameter.domain.to_string()),
                ("source", parameter.source),
            ],
        )?;
        Ok(card)
    });
    let card = PyDict::new(py);
    set_all(&card, &heading(entry.name, entry.family, entry.summary, entry.source))?;
    card.set_item("equations", entry.equations)?;
    card.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    card.set_item("transport", entry.transport().to_string())?;
    card.set_item("deviations", entry.deviations)?;
    card.set_item("validation", entry.validation)?;
    Ok(card)
}

fn queue<'py>(py: Python<'py>, entry: &queues::Entry) -> PyResult<Bound<'py, PyDict>> {
    let parameters = entry.parameters.iter().map(|parameter| {
        let card = PyDict::new(py);
        set_all(
            &card,
            &[
                ("name", parameter.name),
                ("meaning", parameter.meaning),
                ("unit", parameter.unit),
                ("default", parameter.default),
                ("source", parameter.source),
            ],
        )?;
        Ok(card)
    });
    let card = PyDict::new(py);
    set_all(&card, &heading(entry.name, entry.family, entry.summary, entry.source))?;
    card.set_item("equations", entry.equations)?;
    card.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    card.set_item("deviations", entry.deviations)?;
    card.set_item("validation", entry.validation)?;
    Ok(card)
}

fn measure<'py>(py: Python<'py>, metric: &metrics::Metric) -> PyResult<Bound<'py, PyDict>> {
    let card = PyDict::new(py);
    set_all(&card, &heading(metric.name, metric.of, metric.definition, metric.source))?;
    set_all(&card, &[("unit", metric.unit), ("better", metric.better)])?;
    card.set_item("validation", None::<&str>)?;
    Ok(card)
}

/// What every line of every list has.
fn heading<'a>(
    name: &'a str,
    family: &'a str,
    summary: &'a str,
    source: &'a str,
) -> [(&'static str, &'a str); 4] {
    [("name", name), ("family", family), ("summary", summary), ("source", source)]
}

fn set_all(card: &Bound<'_, PyDict>, texts: &[(&str, &str)]) -> PyResult<()> {
    texts.iter().try_for_each(|(key, text)| card.set_item(key, text))
}
