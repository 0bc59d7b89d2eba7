// SPDX-License-Identifier: Apache-2.0
//! Merges the inner variables of all partitions.

use super::packets::slots;
use crate::partition::Partition;
use crate::recorder::Place;
use narrows_model::Model;
use narrows_records::{ConnectionRecord, InternalOwner, InternalRow, Internals};

/// Returns the inner variables of all partitions; `connections` are the connections of the records.
pub(super) fn gather(
    model: &Model,
    partitions: &[Partition<'_>],
    connections: &[ConnectionRecord],
) -> Internals {
    let parts = || partitions.iter().map(|partition| &partition.series.internals);
    let mut variables: Vec<String> = parts().flat_map(|part| &part.names).cloned().collect();
    variables.sort_unstable();
    variables.dedup();
    let slots = slots(model);
    let owner = |place| match place {
        Place::Link(link) => InternalOwner::Link(link),
        Place::Sender(slot) | Place::Receiver(slot) => {
            let (group, flow) = slots[slot as usize];
            let key = (group as usize, flow);
            let found = connections.binary_search_by_key(&key, |each| (each.group, each.number));
            InternalOwner::Flow(found.expect("flows with series have records") as u32)
        }
    };
    let mut rows = Vec::with_capacity(parts().map(|part| part.rows.len()).sum());
    for part in parts() {
        let find = |name| variables.binary_search(name).expect("every name is in the list") as u32;
        let names: Vec<u32> = part.names.iter().map(find).collect();
        rows.extend(part.rows.iter().map(|row| InternalRow {
            interval: row.interval,
            owner: owner(row.place),
            variable: names[row.variable as usize],
            value: row.value,
        }));
    }
    // Stable: the variables of one owner keep their order.
    rows.sort_by_key(|row| (row.interval, row.owner));
    Internals { variables, rows }
}
