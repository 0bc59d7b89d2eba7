// SPDX-License-Identifier: Apache-2.0
//! The event queue: numbered slots, each due at one time or not at all.
//!
//! A slot has at most one pending event, so that rescheduling a timer is one store. Simultaneous events are ordered by
//! slot number, never by the order in which they were scheduled.
//!
//! Invariants: a slot's `queued` is the time of its earliest heap entry, or `NEVER`, and no later than its `due`. A
//! slot that is postponed keeps its entry, which is moved when it reaches the top. A slot that is advanced gets a
//! second entry, and the first is recognised as stale because its time differs from `queued`.

use alloc::collections::BinaryHeap;
use alloc::collections::binary_heap::PeekMut;
use alloc::{vec, vec::Vec};
use core::cmp::Reverse;
use narrows_units::Time;

/// The number of a slot, from 0. Of simultaneous events the one with the smallest number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// A queue of events in a fixed number of slots.
#[derive(Debug)]
pub struct EventQueue {
    heap: BinaryHeap<Reverse<Entry>>,
    slots: Vec<State>,
    /// The number of events returned.
    fired: u64,
}

/// The state of one slot.
#[derive(Clone, Copy, Debug)]
struct State {
    /// Time at which the event is due; `Time::NEVER` if there is none.
    due: Time,
    /// The time of the slot's earliest heap entry; `Time::NEVER` if it has none.
    queued: Time,
}

/// The time in the upper bits and the slot in the lower 32, so that one comparison orders both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u128);

impl EventQueue {
    /// Creates a queue with slots 0 to `slots` − 1, none of them due.
    pub fn new(slots: usize) -> Self {
        Self {
            heap: BinaryHeap::with_capacity(slots + 16),
            slots: vec![State { due: Time::NEVER, queued: Time::NEVER }; slots],
            fired: 0,
        }
    }

    /// Schedules the event of `slot` at time `at`, in place of any pending one; `Time::NEVER` cancels it.
    ///
    /// # Panics
    ///
    /// If the queue has no such slot.
    pub fn set(&mut self, slot: Slot, at: Time) {
        let state = &mut self.slots[slot.0 as usize];
        state.due = at;
        if at < state.queued {
            state.queued = at;
            self.heap.push(Reverse(Entry::new(at, slot)));
        }
    }

    /// Returns when the event of `slot` is due; `Time::NEVER` if there is none.
    pub fn due(&self, slot: Slot) -> Time {
        self.slots[slot.0 as usize].due
    }

    /// Returns a time at or before the next event; `Time::NEVER` if none is pending.
    pub fn not_before(&self) -> Time {
        self.heap.peek().map_or(Time::NEVER, |entry| entry.0.parts().0)
    }

    /// Removes the next event that is due no later than `until`, and returns its time and slot.
    pub fn pop(&mut self, until: Time) -> Option<(Time, Slot)> {
        loop {
            let mut top = self.heap.peek_mut()?;
            let (at, slot) = top.0.parts();
            let state = &mut self.slots[slot.0 as usize];
            if state.queued != at {
                PeekMut::pop(top);
            } else if state.due == at {
                if at > until {
                    return None;
                }
                // The entry stays on top: most slots are scheduled again, and then it is moved instead of removed.
                state.due = Time::NEVER;
                self.fired += 1;
                return Some((at, slot));
            } else {
                state.queued = state.due;
                if state.due == Time::NEVER {
                    PeekMut::pop(top);
                } else {
                    *top = Reverse(Entry::new(state.due, slot));
                }
            }
        }
    }

    /// Returns the number of events returned.
    pub fn fired(&self) -> u64 {
        self.fired
    }
}

impl Entry {
    fn new(at: Time, slot: Slot) -> Self {
        Self(u128::from(at.as_ps()) << 32 | u128::from(slot.0))
    }

    fn parts(self) -> (Time, Slot) {
        (Time::from_ps((self.0 >> 32) as u64), Slot(self.0 as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::{EventQueue, Slot};
    use narrows_units::Time;
    use proptest::prelude::*;

    #[test]
    fn simultaneous_events_are_ordered_by_slot_and_not_by_scheduling() {
        let mut queue = EventQueue::new(3);
        for slot in [2, 0, 1] {
            queue.set(Slot(slot), Time::from_ps(5));
        }
        let order: Vec<_> = core::iter::from_fn(|| queue.pop(Time::NEVER)).map(|(_, slot)| slot.0).collect();
        assert_eq!(order, [0, 1, 2]);
    }

    #[test]
    fn a_slot_may_be_scheduled_again_at_the_same_time() {
        let mut queue = EventQueue::new(1);
        queue.set(Slot(0), Time::from_ps(5));
        assert!(queue.pop(Time::NEVER).is_some());
        queue.set(Slot(0), Time::from_ps(5));
        assert_eq!(queue.pop(Time::NEVER), Some((Time::from_ps(5), Slot(0))));
        assert_eq!(queue.pop(Time::NEVER), None);
    }

    proptest! {
        /// Against the simplest queue: a table that is searched from end to end.
        #[test]
        fn it_behaves_like_a_table(steps in prop::collection::vec((0u32..6, 0u64..40, prop::bool::weighted(0.3)), 1..400)) {
            let mut queue = EventQueue::new(6);
            let mut table = [u64::MAX; 6];
            let mut now = 0;
            for (slot, ahead, pop) in steps {
                if pop {
                    let expected = (0..6).filter(|&s| table[s] != u64::MAX).min_by_key(|&s| (table[s], s));
                    let got = queue.pop(Time::NEVER).map(|(at, slot)| (at.as_ps(), slot.0 as usize));
                    prop_assert_eq!(got, expected.map(|s| (table[s], s)));
                    if let Some((at, slot)) = got {
                        now = at;
                        table[slot] = u64::MAX;
                    }
                } else {
                    let at = if ahead == 39 { u64::MAX } else { now + ahead };
                    queue.set(Slot(slot), Time::from_ps(at));
                    table[slot as usize] = at;
                }
            }
        }
    }
}
