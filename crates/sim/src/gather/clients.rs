// SPDX-License-Identifier: Apache-2.0
//! Merges what the partitions recorded of clients of applications.

use super::{events, packets};
use crate::partition::Partition;
use crate::recorder::{EventEntry, Log, PerceivedEntry, RecordedClients};
use narrows_model::Model;
use narrows_records::{ClientEvent, ClientEventLog, ClientEventRow, ClientRecord, ClientSample};
use narrows_units::Time;

/// Returns the recorded clients, in the order of groups.
pub(super) fn gather(model: &Model, partitions: &[Partition<'_>]) -> Vec<ClientRecord> {
    let recorders = || partitions.iter().map(|partition| &partition.workloads.connections.clients);
    let width = partitions[0].workloads.connections.clients.now.len();
    let mut records = Vec::with_capacity(width);
    for (own, workload) in
        partitions[0].workloads.connections.clients.of_workloads.iter().zip(&model.workloads)
    {
        // The other side has the same clients.
        let count = if workload.demand.is_of_requests() { 0 } else { own.count };
        records.extend((0..count).map(|client| {
            let mut series = vec![ClientSample::default(); partitions[0].series.times.len()];
            for recorder in recorders() {
                let samples = recorder.samples.iter().skip(own.base + client as usize).step_by(width);
                series.iter_mut().zip(samples).for_each(|(sum, part)| sum.merge(part));
            }
            ClientRecord { group: workload.group, number: own.number + client, series }
        }));
    }
    records.sort_by_key(|record| (record.group, record.number));
    records
}

/// Returns the log of events of clients, from the logs of the partitions, which it takes.
pub(super) fn events(model: &Model, partitions: &mut [Partition<'_>]) -> ClientEventLog {
    let limit = model.record.client_events.unwrap_or(0);
    let logs = partitions.iter_mut().map(|partition| std::mem::take(&mut partition.net.flows.events.clients));
    let (flows, flows_full_at): (Vec<EventEntry>, _) = Log::merge(logs, limit);
    let logs = partitions.iter_mut().map(|each| std::mem::take(&mut each.workloads.connections.clients.log));
    let (perceived, perceived_full_at): (Vec<PerceivedEntry>, _) = Log::merge(logs, limit);
    let full_at = [flows_full_at, perceived_full_at].into_iter().flatten().min();
    let workloads = &partitions[0].net.layout.workloads;
    let of_workloads = &partitions[0].workloads.connections.clients.of_workloads;
    let client = |slot: u32, workload: usize| {
        let (_, number) = RecordedClients::of_slot(&of_workloads[workload], slot).expect("it is recorded");
        (model.workloads[workload].group as u32, number)
    };
    let flow_rows = events::rows(model, &flows).into_iter().zip(&flows).map(|(row, entry)| {
        let slot = entry.flow.index();
        let (group, client) = client(slot as u32, usize::from(workloads[slot]));
        ClientEventRow { at: row.at, place: row.place, group, client, event: ClientEvent::Flow(row) }
    });
    let perceived_rows = perceived.iter().map(|entry| {
        let (group, client) = client(entry.slot, entry.workload as usize);
        let (at, place) = (entry.at, packets::place(entry.place));
        ClientEventRow { at, place, group, client, event: ClientEvent::Perceived(entry.event) }
    });
    let before = |row: &ClientEventRow| full_at.is_none_or(|full: Time| row.at < full);
    let mut rows: Vec<ClientEventRow> = flow_rows.chain(perceived_rows).filter(before).collect();
    // Stable: what happened at one time keeps its order, what happened to the data first.
    rows.sort_by_key(|row| row.at);
    ClientEventLog { rows, full_at }
}
