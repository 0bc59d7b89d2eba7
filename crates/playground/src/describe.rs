// SPDX-License-Identifier: Apache-2.0
//! A scenario before it runs: its errors, or its description and its values for the controls of the page.

use crate::edit::to_json;
use narrows_lab::scenario::{Diagnostic, Scenario};
use serde_json::{Value, json};

/// Describes a scenario.
///
/// The answer has `errors`, a list of objects with `line`, `column`, `path` and `text`, which is empty for a scenario that
/// can run. Such a scenario also has `title`, `duration_s`, `runs` (how often the duration is simulated), `description`
/// (pairs of a title and a text) and `resolved`, the file with every default as JSON.
pub fn describe(loaded: &Result<Scenario, Vec<Diagnostic>>) -> Value {
    match loaded {
        Err(diagnostics) => json!({ "errors": errors(diagnostics) }),
        Ok(scenario) => json!({
            "errors": [],
            "title": scenario.model.title,
            "duration_s": scenario.model.duration.as_secs_f64(),
            "runs": if scenario.model.finds_warmup { 2 } else { 1 },
            "description": scenario.description,
            "resolved": to_json(&scenario.resolved).unwrap_or_default(),
        }),
    }
}

pub(crate) fn errors(diagnostics: &[Diagnostic]) -> Vec<Value> {
    let error = |each: &Diagnostic| {
        json!({
            "line": each.line,
            "column": each.column,
            "path": each.path,
            "text": each.render(),
        })
    };
    diagnostics.iter().map(error).collect()
}
