//! Packets on their way to a link's queue, in the order in which they will reach it.
//!
//! Most come in that order, and one that does costs no more than a place in a row. The others wait in a heap.

use narrows_engine::Slot;
use narrows_units::Time;
use narrows_wire::Packet;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What will come to one queue. Packets that come at the same time go by the slot of the event that brings them, and those
/// of one event in the order in which they were told.
#[derive(Debug)]
pub(super) struct Entrance {
    /// When the next packet comes; `NEVER` if none does.
    next: Time,
    /// In order.
    row: VecDeque<Coming>,
    /// The last that joined the row.
    last: (Time, Slot),
    /// Each was told after a packet of the row that comes later.
    late: BinaryHeap<Reverse<Late>>,
    /// The packets of `late`, and perhaps such as have come: what a heap moves about must be small.
    parked: Vec<Packet>,
    /// Places in `parked` whose packets have come.
    free: Vec<u32>,
    /// Packets that were late so far.
    told: u64,
}

/// A packet, stamped with when it comes, and the event that brings it.
#[derive(Clone, Copy, Debug)]
struct Coming {
    packet: Packet,
    slot: Slot,
}

/// Goes by time, slot and turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Late {
    at: Time,
    slot: Slot,
    turn: u64,
    /// Where its packet is.
    place: u32,
}

impl Default for Entrance {
    fn default() -> Self {
        Self {
            next: Time::NEVER,
            row: VecDeque::new(),
            last: (Time::ZERO, Slot(0)),
            late: BinaryHeap::new(),
            parked: Vec::new(),
            free: Vec::new(),
            told: 0,
        }
    }
}

impl Entrance {
    /// `packet` will come at its stamp, brought by the event `slot`. True if it is the next to come.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn tell(&mut self, packet: &Packet, slot: Slot) -> bool {
        let key = (packet.stamp, slot);
        if key >= self.last || self.row.is_empty() {
            self.last = key;
            make_room(&mut self.row);
            self.row.push_back(Coming { packet: *packet, slot });
        } else {
            self.park(packet, slot);
        }
        let next = packet.stamp < self.next;
        if next {
            self.next = packet.stamp;
        }
        next
    }

    /// `packet`, to be brought by `slot`, is late.
    #[cold]
    fn park(&mut self, packet: &Packet, slot: Slot) {
        let place = self.free.pop().unwrap_or(self.parked.len() as u32);
        if place as usize == self.parked.len() {
            self.parked.push(*packet);
        } else {
            self.parked[place as usize] = *packet;
        }
        self.late.push(Reverse(Late { at: packet.stamp, slot, turn: self.told, place }));
        self.told += 1;
    }

    /// When the next packet comes; `NEVER` if none does.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Takes the next packet into `packet` if it comes by `until`.
    pub fn take(&mut self, until: Time, packet: &mut Packet) -> bool {
        if self.next > until {
            return false;
        }
        if !self.late.is_empty() {
            return self.take_late(packet);
        }
        let Some(first) = self.row.pop_front() else { return false };
        *packet = first.packet;
        self.next = self.row.front().map_or(Time::NEVER, |first| first.packet.stamp);
        true
    }

    /// As [`take`](Self::take), where some are late.
    #[cold]
    fn take_late(&mut self, packet: &mut Packet) -> bool {
        let Some(&Reverse(late)) = self.late.peek() else { return false };
        // One of the row that comes with it was told before it.
        if self.row.front().is_none_or(|first| (late.at, late.slot) < first.key()) {
            *packet = self.parked[late.place as usize];
            self.free.push(late.place);
            self.late.pop();
        } else if let Some(first) = self.row.pop_front() {
            *packet = first.packet;
        }
        let row = self.row.front().map_or(Time::NEVER, |first| first.packet.stamp);
        self.next = self.late.peek().map_or(row, |Reverse(late)| row.min(late.at));
        true
    }

    /// How many packets will come.
    pub fn count(&self) -> u64 {
        (self.row.len() + self.late.len()) as u64
    }
}

/// Lets a full row grow by a quarter. Rows hold whole windows of packets, and to double them would leave half empty.
pub(super) fn make_room<T>(row: &mut VecDeque<T>) {
    if row.len() == row.capacity() {
        grow(row);
    }
}

#[cold]
fn grow<T>(row: &mut VecDeque<T>) {
    row.reserve_exact(row.len() / 4 + 4);
}

impl Coming {
    fn key(&self) -> (Time, Slot) {
        (self.packet.stamp, self.slot)
    }
}

#[cfg(test)]
mod tests {
    use super::{Entrance, Slot, Time};
    use narrows_wire::{Body, Ecn, FlowId, Packet};
    use proptest::prelude::*;

    proptest! {
        /// Against the plainest account there is: a list in the order of telling, sorted by time and slot whenever a packet
        /// is taken.
        #[test]
        fn packets_come_by_time_then_slot_then_as_they_were_told(
            steps in prop::collection::vec((0u64..20, 0u32..3, prop::bool::weighted(0.4)), 1..200),
        ) {
            let mut entrance = Entrance::default();
            let mut list: Vec<(u64, u32, u64)> = Vec::new();
            for (number, (at, slot, take)) in (0..).zip(steps) {
                if take {
                    list.sort_by_key(|(at, slot, _)| (*at, *slot));
                    let before = at;
                    let comes = list.first().is_some_and(|(at, ..)| *at <= before);
                    let expected = comes.then(|| list.remove(0).2);
                    let mut next = packet(0, 0);
                    let found = entrance.take(Time::from_ps(before), &mut next);
                    prop_assert_eq!(found.then_some(next.number), expected);
                } else {
                    let next = list.iter().all(|(other, ..)| at < *other);
                    list.push((at, slot, number));
                    prop_assert_eq!(entrance.tell(&packet(at, number), Slot(slot)), next);
                }
                let first = list.iter().map(|(at, ..)| *at).min();
                prop_assert_eq!(entrance.next(), first.map_or(Time::NEVER, Time::from_ps));
                prop_assert_eq!(entrance.count(), list.len() as u64);
            }
        }
    }

    fn packet(at: u64, number: u64) -> Packet {
        Packet {
            stamp: Time::from_ps(at),
            sent_at: Time::ZERO,
            number,
            flow: FlowId::new(0, 0),
            next: 0,
            size: 40,
            ecn: Ecn::NotCapable,
            ecn_echo: false,
            body: Body::Established,
        }
    }
}
