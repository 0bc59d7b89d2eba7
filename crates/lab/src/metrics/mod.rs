//! Metrics: named numbers with a unit and a direction, computed from what a run counted after its warm-up.

mod catalogue;
mod checks;
mod fairness;
mod groups;
mod links;
mod tables;

pub use catalogue::{Metric, catalogue};
pub use checks::Check;
pub use fairness::{jain, range};

use crate::model::Model;
use crate::records::{Performance, Records};
use crate::run::Raw;

/// The measures of one group or link.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// Of which group or link.
    pub name: String,
    /// Flows in the group; `None` for a link.
    pub flows: Option<usize>,
    /// Name and value in the catalogue's order; not a number where there is no data.
    pub values: Vec<(&'static str, f64)>,
}

impl Measures {
    /// The value of the measure `name`; not a number where there is no data or no such measure.
    pub fn value(&self, name: &str) -> f64 {
        self.values.iter().find(|(this, _)| *this == name).map_or(f64::NAN, |(_, value)| *value)
    }
}

/// Turns counts into records.
pub(crate) fn records(model: &Model, raw: &Raw, performance: Performance) -> Records {
    let window_s = (model.duration - model.warmup).as_secs_f64();
    let link_measures: Vec<_> = raw.links.iter().map(|link| links::measures(model, link, window_s)).collect();
    let groups: Vec<_> =
        (0..model.groups.len()).map(|group| groups::measures(model, raw, group, window_s)).collect();
    let checks = checks::all(model, raw, &groups, &link_measures);
    Records {
        flows: tables::flows(model, raw, window_s),
        links: tables::links(&link_measures),
        series: tables::series(model, raw),
        distributions: tables::distributions(model, raw),
        groups,
        link_measures,
        checks,
        performance,
    }
}
