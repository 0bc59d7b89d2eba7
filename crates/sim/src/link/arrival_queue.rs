// SPDX-License-Identifier: Apache-2.0
//! Packets that will arrive at a link's queue, in order of arrival.
//!
//! Several sources announce them, each mostly in order but ahead of the others. Patience sorting keeps them in piles, each
//! in order: a packet joins the pile whose last packet most closely precedes it, which takes as few piles as possible
//! (Aldous and Diaconis, "Longest increasing subsequences: from patience sorting to the Baik–Deift–Johansson theorem",
//! Bulletin of the AMS 36(4), 1999).

use narrows_engine::Slot;
use narrows_units::Time;
use narrows_wire::Packet;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

/// Packets that will arrive at one queue. Simultaneous packets are ordered by the slot of the event that brings them,
/// and packets of one event as they were announced.
#[derive(Debug)]
pub(crate) struct ArrivalQueue {
    /// Arrival time of the next packet; `NEVER` if there is none.
    next: Time,
    /// The pile of the next packet.
    first: usize,
    /// Packets announced so far; wraps.
    announced: u32,
    /// The pile that a packet joined last, and the keys that may join it next.
    joined: usize,
    joinable: Range<Key>,
    /// Piles of packets, each in order.
    piles: Vec<VecDeque<Arriving>>,
    /// Key of the last packet of each pile, except the pile joined last; descending.
    lasts: Vec<Key>,
    /// The first packet of each other pile that has one, and the pile.
    others: BinaryHeap<Reverse<(Key, usize)>>,
}

/// A packet with its arrival time, the event that brings it, and the number of packets announced before it.
#[derive(Clone, Copy, Debug)]
struct Arriving {
    packet: Packet,
    slot: Slot,
    order: u32,
}

/// Time, slot and order, in this significance: one comparison orders all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Default for ArrivalQueue {
    fn default() -> Self {
        Self {
            next: Time::NEVER,
            first: 0,
            announced: 0,
            joined: 0,
            joinable: Key(0)..Key(0),
            piles: Vec::new(),
            lasts: Vec::new(),
            others: BinaryHeap::new(),
        }
    }
}

impl ArrivalQueue {
    /// Inserts `packet`, which the event `slot` brings to the queue at its arrival time. Returns whether it is now the
    /// first to arrive.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn announce(&mut self, packet: &Packet, slot: Slot) -> bool {
        let order = self.announced;
        self.announced = self.announced.wrapping_add(1);
        let key = Key::new(packet.arrival, slot, order);
        if !self.joinable.contains(&key) {
            self.choose(key);
        }
        self.joinable.start = key;
        let pile = &mut self.piles[self.joined];
        let empty = pile.is_empty();
        make_room(pile);
        pile.push_back(Arriving { packet: *packet, slot, order });
        if empty {
            self.start_pile(key);
        }
        let next = packet.arrival < self.next;
        if next {
            self.next = packet.arrival;
        }
        next
    }

    /// Returns the arrival time of the next packet; `NEVER` if there is none.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Moves the next packet to `packet` if it arrives by `until`, and returns whether it did.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn take(&mut self, until: Time, packet: &mut Packet) -> bool {
        if self.next > until {
            return false;
        }
        let Some(pile) = self.piles.get_mut(self.first) else { return false };
        let Some(arriving) = pile.pop_front() else { return false };
        *packet = arriving.packet;
        match pile.front() {
            Some(arriving) if self.others.is_empty() => self.next = arriving.packet.arrival,
            Some(arriving) => {
                let key = arriving.key();
                self.advance_to(key);
            }
            None => self.remove_first(),
        }
        true
    }

    /// Returns the number of packets that have not arrived yet.
    pub fn count(&self) -> u64 {
        self.piles.iter().map(|pile| pile.len() as u64).sum()
    }

    /// Chooses the pile to which `key` can be appended.
    #[inline(never)]
    fn choose(&mut self, key: Key) {
        if let Some(last) = self.lasts.get_mut(self.joined) {
            *last = self.joinable.start;
        }
        let pile = self.lasts.partition_point(|last| *last > key);
        if pile == self.lasts.len() {
            self.piles.push(VecDeque::new());
            self.lasts.push(key);
        }
        let before = pile.checked_sub(1).map_or(Key(u128::MAX), |before| self.lasts[before]);
        (self.joined, self.joinable) = (pile, self.lasts[pile]..before);
    }

    /// The pile that is being joined was empty and now starts with `key`.
    fn start_pile(&mut self, key: Key) {
        if self.next == Time::NEVER {
            self.first = self.joined;
        } else if let Some(first) = self.piles[self.first].front().map(Arriving::key)
            && key < first
        {
            self.others.push(Reverse((first, self.first)));
            self.first = self.joined;
        } else {
            self.others.push(Reverse((key, self.joined)));
        }
    }

    /// `key` is now the first of the pile that was first; the first key of another pile may precede it.
    fn advance_to(&mut self, key: Key) {
        self.next = key.time();
        if let Some(mut other) = self.others.peek_mut()
            && other.0.0 < key
        {
            let (first, pile) = other.0;
            *other = Reverse((key, self.first));
            (self.next, self.first) = (first.time(), pile);
        }
    }

    /// The pile that was first is now empty.
    fn remove_first(&mut self) {
        self.next = Time::NEVER;
        if let Some(Reverse((key, pile))) = self.others.pop() {
            (self.next, self.first) = (key.time(), pile);
        }
    }
}

