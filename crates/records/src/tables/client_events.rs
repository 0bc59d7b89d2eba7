// SPDX-License-Identifier: Apache-2.0
//! The table `client_events`.

use super::events::{EVENTS, code, distinct, window};
use super::packets::{KINDS, place, places, words};
use super::{application_groups, group_names};
use crate::table::{NO_LABEL, Writer};
use crate::{ClientEvent, ClientEventRow, EventRow, Perceived, Records, SlowestObject, Table};

/// Returns a row for each entry of the log of events of clients; no columns if these are not logged.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    if run.client_event_limit.is_none() || application_groups(run).is_empty() {
        return Table::absent("client_events");
    }
    let rows = &records.client_events.rows;
    let mut table = Writer::new("client_events", rows.iter());
    table.whole("time_ps", |row| row.at.as_ps());
    table.label("place", places(run), |row| place(row.place));
    table.label("event", [words(PERCEIVED), words(EVENTS)].concat(), |row| match &row.event {
        ClientEvent::Perceived(perceived) => perceived.kind as u32,
        ClientEvent::Flow(event) => PERCEIVED.len() as u32 + event.event as u32,
    });
    let rules = distinct(rows.iter().filter_map(flow).map(|event| event.rule.as_ref()));
    table.label("rule", words(&rules), |row| flow(row).map_or(NO_LABEL, |event| code(&rules, &event.rule)));
    table.label("group", group_names(run), |row| row.group);
    table.whole("client", |row| u64::from(row.client));
    let of_flow = |value: fn(&EventRow) -> Option<f64>| {
        move |row: &ClientEventRow| flow(row).and_then(value).unwrap_or(f64::NAN)
    };
    table.real("slot", of_flow(|event| Some(event.flow.into())));
    table.real("turn", of_flow(|event| Some(event.generation.into())));
    table.label("kind", words(KINDS), |row| {
        flow(row).and_then(|event| event.packet).map_or(NO_LABEL, |(kind, _)| kind as u32)
    });
    table.real("number", of_flow(|event| event.packet.map(|(_, number)| number as f64)));
    table.real("cwnd_before_packets", of_flow(|event| Some(window(event, 0, |windows| windows.congestion))));
    table.real("cwnd_packets", of_flow(|event| Some(window(event, 1, |windows| windows.congestion))));
    table
        .real("ssthresh_before_packets", of_flow(|event| Some(window(event, 0, |windows| windows.ssthresh))));
    table.real("ssthresh_packets", of_flow(|event| Some(window(event, 1, |windows| windows.ssthresh))));
    let states =
        distinct(rows.iter().filter_map(flow).flat_map(|event| event.states.iter().map(AsRef::as_ref)));
    let state = |at: usize| {
        let states = &states;
        move |row: &ClientEventRow| flow(row).map_or(NO_LABEL, |event| code(states, &event.states[at]))
    };
    table.label("state_before", words(&states), state(0));
    table.label("state", words(&states), state(1));
    let of_user = |value: fn(&Perceived) -> Option<f64>| {
        move |row: &ClientEventRow| perceived(row).and_then(value).unwrap_or(f64::NAN)
    };
    table.real("duration_s", of_user(|it| Some(it.span.as_secs_f64())));
    table.real("bitrate_bps", of_user(|it| it.bitrate_bps.map(|bps| bps as f64)));
    table.real("waiting_bytes", of_user(|it| it.waiting.map(|bytes| bytes.count() as f64)));
    let of_object = |value: fn(&SlowestObject) -> f64| {
        move |row: &ClientEventRow| perceived(row).and_then(|it| it.slowest.as_ref()).map_or(f64::NAN, value)
    };
    table.real("object_level", of_object(|object| object.level.into()));
    table.real("object", of_object(|object| object.index.into()));
    table.real("object_bytes", of_object(|object| object.size.count() as f64));
    table.real("object_waited_s", of_object(|object| object.waited.as_secs_f64()));
    table.real("object_s", of_object(|object| object.took.as_secs_f64()));
    table.finish()
}

fn flow(row: &ClientEventRow) -> Option<&EventRow> {
    match &row.event {
        ClientEvent::Flow(event) => Some(event),
        ClientEvent::Perceived(_) => None,
    }
}

fn perceived(row: &ClientEventRow) -> Option<&Perceived> {
    match &row.event {
        ClientEvent::Perceived(perceived) => Some(perceived),
        ClientEvent::Flow(_) => None,
    }
}

/// Names of [`PerceivedKind`](crate::PerceivedKind), in its order.
const PERCEIVED: &[&str] = &[
    "late-frame",
    "skipped-frame",
    "page",
    "startup",
    "stall",
    "switch",
    "probe-tcp",
    "probe-tls",
    "probe-http",
    "probe-loaded",
];
