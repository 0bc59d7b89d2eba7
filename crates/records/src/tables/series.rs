// SPDX-License-Identifier: Apache-2.0
//! The table `series`.

use super::{group_names, link_names};
use crate::table::{NO_LABEL, Writer};
use crate::{FlowSample, LinkSample, Records, Table};

/// A row of the table: what, and the index of the interval.
#[derive(Clone, Copy)]
enum Row {
    /// A flow: an index into the connections.
    Flow(usize, usize),
    /// A link: an index into the links.
    Link(usize, usize),
}

/// Returns the table: for each interval a row for each flow that has a series, then one for each link that has one.
pub(super) fn table(records: &Records) -> Table {
    let (connections, links) = (&records.connections, &records.links);
    let flows: Vec<usize> =
        (0..connections.len()).filter(|flow| !connections[*flow].series.is_empty()).collect();
    let with_series: Vec<usize> = (0..links.len()).filter(|link| !links[*link].series.is_empty()).collect();
    let rows = (0..records.interval_ends.len()).flat_map(|interval| {
        let flows = flows.iter().map(move |flow| Row::Flow(*flow, interval));
        flows.chain(with_series.iter().map(move |link| Row::Link(*link, interval)))
    });
    let mut table = Writer::new("series", rows);
    table.real("time_s", |row| {
        let (Row::Flow(_, interval) | Row::Link(_, interval)) = row;
        records.interval_ends[interval].as_secs_f64()
    });
    table.label("kind", vec!["flow".into(), "link".into()], |row| u32::from(matches!(row, Row::Link(..))));
    let first_link = connections.len() as u32;
    table.label("name", names(records), |row| match row {
        Row::Flow(flow, _) => flow as u32,
        Row::Link(link, _) => first_link + link as u32,
    });
    table.label("group", group_names(&records.run), |row| match row {
        Row::Flow(flow, _) => connections[flow].group as u32,
        Row::Link(..) => NO_LABEL,
    });

    let mut flow = |name, value: fn(&FlowSample) -> f64| {
        table.real(name, |row| match row {
            Row::Flow(flow, interval) => connections[flow].series.get(interval).map_or(f64::NAN, value),
            Row::Link(..) => f64::NAN,
        });
    };
    flow("throughput_bps", |sample| sample.throughput_bps);
    flow("cwnd_packets", |sample| sample.cwnd_packets);
    flow("usable_window_packets", |sample| sample.usable_window_packets);
    flow("ssthresh_packets", |sample| sample.ssthresh_packets);
    flow("in_flight_packets", |sample| sample.in_flight_packets);
    flow("rtt_s", |sample| sample.rtt_s);
    flow("srtt_s", |sample| sample.srtt_s);
    flow("min_rtt_s", |sample| sample.min_rtt_s);
    flow("pacing_rate_bps", |sample| sample.pacing_rate_bps);
    flow("retransmissions", |sample| sample.retransmissions);
    flow("goodput_bps", |sample| sample.goodput_bps);
    flow("access_queue_delay_s", |sample| sample.access_queue_delay_s);
    let mut link = |name, value: fn(&LinkSample) -> f64| {
        table.real(name, |row| match row {
            Row::Flow(..) => f64::NAN,
            Row::Link(link, interval) => links[link].series.get(interval).map_or(f64::NAN, value),
        });
    };
    link("rate_bps", |sample| sample.rate_bps);
    link("capacity_bps", |sample| sample.capacity_bps);
    link("queue_packets", |sample| sample.queue_packets);
    link("queue_delay_s", |sample| sample.queue_delay_s);
    link("arrived_packets", |sample| sample.arrived_packets);
    link("dropped_packets", |sample| sample.dropped_packets);
    link("marked_packets", |sample| sample.marked_packets);
    table.finish()
}

/// Returns the names of all connections, as `group[number]`, then of all links.
pub(super) fn names(records: &Records) -> Vec<String> {
    let run = &records.run;
    let flows =
        records.connections.iter().map(|flow| format!("{}[{}]", run.groups[flow.group].name, flow.number));
    flows.chain(link_names(run)).collect()
}
