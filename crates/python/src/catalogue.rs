//! The cards of algorithms, queues and measures as dicts.

use narrows_lab::{algorithm, algorithms, metrics, queues};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The cards of all algorithms.
#[pyfunction(name = "algorithms")]
pub fn algorithm_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    algorithm::listed().map(|entry| algorithm_card(py, entry)).collect()
}

/// The cards of all queue disciplines.
#[pyfunction(name = "queues")]
pub fn queue_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    queues::entries().iter().map(|entry| queue(py, entry)).collect()
}

/// What every measure means.
#[pyfunction(name = "metrics")]
pub fn metric_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    metrics::all().map(|metric| measure(py, metric)).collect()
}

/// The measure that `text` asks for: `text` without white space, its `name`, `cards` by owner (`"group"`,
/// `"link"` or both), `counted` (counters tell it, so that every run has it) and `choices` by parameter.
///
/// The error has `message`, `given`, `allowed` and `nearest`.
#[pyfunction(name = "measure")]
pub fn requested<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let request = metrics::Request::parse(text, None).map_err(|fault| {
        let error = PyValueError::new_err(fault.to_string());
        let details = [
            ("message", Some(fault.message)),
            ("given", Some(fault.given)),
            ("allowed", Some(fault.allowed)),
        ];
        for (name, detail) in details.into_iter().chain([("nearest", fault.nearest.map(str::to_owned))]) {
            if let Err(error) = error.value(py).setattr(name, detail) {
                return error;
            }
        }
        error
    })?;
    let entry = PyDict::new(py);
    entry.set_item("text", &request.text)?;
    entry.set_item("name", request.metrics[0].name)?;
    let name = request.metrics[0].name;
    let counted = request.choices.is_empty() && metrics::catalogue().iter().any(|metric| metric.name == name);
    entry.set_item("counted", counted)?;
    let cards = PyDict::new(py);
    for metric in &request.metrics {
        cards.set_item(metric.owner(), measure(py, metric)?)?;
    }
    entry.set_item("cards", cards)?;
    let choices = PyDict::new(py);
    for (name, choice) in &request.choices {
        match choice {
            metrics::Choice::Number(number) => choices.set_item(name, number)?,
            metrics::Choice::Word(word) => choices.set_item(name, word)?,
        }
    }
    entry.set_item("choices", choices)?;
    Ok(entry)
}

fn algorithm_card<'py>(py: Python<'py>, entry: &algorithms::Entry) -> PyResult<Bound<'py, PyDict>> {
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
    let is_this = |other: &metrics::Metric| other.name == metric.name && other.of == metric.of;
    card.set_item("counted", metric.parameters.is_empty() && metrics::catalogue().iter().any(is_this))?;
    let parameters = metric.parameters.iter().map(|parameter| {
        let card = PyDict::new(py);
        let allowed = parameter.kind.to_string();
        set_all(
            &card,
            &[
                ("name", parameter.name),
                ("meaning", parameter.meaning),
                ("default", parameter.default),
                ("allowed", &allowed),
            ],
        )?;
        Ok(card)
    });
    card.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
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
