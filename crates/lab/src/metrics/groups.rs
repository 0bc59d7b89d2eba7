//! Measures of a flow and of a group of flows.

use super::{Measures, jain, min_max, populations, product, range};
use crate::model::Model;
use crate::records::{Recorded, RecordedFlow};
use narrows_units::{Bytes, Span};

/// Measures of one flow over the `window_s` seconds after the warm-up; not a number where there is no data.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowMeasures {
    pub goodput_bps: f64,
    pub throughput_bps: f64,
    pub sent_packets: f64,
    pub lost_packets: f64,
    pub marked_packets: f64,
    pub retransmissions: f64,
    pub timeouts: f64,
    pub loss_events: f64,
    pub ack_gaps: f64,
    pub close_acks: f64,
    pub rtt_mean_s: f64,
    pub cwnd_mean_packets: f64,
    pub cwnd_peak_packets: f64,
    pub reduction_interval_s: f64,
    pub reductions: f64,
    pub completion_time_s: f64,
    pub slowdown: f64,
}

impl FlowMeasures {
    pub fn of(model: &Model, flow: usize, recorded: &RecordedFlow, window_s: f64) -> Self {
        let sender = &recorded.sender;
        let (from, to) = (&sender.at_measure, &recorded.sender_end);
        let delivered = recorded.receiver_end.bytes_delivered - recorded.receiver.at_measure.bytes_delivered;
        let completion_time_s = match (sender.started, sender.completed) {
            (Some(started), Some(completed)) => (completed - started).as_secs_f64(),
            _ => f64::NAN,
        };
        Self {
            goodput_bps: delivered as f64 * 8.0 / window_s,
            throughput_bps: (to.bytes_sent - from.bytes_sent) as f64 * 8.0 / window_s,
            sent_packets: (to.packets_sent - from.packets_sent) as f64,
            lost_packets: recorded.lost as f64,
            marked_packets: recorded.marked as f64,
            retransmissions: (to.retransmissions - from.retransmissions) as f64,
            timeouts: (to.timeouts - from.timeouts) as f64,
            loss_events: (to.loss_events - from.loss_events) as f64,
            ack_gaps: sender.ack_gaps as f64,
            close_acks: sender.close_acks as f64,
            rtt_mean_s: sender.rtt.mean_s_since(&sender.rtt_at_measure),
            cwnd_mean_packets: sender.window_seconds / sender.seconds,
            cwnd_peak_packets: sender.peaks / sender.reductions as f64,
            reduction_interval_s: sender.reduction_interval().map_or(f64::NAN, Span::as_secs_f64),
            reductions: sender.reductions as f64,
            completion_time_s,
            slowdown: completion_time_s / ideal_completion_s(model, flow, recorded),
        }
    }
}

