// SPDX-License-Identifier: Apache-2.0
//! The packet: its header fields and its body.

use crate::{Feedback, Request, SackBlocks};
use narrows_units::{Bytes, Time};

/// Identifies a flow: the index of its connection slot, and the slot's generation.
///
/// A slot holds one connection at a time. Each connection that reuses the slot increments its generation, so that
/// packets of an earlier connection are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(u32);

impl FlowId {
    /// The number of connection slots that can be addressed, 2²².
    pub const SLOTS: u32 = 1 << INDEX_BITS;

    /// Creates the flow in slot `index`, below [`SLOTS`](Self::SLOTS), after `generation` earlier ones, taken modulo
    /// 1024.
    pub const fn new(index: u32, generation: u32) -> Self {
        Self(generation << INDEX_BITS | index)
    }

    /// Returns the index of the connection slot.
    pub const fn index(self) -> usize {
        (self.0 & (Self::SLOTS - 1)) as usize
    }

    /// Returns the number of earlier connections in the same slot, modulo 1024.
    pub const fn generation(self) -> u32 {
        self.0 >> INDEX_BITS
    }

    /// Returns the index and generation in one number, unique among the flows that have packets in flight.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// Bits of the slot's index. The other ten count generations: an identifier recurs after 1024 connections in one slot,
/// long after the packets of the first are gone.
const INDEX_BITS: u32 = 22;

/// The ECN field of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: the transport does not use ECN, and congestion is signalled by a drop.
    #[default]
    NotCapable,
    /// ECT(0): ECN-capable.
    Ect0,
    /// ECT(1): ECN-capable, for the low-latency service L4S (RFC 9331).
    Ect1,
    /// CE: congestion experienced.
    Ce,
}

impl Ecn {
    /// Returns the value of the two bits of `field`, whose others are ignored.
    pub fn of_field(field: u8) -> Self {
        match field & 3 {
            1 => Self::Ect1,
            2 => Self::Ect0,
            3 => Self::Ce,
            _ => Self::NotCapable,
        }
    }

    /// Returns the two bits of the field.
    pub fn field(self) -> u8 {
        match self {
            Self::NotCapable => 0,
            Self::Ect1 => 1,
            Self::Ect0 => 2,
            Self::Ce => 3,
        }
    }

    /// Whether a router may mark the packet instead of dropping it. True for a packet that is marked already.
    pub fn is_capable(self) -> bool {
        self != Self::NotCapable
    }
}

/// The direction in which a packet travels between the endpoints of its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the sender to the receiver.
    Forward,
    /// From the receiver to the sender.
    Reverse,
}

/// A packet in the network.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Time at which the packet arrives at the element that holds it: the queue in which it waits, or the far end of
    /// its link. May lie in the future.
    pub arrival: Time,
    /// Time at which the endpoint sent it.
    pub sent_at: Time,
    /// For a data segment or datagram its number within the flow, from 0; for an acknowledgement the first segment not
    /// yet received in order; for a probe of a window the first that was not sent; for an echo or report the datagram
    /// to which it refers; for a SYN the number of those sent before it, and for a SYN-ACK the number of the SYN that
    /// it answers.
    pub number: u64,
    /// The flow to which the packet belongs.
    pub flow: FlowId,
    /// The next hop, as an index into the table of routes of the network. Endpoints do not use it.
    pub next: u32,
    /// Size on the wire, bytes, headers included.
    pub size: u16,
    /// The ECN field.
    pub ecn: Ecn,
    /// CWR from the sender: the window was reduced; ECE from the receiver: a packet arrived with CE (RFC 3168 §6.1).
    pub ecn_echo: bool,
    /// The message to the other endpoint.
    pub body: Body,
}

/// The message of a packet to the other endpoint.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// Opens a connection.
    Syn {
        /// The request to the routers; `None` without one.
        request: Option<Request>,
        /// The codepoint of packets without data, which hosts choose by their algorithm: both have the same. No router reads it.
        control: Ecn,
    },
    /// Accepts a connection.
    SynAck {
        /// The routers' response to the request of the SYN; `None` if it had none.
        feedback: Option<Feedback>,
    },
    /// The third packet of the handshake, which acknowledges the SYN-ACK.
    HandshakeAck,
    /// A segment of data.
    Data {
        /// The request to the routers; `None` without one.
        request: Option<Request>,
        /// Payload, bytes.
        payload: u16,
        /// Whether the segment was sent before.
        retransmission: bool,
        /// TSval (RFC 7323): the sender's logical clock when the packet was sent; wraps.
        timestamp: u8,
    },
    /// An acknowledgement.
    Ack {
        /// Runs of segments received beyond the cumulative acknowledgement, the one that changed last first (RFC 2018
        /// §4).
        blocks: SackBlocks,
        /// Data packets received with CE since the connection was opened; wraps.
        ce_packets: u16,
        /// TSecr (RFC 7323): the timestamp of the segment that last advanced the cumulative acknowledgement.
        timestamp_echo: u8,
    },
    /// An acknowledgement of a part of segment `number`, of which the rest is still to be acknowledged: sent by a
    /// receiver that divides acknowledgements.
    PartialAck,
    /// An acknowledgement that returns the routers' response, in place of one SACK block.
    AckWithFeedback {
        /// As in [`Body::Ack`].
        blocks: SackBlocks<2>,
        /// The routers' response to the requests in data packets.
        feedback: Feedback,
        /// As in [`Body::Ack`].
        ce_packets: u16,
        /// As in [`Body::Ack`].
        timestamp_echo: u8,
    },
    /// An acknowledgement that carries the receiver's window, in place of one SACK block: of a receiver whose application does not
    /// read all data at once.
    AckWithWindow {
        /// As in [`Body::Ack`].
        blocks: SackBlocks<2>,
        /// The window, bytes: how much may be sent beyond the cumulative acknowledgement.
        window: u32,
        /// As in [`Body::Ack`].
        ce_packets: u16,
        /// As in [`Body::Ack`].
        timestamp_echo: u8,
    },
    /// An acknowledgement that carries both, in place of two SACK blocks.
    AckWithFeedbackAndWindow {
        /// As in [`Body::Ack`].
        blocks: SackBlocks<1>,
        /// As in [`Body::AckWithFeedback`].
        feedback: Feedback,
        /// As in [`Body::AckWithWindow`].
        window: u32,
        /// As in [`Body::Ack`].
        ce_packets: u16,
        /// As in [`Body::Ack`].
        timestamp_echo: u8,
    },
    /// A packet without data, which the receiver acknowledges at once: a probe of a window that is closed.
    WindowProbe,
    /// A packet that is never retransmitted.
    Datagram {
        /// The sender's round-trip time estimate, seconds; 0 before the first sample.
        rtt: f32,
        /// Payload, bytes.
        payload: u16,
    },
    /// The acknowledgement of datagram `number`.
    Echo {
        /// Bit i is set if datagram `number − 1 − i` arrived before this one, so that the loss of an echo is harmless.
        before: u32,
        /// As in [`Body::Ack`].
        ce_packets: u16,
    },
    /// A report on all datagrams up to `number`, the highest received.
    Report(Report),
}

