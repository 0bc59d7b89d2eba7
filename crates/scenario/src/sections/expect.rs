// SPDX-License-Identifier: Apache-2.0
//! `[[expect]]`: bounds that metrics of a run must satisfy.

use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::kind::list;
use crate::section::keys;
use crate::series::{SeriesMetric, SeriesMetrics, read};
use narrows_card::Owner;

keys! {
    /// The keys of `[[expect]]`.
    pub struct ExpectKeys {
        /// Name of a metric of a group or link, as in summary.json.
        measure: String,
        /// Group whose metric is checked.
        group: String => "every group",
        /// Link whose metric is checked.
        link: String => "the bottleneck of the first group, for a metric of links",
        /// Lower bound, in the unit of the metric.
        at_least: f64 => "no bound",
        /// Upper bound, in the unit of the metric.
        at_most: f64 => "no bound",
    }
}

/// A metric whose 95 % interval must be within bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The metric with its parameters, without white space.
    pub measure: String,
    /// Name of its group; `None` for all groups, unless `link` is given.
    pub group: Option<String>,
    /// Name of its link; `None` for a metric of groups.
    pub link: Option<String>,
    /// Lower bound, in the unit of the metric.
    pub at_least: Option<f64>,
    /// Upper bound, in the unit of the metric.
    pub at_most: Option<f64>,
}

/// The names that an expectation may use; `None` if they are unknown because of an error.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Parser of metrics of the series.
    pub series: Option<&'a dyn SeriesMetrics>,
    /// Names of the flow groups.
    pub groups: Option<&'a [String]>,
    /// Names of the links; the first is used if an expectation names none.
    pub links: Option<&'a [String]>,
}

impl ExpectKeys {
    /// Resolves the expectation; its metric and link are filled in.
    ///
    /// # Errors
    ///
    /// If it has errors, which are added to `faults`.
    pub fn resolve(&mut self, known: Known<'_>, faults: &mut Vec<Fault>) -> Result<Expectation, Reported> {
        let before = faults.len();
        let group = self.group.get()?.clone();
        let link = self.link.get()?.clone();
        let (at_least, at_most) = (self.at_least.copied()?, self.at_most.copied()?);
        if let (Some(group), Some(groups)) = (&group, known.groups) {
            check_name(&self.group, group, "unknown group", groups.iter().map(String::as_str), faults);
        }
        if let (Some(link), Some(links)) = (&link, known.links) {
            check_name(&self.link, link, "unknown link", links.iter().map(String::as_str), faults);
        }
        if group.is_some() && link.is_some() {
            faults.push(self.link.fault("a metric is taken of a group or of a link, not of both"));
        }
        if at_least.is_none() && at_most.is_none() {
            let fault = self.measure.fault("a metric without a bound");
            faults.push(fault.allowed("at_least, at_most, both"));
        }
        if let (Some(least), Some(most)) = (at_least, at_most)
            && least > most
        {
            faults.push(self.at_least.fault("more than at_most"));
        }
        let measure: String = self.measure.get()?.chars().filter(|letter| !letter.is_whitespace()).collect();
        let wanted = |kind| read(known.series, &measure, Some(kind));
        let of_link = link.is_some()
            || (group.is_none() && wanted(Owner::Group).is_err() && wanted(Owner::Link).is_ok());
        let kind = if of_link { Owner::Link } else { Owner::Group };
        // Where neither owner is named, any metric of either might have been meant.
        let owner = (group.is_some() || link.is_some() || wanted(kind).is_ok()).then_some(kind);
        match read(known.series, &measure, owner) {
            Err(wrong) => {
                let fault = self.measure.fault(wrong.message).given(format!("\"{}\"", wrong.given));
                faults.push(fault.allowed(wrong.allowed).nearest(&wrong.given, wrong.nearest.as_deref()));
            }
            Ok(metric) => self.check_group(metric, known.groups, faults),
        }
        if faults.len() > before {
            return Err(Reported::before());
        }
        let link = match (link, of_link) {
            (None, true) => known.links.and_then(<[String]>::first).cloned(),
            (link, _) => link,
        };
        self.measure.fill(measure.clone());
        self.link.fill(link.clone());
        Ok(Expectation { measure, group, link, at_least, at_most })
    }

    /// Checks that `metric` names no group that is unknown.
    fn check_group(&self, metric: Option<SeriesMetric>, groups: Option<&[String]>, faults: &mut Vec<Fault>) {
        if let Some(SeriesMetric { group: Some(named) }) = metric
            && let Some(groups) = groups
        {
            check_name(&self.measure, &named, "unknown group", groups.iter().map(String::as_str), faults);
        }
    }
}

/// Reports a name, written at `field`, that is not `known`.
fn check_name<'a, V>(
    field: &Field<V>,
    name: &str,
    message: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    faults: &mut Vec<Fault>,
) {
    if known.clone().all(|each| each != name) {
        let fault = field.fault(message).given(format!("\"{name}\"")).allowed(list(known.clone()));
        faults.push(fault.nearest(name, known));
    }
}