/// All measures of group `group` over the `window_s` seconds after the warm-up.
pub(crate) fn measures(model: &Model, recorded: &Recorded, group: usize, window_s: f64) -> Measures {
    if model.populations.iter().any(|population| population.group == group) {
        return populations::measures(model, recorded, group, window_s);
    }
    let flows: Vec<FlowMeasures> = recorded
        .flows
        .iter()
        .enumerate()
        .filter(|(_, flow)| flow.group == group)
        .map(|(index, flow)| FlowMeasures::of(model, index, flow, window_s))
        .collect();
    let sum = |of: fn(&FlowMeasures) -> f64| flows.iter().map(of).sum::<f64>();
    let mean = |of: fn(&FlowMeasures) -> f64| mean_of_known(flows.iter().map(of));
    let goodputs: Vec<f64> = flows.iter().map(|flow| flow.goodput_bps).collect();
    let goodput = sum(|flow| flow.goodput_bps);
    let sent = sum(|flow| flow.sent_packets);
    let plan = &model.groups[group];
    let available = available_bps(model, recorded, group, window_s);
    let completed = flows.iter().filter(|flow| !flow.completion_time_s.is_nan()).count();
    let finite = model.flows.iter().any(|flow| flow.group == group && flow.size.is_some());
    let mut values = vec![
        ("goodput_bps", goodput),
        ("goodput_fraction", goodput / available),
        ("throughput_bps", sum(|flow| flow.throughput_bps)),
        ("jain", jain(&goodputs)),
        ("range_fairness", range(&goodputs)),
        ("min_max", min_max(&goodputs)),
        ("product", product(&goodputs)),
        ("power", goodput / recorded.delays[group].mean_s()),
        ("loss_rate", sum(|flow| flow.lost_packets) / sent),
        ("mark_rate", sum(|flow| flow.marked_packets) / sent),
        ("retransmission_rate", sum(|flow| flow.retransmissions) / sent),
        ("timeouts", sum(|flow| flow.timeouts)),
        ("loss_events", sum(|flow| flow.loss_events)),
        ("loss_event_rate", sum(|flow| flow.loss_events) / sent),
        ("buffer_share", buffer_share(model, recorded, group)),
        ("ack_compression", sum(|flow| flow.close_acks) / sum(|flow| flow.ack_gaps)),
        ("rtt_mean_s", mean(|flow| flow.rtt_mean_s)),
    ];
    values.extend(delay_measures(recorded, group));
    values.extend([
        ("cwnd_mean_packets", mean(|flow| flow.cwnd_mean_packets)),
        ("cwnd_peak_packets", mean(|flow| flow.cwnd_peak_packets)),
        ("reduction_interval_s", mean(|flow| flow.reduction_interval_s)),
        ("reductions", sum(|flow| flow.reductions)),
        ("completed_flows", if finite { completed as f64 } else { f64::NAN }),
        ("completion_time_s", mean(|flow| flow.completion_time_s)),
        ("slowdown", mean(|flow| flow.slowdown)),
    ]);
    Measures { name: plan.name.clone(), flows: Some(flows.len()), values }
}

/// The mean rate that the group's bottleneck offered, bits per second.
pub(super) fn available_bps(model: &Model, recorded: &Recorded, group: usize, window_s: f64) -> f64 {
    let bottleneck = model.groups[group].bottleneck;
    let found = recorded.links.iter().find(|link| Some(link.link) == bottleneck);
    found.map_or(f64::NAN, |link| link.offered_bits / window_s)
}

/// The group's part of the bytes that wait at its bottleneck, on average over time: by Little's law each packet's bytes
/// times its wait add up to it.
pub(super) fn buffer_share(model: &Model, recorded: &Recorded, group: usize) -> f64 {
    let bottleneck = model.groups[group].bottleneck;
    let found = recorded.links.iter().find(|link| Some(link.link) == bottleneck);
    let Some(link) = found else { return f64::NAN };
    let shares = &link.recorder.shares;
    shares[group] as f64 / shares.iter().sum::<u128>() as f64
}

/// What the group's histograms say of its round-trip times and one-way delays.
pub(super) fn delay_measures(recorded: &Recorded, group: usize) -> [(&'static str, f64); 7] {
    let (rtts, delays) = (&recorded.rtts[group], &recorded.delays[group]);
    [
        ("rtt_p50_s", rtts.quantile_s(0.50)),
        ("rtt_p95_s", rtts.quantile_s(0.95)),
        ("rtt_p99_s", rtts.quantile_s(0.99)),
        ("delay_mean_s", delays.mean_s()),
        ("delay_p50_s", delays.quantile_s(0.50)),
        ("delay_p95_s", delays.quantile_s(0.95)),
        ("delay_p99_s", delays.quantile_s(0.99)),
    ]
}

/// The mean of those values that are numbers; not a number if none is.
fn mean_of_known(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values
        .filter(|value| !value.is_nan())
        .fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

/// What the transfer would need on an idle path: a round trip to open the connection, the transmission of all packets
/// at the bottleneck's mean rate, and a round trip for the last of them and its acknowledgement.
fn ideal_completion_s(model: &Model, flow: usize, recorded: &RecordedFlow) -> f64 {
    let plan = &model.flows[flow];
    let group = &model.groups[plan.group];
    let Some(size) = recorded.size else { return f64::NAN };
    let packets = size.count().div_ceil(plan.transport.mss.count());
    let bits = (size + Bytes::new(packets * plan.transport.header.count())).bits() as f64;
    let Some(bottleneck) = group.bottleneck else { return f64::NAN };
    2.0 * recorded.rtt.as_secs_f64() + bits / model.links[bottleneck].rate.mean_bps(model.duration)
}
