// SPDX-License-Identifier: Apache-2.0
//! Conservation of packets: the simulator itself neither loses nor creates packets.

use crate::partition::Partition;
use narrows_model::Model;

/// Returns a description of the imbalance if packets are not conserved, at a queue or in the whole network; `None`
/// otherwise.
pub(crate) fn imbalance(model: &Model, partitions: &[Partition<'_>]) -> Option<String> {
    let mut gone = 0;
    for partition in partitions {
        for (number, transmitter) in partition.links.iter().zip(&partition.net.links) {
            let counts = &transmitter.recorder.counts;
            gone += counts.dropped() + counts.lost;
            if !transmitter.conserves() {
                return Some(format!("link {}: {counts:?}", model.links[*number].name));
            }
        }
    }
    let sum = |count: fn(&Partition<'_>) -> u64| partitions.iter().map(count).sum::<u64>();
    let injected = sum(|partition| partition.net.injected);
    let delivered = sum(|partition| partition.net.delivered);
    let holding = partitions.iter().map(Partition::holding).sum::<u64>();
    (injected != delivered + gone + holding).then(|| {
        format!(
            "{injected} packets sent by hosts, {delivered} received, {gone} dropped or lost, {holding} in flight"
        )
    })
}
