//! The tables that leave the simulator.

use super::Measures;
use super::groups::FlowMeasures;
use crate::model::Model;
use crate::records::{Column, LinkSample, ReceiverSample, Recorded, RecordedFlow, SenderSample, Table};
use narrows_units::Time;

/// A row for each flow.
pub(crate) fn flows(model: &Model, recorded: &Recorded, window_s: f64) -> Table {
    let measures: Vec<_> = recorded
        .flows
        .iter()
        .enumerate()
        .map(|(index, flow)| FlowMeasures::of(model, index, flow, window_s))
        .collect();
    let mut table = Table::default();
    table.push("group", groups_column(model, recorded.flows.iter().map(|flow| flow.group)));
    table.push("flow", Column::Whole(within_group(recorded).into_iter().map(i64::from).collect()));
    let algorithms: Vec<String> = model.groups.iter().map(|group| group.algorithm.to_string()).collect();
    let codes = recorded.flows.iter().map(|flow| flow.group as u32).collect();
    table.push("algorithm", Column::Label { codes, labels: algorithms });
    let seconds = |time: fn(&RecordedFlow) -> Option<Time>| {
        Column::Real(
            recorded.flows.iter().map(|flow| time(flow).map_or(f64::NAN, Time::as_secs_f64)).collect(),
        )
    };
    table.push("start_s", seconds(|flow| flow.sender.started));
    table.push("established_s", seconds(|flow| flow.sender.established));
    table.push("completed_s", seconds(|flow| flow.sender.completed));
    let mut real = |name, of: fn(&FlowMeasures) -> f64| {
        table.push(name, Column::Real(measures.iter().map(of).collect()));
    };
    real("goodput_bps", |flow| flow.goodput_bps);
    real("throughput_bps", |flow| flow.throughput_bps);
    real("loss_rate", |flow| flow.lost_packets / flow.sent_packets);
    real("mark_rate", |flow| flow.marked_packets / flow.sent_packets);
    real("retransmission_rate", |flow| flow.retransmissions / flow.sent_packets);
    real("sent_packets", |flow| flow.sent_packets);
    real("lost_packets", |flow| flow.lost_packets);
    real("marked_packets", |flow| flow.marked_packets);
    real("retransmissions", |flow| flow.retransmissions);
    real("timeouts", |flow| flow.timeouts);
    real("loss_events", |flow| flow.loss_events);
    real("loss_event_rate", |flow| flow.loss_events / flow.sent_packets);
    real("ack_compression", |flow| flow.close_acks / flow.ack_gaps);
    real("rtt_mean_s", |flow| flow.rtt_mean_s);
    real("cwnd_mean_packets", |flow| flow.cwnd_mean_packets);
    real("cwnd_peak_packets", |flow| flow.cwnd_peak_packets);
    real("reduction_interval_s", |flow| flow.reduction_interval_s);
    real("reductions", |flow| flow.reductions);
    real("completion_time_s", |flow| flow.completion_time_s);
    real("slowdown", |flow| flow.slowdown);
    table
}

/// A row for each link that is not an access link: its measures.
pub(crate) fn links(measures: &[Measures]) -> Table {
    let mut table = Table::default();
    let labels: Vec<String> = measures.iter().map(|link| link.name.clone()).collect();
    table.push("link", Column::Label { codes: (0..labels.len() as u32).collect(), labels });
    for (at, (name, _)) in measures.first().into_iter().flat_map(|link| link.values.iter().enumerate()) {
        table.push(name, Column::Real(measures.iter().map(|link| link.values[at].1).collect()));
    }
    table
}

/// A row for each interval and flow, then each interval and link.
pub(crate) fn series(model: &Model, recorded: &Recorded) -> Table {
    let rows = Rows::of(recorded);
    let mut table = Table::default();
    table.push("time_s", Column::Real(rows.map(|row| recorded.times[row.interval].as_secs_f64())));
    let kinds = rows.map(|row| u32::from(matches!(row.of, Of::Link(_))));
    table.push("kind", Column::Label { codes: kinds, labels: vec!["flow".into(), "link".into()] });
    table.push("name", names_column(model, recorded, &rows));
    let groups = rows.map(|row| match row.of {
        Of::Flow(flow) => recorded.flows[flow].group as u32,
        Of::Link(_) => u32::MAX,
    });
    let labels = model.groups.iter().map(|group| group.name.clone()).collect();
    table.push("group", Column::Label { codes: groups, labels });

    let mut sender = |name, of: fn(&SenderSample) -> f64| {
        table.push(name, flow_column(recorded, &rows, |flow, at| of(&flow.sender_series[at])));
    };
    sender("throughput_bps", |sample| sample.throughput_bps);
    sender("cwnd_packets", |sample| sample.cwnd_packets);
    sender("usable_window_packets", |sample| sample.usable_window_packets);
    sender("ssthresh_packets", |sample| sample.ssthresh_packets);
    sender("in_flight_packets", |sample| sample.in_flight_packets);
    sender("rtt_s", |sample| sample.rtt_s);
    sender("srtt_s", |sample| sample.srtt_s);
    sender("min_rtt_s", |sample| sample.min_rtt_s);
    sender("pacing_rate_bps", |sample| sample.pacing_rate_bps);
    sender("retransmissions", |sample| sample.retransmissions);
    let goodput = |sample: &ReceiverSample| sample.goodput_bps;
    table.push("goodput_bps", flow_column(recorded, &rows, |flow, at| goodput(&flow.receiver_series[at])));
    let mut link = |name, of: fn(&LinkSample) -> f64| {
        let value = |row: Row| match row.of {
            Of::Flow(_) => f64::NAN,
            Of::Link(link) => of(&recorded.links[link].series[row.interval]),
        };
        table.push(name, Column::Real(rows.map(value)));
    };
    link("rate_bps", |sample| sample.rate_bps);
    link("capacity_bps", |sample| sample.capacity_bps);
    link("queue_packets", |sample| sample.queue_packets);
    link("queue_delay_s", |sample| sample.queue_delay_s);
    link("arrived_packets", |sample| sample.arrived_packets);
    link("dropped_packets", |sample| sample.dropped_packets);
    link("marked_packets", |sample| sample.marked_packets);
    table
}

