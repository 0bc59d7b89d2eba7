// SPDX-License-Identifier: Apache-2.0
//! The data that the programs of one connection send and receive, from the headers of their packets.

use narrows_transport::Arrived;
use narrows_wire::Direction;
use std::collections::BTreeMap;

/// What the headers of a packet say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Protocol number of the IP header.
    pub protocol: u8,
    /// Flags of the TCP header.
    pub flags: u8,
    /// Sequence number of the TCP header.
    pub sequence: u32,
    /// Ports of source and destination, the former in the upper half; 0 if there are none.
    pub ports: u32,
    /// Payload, bytes.
    pub payload: u32,
}

/// The data that the programs of one connection send and receive.
#[derive(Debug, Default)]
pub struct Traffic {
    /// TCP connections from the sending host, by their ports.
    streams: BTreeMap<u32, Stream>,
    /// Payload that the sending host has sent for the first time, bytes.
    sent: u64,
    /// Payload that the receiving host has received, each byte of a TCP connection once.
    received: u64,
    /// The ports of the TCP connection that has sent most.
    most: u32,
    /// Whether a host has sent a packet.
    opened: bool,
}

/// A TCP connection of a program, in one direction.
#[derive(Debug, Default)]
struct Stream {
    /// End of what it has sent, as a position.
    sent_end: u64,
    /// Payload that it has sent, retransmissions included, bytes.
    sent: u64,
    arrived: Arrived,
}

/// The payload of a packet of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Payload {
    /// The ports of its TCP connection; 0 for other protocols.
    ports: u32,
    /// Its position there.
    position: u64,
    /// Bytes.
    bytes: u64,
}

impl Payload {
    /// Returns its length, bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }
}

impl Traffic {
    /// Whether no host has sent a packet.
    pub fn is_new(&self) -> bool {
        !self.opened
    }

    /// Returns the payload that the receiving host has received, each byte of a TCP connection once.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Whether the TCP connection with these `ports` has sent most.
    pub fn is_largest(&self, ports: u32) -> bool {
        ports == self.most
    }

    /// Notes that a host sends `segment` in `direction`. Returns its payload, and the offset of the payload in all data
    /// that the connection sends in this direction, in bytes.
    pub fn send(&mut self, segment: &Segment, direction: Direction) -> (Payload, u64) {
        let bytes = u64::from(segment.payload);
        self.opened = true;
        if direction == Direction::Reverse || (bytes == 0 && segment.flags & SYN == 0) {
            return (Payload::default(), self.sent);
        }
        if segment.protocol != TCP {
            let position = self.sent;
            self.sent += bytes;
            return (Payload { ports: 0, position, bytes }, position);
        }
        if segment.flags & SYN != 0 {
            // The first byte of data follows the SYN.
            let sent_end = OFFSET + u64::from(segment.sequence.wrapping_add(1));
            self.streams.insert(segment.ports, Stream { sent_end, ..Stream::default() });
            return (Payload::default(), self.sent);
        }
        let stream = self.streams.entry(segment.ports).or_default();
        let ahead = segment.sequence.wrapping_sub(stream.sent_end as u32).cast_signed();
        let position = stream.sent_end.wrapping_add_signed(i64::from(ahead));
        let fresh = (position + bytes).saturating_sub(stream.sent_end);
        stream.sent_end += fresh;
        stream.sent += bytes;
        // Data sent before has a position before the end of all.
        let overall = if fresh == bytes { self.sent } else { self.sent.saturating_sub(bytes) };
        self.sent += fresh;
        let sent = |ports: u32| self.streams.get(&ports).map_or(0, |stream| stream.sent);
        if sent(segment.ports) > sent(self.most) {
            self.most = segment.ports;
        }
        (Payload { ports: segment.ports, position, bytes }, overall)
    }

    /// A packet arrives at the receiving host.
    pub fn receive(&mut self, payload: Payload) {
        let Payload { ports, position, bytes } = payload;
        match self.streams.get_mut(&ports) {
            Some(stream) if ports != 0 => self.received += stream.arrived.receive(position, position + bytes),
            _ => self.received += bytes,
        }
    }
}

/// Added to every position, so that none is negative.
const OFFSET: u64 = 1 << 32;
/// The SYN flag of the TCP header.
const SYN: u8 = 2;
/// Protocol number of TCP.
const TCP: u8 = 6;
