//! `[[network.events]]`: links that fail, come back or change.

use super::super::super::diagnostic::{Fault, nearest};
use super::super::super::table::{Checked, Table};
use super::super::super::walk::list;
use super::Draft;
use crate::model::LinkChange;
use crate::network::graph::Event;
use narrows_units::Span;

/// Resolves every event, ascending by time; `None` if a fault stands in the way.
pub(super) fn resolve(
    table: &Table,
    draft: &Draft,
    duration: Option<Span>,
    faults: &mut Vec<Fault>,
) -> Option<Vec<Event>> {
    if !table.has("events") {
        return Some(Vec::new());
    }
    let items = table.value("events")?.list();
    let mut read: Vec<_> = items
        .iter()
        .map(|item| {
            let (kind, form) = item.value.as_ref()?.variant();
            one(kind, form, draft, duration, faults)
        })
        .collect::<Vec<_>>()
        .into_iter()
        .collect::<Option<Vec<_>>>()?;
    read.sort_by_key(|(event, _)| event.at);
    let mut failed = vec![false; draft.links.len()];
    let mut sound = true;
    let mut events = Vec::new();
    for (event, form) in read {
        let link = event.link as usize;
        let (kind, fits) = match event.change {
            LinkChange::Fail => ("fail", !failed[link]),
            LinkChange::Restore => ("restore", failed[link]),
            LinkChange::Delay(_) => ("set", true),
        };
        if !fits {
            let message = if failed[link] {
                "the link has already failed by then"
            } else {
                "the link has not failed by then"
            };
            let fault = Fault::new(form.place_of(kind), form.path_of(kind), message);
            faults.push(
                fault.given(format!("\"{}\"", draft.links[link].name)).allowed("fail and restore in turn"),
            );
            sound = false;
        }
        for link in [Some(event.link), draft.twins[link]].into_iter().flatten() {
            match event.change {
                LinkChange::Fail => failed[link as usize] = true,
                LinkChange::Restore => failed[link as usize] = false,
                LinkChange::Delay(_) => {}
            }
            events.push(Event { link, ..event });
        }
    }
    sound.then_some(events)
}

fn one<'a>(
    kind: &str,
    form: &'a Table,
    draft: &Draft,
    duration: Option<Span>,
    faults: &mut Vec<Fault>,
) -> Option<(Event, &'a Table)> {
    let at = form.given("at", Checked::span);
    if let (Some(at), Some(duration)) = (at, duration)
        && at >= duration
    {
        let fault = Fault::new(form.place_of("at"), form.path_of("at"), "an event after the run ends");
        faults.push(fault.given(at.to_string()).allowed(format!("before the duration, {duration}")));
        return None;
    }
    let change = match kind {
        "fail" => LinkChange::Fail,
        "restore" => LinkChange::Restore,
        "set" => LinkChange::Delay(form.given("delay", Checked::span)?),
        other => unreachable!("the keys know no event of kind {other}"),
    };
    let name = form.given(kind, Checked::text)?;
    let names = || draft.links.iter().map(|link| link.name.as_str());
    let Some(link) = names().position(|known| known == name) else {
        let fault =
            Fault::new(form.place_of(kind), form.path_of(kind), "no such link").given(format!("\"{name}\""));
        faults.push(fault.allowed(list(names())).nearest(nearest(&name, names())));
        return None;
    };
    Some((Event { at: at?, link: link as u32, change }, form))
}
