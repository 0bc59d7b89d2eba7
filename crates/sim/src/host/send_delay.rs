// SPDX-License-Identifier: Apache-2.0
//! A random delay of each packet of a sender, which keeps their order.

use narrows_engine::Stream;
use narrows_units::{Span, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// The delay, and the delayed packets.
#[derive(Debug)]
pub(crate) struct SendDelay {
    most: Span,
    draws: Stream,
    last: Time,
    /// Delayed packets in order of departure time; only used without lookahead.
    held: VecDeque<Packet>,
}

impl SendDelay {
    /// Creates a delay uniform on [0, `most`], drawn from `draws`.
    pub fn new(most: Span, draws: Stream) -> Self {
        Self { most, draws, last: Time::ZERO, held: VecDeque::new() }
    }

    /// Draws the departure time of a packet that the sender sends at `now`; never before the previous packet.
    pub fn draw(&mut self, now: Time) -> Time {
        let drawn = now + Span::from_ps(self.draws.up_to(self.most.as_ps()));
        self.last = self.last.max(drawn);
        self.last
    }

    /// Stores `packet` until its departure time `at`.
    pub fn hold(&mut self, packet: Packet, at: Time) {
        self.held.push_back(Packet { arrival: at, ..packet });
    }

    /// Removes and returns the first packet whose departure time has been reached at `now`.
    pub fn take(&mut self, now: Time) -> Option<Packet> {
        self.held.front().is_some_and(|packet| packet.arrival <= now).then(|| self.held.pop_front())?
    }

    /// Returns the number of stored packets.
    pub fn holding(&self) -> u64 {
        self.held.len() as u64
    }

    /// Returns the earliest departure time of a stored packet; `NEVER` if there is none.
    pub fn next(&self) -> Time {
        self.held.front().map_or(Time::NEVER, |packet| packet.arrival)
    }
}
