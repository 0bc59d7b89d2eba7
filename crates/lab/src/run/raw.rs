//! The counts of all partitions put together again, in the order of flows and links.

use super::link::Link;
use super::partition::Partition;
use crate::model::Model;
use crate::records::{
    Histogram, LinkRecorder, LinkSample, ReceiverRecorder, ReceiverSample, SenderRecorder, SenderSample,
};
use narrows_transport::{ConnectionState, ReceiverCounters, SenderCounters};
use narrows_units::Time;

/// Everything that was counted in a run.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    /// By flow.
    pub flows: Vec<FlowRaw>,
    /// Links that are not access links, in the order of the model.
    pub links: Vec<LinkRaw>,
    /// Round-trip times by group.
    pub rtts: Vec<Histogram>,
    /// One-way delays of data by group.
    pub delays: Vec<Histogram>,
    /// Ends of the intervals of the series.
    pub times: Vec<Time>,
    /// Events handled.
    pub events: u64,
    /// Links crossed.
    pub hops: u64,
    /// What is wrong with the packet counts, if anything is.
    pub unbalanced: Option<String>,
}

/// What was counted at both ends of a flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowRaw {
    pub group: usize,
    pub state: ConnectionState,
    pub sender: SenderRecorder,
    pub sender_end: SenderCounters,
    pub receiver: ReceiverRecorder,
    pub receiver_end: ReceiverCounters,
    /// Data packets dropped or lost after the warm-up.
    pub lost: u64,
    /// Data packets marked after the warm-up.
    pub marked: u64,
    /// Empty where flows' series are not recorded.
    pub sender_series: Vec<SenderSample>,
    pub receiver_series: Vec<ReceiverSample>,
}

/// What was counted at a link.
#[derive(Clone, Debug)]
pub(crate) struct LinkRaw {
    /// Index into the model's links.
    pub link: usize,
    pub recorder: LinkRecorder,
    /// Bits sent after the warm-up.
    pub sent_bits: f64,
    /// Bits that could have been.
    pub offered_bits: f64,
    pub series: Vec<LinkSample>,
}

/// Puts `partitions` together.
pub(super) fn gather(model: &Model, partitions: &[Partition], end: Time) -> Raw {
    let unbalanced = imbalance(model, partitions);
    let times = partitions[0].series.times.clone();
    let mut links = Vec::new();
    let mut senders = Vec::new();
    let mut receivers = Vec::new();
    for partition in partitions {
        let series = &partition.series;
        let mut recorded = Vec::new();
        for (index, link) in partition.net.links.iter().enumerate() {
            if let Link::Scheduled(transmitter) = link
                && transmitter.recorded
            {
                recorded.push((partition.links[index], transmitter.as_ref()));
            }
        }
        let count = recorded.len();
        links.extend(recorded.into_iter().enumerate().map(|(at, (link, transmitter))| {
            let (from, to) = (transmitter.at_measure, transmitter.bits(end));
            LinkRaw {
                link,
                recorder: transmitter.recorder.clone(),
                sent_bits: to.sent - from.sent,
                offered_bits: to.offered - from.offered,
                series: series.links.iter().skip(at).step_by(count).copied().collect(),
            }
        }));
        let count = partition.senders.len().max(1);
        senders.extend(partition.senders.iter().enumerate().map(|(at, end)| {
            (end, series.senders.iter().skip(at).step_by(count).copied().collect::<Vec<_>>())
        }));
        let count = partition.receivers.len().max(1);
        receivers.extend(partition.receivers.iter().enumerate().map(|(at, end)| {
            (end, series.receivers.iter().skip(at).step_by(count).copied().collect::<Vec<_>>())
        }));
    }
    links.sort_by_key(|link| link.link);
    senders.sort_by_key(|(end, _)| end.flow);
    receivers.sort_by_key(|(end, _)| end.flow);
    let flows = senders
        .into_iter()
        .zip(receivers)
        .map(|((sender, sender_series), (receiver, receiver_series))| FlowRaw {
            group: sender.group,
            state: sender.sender.state(),
            sender: sender.recorder.clone(),
            sender_end: *sender.sender.counters(),
            receiver: receiver.recorder.clone(),
            receiver_end: *receiver.receiver.counters(),
            lost: tally(partitions, |partition| partition.net.flows.lost[sender.flow as usize]),
            marked: tally(partitions, |partition| partition.net.flows.marked[sender.flow as usize]),
            sender_series,
            receiver_series,
        })
        .collect();
    Raw {
        flows,
        links,
        rtts: merge(model.groups.len(), partitions, |partition| &partition.rtts),
        delays: merge(model.groups.len(), partitions, |partition| &partition.delays),
        times,
        events: partitions.iter().map(|partition| partition.net.queue.fired()).sum(),
        hops: partitions.iter().map(|partition| partition.net.hops).sum(),
        unbalanced,
    }
}

fn tally(partitions: &[Partition], count: impl Fn(&Partition) -> u32) -> u64 {
    partitions.iter().map(|partition| u64::from(count(partition))).sum()
}

fn merge(
    groups: usize,
    partitions: &[Partition],
    of: impl Fn(&Partition) -> &Vec<Histogram>,
) -> Vec<Histogram> {
    let mut merged = vec![Histogram::new(); groups];
    for partition in partitions {
        for (sum, part) in merged.iter_mut().zip(of(partition)) {
            sum.merge(part);
        }
    }
    merged
}

/// Checks that no packet was lost or made up: at each queue, and in the network as a whole.
fn imbalance(model: &Model, partitions: &[Partition]) -> Option<String> {
    let mut gone = 0;
    for partition in partitions {
        for (index, link) in partition.net.links.iter().enumerate() {
            if let Link::Scheduled(transmitter) = link {
                let counts = &transmitter.recorder.counts;
                gone += counts.dropped() + counts.lost;
                if !transmitter.conserves() {
                    let name = &model.links[partition.links[index]].name;
                    return Some(format!("link {name}: {counts:?}"));
                }
            }
        }
    }
    let sum = |count: fn(&Partition) -> u64| partitions.iter().map(count).sum::<u64>();
    let launched = sum(|partition| partition.net.launched);
    let landed = sum(|partition| partition.net.landed);
    let holding = sum(|partition| partition.net.holding());
    (launched != landed + gone + holding).then(|| {
        format!("{launched} packets sent by endpoints, {landed} received, {gone} dropped or lost, {holding} on the way")
    })
}
