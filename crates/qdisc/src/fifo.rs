//! A first-in-first-out row of packets that knows its weight: what most disciplines wait in.

use crate::Backlog;
use narrows_wire::Packet;
use std::collections::VecDeque;

/// A row of packets. It grows to the longest row it has held and allocates no more after that.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    packets: VecDeque<Packet>,
    backlog: Backlog,
}

impl Fifo {
    /// Puts `packet` at the tail.
    pub fn push(&mut self, packet: Packet) {
        self.backlog.add(packet.size());
        self.packets.push_back(packet);
    }

    /// Takes the packet at the head.
    pub fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.backlog.remove(packet.size());
        Some(packet)
    }

    /// Takes the packet at the tail.
    pub fn pop_tail(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_back()?;
        self.backlog.remove(packet.size());
        Some(packet)
    }

    /// The packet at the head.
    pub fn head(&self) -> Option<&Packet> {
        self.packets.front()
    }

    /// What waits here.
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }
}
