// SPDX-License-Identifier: Apache-2.0
//! A FIFO with a limit at a link of constant rate: the departure time of a packet is known at its arrival.
//!
//! The packet is passed on at once. Only the start and the end of its transmission are stored, which are recorded as the
//! clock of the link advances.

use super::make_room;
use crate::recorder::{FlowTallies, LinkRecorder, QueueTap};
use narrows_link::Serializer;
use narrows_qdisc::{DropReason, Limit, Tap};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// A FIFO queue and the serialiser of its link.
#[derive(Debug)]
pub(crate) struct Fifo {
    limit: Limit,
    serializer: Serializer,
    /// The packet in transmission and the waiting packets.
    packets: VecDeque<Passing>,
    /// Departure time of the first packet; `NEVER` if there is none.
    departure: Time,
}

/// A packet that has arrived.
#[derive(Clone, Copy, Debug)]
struct Passing {
    arrival: Time,
    departure: Time,
    size: u16,
    group: u16,
}

impl Fifo {
    /// Creates an empty queue with `limit` at a link with `rate`.
    pub fn new(limit: Limit, rate: Rate) -> Self {
        Self { limit, serializer: Serializer::new(rate), packets: VecDeque::new(), departure: Time::NEVER }
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
        recorder.arrived(packet);
        if !self.limit.holds(recorder.backlog()) {
            QueueTap { link: recorder, flows }.dropped(packet, DropReason::Overflow);
            recorder.settled();
            return None;
        }
        recorder.settled();
        let departure = self.serializer.pass(packet.size(), arrival);
        let group = if recorder.shares.len() > 1 { flows.group(packet) as u16 } else { 0 };
        if self.packets.is_empty() {
            self.departure = departure;
            recorder.started(arrival, packet.size, usize::from(group));
        }
        make_room(&mut self.packets);
        self.packets.push_back(Passing { arrival, departure, size: packet.size, group });
        Some(departure)
    }

    /// Records all departures up to and including `now`.
    #[inline]
    pub fn advance(&mut self, now: Time, recorder: &mut LinkRecorder) {
        while self.departure <= now {
            let Some(left) = self.packets.pop_front() else { return };
            recorder.sent(left.size);
            self.departure = Time::NEVER;
            if let Some(next) = self.packets.front() {
                self.departure = next.departure;
                recorder.advance(left.departure);
                recorder.started(next.arrival, next.size, usize::from(next.group));
            }
        }
    }

    /// Returns the size and departure time of the packet in transmission; `None` if the link is idle.
    pub fn in_transmission(&self) -> Option<(Bytes, Time)> {
        self.packets.front().map(|packet| (Bytes::new(u64::from(packet.size)), packet.departure))
    }

    /// Returns the number of packets that have arrived and not departed, at the time of the recorder.
    pub fn count(&self) -> u64 {
        self.packets.len() as u64
    }
}
