// SPDX-License-Identifier: Apache-2.0
//! The cards of algorithms, queues, metrics and presets as dicts.

use narrows_lab::card::{Card, Catalogue, Parameter};
use narrows_lab::congestion_control::{Entry, Style};
use narrows_lab::{algorithm, metrics, queues, scenario};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the cards of all algorithms as dicts, grouped by family. `style` has the numbers of a hue and of a dash, or is None;
/// `router` names the queue that answers its requests, `abe` is the factor of a mark under RFC 8511; either may be None.
#[pyfunction(name = "algorithms")]
pub fn algorithm_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    algorithm::listed().map(|entry| algorithm_card(py, entry)).collect()
}

/// Returns the cards of all queue disciplines as dicts.
#[pyfunction(name = "queues")]
pub fn queue_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    queues::entries().iter().map(|entry| card(py, &entry.card, Catalogue::Queues)).collect()
}

/// Returns the cards of the metrics in every run as dicts: first of groups, then of links.
#[pyfunction(name = "metrics")]
pub fn metric_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    metrics::catalogue().iter().map(|each| metric(py, each)).collect()
}

/// Returns the presets of the transport as dicts, each with its value of every key.
#[pyfunction(name = "presets")]
pub fn preset_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    scenario::presets().iter().map(|each| preset(py, each)).collect()
}

/// Returns the links that a scenario can name as dicts: `steps` has the times from which a rate applies, s, and the rates, bps;
/// after `length_s` they are repeated.
#[pyfunction(name = "links")]
pub fn link_cards(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    scenario::links::LINKS.iter().map(|each| link(py, *each)).collect()
}

fn link(py: Python<'_>, link: scenario::links::Link) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    set_all(&dict, &heading(link.name, "synthetic", link.title(), link.source()))?;
    dict.set_item("validation", None::<&str>)?;
    let (steps, length) = link.rates();
    let steps: Vec<_> = steps.iter().map(|(at, rate)| (at.as_secs_f64(), rate.as_bps())).collect();
    dict.set_item("steps", steps)?;
    dict.set_item("length_s", length.as_secs_f64())?;
    Ok(dict)
}

fn preset<'py>(py: Python<'py>, preset: &scenario::PresetCard) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    set_all(&dict, &heading(preset.name, "transport", preset.summary, preset.source))?;
    dict.set_item("validation", None::<&str>)?;
    let values = preset.values.iter().map(|each| {
        let dict = PyDict::new(py);
        let entries = [
            ("name", each.key),
            ("default", &each.value),
            ("meaning", each.meaning),
            ("allowed", &each.allowed),
        ];
        set_all(&dict, &entries)?;
        Ok(dict)
    });
    dict.set_item("parameters", values.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

fn algorithm_card<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let dict = card(py, &entry.card, Catalogue::Algorithms)?;
    dict.set_item("style", entry.style.map(|Style(hue, dash)| [hue as u32, dash as u32]))?;
    let needs = (entry.needs)(&entry.card.defaults());
    dict.set_item("transport", needs.transport.to_string())?;
    dict.set_item("router", needs.router)?;
    dict.set_item("abe", needs.abe_factor)?;
    Ok(dict)
}

/// Returns the entries that the cards of algorithms and queues have in common.
fn card<'py>(py: Python<'py>, card: &Card, catalogue: Catalogue) -> PyResult<Bound<'py, PyDict>> {
    let parameters = card.parameters.iter().map(|parameter| self::parameter(py, parameter));
    let dict = PyDict::new(py);
    set_all(&dict, &heading(card.name, card.family, card.summary, card.source))?;
    dict.set_item("equations", card.equations)?;
    dict.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    let variables = card.variables.iter().map(|each| {
        let dict = PyDict::new(py);
        set_all(&dict, &[("name", each.name), ("unit", each.unit), ("meaning", each.meaning)])?;
        Ok(dict)
    });
    dict.set_item("variables", variables.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("deviations", card.deviations)?;
    let comparisons: Vec<_> = catalogue.comparisons(card.name).collect();
    let lines: Vec<String> =
        comparisons.iter().map(|each| format!("{}: {}", each.what, each.result)).collect();
    dict.set_item("validation", (!lines.is_empty()).then(|| lines.join("; ")))?;
    let comparisons = comparisons.iter().map(|each| {
        let dict = PyDict::new(py);
        set_all(&dict, &[("what", each.what), ("result", each.result), ("test", each.test)])?;
        Ok(dict)
    });
    dict.set_item("comparisons", comparisons.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

fn parameter<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    set_all(
        &dict,
        &[
            ("name", parameter.name),
            ("meaning", parameter.meaning),
            ("unit", parameter.unit),
            ("default", &parameter.domain.default().to_string()),
            ("allowed", &parameter.domain.to_string()),
            ("source", parameter.source),
        ],
    )?;
    Ok(dict)
}

fn metric<'py>(py: Python<'py>, metric: &metrics::Metric) -> PyResult<Bound<'py, PyDict>> {
    let card = PyDict::new(py);
    set_all(&card, &heading(metric.name, metric.of.text(), metric.definition, metric.source))?;
    set_all(
        &card,
        &[("unit", metric.unit.text()), ("better", metric.better.text()), ("label", metric.label)],
    )?;
    card.set_item("validation", None::<&str>)?;
    Ok(card)
}

/// Returns the entries that every line of every list has.
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
