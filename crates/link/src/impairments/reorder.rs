// SPDX-License-Identifier: Apache-2.0
//! Reordering: a share of the packets is late, by a number of packets that overtake it or by a time.
//!
//! Source: the reordering extent of RFC 4737 §4.2.1, which is `distance` for a packet that is late alone; the late packets of
//! RFC 4653 §1. Deviations: in `tc-netem`(8) the chosen packets are sent at once and all others are delayed.

use super::{Element, Fate};
use crate::Lateness;
use alloc::collections::VecDeque;
use narrows_engine::Stream;
use narrows_units::{Span, Time};
use narrows_wire::Packet;

#[derive(Debug)]
pub(super) struct Reorder {
    share: f64,
    late: Lateness,
    /// Packets that were not late.
    passed: u64,
    /// Late packets in the order in which they leave.
    held: VecDeque<Held>,
}

/// A late packet.
#[derive(Debug)]
struct Held {
    packet: Packet,
    /// Number of the packet that is not late after which this one leaves.
    behind: u64,
    /// Latest time at which the packet leaves.
    deadline: Time,
}

impl Reorder {
    pub fn new(share: f64, late: Lateness) -> Self {
        Self { share, late, passed: 0, held: VecDeque::new() }
    }

    fn hold(&mut self, packet: Packet, distance: u64, hold: Span) {
        let deadline = packet.arrival + hold;
        self.held.push_back(Held { packet, behind: self.passed + distance, deadline });
    }

    /// Releases the packets behind which all have passed.
    fn release(&mut self, now: Time, released: &mut VecDeque<Packet>) {
        while self.held.front().is_some_and(|held| held.behind <= self.passed) {
            released.extend(self.held.pop_front().map(|held| Packet { arrival: now, ..held.packet }));
        }
    }
}

impl Element for Reorder {
    fn pass(&mut self, packet: &mut Packet, draws: &mut Stream, released: &mut VecDeque<Packet>) -> Fate {
        let late = draws.uniform() < self.share;
        match &self.late {
            Lateness::Delay(delay) => {
                let delay = delay.sample(draws);
                if late {
                    packet.arrival += delay;
                }
            }
            Lateness::Distance { packets, hold } if late => {
                self.hold(*packet, *packets, *hold);
                return Fate::Held;
            }
            Lateness::Distance { .. } => {
                self.passed += 1;
                self.release(packet.arrival, released);
            }
        }
        Fate::Leaves
    }

    fn deadline(&self) -> Time {
        self.held.front().map_or(Time::NEVER, |held| held.deadline)
    }

    fn expire(&mut self, now: Time, released: &mut VecDeque<Packet>) {
        while self.held.front().is_some_and(|held| held.deadline <= now) {
            released
                .extend(self.held.pop_front().map(|held| Packet { arrival: held.deadline, ..held.packet }));
        }
    }

    fn held(&self) -> u64 {
        self.held.len() as u64
    }
}
