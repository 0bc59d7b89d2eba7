// SPDX-License-Identifier: Apache-2.0
//! The timer of a host.

use narrows_engine::{EventQueue, Slot};
use narrows_units::Time;

/// The deadline of a host and its scheduled event.
///
/// The event may occur before the deadline and is then rescheduled, so that changing the deadline for every packet costs no
/// more than a store. It never occurs after the deadline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    deadline: Time,
    /// Time of the scheduled event.
    event: Time,
}

impl Default for Timer {
    fn default() -> Self {
        Self { deadline: Time::NEVER, event: Time::NEVER }
    }
}

impl Timer {
    /// Returns the time at which the host must act next; `NEVER` if there is none.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Sets the deadline. Must be followed by [`arm`](Self::arm) before other events are handled.
    #[inline]
    pub fn set(&mut self, deadline: Time) {
        self.deadline = deadline;
    }

    /// Schedules the event `slot` in `queue` for time `at`, unless it is already scheduled for an earlier time.
    #[inline]
    pub fn arm(&mut self, at: Time, slot: Slot, queue: &mut EventQueue) {
        if at < self.event {
            self.event = at;
            queue.set(slot, at);
        }
    }

    /// Returns a timer without a deadline that keeps the scheduled event of this timer.
    pub fn inherited(&self) -> Self {
        Self { deadline: Time::NEVER, event: self.event }
    }

    /// Takes over the scheduled event of `other`.
    pub fn inherit(&mut self, other: Self) {
        self.event = other.event;
    }

    /// Marks the event as expired; the timer must be armed again.
    pub fn expire(&mut self) {
        self.event = Time::NEVER;
    }
}
