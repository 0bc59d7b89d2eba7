//! The two links between a host and its router, crossed by computing: they are unlimited FIFOs of one transfer.

use crate::run::net::Net;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// Both links of a host, with the packets on them.
#[derive(Debug)]
pub(in crate::run) struct Wires {
    up: Wire,
    down: Wire,
    /// On their way to the router, in the order in which they will reach it.
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
}

impl Wires {
    pub fn new(up: Access, down: Access) -> Self {
        let wire = |access| Wire { access, busy_until: Time::ZERO };
        Self { up: wire(up), down: wire(down), leaving: VecDeque::new(), coming: VecDeque::new() }
    }

    /// The host sends `packet`.
    pub fn send(&mut self, mut packet: Packet, net: &mut Net) {
        packet.stamp = self.up.pass(packet.size(), net.now);
        net.log_sent(&packet);
        net.launched += 1;
        net.hops += 1;
        self.leaving.push_back(packet);
    }

    /// The router has `packet` for the host.
    pub fn receive(&mut self, mut packet: Packet, net: &mut Net) {
        packet.stamp = self.down.pass(packet.size(), net.now);
        net.hops += 1;
        self.coming.push_back(packet);
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

    /// When a packet reaches the router or the host next.
    pub fn next(&self) -> Time {
        let of = |packets: &VecDeque<Packet>| packets.front().map_or(Time::NEVER, |packet| packet.stamp);
        of(&self.leaving).min(of(&self.coming))
    }

    /// Nothing is on its way to the router.
    pub fn is_released(&self) -> bool {
        self.leaving.is_empty()
    }

    /// Packets on both links.
    pub fn holding(&self) -> u64 {
        (self.leaving.len() + self.coming.len()) as u64
    }

    /// Packets on their way to the host.
    pub fn coming(&self) -> u64 {
        self.coming.len() as u64
    }
}

impl Wire {
    /// When a packet that is handed over at `at` will have crossed.
    fn pass(&mut self, size: Bytes, at: Time) -> Time {
        self.busy_until = at.max(self.busy_until) + self.access.rate.time_for(size);
        self.busy_until + self.access.delay
    }
}
