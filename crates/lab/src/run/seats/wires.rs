//! The two links between a host and its router, crossed by computing: they are unlimited FIFOs of one transfer.

use crate::run::net::Net;
use narrows_engine::Slot;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// Both links of a host, with the packets on them.
#[derive(Debug)]
pub(in crate::run) struct Wires {
    up: Wire,
    down: Wire,
    /// When the router has, or had, all that the host has sent.
    released: Time,
    /// On their way to the router, in the order in which they will reach it, where it is not told of them before.
    leaving: VecDeque<Packet>,
    /// On their way to the host.
    coming: VecDeque<Packet>,
}

/// What one of them is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) struct Access {
    pub rate: Rate,
    pub delay: Span,
}

#[derive(Debug)]
struct Wire {
    access: Access,
    busy_until: Time,
    /// The size of the last packet, and how long one like it takes.
    last: (Bytes, Span),
}

impl Wires {
    pub fn new(up: Access, down: Access) -> Self {
        let wire = |access| Wire { access, busy_until: Time::ZERO, last: (Bytes::ZERO, Span::ZERO) };
        Self {
            up: wire(up),
            down: wire(down),
            released: Time::ZERO,
            leaving: VecDeque::new(),
            coming: VecDeque::new(),
        }
    }

    /// The host, whose event is `slot`, sends `packet`.
    pub fn send(&mut self, mut packet: Packet, slot: Slot, net: &mut Net) {
        packet.stamp = self.up.pass(packet.size(), net.now);
        self.released = packet.stamp;
        net.log_sent(&packet);
        net.launched += 1;
        net.hops += 1;
        if net.lags {
            net.expect(&packet, slot);
        } else {
            self.leaving.push_back(packet);
        }
    }

    /// The router has, or will have, `packet` for the host at its stamp, after all others. When the host will have it.
    pub fn receive(&mut self, packet: &Packet, net: &mut Net) -> Time {
        net.hops += 1;
        self.down.pass(packet.size(), packet.stamp)
    }

    /// `packet` waits until it reaches the host at `at`.
    pub fn wait(&mut self, packet: &Packet, at: Time) {
        self.coming.push_back(Packet { stamp: at, ..*packet });
    }

    /// Packets that have reached the router enter the network.
    pub fn release(&mut self, net: &mut Net) {
        while self.leaving.front().is_some_and(|packet| packet.stamp <= net.now) {
            net.enter(&mut self.leaving.pop_front().expect("there is a first"));
        }
    }

    /// The next packet that has reached the host.
    pub fn take(&mut self, now: Time) -> Option<Packet> {
        self.coming.front().is_some_and(|packet| packet.stamp <= now).then(|| self.coming.pop_front())?
    }

    /// When a packet that must be seen to reaches the router or the host next.
    pub fn next(&self) -> Time {
        self.next_leaving().min(first(&self.coming))
    }

    /// When such a packet reaches the router next.
    pub fn next_leaving(&self) -> Time {
        first(&self.leaving)
    }

    /// When the router has, or had, all that the host has sent.
    pub fn released(&self) -> Time {
        self.released
    }

    /// Packets on both links that the router has not been told of.
    pub fn holding(&self) -> u64 {
        (self.leaving.len() + self.coming.len()) as u64
    }

    /// Packets that wait until they reach the host.
    pub fn coming(&self) -> u64 {
        self.coming.len() as u64
    }

    /// When the last of them will have reached it; the start of the run if there is none.
    pub fn last_coming(&self) -> Time {
        self.coming.back().map_or(Time::ZERO, |packet| packet.stamp)
    }
}

fn first(packets: &VecDeque<Packet>) -> Time {
    packets.front().map_or(Time::NEVER, |packet| packet.stamp)
}

impl Wire {
    /// When a packet that is handed over at `at` will have crossed.
    fn pass(&mut self, size: Bytes, at: Time) -> Time {
        if size != self.last.0 {
            self.last = (size, self.access.rate.time_for(size));
        }
        self.busy_until = at.max(self.busy_until) + self.last.1;
        self.busy_until + self.access.delay
    }
}
