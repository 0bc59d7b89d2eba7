// SPDX-License-Identifier: Apache-2.0
//! Converts the log of events to rows of the records.

use super::packets::{place, slots};
use crate::recorder::EventEntry;
use narrows_model::Model;
use narrows_records::EventRow;

/// Returns the rows of all entries.
pub(super) fn rows(model: &Model, entries: &[EventEntry]) -> Vec<EventRow> {
    let slots = slots(model);
    let row = |entry: &EventEntry| {
        let (group, flow) = slots[entry.flow.index()];
        EventRow {
            at: entry.at,
            place: place(entry.place),
            event: entry.event,
            rule: entry.rule.into(),
            group,
            flow,
            generation: entry.flow.generation(),
            packet: entry.packet,
            windows: entry.windows,
            states: entry.states.map(Into::into),
        }
    };
    entries.iter().map(row).collect()
}
