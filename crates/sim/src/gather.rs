// SPDX-License-Identifier: Apache-2.0
//! Merges the counts of all partitions into the records of a run.

mod clients;
mod connections;
mod conservation;
mod description;
mod events;
mod internals;
mod packets;

pub(crate) use conservation::imbalance;

pub use description::describe;

use crate::partition::Partition;
use crate::recorder::{EventEntry, Log, LogEntry};
use narrows_model::Model;
use narrows_records::{
    ClassCounts, EventLog, GroupRecord, GroupSample, LinkRecord, PacketLog, Performance, Records,
    TransferRecord, UnfinishedRecord,
};
use narrows_units::Time;

/// Returns the records of a run of `model`, from its `partitions` at its `end`, whose logs it takes; `cpu_s` is its processor time in
/// seconds.
pub(crate) fn gather(model: &Model, partitions: &mut [Partition<'_>], end: Time, cpu_s: f64) -> Records {
    let logs = partitions.iter_mut().map(|partition| std::mem::take(&mut partition.net.flows.trace));
    let (entries, full_at): (Vec<LogEntry>, _) = Log::merge(logs, model.record.packets.unwrap_or(0));
    let logs = partitions.iter_mut().map(|partition| std::mem::take(&mut partition.net.flows.events.flows));
    let (events, events_full_at): (Vec<EventEntry>, _) = Log::merge(logs, model.record.events.unwrap_or(0));
    let client_events = clients::events(model, partitions);
    let partitions = &*partitions;
    let connections = connections::gather(model, partitions);
    Records {
        run: description::describe(model),
        groups: groups(model, partitions),
        links: links(partitions, end),
        transfers: transfers(model, partitions),
        clients: clients::gather(model, partitions),
        client_events,
        unfinished: unfinished(model, partitions, end),
        internals: internals::gather(model, partitions, &connections),
        connections,
        events: EventLog { rows: events::rows(model, &events), full_at: events_full_at },
        packets: PacketLog { rows: packets::rows(model, &entries), full_at },
        programs: Vec::new(),
        tuples: Vec::new(),
        // It is of simulated time.
        punctuality: None,
        interval_ends: partitions[0].series.times.clone(),
        performance: Performance {
            events: partitions.iter().map(|partition| partition.net.queue.fired()).sum(),
            packet_hops: partitions.iter().map(|partition| partition.net.hops).sum(),
            cpu_s,
        },
    }
}

fn links(partitions: &[Partition<'_>], end: Time) -> Vec<LinkRecord> {
    let mut all = Vec::new();
    for partition in partitions {
        let count = partition.links.len();
        for (at, (number, transmitter)) in partition.links.iter().zip(&partition.net.links).enumerate() {
            let recorder = &transmitter.recorder;
            let (from, to) = (transmitter.at_measure, transmitter.bits(end));
            let record = LinkRecord {
                at_warmup: recorder.at_measure,
                at_end: recorder.counts,
                sent_bits: to.sent - from.sent,
                offered_bits: to.offered - from.offered,
                waits: recorder.waits.clone(),
                peak_packets: recorder.peak_packets,
                waited_by_group: recorder.shares.clone(),
                loss_episodes: recorder.episodes.count,
                losing_flows: recorder.episodes.losers,
                recording_start: transmitter.recording_start(),
                series: partition.series.links.iter().skip(at).step_by(count).copied().collect(),
            };
            all.push((*number, record));
        }
    }
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, record)| record).collect()
}

