// SPDX-License-Identifier: Apache-2.0
//! A first-in-first-out row of packets that knows its weight: what most disciplines wait in.

use crate::Backlog;
use alloc::collections::VecDeque;
use narrows_wire::Packet;

/// A first-in-first-out list of packets. It reuses its memory, so that it allocates only when it exceeds its longest
/// length so far.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    packets: VecDeque<Packet>,
    backlog: Backlog,
}

impl Fifo {
    /// Adds `packet` at the tail.
    pub fn push(&mut self, packet: Packet) {
        self.backlog.add(packet.size());
        self.packets.push_back(packet);
    }

    /// Removes and returns the packet at the head; `None` if the list is empty.
    pub fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.backlog.remove(packet.size());
        Some(packet)
    }

    /// Removes and returns the packet at the tail; `None` if the list is empty.
    pub fn pop_tail(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_back()?;
        self.backlog.remove(packet.size());
        Some(packet)
    }

    /// Removes and returns the first packet for which `is_sought` holds; `None` if there is none. Takes time in proportion to
    /// the length of the list.
    pub fn remove(&mut self, is_sought: impl Fn(&Packet) -> bool) -> Option<Packet> {
        let place = self.packets.iter().position(is_sought)?;
        let packet = self.packets.remove(place)?;
        self.backlog.remove(packet.size());
        Some(packet)
    }

    /// Returns the packet at the head; `None` if the list is empty.
    pub fn head(&self) -> Option<&Packet> {
        self.packets.front()
    }

    /// Returns the number and bytes of the packets in the list.
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }
}