/// A receiver's report on the datagrams of a flow (RFC 5348 §3.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// `p`: loss events per packet, 0 before the first event.
    pub loss_event_rate: f32,
    /// `X_recv`: the rate at which payload was received over the last round trip, bits per second.
    pub receive_rate: f32,
    /// `t_delay`: time from the arrival of datagram `number` to this report, seconds.
    pub hold: f32,
    /// Datagrams received since the flow started; wraps.
    pub received: u32,
    /// Datagrams declared lost since the flow started; wraps.
    pub lost: u32,
    /// Loss events since the flow started; wraps.
    pub loss_events: u16,
    /// As in [`Body::Ack`].
    pub ce_packets: u16,
}

impl Body {
    /// Returns a SYN with `request`, of a connection whose packets without data are not ECN-capable.
    pub const fn syn(request: Option<Request>) -> Self {
        Self::Syn { request, control: Ecn::NotCapable }
    }
}

impl Packet {
    /// A placeholder, to be overwritten.
    pub const EMPTY: Self = Self {
        arrival: Time::ZERO,
        sent_at: Time::ZERO,
        number: 0,
        flow: FlowId::new(0, 0),
        next: 0,
        size: 0,
        ecn: Ecn::NotCapable,
        ecn_echo: false,
        body: Body::HandshakeAck,
    };

    /// Creates a packet of `size` bytes that `flow` sends at `now`, without ECN capability or echo.
    #[inline]
    pub fn new(flow: FlowId, number: u64, size: Bytes, body: Body, now: Time) -> Self {
        Self {
            arrival: now,
            sent_at: now,
            number,
            flow,
            next: 0,
            size: size.count() as u16,
            ecn: Ecn::NotCapable,
            ecn_echo: false,
            body,
        }
    }

    /// Returns the size on the wire, headers included.
    pub fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }

    /// Returns the request to the routers, if the packet carries one.
    pub fn request_mut(&mut self) -> Option<&mut Request> {
        match &mut self.body {
            Body::Syn { request, .. } | Body::Data { request, .. } => request.as_mut(),
            _ => None,
        }
    }

    /// Passes a router that does not process Quick-Start requests: it decrements the TTL of IP alone (RFC 4782 §3.1).
    pub fn pass_router(&mut self) {
        if let Some(Request::QuickStart { ttl_difference, .. }) = self.request_mut() {
            *ttl_difference = ttl_difference.wrapping_add(1);
        }
    }

    /// Whether it is an acknowledgement without data.
    pub fn is_ack(&self) -> bool {
        matches!(
            self.body,
            Body::Ack { .. }
                | Body::PartialAck
                | Body::AckWithFeedback { .. }
                | Body::AckWithWindow { .. }
                | Body::AckWithFeedbackAndWindow { .. }
        )
    }

    /// Returns the direction of this packet, which follows from its body.
    pub fn direction(&self) -> Direction {
        match self.body {
            Body::Syn { .. }
            | Body::HandshakeAck
            | Body::Data { .. }
            | Body::WindowProbe
            | Body::Datagram { .. } => Direction::Forward,
            Body::SynAck { .. }
            | Body::Ack { .. }
            | Body::PartialAck
            | Body::AckWithFeedback { .. }
            | Body::AckWithWindow { .. }
            | Body::AckWithFeedbackAndWindow { .. }
            | Body::Echo { .. }
            | Body::Report(_) => Direction::Reverse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FlowId, Packet};

    #[test]
    fn the_index_is_the_same_in_every_generation() {
        let first = FlowId::new(7, 0);
        for generation in 1..1024 {
            let flow = FlowId::new(7, generation);
            assert_eq!(flow.index(), 7);
            assert_ne!(flow.generation(), first.generation());
            assert_ne!(flow, first);
        }
        assert_eq!(FlowId::new(7, 1024), first);
    }

    #[test]
    fn a_packet_fits_a_cache_line() {
        assert!(size_of::<Packet>() <= 64, "{} bytes", size_of::<Packet>());
    }
}