/// Lets a full pile grow by a quarter. Piles hold whole windows of packets; doubling them would leave half of that memory unused.
pub(crate) fn make_room<T>(pile: &mut VecDeque<T>) {
    if pile.len() == pile.capacity() {
        grow(pile);
    }
}

#[cold]
fn grow<T>(pile: &mut VecDeque<T>) {
    pile.reserve_exact(pile.len() / 4 + 4);
}

impl Arriving {
    fn key(&self) -> Key {
        Key::new(self.packet.arrival, self.slot, self.order)
    }
}

impl Key {
    fn new(arrival: Time, slot: Slot, order: u32) -> Self {
        Self(u128::from(arrival.as_ps()) << 64 | u128::from(slot.0) << 32 | u128::from(order))
    }

    fn time(self) -> Time {
        Time::from_ps((self.0 >> 64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::{ArrivalQueue, Slot, Time};
    use narrows_wire::{Body, Ecn, FlowId, Packet};
    use proptest::prelude::*;

    proptest! {
        /// Against a plain list in the order of announcement, sorted by time and slot whenever a packet is taken.
        #[test]
        fn packets_arrive_by_time_then_slot_then_order_of_announcement(
            steps in prop::collection::vec((0u64..20, 0u32..3, prop::bool::weighted(0.4)), 1..200),
        ) {
            let mut arrivals = ArrivalQueue::default();
            let mut list: Vec<(u64, u32, u64)> = Vec::new();
            for (number, (at, slot, take)) in (0..).zip(steps) {
                if take {
                    list.sort_by_key(|(at, slot, _)| (*at, *slot));
                    let before = at;
                    let arrives = list.first().is_some_and(|(at, ..)| *at <= before);
                    let expected = arrives.then(|| list.remove(0).2);
                    let mut next = packet(0, 0);
                    let found = arrivals.take(Time::from_ps(before), &mut next);
                    prop_assert_eq!(found.then_some(next.number), expected);
                } else {
                    let next = list.iter().all(|(other, ..)| at < *other);
                    list.push((at, slot, number));
                    prop_assert_eq!(arrivals.announce(&packet(at, number), Slot(slot)), next);
                }
                let first = list.iter().map(|(at, ..)| *at).min();
                prop_assert_eq!(arrivals.next(), first.map_or(Time::NEVER, Time::from_ps));
                prop_assert_eq!(arrivals.count(), list.len() as u64);
            }
        }
    }

    fn packet(at: u64, number: u64) -> Packet {
        Packet {
            arrival: Time::from_ps(at),
            sent_at: Time::ZERO,
            number,
            flow: FlowId::new(0, 0),
            next: 0,
            size: 40,
            ecn: Ecn::NotCapable,
            ecn_echo: false,
            body: Body::HandshakeAck,
        }
    }
}
