// SPDX-License-Identifier: Apache-2.0
//! A FIFO with a limit at a link of constant rate: the departure time of a packet is known at its arrival.
//!
//! The packet is passed on at once. Only the start and the end of its transmission are stored, which are recorded as the
//! clock of the link advances.

use super::make_room;
use crate::recorder::{FlowTallies, LinkRecorder, QueueTap};
use narrows_link::Serializer;
use narrows_qdisc::{Backlog, DropReason, Limit, Tap};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// A FIFO queue and the serialiser of its link.
#[derive(Debug)]
pub(crate) struct Fifo {
    /// The longest queue.
    most: Backlog,
    serializer: Serializer,
    /// Departure time of the packet in transmission; `NEVER` if the link is idle.
    departure: Time,
    /// Size of the packet in transmission.
    size: u16,
    waiting: VecDeque<Waiting>,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    arrival: Time,
    departure: Time,
    size: u16,
    group: u16,
}

impl Fifo {
    /// Creates an empty queue with `limit` at a link with `rate`.
    pub fn new(limit: Limit, rate: Rate) -> Self {
        let serializer = Serializer::new(rate);
        let most = match limit {
            Limit::Unlimited => Backlog::new(u64::MAX, Bytes::new(u64::MAX)),
            Limit::Packets(packets) => Backlog::new(packets, Bytes::new(u64::MAX)),
            Limit::Bytes(bytes) => Backlog::new(u64::MAX, Bytes::new(bytes)),
        };
        Self { most, serializer, departure: Time::NEVER, size: 0, waiting: VecDeque::new() }
    }

    /// Enqueues `packet` at its arrival time, after all earlier arrivals, and returns its departure time; `None` if it
    /// is dropped.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at one place")]
    pub fn pass(
        &mut self,
        packet: &Packet,
        recorder: &mut LinkRecorder,
        flows: &mut FlowTallies,
    ) -> Option<Time> {
        let arrival = packet.arrival;
        self.advance(arrival, recorder);
        recorder.advance(arrival);
        if self.departure == Time::NEVER && self.holds(Backlog::new(1, packet.size())) {
            recorder.passed();
            let departure = self.serializer.pass(packet.size(), arrival);
            (self.departure, self.size) = (departure, packet.size);
            return Some(departure);
        }
        recorder.arrived(packet);
        if !self.holds(recorder.backlog()) {
            QueueTap { link: recorder, flows }.dropped(packet, DropReason::Overflow);
            recorder.settled();
            return None;
        }
        recorder.settled();
        let departure = self.serializer.pass(packet.size(), arrival);
        let group = if recorder.shares.len() > 1 { flows.group(packet) as u16 } else { 0 };
        make_room(&mut self.waiting);
        self.waiting.push_back(Waiting { arrival, departure, size: packet.size, group });
        Some(departure)
    }

    /// Whether the queue `waiting` is within the limit.
    fn holds(&self, waiting: Backlog) -> bool {
        waiting.packets <= self.most.packets && waiting.bytes <= self.most.bytes
    }

    /// Records all departures up to and including `now`.
    #[inline]
    pub fn advance(&mut self, now: Time, recorder: &mut LinkRecorder) {
        while self.departure <= now {
            recorder.sent(self.size);
            let Some(next) = self.waiting.pop_front() else {
                self.departure = Time::NEVER;
                return;
            };
            recorder.advance(self.departure);
            (self.departure, self.size) = (next.departure, next.size);
            recorder.started(next.arrival, next.size, usize::from(next.group));
        }
    }

    /// Returns the size and departure time of the packet in transmission; `None` if the link is idle.
    pub fn in_transmission(&self) -> Option<(Bytes, Time)> {
        (self.departure < Time::NEVER).then(|| (Bytes::new(u64::from(self.size)), self.departure))
    }

    /// Returns the number of packets that have arrived and not departed, at the time of the recorder.
    pub fn count(&self) -> u64 {
        self.waiting.len() as u64 + u64::from(self.departure < Time::NEVER)
    }
}
