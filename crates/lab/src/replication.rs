//! One replication, from the model to its records.

use crate::metrics::{Check, Measures, WarmUp, checks, groups, links, packets, populations, tables, warmup};
use crate::model::Model;
use crate::records::{Performance, Recorded, Table};
use crate::run::{Progress, RunError, RunOptions, simulate};
use crate::trace::hexadecimal;
use narrows_units::Span;
use sha2::{Digest, Sha256};

/// All that one replication leaves behind.
#[derive(Clone, Debug)]
pub struct Records {
    /// A row for each flow.
    pub flows: Table,
    /// A row for each link that is not an access link.
    pub links: Table,
    /// A row for each flow, and each link that is not an access link, and interval.
    pub series: Table,
    /// A row for each bucket of the histograms of each group and link.
    pub distributions: Table,
    /// A row for each group whose transfers come and go, and interval; no columns where there is none.
    pub census: Table,
    /// A row for each such group and pair of classes of files and ways.
    pub classes: Table,
    /// A row for each transfer of such groups that ended and is kept.
    pub transfers: Table,
    /// A row for each entry of the packet log; no columns where packets are not logged.
    pub packets: Table,
    /// Measures of each group, in the order of the scenario.
    pub groups: Vec<Measures>,
    /// Measures of each link that is not an access link.
    pub link_measures: Vec<Measures>,
    /// The sanity section.
    pub checks: Vec<Check>,
    /// What it cost; where the warm-up was looked for, of both runs.
    pub performance: Performance,
    /// Measures begin here.
    pub warmup: Span,
}

impl Records {
    /// SHA-256 over the tables but the packet log, hexadecimal: equal for equal runs on every machine, with any number of threads,
    /// packets logged or not.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let always = [&self.flows, &self.links, &self.series, &self.distributions];
        for table in always.into_iter().chain([&self.census, &self.classes, &self.transfers]) {
            table.digest(&mut hash);
        }
        hexadecimal(&hash.finalize())
    }
}

/// Runs replication `replication` of `model`, telling `progress` as it goes.
pub fn run(model: &Model, replication: u32, progress: &Progress) -> Result<Records, RunError> {
    run_with(model, replication, progress, RunOptions::default())
}

/// As [`run`], carried out as `options` say.
pub fn run_with(
    model: &Model,
    replication: u32,
    progress: &Progress,
    options: RunOptions,
) -> Result<Records, RunError> {
    let whole = simulate(model, replication, progress, options)?;
    if !model.finds_warmup {
        return Ok(evaluate(model, &whole, None));
    }
    let found = warmup::find(model, &whole);
    let model = Model { warmup: found.end, ..model.clone() };
    let mut recorded = simulate(&model, replication, progress, options)?;
    recorded.performance += whole.performance;
    Ok(evaluate(&model, &recorded, Some(found)))
}

fn evaluate(model: &Model, recorded: &Recorded, found: Option<WarmUp>) -> Records {
    let window_s = (model.duration - model.warmup).as_secs_f64();
    let link_measures: Vec<_> =
        recorded.links.iter().map(|link| links::measures(model, recorded, link, window_s)).collect();
    let groups: Vec<_> =
        (0..model.groups.len()).map(|group| groups::measures(model, recorded, group, window_s)).collect();
    Records {
        flows: tables::flows(model, recorded, window_s),
        links: tables::links(&link_measures),
        series: tables::series(model, recorded),
        distributions: tables::distributions(model, recorded),
        census: populations::census_table(model, recorded),
        classes: populations::classes_table(model, recorded),
        transfers: populations::transfers_table(model, recorded),
        packets: packets::packets_table(model, recorded),
        checks: checks::all(model, recorded, (&groups, &link_measures), found),
        groups,
        link_measures,
        performance: recorded.performance,
        warmup: model.warmup,
    }
}