fn groups(model: &Model, partitions: &[Partition<'_>]) -> Vec<GroupRecord> {
    let count = model.groups.len();
    let intervals = partitions[0].series.times.len();
    let of = |group: usize| {
        let mut at_warmup = GroupSample::default();
        let mut record =
            GroupRecord { series: vec![GroupSample::default(); intervals], ..GroupRecord::default() };
        for partition in partitions {
            add(&mut at_warmup, &partition.at_warmup[group]);
            let samples = partition.series.groups.iter().skip(group).step_by(count);
            record.series.iter_mut().zip(samples).for_each(|(total, part)| add(total, part));
            record
                .connections
                .merge(&partition.workloads.connections.sums(Time::ZERO + model.duration)[group]);
            if let Some(part) = &partition.workloads.connections.groups[group].application {
                record.application.get_or_insert_default().merge(part);
            }
            merge_classes(&mut record.classes, &partition.workloads.connections.groups[group].classes);
            record.rtts.merge(&partition.rtts[group]);
            record.delays.merge(&partition.delays[group]);
        }
        record.series.iter_mut().for_each(|sample| sample.active = active(sample));
        add_unstarted(model, group, partitions, &mut record);
        (record.lost, record.marked) = losses(model, group, partitions);
        record.at_warmup = at_warmup.counts;
        record.at_end = record.series.last().copied().unwrap_or_default().counts;
        record
    };
    (0..count).map(of).collect()
}

fn add(sum: &mut GroupSample, part: &GroupSample) {
    sum.counts += part.counts;
    sum.connecting += part.connecting;
}

/// Of the connections that have started, those that are established and have not ended.
fn active(sample: &GroupSample) -> u64 {
    let counts = &sample.counts;
    counts.started - counts.completed - counts.failed - counts.abandoned - sample.connecting
}

fn merge_classes(sums: &mut Vec<ClassCounts>, parts: &[ClassCounts]) {
    sums.resize_with(parts.len(), ClassCounts::default);
    for (sum, part) in sums.iter_mut().zip(parts) {
        sum.merge(part);
    }
}

/// Adds connections that the scenario describes but that never started, with a goodput of zero.
fn add_unstarted(model: &Model, group: usize, partitions: &[Partition<'_>], record: &mut GroupRecord) {
    let slots = connections::individual(model).filter(|(_, each, _)| each.group == group);
    for slot in slots.flat_map(|(.., slots)| slots) {
        if partitions.iter().all(|partition| partition.workloads.connections.receiving[slot].is_none()) {
            record.connections.received.add(0);
        }
    }
}

/// Numbers of lost and of marked data packets of a group after the warm-up.
fn losses(model: &Model, group: usize, partitions: &[Partition<'_>]) -> (u64, u64) {
    let (mut lost, mut marked, mut first) = (0, 0, 0);
    for workload in &model.workloads {
        let counted = if workload.individual { workload.slots as usize } else { 1 };
        let own = if workload.group == group { first..first + counted } else { 0..0 };
        first += workload.slots as usize;
        for (partition, slot) in partitions.iter().flat_map(|each| own.clone().map(move |slot| (each, slot)))
        {
            let flows = &partition.net.flows;
            lost += u64::from(flows.lost[flows.index(slot)]);
            marked += u64::from(flows.marked[flows.index(slot)]);
        }
    }
    (lost, marked)
}

/// The first slot of each group.
fn first_slots(model: &Model) -> Vec<u32> {
    let mut first = vec![u32::MAX; model.groups.len()];
    let mut slot = 0;
    for workload in &model.workloads {
        first[workload.group] = first[workload.group].min(slot);
        slot += workload.slots;
    }
    first
}

fn unfinished(model: &Model, partitions: &[Partition<'_>], end: Time) -> Vec<UnfinishedRecord> {
    let first = first_slots(model);
    let mut active: Vec<UnfinishedRecord> =
        partitions.iter().flat_map(|partition| partition.workloads.connections.unfinished(end)).collect();
    active.sort_by_key(|each| each.slot);
    for each in &mut active {
        each.slot -= first[each.group];
    }
    active
}

fn transfers(model: &Model, partitions: &[Partition<'_>]) -> Vec<TransferRecord> {
    let first = first_slots(model);
    let mut ended: Vec<TransferRecord> =
        partitions.iter().flat_map(|partition| partition.workloads.connections.ended.clone()).collect();
    ended.sort_by_key(|each| (each.ended, each.slot, each.started));
    for each in &mut ended {
        each.slot -= first[each.group];
    }
    ended
}
