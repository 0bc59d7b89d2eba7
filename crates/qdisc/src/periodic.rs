// SPDX-License-Identifier: Apache-2.0
//! The common parts of the queues of periodic controllers: the timer of updates, and a queue that measures how long
//! packets wait.

use crate::{Backlog, Fifo};
use narrows_units::{Span, Time};
use narrows_wire::Packet;

/// The timer of a controller's updates. It runs from the first arrival on.
#[derive(Clone, Debug)]
pub(crate) struct UpdateTimer {
    period: Span,
    next: Option<Time>,
}

impl UpdateTimer {
    /// Creates a timer that does not run yet; `period` is not zero.
    pub fn new(period: Span) -> Self {
        Self { period, next: None }
    }

    /// Starts the timer at an arrival, unless it runs.
    pub fn start(&mut self, now: Time) {
        self.next.get_or_insert(now + self.period);
    }

    /// Returns when the next update is due; `None` before the first arrival.
    pub fn next(&self) -> Option<Time> {
        self.next
    }

    /// Restarts the timer after an update.
    pub fn restart(&mut self, now: Time) {
        self.next = Some(now + self.period);
    }
}

/// A first-in-first-out queue whose delay is the time that the last packet to leave has waited, zero once none waits, as in
/// Linux's `sch_pie.c`.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeasuredFifo {
    waiting: Fifo,
    delay: Span,
}

impl MeasuredFifo {
    /// Adds `packet` at the tail.
    pub fn push(&mut self, packet: Packet) {
        self.waiting.push(packet);
    }

    /// Removes and returns the packet at the head, and measures how long it has waited; `None` if the queue is empty.
    pub fn pop(&mut self, now: Time) -> Option<Packet> {
        let packet = self.waiting.pop()?;
        let left = self.waiting.backlog().packets;
        self.delay = if left > 0 { now.since(packet.arrival) } else { Span::ZERO };
        Some(packet)
    }

    /// Returns the estimate of the queueing delay: the sojourn time of the packet that left last; zero if the queue is
    /// empty.
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Returns the number and bytes of the packets in the queue.
    pub fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }
}