/// A row for each bucket of each histogram.
pub(crate) fn distributions(model: &Model, recorded: &Recorded) -> Table {
    let mut owners = Vec::new();
    let mut quantities = Vec::new();
    let mut values = Vec::new();
    let mut packets = Vec::new();
    let labels: Vec<String> = model
        .groups
        .iter()
        .map(|group| group.name.clone())
        .chain(recorded.links.iter().map(|link| model.links[link.link].name.clone()))
        .collect();
    let groups =
        recorded.rtts.iter().zip(&recorded.delays).map(|(rtts, delays)| vec![(0, rtts), (1, delays)]);
    let links = recorded.links.iter().map(|link| vec![(2, &link.recorder.waits)]);
    for (owner, histograms) in groups.chain(links).enumerate() {
        for (quantity, histogram) in histograms {
            for (value, count) in histogram.buckets() {
                owners.push(owner as u32);
                quantities.push(quantity);
                values.push(value);
                packets.push(count.cast_signed());
            }
        }
    }
    let mut table = Table::default();
    table.push("owner", Column::Label { codes: owners, labels });
    let labels = ["rtt_s", "delay_s", "queue_delay_s"].map(String::from).to_vec();
    table.push("quantity", Column::Label { codes: quantities, labels });
    table.push("value_s", Column::Real(values));
    table.push("packets", Column::Whole(packets));
    table
}

/// A row of the series.
struct Row {
    interval: usize,
    of: Of,
}

enum Of {
    Flow(usize),
    Link(usize),
}

/// The rows of the series.
struct Rows {
    /// The flows that have one.
    flows: Vec<usize>,
    links: usize,
    intervals: usize,
}

impl Rows {
    fn of(recorded: &Recorded) -> Self {
        let has_series = |flow: &usize| !recorded.flows[*flow].sender_series.is_empty();
        Self {
            flows: (0..recorded.flows.len()).filter(has_series).collect(),
            links: recorded.links.len(),
            intervals: recorded.times.len(),
        }
    }

    /// A column of what `value` says of each.
    fn map<T>(&self, value: impl Fn(Row) -> T) -> Vec<T> {
        let mut column = Vec::with_capacity(self.intervals * (self.flows.len() + self.links));
        for interval in 0..self.intervals {
            let flows = self.flows.iter().map(|&flow| Row { interval, of: Of::Flow(flow) });
            let links = (0..self.links).map(|link| Row { interval, of: Of::Link(link) });
            column.extend(flows.chain(links).map(&value));
        }
        column
    }
}

fn names_column(model: &Model, recorded: &Recorded, rows: &Rows) -> Column {
    let numbers = within_group(recorded);
    let mut labels: Vec<String> = recorded
        .flows
        .iter()
        .zip(&numbers)
        .map(|(flow, number)| format!("{}[{number}]", model.groups[flow.group].name))
        .collect();
    let first_link = labels.len() as u32;
    labels.extend(recorded.links.iter().map(|link| model.links[link.link].name.clone()));
    let codes = rows.map(|row| match row.of {
        Of::Flow(flow) => flow as u32,
        Of::Link(link) => first_link + link as u32,
    });
    Column::Label { codes, labels }
}

fn flow_column(recorded: &Recorded, rows: &Rows, value: impl Fn(&RecordedFlow, usize) -> f64) -> Column {
    let of_row = |row: Row| match row.of {
        Of::Flow(flow) => value(&recorded.flows[flow], row.interval),
        Of::Link(_) => f64::NAN,
    };
    Column::Real(rows.map(of_row))
}

fn groups_column(model: &Model, groups: impl Iterator<Item = usize>) -> Column {
    let labels = model.groups.iter().map(|group| group.name.clone()).collect();
    Column::Label { codes: groups.map(|group| group as u32).collect(), labels }
}

/// The number of each flow within its group, from 0.
fn within_group(recorded: &Recorded) -> Vec<u32> {
    let mut next = vec![0; recorded.rtts.len()];
    recorded
        .flows
        .iter()
        .map(|flow| {
            next[flow.group] += 1;
            next[flow.group] - 1
        })
        .collect()
}
