// SPDX-License-Identifier: Apache-2.0
//! The content of a request.

use crate::modules::Modules;
use narrows_lab::card::Owner;
use narrows_lab::scenario::{
    Diagnostic, LoadOptions, MetricFault, Scenario, SeriesMetric, SeriesMetrics, load,
};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The most replications of a request.
const MOST_REPLICATIONS: u32 = 10_000;

/// Returns the scenario of a request, loaded: `text`; `subject`, the algorithm under test, or null; `replications`, one if
/// they are missing; and `modules`, as [`Modules`] are written.
///
/// # Errors
///
/// If the request has no text, no such number of replications, or a module that is not written like that.
pub fn scenario(request: &Value) -> Result<Result<Scenario, Vec<Diagnostic>>, String> {
    let options = LoadOptions {
        subject: request["subject"].as_str().map(str::to_owned),
        replications: Some(replications(request)?),
        loader: Some(Arc::new(Modules::of(request)?)),
        series: Some(Arc::new(Unjudged)),
        ..LoadOptions::default()
    };
    Ok(load(text(request, "text")?, "scenario.toml", Path::new(""), &[], &options))
}

fn replications(request: &Value) -> Result<u32, String> {
    let given = &request["replications"];
    if given.is_null() {
        return Ok(1);
    }
    let number = given.as_u64().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| (1..=MOST_REPLICATIONS).contains(number)).ok_or_else(|| {
        format!("replications: expected a whole number from 1 to {MOST_REPLICATIONS}, got {given}")
    })
}

/// Returns the text `name` of a request.
///
/// # Errors
///
/// If it has none.
pub fn text<'r>(request: &'r Value, name: &str) -> Result<&'r str, String> {
    request[name].as_str().ok_or_else(|| format!("the request has no text `{name}`"))
}

/// Returns the changes of a request: `changes`, a list of pairs of a key path and a value, which is TOML.
///
/// # Errors
///
/// If the request has no such list.
pub fn changes(request: &Value) -> Result<Vec<(&str, &str)>, String> {
    let pairs = request["changes"].as_array().into_iter().flatten();
    pairs
        .map(|pair| Some((pair[0].as_str()?, pair[1].as_str()?)))
        .collect::<Option<_>>()
        .ok_or_else(|| "a change is a pair of texts".to_owned())
}

/// Accepts every metric of the series: the page judges no expectation.
#[derive(Debug)]
struct Unjudged;

impl SeriesMetrics for Unjudged {
    fn read(&self, _text: &str, _owner: Option<Owner>) -> Result<SeriesMetric, MetricFault> {
        Ok(SeriesMetric::default())
    }
}
