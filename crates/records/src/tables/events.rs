// SPDX-License-Identifier: Apache-2.0
//! The table `events`.

use super::group_names;
use super::packets::{KINDS, place, places, words};
use crate::table::{NO_LABEL, Writer};
use crate::{EventRow, Records, Table, Windows};

/// Returns a row for each entry of the log of events; no columns if events are not logged.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    if run.event_limit.is_none() {
        return Table::absent("events");
    }
    let rows = &records.events.rows;
    let mut table = Writer::new("events", rows.iter());
    table.whole("time_ps", |row| row.at.as_ps());
    table.label("place", places(run), |row| place(row.place));
    table.label("event", words(EVENTS), |row| row.event as u32);
    let rules = distinct(rows.iter().map(|row| row.rule.as_ref()));
    table.label("rule", words(&rules), |row| code(&rules, &row.rule));
    table.label("group", group_names(run), |row| row.group);
    table.whole("flow", |row| u64::from(row.flow));
    table.whole("turn", |row| u64::from(row.generation));
    table.label("kind", words(KINDS), |row| row.packet.map_or(NO_LABEL, |(kind, _)| kind as u32));
    table.real("number", |row| row.packet.map_or(f64::NAN, |(_, number)| number as f64));
    table.real("cwnd_before_packets", |row| window(row, 0, |windows| windows.congestion));
    table.real("cwnd_packets", |row| window(row, 1, |windows| windows.congestion));
    table.real("ssthresh_before_packets", |row| window(row, 0, |windows| windows.ssthresh));
    table.real("ssthresh_packets", |row| window(row, 1, |windows| windows.ssthresh));
    let states = distinct(rows.iter().flat_map(|row| row.states.iter().map(AsRef::as_ref)));
    table.label("state_before", words(&states), |row| code(&states, &row.states[0]));
    table.label("state", words(&states), |row| code(&states, &row.states[1]));
    table.finish()
}

/// Returns a window of a sender before (`at` 0) or after (1) an event; not a number without a finite one.
pub(super) fn window(row: &EventRow, at: usize, of: fn(&Windows) -> f64) -> f64 {
    row.windows.as_ref().map(|windows| of(&windows[at])).filter(|it| it.is_finite()).unwrap_or(f64::NAN)
}

/// Returns the different words among `words` except `""`, in alphabetical order.
pub(super) fn distinct<'w>(words: impl Iterator<Item = &'w str>) -> Vec<&'w str> {
    let mut known: Vec<&str> = Vec::new();
    let mut last = "";
    for word in words {
        // Most words follow themselves.
        let repeated = std::ptr::eq(word, last);
        last = word;
        if !repeated
            && !word.is_empty()
            && let Err(place) = known.binary_search(&word)
        {
            known.insert(place, word);
        }
    }
    known
}

/// Returns the index of `word` into `words`; no label if it is empty.
pub(super) fn code(words: &[&str], word: &str) -> u32 {
    if word.is_empty() {
        return NO_LABEL;
    }
    let same = words.iter().position(|known| std::ptr::eq(*known, word));
    same.or_else(|| words.binary_search(&word).ok()).map_or(NO_LABEL, |code| code as u32)
}

/// Names of [`FlowEvent`](crate::FlowEvent), in its order.
pub(super) const EVENTS: &[&str] = &[
    "dropped",
    "lost",
    "marked",
    "declared-lost",
    "probe",
    "timeout",
    "reduction",
    "idle-restart",
    "recovery-start",
    "recovery-end",
    "undo",
    "state",
    "window-closed",
    "window-probe",
    "window-opened",
];
