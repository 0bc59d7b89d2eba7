//! Packets on their way to a link's queue, in the order in which they will reach it.
//!
//! They are told by several that run ahead of each other, each mostly in order. So there are rows, each in order, and a packet
//! joins the one whose last comes next before it: that takes as few rows as can be (Aldous and Diaconis, "Longest
//! increasing subsequences: from patience sorting to the Baik–Deift–Johansson theorem", Bulletin of the AMS 36(4), 1999).

use narrows_engine::Slot;
use narrows_units::Time;
use narrows_wire::Packet;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

/// What will come to one queue. Packets that come at the same time go by the slot of the event that brings them, and those
/// of one event in the order in which they were told.
#[derive(Debug)]
pub(super) struct Entrance {
    /// When the next packet comes; `NEVER` if none does.
    next: Time,
    /// The row of the next packet.
    first: usize,
    /// Packets told so far; wraps.
    told: u32,
    /// The row that was joined last, and from whom to before whom it can be joined.
    joined: usize,
    joins: Range<Key>,
    /// Each in order.
    rows: Vec<VecDeque<Coming>>,
    /// Who joined each of them last, but for the row that was joined last: the later, the sooner the row.
    lasts: Vec<Key>,
    /// The first packet of each other row that has one, and the row.
    others: BinaryHeap<Reverse<(Key, usize)>>,
}

/// A packet, stamped with when it comes, the event that brings it, and how many were told before.
#[derive(Clone, Copy, Debug)]
struct Coming {
    packet: Packet,
    slot: Slot,
    turn: u32,
}

/// Time, slot and turn, from above: one comparison orders all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Default for Entrance {
    fn default() -> Self {
        Self {
            next: Time::NEVER,
            first: 0,
            told: 0,
            joined: 0,
            joins: Key(0)..Key(0),
            rows: Vec::new(),
            lasts: Vec::new(),
            others: BinaryHeap::new(),
        }
    }
}

impl Entrance {
    /// `packet` will come at its stamp, brought by the event `slot`. True if it is the next to come.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn tell(&mut self, packet: &Packet, slot: Slot) -> bool {
        let coming = Coming { packet: *packet, slot, turn: self.told };
        self.told = self.told.wrapping_add(1);
        let key = coming.key();
        if !self.joins.contains(&key) {
            self.choose(key);
        }
        self.joins.start = key;
        let row = &mut self.rows[self.joined];
        let empty = row.is_empty();
        make_room(row);
        row.push_back(coming);
        if empty {
            self.begin(key);
        }
        let next = packet.stamp < self.next;
        if next {
            self.next = packet.stamp;
        }
        next
    }

    /// When the next packet comes; `NEVER` if none does.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Takes the next packet into `packet` if it comes by `until`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn take(&mut self, until: Time, packet: &mut Packet) -> bool {
        if self.next > until {
            return false;
        }
        let Some(row) = self.rows.get_mut(self.first) else { return false };
        let Some(coming) = row.pop_front() else { return false };
        *packet = coming.packet;
        match row.front() {
            Some(coming) if self.others.is_empty() => self.next = coming.packet.stamp,
            Some(coming) => {
                let key = coming.key();
                self.go_on_with(key);
            }
            None => self.leave(),
        }
        true
    }

    /// How many packets will come.
    pub fn count(&self) -> u64 {
        self.rows.iter().map(|row| row.len() as u64).sum()
    }

    /// Chooses the row of which `key` can be the last.
    #[inline(never)]
    fn choose(&mut self, key: Key) {
        if let Some(last) = self.lasts.get_mut(self.joined) {
            *last = self.joins.start;
        }
        let row = self.lasts.partition_point(|last| *last > key);
        if row == self.lasts.len() {
            self.rows.push(VecDeque::new());
            self.lasts.push(key);
        }
        let before = row.checked_sub(1).map_or(Key(u128::MAX), |before| self.lasts[before]);
        (self.joined, self.joins) = (row, self.lasts[row]..before);
    }

    /// The row that is joined was empty, and begins with `key`.
    fn begin(&mut self, key: Key) {
        if self.next == Time::NEVER {
            self.first = self.joined;
        } else if let Some(first) = self.rows[self.first].front().map(Coming::key)
            && key < first
        {
            self.others.push(Reverse((first, self.first)));
            self.first = self.joined;
        } else {
            self.others.push(Reverse((key, self.joined)));
        }
    }

    /// `key` is the first of the row that was first; that of another row may come before it.
    fn go_on_with(&mut self, key: Key) {
        self.next = key.time();
        if let Some(mut other) = self.others.peek_mut()
            && other.0.0 < key
        {
            let (first, row) = other.0;
            *other = Reverse((key, self.first));
            (self.next, self.first) = (first.time(), row);
        }
    }

    /// The row that was first is empty.
    fn leave(&mut self) {
        self.next = Time::NEVER;
        if let Some(Reverse((key, row))) = self.others.pop() {
            (self.next, self.first) = (key.time(), row);
        }
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
    fn key(&self) -> Key {
        let time = u128::from(self.packet.stamp.as_ps());
        Key(time << 64 | u128::from(self.slot.0) << 32 | u128::from(self.turn))
    }
}

impl Key {
    fn time(self) -> Time {
        Time::from_ps((self.0 >> 64) as u64)
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
