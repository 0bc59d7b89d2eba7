// SPDX-License-Identifier: Apache-2.0
//! The slots of a partition's event queue and the events that they represent.
//!
//! Slots are laid out class by class, so that simultaneous events are handled in the order links, arrivals, hosts, arrivals
//! of connections, changes and samples; within a class they follow the global order of entities.

use narrows_engine::Slot;

/// The event that a slot represents; indices of links and pipes are local to the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A link must advance its clock.
    Link(u32),
    /// A packet reaches the far end of a link.
    PacketArrival(u32),
    /// Something is due at the sending host of a connection slot.
    SendingHost(u32),
    /// Something is due at a receiving host of a connection slot.
    ReceivingHost(u32),
    /// A connection of a workload arrives.
    ConnectionArrival(u32),
    /// The network changes.
    Change,
    /// The warm-up is over.
    Measure,
    /// An interval of the series ends.
    Sample,
}

/// First slot of each class of events in a partition; the slots of links come first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    packet_arrivals: u32,
    hosts: u32,
    connection_arrivals: u32,
    change: u32,
}

impl Slots {
    /// Creates the slots of a partition with these numbers of links, pipes, connection slots and workloads.
    pub fn new(links: usize, pipes: usize, connections: usize, workloads: usize) -> Self {
        let packet_arrivals = links as u32;
        let hosts = packet_arrivals + pipes as u32;
        let connection_arrivals = hosts + 2 * connections as u32;
        Self { packet_arrivals, hosts, connection_arrivals, change: connection_arrivals + workloads as u32 }
    }

    /// Returns the number of slots.
    pub fn count(&self) -> usize {
        self.change as usize + 3
    }

    /// Returns the event that `slot` represents.
    pub fn event(&self, slot: Slot) -> Event {
        let slot = slot.0;
        if slot < self.packet_arrivals {
            Event::Link(slot)
        } else if slot < self.hosts {
            Event::PacketArrival(slot - self.packet_arrivals)
        } else if slot < self.connection_arrivals {
            let host = slot - self.hosts;
            if host.is_multiple_of(2) { Event::SendingHost(host / 2) } else { Event::ReceivingHost(host / 2) }
        } else if slot < self.change {
            Event::ConnectionArrival(slot - self.connection_arrivals)
        } else {
            match slot - self.change {
                0 => Event::Change,
                1 => Event::Measure,
                _ => Event::Sample,
            }
        }
    }

    /// Returns the slot that represents `event`.
    #[inline]
    pub fn of(&self, event: Event) -> Slot {
        Slot(match event {
            Event::Link(link) => link,
            Event::PacketArrival(pipe) => self.packet_arrivals + pipe,
            Event::SendingHost(slot) => self.hosts + 2 * slot,
            Event::ReceivingHost(slot) => self.hosts + 2 * slot + 1,
            Event::ConnectionArrival(workload) => self.connection_arrivals + workload,
            Event::Change => self.change,
            Event::Measure => self.change + 1,
            Event::Sample => self.change + 2,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;
    use narrows_engine::Slot;

    #[test]
    fn every_slot_represents_one_event() {
        let slots = Slots::new(3, 4, 6, 2);
        for slot in (0..slots.count() as u32).map(Slot) {
            assert_eq!(slots.of(slots.event(slot)), slot);
        }
    }
}
