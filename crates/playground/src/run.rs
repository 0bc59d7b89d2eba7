// SPDX-License-Identifier: Apache-2.0
//! A run: its digest, metrics and checks as JSON, the series of its first replication as columns in memory.

use crate::describe::errors;
use narrows_lab::backend::{Progress, RunError};
use narrows_lab::metrics::MetricValues;
use narrows_lab::records::{Check, Column, Level};
use narrows_lab::replication::{self, Replication};
use narrows_lab::scenario::{Diagnostic, Scenario};
use serde_json::{Map, Value, json};

/// The columns of the table `series`, kept in memory for the page.
#[derive(Debug)]
pub struct Series(Vec<(&'static str, Column)>);

impl Series {
    /// No columns.
    pub const EMPTY: Self = Self(Vec::new());

    /// By name, where each column is: `kind`, `address`, `length`, and the `labels` to which codes are indices.
    fn addresses(&self) -> Value {
        let entries = self.0.iter().map(|(name, column)| {
            let (address, labels) = match column {
                Column::Real(values) => (values.as_ptr() as usize, None),
                Column::Whole(values) => (values.as_ptr() as usize, None),
                Column::Flag(values) => (values.as_ptr() as usize, None),
                Column::Label { codes, labels } => (codes.as_ptr() as usize, Some(labels)),
            };
            let kind = column.kind().name();
            let entry = json!({ "kind": kind, "address": address, "length": column.len(), "labels": labels });
            ((*name).to_owned(), entry)
        });
        Value::Object(entries.collect::<Map<_, _>>())
    }
}

/// Runs the replications of a scenario; `observer` is called with the simulated time so far of each, picoseconds.
///
/// The answer has `errors` as from [`describe`](crate::describe::describe). If that is empty, it has `digest`, as from
/// `narrows run` with as many replications; of the first one `warmup_s`, `groups` and `links` (the values of metrics by
/// owner; null without data), `checks`, `packet_hops` and `series`, the addresses of the returned columns; and `others`, the
/// same of the other replications but for the series.
///
/// # Errors
///
/// If the run fails; the text has the reason.
pub fn run(loaded: &Result<Scenario, Vec<Diagnostic>>, observer: fn(u64)) -> Result<(Value, Series), String> {
    let scenario = match loaded {
        Ok(scenario) => scenario,
        Err(diagnostics) => return Ok((json!({ "errors": errors(diagnostics) }), Series::EMPTY)),
    };
    let progress = Progress::observed_by(observer);
    let run = |number| {
        replication::run(&scenario.model, number, &progress).map_err(|error: RunError| error.to_string())
    };
    let first = run(0)?;
    let mut digests = vec![first.digest()];
    let mut others = Vec::new();
    for number in 1..scenario.replications {
        // Its tables are dropped: a page has memory for one.
        let replication = run(number)?;
        digests.push(replication.digest());
        others.push(summary(&replication));
    }
    let mut answer = summary(&first);
    let tables = first.tables.into_iter().find(|table| table.name() == "series");
    let series = Series(tables.map_or_else(Vec::new, narrows_lab::records::Table::into_columns));
    answer["errors"] = json!([]);
    answer["digest"] = json!(replication::combined_digest(digests));
    answer["others"] = json!(others);
    answer["series"] = series.addresses();
    Ok((answer, series))
}

fn summary(replication: &Replication) -> Value {
    json!({
        "warmup_s": replication.warmup.as_secs_f64(),
        "groups": metrics(&replication.groups),
        "links": metrics(&replication.links),
        "checks": replication.checks.iter().map(check).collect::<Vec<_>>(),
        "packet_hops": replication.performance.packet_hops,
    })
}

fn metrics(all: &[MetricValues]) -> Vec<Value> {
    all.iter()
        .map(|each| {
            let values = each.values.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
            json!({ "name": each.name, "values": values.collect::<Map<_, _>>() })
        })
        .collect()
}

fn check(check: &Check) -> Value {
    json!({ "name": check.name, "level": check.level.map(Level::name), "detail": check.detail })
}
