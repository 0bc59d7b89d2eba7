// SPDX-License-Identifier: Apache-2.0
//! Metrics: named numbers with a unit and a direction, computed from the counts of a run after its warm-up.
//!
//! A metric is an entry in one of two lists: a [card](Metric) and the function that computes it, of a group of flows
//! (`group.rs`) or of a link (`link.rs`). Every group has every metric of groups and every link every metric of links,
//! whatever the workload; without data the value is not a number.

mod application;
mod fairness;
mod group;
mod link;

pub use fairness::jain_of;
pub use narrows_card::Metric;

pub(crate) use group::{access_queue_delay_s, access_utilization};
pub(crate) use link::utilization;

use crate::Records;
use group::{GroupMetric, GroupView};
use std::sync::LazyLock;

/// The values of the metrics of one group or link.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricValues {
    /// Name of the group or link.
    pub name: String,
    /// Number of flows that the scenario describes in the group; `None` if it is random, and for a link.
    pub flows: Option<u64>,
    /// Name and value of each metric, in the order of [`of_groups`] or [`of_links`]; not a number if there is no data.
    pub values: Vec<(&'static str, f64)>,
    /// The greatest value that each metric can have in the run, in the same order; infinite if nothing but its unit limits
    /// it.
    pub most: Vec<f64>,
    /// The number of trials of each metric that is a share, in the same order; not a number for the others.
    pub trials: Vec<f64>,
}

/// The values, limits and numbers of trials of the metrics of one group or link, in the order of the metrics.
struct Known {
    values: Vec<(&'static str, f64)>,
    most: Vec<f64>,
    trials: Vec<f64>,
}

impl Known {
    fn of(self, name: &str, flows: Option<u64>) -> MetricValues {
        let Self { values, most, trials } = self;
        MetricValues { name: name.to_owned(), flows, values, most, trials }
    }
}

impl MetricValues {
    /// Returns the value of the metric `name`; not a number if there is no data or no such metric.
    pub fn value(&self, name: &str) -> f64 {
        self.values.iter().find(|(this, _)| *this == name).map_or(f64::NAN, |(_, value)| *value)
    }
}

/// Returns the metrics of all groups, in the order of the scenario.
pub fn group_metrics(records: &Records) -> Vec<MetricValues> {
    let groups = records.run.groups.iter().enumerate();
    let values = |(group, description): (usize, &crate::GroupDescription)| {
        values_of_group(records, group).of(&description.name, description.flows)
    };
    groups.map(values).collect()
}

/// Returns the metrics of all recorded links, in the order of the description.
pub fn link_metrics(records: &Records) -> Vec<MetricValues> {
    let links = records.run.links.iter().enumerate();
    let values = |(link, description): (usize, &crate::LinkDescription)| {
        link::values(records, link).of(&description.name, None)
    };
    links.map(values).collect()
}

fn all_of_groups() -> impl Iterator<Item = &'static GroupMetric> {
    group::METRICS.iter().chain(application::METRICS)
}

/// The values, limits and numbers of trials of all metrics of the group of index `group`; values are not numbers if it was not
/// recorded.
fn values_of_group(records: &Records, group: usize) -> Known {
    let view = records.groups.get(group).map(|record| GroupView::new(records, group, record));
    let value = |metric: &GroupMetric| (metric.card.name, view.as_ref().map_or(f64::NAN, metric.value));
    let most = |metric: &GroupMetric| view.as_ref().map_or(f64::INFINITY, metric.most);
    let trials = |metric: &GroupMetric| view.as_ref().map_or(f64::NAN, metric.trials);
    Known {
        values: all_of_groups().map(value).collect(),
        most: all_of_groups().map(most).collect(),
        trials: all_of_groups().map(trials).collect(),
    }
}

/// Cards of the metrics of groups in every run, in the order in which they are shown.
pub fn of_groups() -> impl Iterator<Item = &'static Metric> {
    all_of_groups().map(|metric| &metric.card)
}

/// Cards of the metrics of links in every run, in the order in which they are shown.
pub fn of_links() -> impl Iterator<Item = &'static Metric> {
    link::METRICS.iter().map(|metric| &metric.card)
}

/// Cards of the metrics in every run: first of groups, then of links. Metrics of a run's series are computed on request
/// by the package `narrows.metrics` in Python, which declares their cards.
pub fn catalogue() -> &'static [Metric] {
    static CATALOGUE: LazyLock<Vec<Metric>> =
        LazyLock::new(|| of_groups().chain(of_links()).copied().collect());
    &CATALOGUE
}

#[cfg(test)]
mod tests {
    use super::{Metric, catalogue};

    #[test]
    fn every_metric_has_a_card_that_says_what_it_is() {
        for card in catalogue() {
            let texts = [card.name, card.label, card.definition, card.source];
            assert!(texts.iter().all(|text| !text.is_empty()), "{card:?}");
            for (ending, unit) in
                [("_s", "s"), ("_bps", "bps"), ("_packets", "packets"), ("_bytes", "B"), ("_rpm", "rpm")]
            {
                assert!(!card.name.ends_with(ending) || card.unit.text() == unit, "{card:?}");
            }
        }
    }

    #[test]
    fn no_two_metrics_of_one_owner_share_a_name_or_a_label() {
        let unique = |of: fn(&Metric) -> &'static str| {
            let mut all: Vec<_> = catalogue().iter().map(|card| (card.of, of(card))).collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
        };
        unique(|card| card.name);
        unique(|card| card.label);
    }
}
