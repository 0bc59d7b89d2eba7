//! Puts the counts of all partitions together again, and checks that no packet was lost or made up.

use super::link::Link;
use super::partition::Partition;
use crate::model::Model;
use crate::network::round_trip;
use crate::records::{
    ClassTally, Histogram, PacketLog, Performance, PopulationSample, Recorded, RecordedFlow, RecordedLink,
    RecordedPopulation,
};
use narrows_units::Time;

/// Puts `partitions` together at the `end` of a run that took `cpu_s` seconds.
pub(super) fn gather(model: &Model, partitions: &[Partition<'_>], end: Time, cpu_s: f64) -> Recorded {
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
            RecordedLink {
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
        .map(|((sender, sender_series), (receiver, receiver_series))| RecordedFlow {
            group: sender.group,
            size: sender.size,
            rtt: round_trip(model, sender.flow as usize),
            state: sender.sender.state(),
            has_ssthresh: sender.sender.ssthresh().is_some(),
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
    let mut transfers: Vec<_> =
        partitions.iter().flat_map(|partition| &partition.seats.rows).copied().collect();
    let logs = partitions.iter().map(|partition| &partition.net.flows.log);
    let (packets, packets_until) = PacketLog::merge(logs, model.record.packets.unwrap_or(0));
    transfers.sort_by_key(|row| (row.ended, row.seat, row.started));
    Recorded {
        flows,
        links,
        populations: populations(model, partitions),
        classes: classes(partitions),
        transfers,
        packets,
        packets_until,
        rtts: merge(model.groups.len(), partitions, |partition| &partition.rtts),
        delays: merge(model.groups.len(), partitions, |partition| &partition.delays),
        times,
        performance: Performance {
            events: partitions.iter().map(|partition| partition.net.queue.fired()).sum(),
            packet_hops: partitions.iter().map(|partition| partition.net.hops).sum(),
            cpu_s,
        },
    }
}

fn populations(model: &Model, partitions: &[Partition<'_>]) -> Vec<RecordedPopulation> {
    let count = model.populations.len();
    let sum = |sum: &mut PopulationSample, part: &PopulationSample| {
        sum.tally += part.tally;
        sum.census.connecting += part.census.connecting;
        sum.census.active += part.census.active;
    };
    let of = |number: usize| {
        let flows = model.flows.len();
        let mut all = RecordedPopulation {
            group: model.populations[number].group,
            at_measure: PopulationSample::default(),
            series: vec![PopulationSample::default(); partitions[0].series.times.len()],
            end: PopulationSample::default(),
            lost: tally(partitions, |partition| partition.net.flows.lost[flows + number]),
            marked: tally(partitions, |partition| partition.net.flows.marked[flows + number]),
        };
        for partition in partitions {
            sum(&mut all.at_measure, &partition.at_measure[number]);
            let samples = partition.series.populations.iter().skip(number).step_by(count);
            for (total, part) in all.series.iter_mut().zip(samples) {
                sum(total, part);
            }
        }
        all.end = all.series.last().copied().unwrap_or_default();
        all
    };
    (0..count).map(of).collect()
}

fn classes(partitions: &[Partition<'_>]) -> Vec<Vec<ClassTally>> {
    let mut all = partitions[0].seats.classes.clone();
    for partition in &partitions[1..] {
        for (total, part) in all.iter_mut().flatten().zip(partition.seats.classes.iter().flatten()) {
            total.merge(part);
        }
    }
    all
}

fn tally(partitions: &[Partition<'_>], count: impl Fn(&Partition<'_>) -> u32) -> u64 {
    partitions.iter().map(|partition| u64::from(count(partition))).sum()
}

fn merge(
    groups: usize,
    partitions: &[Partition<'_>],
    of: impl for<'a> Fn(&'a Partition<'_>) -> &'a Vec<Histogram>,
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
pub(super) fn imbalance(model: &Model, partitions: &[Partition<'_>]) -> Option<String> {
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
    let sum = |count: fn(&Partition<'_>) -> u64| partitions.iter().map(count).sum::<u64>();
    let launched = sum(|partition| partition.net.launched);
    let landed = sum(|partition| partition.net.landed);
    let holding = partitions.iter().map(Partition::holding).sum::<u64>();
    (launched != landed + gone + holding).then(|| {
        format!("{launched} packets sent by endpoints, {landed} received, {gone} dropped or lost, {holding} on the way")
    })
}
