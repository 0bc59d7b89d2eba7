//! A FIFO with a limit before a link of constant rate: when a packet will have left is known as it comes.
//!
//! The packet goes on at once. What is left here is what the records want to know of it: when its transmission begins and
//! ends. They follow as the clock of the link goes on.

use super::entrance::make_room;
use crate::link::Steady;
use crate::records::{FlowTallies, LinkRecorder, QueueTap};
use narrows_qdisc::{DropReason, Limit, Tap};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// Such a queue and its link.
#[derive(Debug)]
pub(super) struct Fifo {
    limit: Limit,
    steady: Steady,
    /// The packet in transmission and those that wait.
    row: VecDeque<Passing>,
    /// When the first of them will have left; `NEVER` if there is none.
    departure: Time,
}

/// A packet that has come.
#[derive(Clone, Copy, Debug)]
struct Passing {
    arrival: Time,
    departure: Time,
    size: u16,
    group: u16,
}

impl Fifo {
    pub fn new(limit: Limit, rate: Rate) -> Self {
        Self { limit, steady: Steady::new(rate), row: VecDeque::new(), departure: Time::NEVER }
    }

    /// `packet` comes at its stamp, after all others. When it will have left; `None` if it is dropped.
    pub fn pass(
        &mut self,
        packet: &Packet,
        recorder: &mut LinkRecorder,
        flows: &mut FlowTallies,
    ) -> Option<Time> {
        let arrival = packet.stamp;
        self.go_on(arrival, recorder);
        recorder.advance(arrival);
        recorder.arrived(packet);
        if !self.limit.holds(recorder.backlog()) {
            QueueTap { link: recorder, flows }.dropped(packet, DropReason::Overflow);
            recorder.settled();
            return None;
        }
        recorder.settled();
        let departure = self.steady.pass(packet.size(), arrival);
        let group = if recorder.shares.len() > 1 { flows.group(packet) as u16 } else { 0 };
        if self.row.is_empty() {
            self.departure = departure;
            recorder.started(arrival, packet.size, usize::from(group));
        }
        make_room(&mut self.row);
        self.row.push_back(Passing { arrival, departure, size: packet.size, group });
        Some(departure)
    }

    /// Records what happens until the end of `now`.
    pub fn go_on(&mut self, now: Time, recorder: &mut LinkRecorder) {
        while self.departure <= now {
            let Some(left) = self.row.pop_front() else { return };
            recorder.sent(left.size);
            self.departure = Time::NEVER;
            if let Some(next) = self.row.front() {
                self.departure = next.departure;
                recorder.advance(left.departure);
                recorder.started(next.arrival, next.size, usize::from(next.group));
            }
        }
    }

    /// The packet in transmission: its size, and when it will have left.
    pub fn in_transmission(&self) -> Option<(Bytes, Time)> {
        self.row.front().map(|packet| (Bytes::new(u64::from(packet.size)), packet.departure))
    }

    /// Packets that have come and not left, by the clock of the recorder.
    pub fn count(&self) -> u64 {
        self.row.len() as u64
    }
}
