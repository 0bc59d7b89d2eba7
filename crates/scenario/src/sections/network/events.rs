// SPDX-License-Identifier: Apache-2.0
//! `[[network.events]]`: links that fail, are restored or change.

use super::draft::Draft;
use crate::diagnostic::Fault;
use crate::emit::{Naming, TomlTable};
use crate::field::{At, Field, Reported};
use crate::forms::forms;
use crate::kind::{Kind, list};
use crate::section::{Section, keys};
use crate::tree::Node;
use crate::value::{Element, KeyType, List, Positive};
use narrows_model::LinkChange;
use narrows_topology::graph;
use narrows_units::Span;

keys! {
    /// A link failure: waiting packets and all arrivals are dropped, in both directions, until the link is restored.
    pub struct Fail = "fail" {
        /// Time of the event.
        at: Span,
        /// Name of the link, in either direction.
        fail: String,
    }
}

keys! {
    /// The restoration of a failed link.
    pub struct Restore = "restore" {
        /// Time of the event.
        at: Span,
        /// Name of the failed link.
        restore: String,
    }
}

keys! {
    /// A change of the delay of a link, which may change routes.
    pub struct Set = "set" {
        /// Time of the event.
        at: Span,
        /// Name of the link.
        set: String,
        /// New one-way propagation delay.
        delay: Positive<Span>,
    }
}

forms! {
    /// An event of a link.
    pub enum Event { Fail, Restore, Set }
}

/// The type of the key whose value is the list of events.
#[derive(Clone, Debug)]
pub struct Events;

impl KeyType for Events {
    type Value = Vec<Element<Event>>;
    const KIND: Kind = List::<Event>::KIND;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<Self::Value, Reported> {
        List::<Event>::read(node, path, faults)
    }

    fn write(value: &Self::Value, naming: Naming) -> String {
        List::<Event>::write(value, naming)
    }

    /// Each as a table of its own, whose keys say its kind.
    fn emit(value: &Self::Value, key: &str, _: Option<&str>, naming: Naming, table: &mut TomlTable) {
        for Element { value, .. } in value {
            let table = table.element(key);
            match value {
                Event::Fail(form) => form.emit(naming, table),
                Event::Restore(form) => form.emit(naming, table),
                Event::Set(form) => form.emit(naming, table),
            }
        }
    }
}

/// An event with its link known.
struct Located {
    event: graph::Event,
    /// Place of the link's name.
    link: At,
}

/// Resolves all events, ascending by time, with one event for each direction of a link, and fills in the key.
///
/// # Errors
///
/// If an event has errors, which are added to `faults`.
pub fn resolve(
    field: &mut Field<Option<Vec<Element<Event>>>>,
    draft: &Draft,
    duration: Result<Span, Reported>,
    faults: &mut Vec<Fault>,
) -> Result<Vec<graph::Event>, Reported> {
    let Some(written) = field.get()? else { return Ok(Vec::new()) };
    let located: Vec<_> = written.iter().map(|each| each.value.locate(draft, duration, faults)).collect();
    let mut located: Vec<Located> = located.into_iter().collect::<Result<_, _>>()?;
    located.sort_by_key(|each| each.event.at);
    let mut failed = vec![false; draft.links.len()];
    let mut result = Ok(());
    let mut events = Vec::new();
    for Located { event, link: at } in located {
        let link = event.link as usize;
        let fits = match event.change {
            LinkChange::Fail => !failed[link],
            LinkChange::Restore => failed[link],
            LinkChange::Delay(_) => true,
        };
        if !fits {
            let has = if failed[link] { "has already" } else { "has not" };
            let fault = at.fault(format!("the link {has} failed by then"));
            let fault = fault.given(format!("\"{}\"", draft.links[link].model.name));
            result = Err(fault.allowed("fail and restore in turn").report(faults));
        }
        for link in [Some(event.link), draft.links[link].twin].into_iter().flatten() {
            match event.change {
                LinkChange::Fail => failed[link as usize] = true,
                LinkChange::Restore => failed[link as usize] = false,
                LinkChange::Delay(_) => {}
            }
            events.push(graph::Event { link, ..event });
        }
    }
    result?;
    let at = field.at.clone();
    let filled = events.iter().map(|event| Element { at: at.clone(), value: Event::of(event, draft, &at) });
    field.fill(Some(filled.collect()));
    Ok(events)
}

impl Event {
    /// The event as it is written.
    fn of(event: &graph::Event, draft: &Draft, place: &At) -> Self {
        let at = Field::of(place, event.at);
        let name = Field::of(place, draft.links[event.link as usize].model.name.clone());
        let table = place.clone();
        match event.change {
            LinkChange::Fail => Self::Fail(Fail { table, at, fail: name }),
            LinkChange::Restore => Self::Restore(Restore { table, at, restore: name }),
            LinkChange::Delay(delay) => {
                Self::Set(Set { table, at, set: name, delay: Field::of(place, delay) })
            }
        }
    }

    fn locate(
        &self,
        draft: &Draft,
        duration: Result<Span, Reported>,
        faults: &mut Vec<Fault>,
    ) -> Result<Located, Reported> {
        let (at, link, change) = match self {
            Self::Fail(form) => (&form.at, &form.fail, LinkChange::Fail),
            Self::Restore(form) => (&form.at, &form.restore, LinkChange::Restore),
            Self::Set(form) => (&form.at, &form.set, LinkChange::Delay(form.delay.copied()?)),
        };
        if let (Ok(time), Ok(duration)) = (at.copied(), duration)
            && time >= duration
        {
            let fault = at.fault("an event after the run ends").given(time.to_string());
            return Err(fault.allowed(format!("before the duration, {duration}")).report(faults));
        }
        let name = link.get()?;
        let Some(number) = draft.names().position(|known| known == name) else {
            let fault = link.fault("unknown link").given(format!("\"{name}\"")).allowed(list(draft.names()));
            return Err(fault.nearest(name, draft.names()).report(faults));
        };
        let event = graph::Event { at: at.copied()?, link: number as u32, change };
        Ok(Located { event, link: link.at.clone() })
    }
}
