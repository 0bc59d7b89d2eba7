//! `[[expect]]`: measures that must lie within bounds for a run to count as good.

use super::diagnostic::{Fault, nearest};
use super::table::{Checked, Table};
use crate::metrics::Request;
use crate::metrics::populations::is_counted_of;

/// A measure with bounds, judged by its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Its name in the catalogue of metrics, with what is chosen about it, without white space.
    pub measure: String,
    /// The group it is taken of; `None` is every group, unless it is taken of a link.
    pub group: Option<String>,
    /// The link it is taken of; `None` if it is taken of groups.
    pub link: Option<String>,
    /// Lower bound, in the unit of the measure.
    pub at_least: Option<f64>,
    /// Upper bound, in the unit of the measure.
    pub at_most: Option<f64>,
}

/// Resolves every clause; `None` if a fault stands in the way. `groups` are the known groups, if they are known, and so are
/// `links`, of which the first is meant where none is named.
pub(super) fn resolve(
    tables: &[Table],
    groups: Option<&[Named]>,
    links: Option<&[String]>,
    faults: &mut Vec<Fault>,
) -> Option<Vec<Expectation>> {
    let all: Vec<Option<Expectation>> =
        tables.iter().map(|table| clause(table, groups, links, faults)).collect();
    all.into_iter().collect()
}

/// A group of flows.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    /// Its transfers come and go.
    pub coming: bool,
}

impl Named {
    fn has(&self, measure: &str) -> bool {
        is_counted_of(measure, self.coming)
    }
}

/// Only a group whose transfers come and go has it.
fn coming_only(measure: &str) -> bool {
    !is_counted_of(measure, false)
}

fn clause(
    table: &Table,
    groups: Option<&[Named]>,
    links: Option<&[String]>,
    faults: &mut Vec<Fault>,
) -> Option<Expectation> {
    let known = groups;
    let names: Option<Vec<String>> =
        groups.map(|groups| groups.iter().map(|group| group.name.clone()).collect());
    let groups = names.as_deref();
    let optional_text = |key| table.read(key, None, |value| Some(value.text()));
    let optional_number = |key| table.read(key, None, |value| Some(value.number()));
    let (group, link) = (optional_text("group")?, optional_text("link")?);
    let (at_least, at_most) = (optional_number("at_least")?, optional_number("at_most")?);
    let before = faults.len();
    let mut fault = |key: &str, message: &str, given: &str, known: &[&str]| {
        let fault = Fault::new(table.place_of(key), table.path_of(key), message);
        let fault = if given.is_empty() { fault } else { fault.given(format!("\"{given}\"")) };
        faults.push(fault.allowed(known.join(", ")).nearest(nearest(given, known.iter().copied())));
    };
    if let (Some(group), Some(groups)) = (&group, groups)
        && !groups.contains(group)
    {
        let known: Vec<&str> = groups.iter().map(String::as_str).collect();
        fault("group", "no such group", group, &known);
    }
    if let (Some(link), Some(links)) = (&link, links)
        && !links.contains(link)
    {
        let known: Vec<&str> = links.iter().map(String::as_str).collect();
        fault("link", "no such link", link, &known);
    }
    if group.is_some() && link.is_some() {
        fault("link", "a measure is taken of a group or of a link, not of both", "", &[]);
    }
    if at_least.is_none() && at_most.is_none() {
        fault("measure", "a measure without a bound", "", &["at_least", "at_most", "both"]);
    }
    if let (Some(least), Some(most)) = (at_least, at_most)
        && least > most
    {
        fault("at_least", "more than at_most", "", &[]);
    }
    let measure = table.given("measure", Checked::text)?;
    let wanted = |kind| Request::parse(&measure, Some(kind));
    let kind = if link.is_some() || (group.is_none() && wanted("group").is_err() && wanted("link").is_ok()) {
        "link"
    } else {
        "group"
    };
    // Where neither owner is named, any measure of either might have been meant.
    let owner = (group.is_some() || link.is_some() || wanted(kind).is_ok()).then_some(kind);
    match Request::parse(&measure, owner) {
        Err(wrong) => {
            let fault = Fault::new(table.place_of("measure"), table.path_of("measure"), wrong.message);
            faults.push(
                fault.given(format!("\"{}\"", wrong.given)).allowed(wrong.allowed).nearest(wrong.nearest),
            );
        }
        Ok(request) => {
            if let Some(unknown) = groups.and_then(|groups| request.unknown_group(groups)) {
                let known: Vec<&str> = groups.unwrap_or_default().iter().map(String::as_str).collect();
                let fault = Fault::new(table.place_of("measure"), table.path_of("measure"), "no such group");
                let fault = fault.given(format!("\"{unknown}\"")).allowed(known.join(", "));
                faults.push(fault.nearest(nearest(unknown, known.iter().copied())));
            }
            let meant = |each: &&Named| group.as_ref().is_none_or(|group| *group == each.name);
            let mut meant = known.into_iter().flatten().filter(meant).peekable();
            let counted = kind == "group" && request.choices.is_empty();
            if counted && meant.peek().is_some() && !meant.any(|each| each.has(&request.text)) {
                let message = "no such measure of these groups";
                let fault = Fault::new(table.place_of("measure"), table.path_of("measure"), message);
                let allowed = if coming_only(&request.text) {
                    "of groups whose transfers come and go"
                } else {
                    "of groups whose flows stay"
                };
                faults.push(fault.given(format!("\"{}\"", request.text)).allowed(allowed));
            }
        }
    }
    let measure: String = measure.chars().filter(|letter| !letter.is_whitespace()).collect();
    let link = if link.is_none() && kind == "link" { Some(links?.first()?.clone()) } else { link };
    (faults.len() == before).then_some(Expectation { measure, group, link, at_least, at_most })
}
