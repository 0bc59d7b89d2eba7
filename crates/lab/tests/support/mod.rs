// SPDX-License-Identifier: Apache-2.0
//! Scenarios for tests, written as a person would write them.

pub mod compiled;
pub mod libraries;
pub mod values;
mod varied;

use narrows_lab::backend::Progress;
use narrows_lab::metrics::MetricValues;
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::scenario::{LoadOptions, Scenario, load};
use narrows_lab::sim::RunOptions;
use std::path::Path;
pub use varied::VARIED;

/// Loads `text`; every fault in it fails the test with its place.
pub fn scenario(text: &str) -> Scenario {
    load(text, "test.toml", Path::new("."), &[], &LoadOptions::default()).unwrap_or_else(|faults| {
        let rendered: Vec<String> = faults.iter().map(narrows_lab::scenario::Diagnostic::render).collect();
        panic!("{}", rendered.join("\n"))
    })
}

/// Runs replication `replication` of `text`.
pub fn run(text: &str, replication: u32) -> Replication {
    run_as(text, replication, RunOptions::default())
}

/// As [`run`], carried out as `options` say.
pub fn run_as(text: &str, replication: u32, options: RunOptions) -> Replication {
    run_with(&scenario(text).model, replication, &Progress::new(), options).expect("the run ends by itself")
}

/// The measures of the group or link `name`.
pub fn measures<'a>(records: &'a Replication, name: &str) -> &'a MetricValues {
    let mut all = records.groups.iter().chain(&records.links);
    all.find(|measures| measures.name == name).unwrap_or_else(|| panic!("no group or link {name}"))
}

/// One measure of the group or link `name`.
pub fn value(records: &Replication, name: &str, measure: &str) -> f64 {
    measures(records, name).value(measure)
}

/// Fails unless `got` is within `tolerance` (a share) of `expected`.
#[track_caller]
pub fn assert_near(what: &str, got: f64, expected: f64, tolerance: f64) {
    let error = (got / expected - 1.0).abs();
    assert!(error <= tolerance, "{what}: {got} is {:.2} % off {expected}", error * 100.0);
}
