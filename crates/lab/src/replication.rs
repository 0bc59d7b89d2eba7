// SPDX-License-Identifier: Apache-2.0
//! One replication, from the model to tables, metrics and checks.

use narrows_backend::{Backend, Progress, RunError};
use narrows_model::Model;
use narrows_records::metrics::{MetricValues, group_metrics, link_metrics};
use narrows_records::{Check, Performance, ProgramRecord, Records, Tables, checks, warmup};
use narrows_scenario::hexadecimal;
use narrows_sim::{RunOptions, Simulator, simulate};
use narrows_units::Span;
use sha2::{Digest, Sha256};

/// The results of one replication.
#[derive(Clone, Debug)]
pub struct Replication {
    /// The tables of the run folder.
    pub tables: Tables,
    /// Metrics of each group, in the order of the scenario.
    pub groups: Vec<MetricValues>,
    /// Metrics of each recorded link.
    pub links: Vec<MetricValues>,
    /// The checks of the sanity section.
    pub checks: Vec<Check>,
    /// What programs that carried flows have printed.
    pub programs: Vec<ProgramRecord>,
    /// Cost of the run; of both runs if the end of the warm-up was searched.
    pub performance: Performance,
    /// End of the warm-up, where metrics start.
    pub warmup: Span,
    digest: String,
}

impl Replication {
    /// Computes tables, metrics and checks from `records`.
    pub fn of(records: &Records) -> Self {
        Self {
            tables: Tables::of(records),
            groups: group_metrics(records),
            links: link_metrics(records),
            checks: checks(records),
            programs: records.programs.clone(),
            performance: records.performance,
            warmup: records.run.warmup,
            digest: records.digest(),
        }
    }

    /// Returns the [digest of the records](Records::digest), in hexadecimal.
    pub fn digest(&self) -> String {
        self.digest.clone()
    }
}

/// Returns the digest of several runs, of whose digests `parts` has each: `sha256:` and hexadecimal digits.
pub fn combined_digest(parts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_ref());
        hash.update("\n");
    }
    format!("sha256:{}", hexadecimal(&hash.finalize()))
}

/// Runs replication `replication` of `model` in the simulator, on the calling thread.
///
/// # Errors
///
/// As [`Backend::run`].
pub fn run(model: &Model, replication: u32, progress: &Progress) -> Result<Replication, RunError> {
    run_on(&Simulator, model, replication, 1, progress)
}

/// Runs replication `replication` of `model` on `backend`, with at most `threads` threads; twice if the end of the
/// warm-up is to be found.
///
/// # Errors
///
/// As [`Backend::run`].
pub fn run_on(
    backend: &dyn Backend,
    model: &Model,
    replication: u32,
    threads: usize,
    progress: &Progress,
) -> Result<Replication, RunError> {
    let records = records(model, |model| backend.run(model, replication, threads, progress))?;
    Ok(Replication::of(&records))
}

/// Does the same as [`run`], with `options` of the simulator.
///
/// # Errors
///
/// As [`Backend::run`].
pub fn run_with(
    model: &Model,
    replication: u32,
    progress: &Progress,
    options: RunOptions,
) -> Result<Replication, RunError> {
    let records = records(model, |model| simulate(model, replication, progress, options))?;
    Ok(Replication::of(&records))
}

/// The records of `model`. If the end of the warm-up is to be found, a first run finds it and a second run uses it like
/// a value in the scenario file: percentiles, loss episodes and time averages are truncated during a run, and the
/// records are bit-identical to the records of such a file.
fn records(model: &Model, run: impl Fn(&Model) -> Result<Records, RunError>) -> Result<Records, RunError> {
    let first = run(model)?;
    if !model.finds_warmup {
        return Ok(first);
    }
    let found = warmup::find(&first);
    let mut records = run(&Model { warmup: found.end, ..model.clone() })?;
    records.run.warmup_found = Some(found.found);
    records.performance += first.performance;
    Ok(records)
}
