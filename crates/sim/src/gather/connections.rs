// SPDX-License-Identifier: Apache-2.0
//! Records of individually recorded connections.

use crate::connections::{ideal_completion_s, individual_connections};
use crate::host::SendingHost;
use crate::partition::Partition;
use crate::recorder::Received;
use narrows_model::{Model, Workload};
use narrows_records::{ConnectionRecord, FlowSample, SenderCounts};
use narrows_transport::SenderCounters;
use narrows_units::{Span, Time};
use std::ops::Range;

/// Returns each workload with individually recorded connections: its number, the workload, and its slots.
pub(super) fn individual(model: &Model) -> impl Iterator<Item = (usize, &Workload, Range<usize>)> {
    let mut first = 0;
    model.workloads.iter().enumerate().filter_map(move |(number, workload)| {
        let start = first;
        first += workload.slots as usize;
        individual_connections(workload).map(|count| (number, workload, start..start + count))
    })
}

/// Returns the records of these connections, in the order of groups.
pub(super) fn gather(model: &Model, partitions: &[Partition<'_>]) -> Vec<ConnectionRecord> {
    let all = || {
        individual(model)
            .flat_map(|(number, workload, slots)| slots.map(move |slot| (number, workload, slot)))
    };
    let count = all().count();
    // Number of senders in each partition, and the next of them.
    let homes = &partitions[0].net.layout.homes;
    let mut senders = vec![(0, 0); partitions.len()];
    all().for_each(|(number, ..)| senders[usize::from(homes[number])].0 += 1);
    let mut numbers = vec![0; model.groups.len()];
    let mut records: Vec<ConnectionRecord> = Vec::with_capacity(count);
    for (at, (number, workload, slot)) in all().enumerate() {
        let home = usize::from(homes[number]);
        let (width, next) = &mut senders[home];
        let samples = partitions[home].series.senders.iter().skip(*next).step_by(*width).copied();
        let received = received(partitions, at, count);
        *next += 1;
        let sender = partitions[home].workloads.connections.sending[slot].as_deref();
        let mut record = sender.map_or_else(ConnectionRecord::default, |host| of_sender(model, host));
        (record.group, record.number) = (workload.group, numbers[workload.group]);
        numbers[workload.group] += 1;
        for partition in partitions {
            if let Some(host) = &partition.workloads.connections.receiving[slot] {
                record.received_at_warmup = host.received_at_warmup;
                record.received = host.receiver.counters().bytes_received;
                if let Some(datagrams) = &host.datagrams {
                    record.completed = datagrams.completed;
                }
            }
            let flows = &partition.net.flows;
            record.lost += u64::from(flows.lost[flows.index(slot)]);
            record.marked += u64::from(flows.marked[flows.index(slot)]);
        }
        record.series = samples
            .zip(received)
            .map(|(sample, (received, span))| of_both(sample, &received, span))
            .collect();
        records.push(record);
    }
    records.sort_by_key(|record| (record.group, record.number));
    records
}

/// Adds the receiver's counts in the interval of length `span` to the sample of the sender.
fn of_both(sample: FlowSample, received: &Received, span: Span) -> FlowSample {
    FlowSample {
        goodput_bps: received.bytes as f64 * 8.0 / span.as_secs_f64(),
        access_queue_delay_s: sample.access_queue_delay_s + received.mean_access_wait_s(),
        ..sample
    }
}

/// Counts in each interval, and its length, of the receiver of number `at` of `count` connections.
fn received(partitions: &[Partition<'_>], at: usize, count: usize) -> impl Iterator<Item = (Received, Span)> {
    let (mut before, mut from) = (Received::default(), Time::ZERO);
    partitions[0].series.times.iter().enumerate().map(move |(interval, end)| {
        let of = |partition: &Partition<'_>| partition.series.received.get(interval * count + at).copied();
        // The receiver is in one partition.
        let now = partitions.iter().filter_map(of).max_by_key(|each| each.packets).unwrap_or_default();
        let counted = now.since(&std::mem::replace(&mut before, now));
        (counted, *end - std::mem::replace(&mut from, *end))
    })
}

fn of_sender(model: &Model, host: &SendingHost) -> ConnectionRecord {
    let recorder = &host.recorder;
    ConnectionRecord {
        size: host.plan.size,
        rtt: host.plan.rtt,
        started: recorder.started,
        established: recorder.established,
        completed: recorder.completed,
        gave_up: recorder.gave_up,
        cuts_window: host.sender.ssthresh().is_some(),
        ideal_completion_s: ideal_completion_s(model, &host.plan),
        at_warmup: counts(&recorder.at_measure),
        at_end: counts(host.sender.counters()),
        rtts_at_warmup: recorder.rtt_at_measure,
        rtts: recorder.rtt,
        window_seconds: recorder.window_seconds,
        seconds: recorder.seconds,
        window_peak: recorder.peak_packets(),
        before_reductions: recorder.before_reductions,
        reductions: recorder.reductions,
        reductions_span: recorder.reductions_span(),
        ack_gaps: recorder.ack_gaps,
        close_acks: recorder.close_acks,
        ..ConnectionRecord::default()
    }
}

fn counts(counters: &SenderCounters) -> SenderCounts {
    SenderCounts {
        packets_sent: counters.packets_sent,
        retransmissions: counters.retransmissions,
        bytes_sent: counters.bytes_sent,
        timeouts: counters.timeouts,
        loss_events: counters.loss_events,
    }
}
