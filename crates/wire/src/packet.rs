//! The packet, its header fields and its body.

use crate::{Feedback, Request, SackBlocks};
use narrows_units::{Bytes, Time};

/// A flow: its seat in the run, and which of the flows that had the seat one after the other it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(u32);

impl FlowId {
    /// Seats there may be.
    pub const SEATS: u32 = 1 << SEAT_BITS;

    /// The flow that has `seat` (below [`SEATS`](Self::SEATS)) after `generation` others; generations wrap.
    pub const fn new(seat: u32, generation: u32) -> Self {
        Self(generation << SEAT_BITS | seat)
    }

    /// The seat: a small index.
    pub const fn seat(self) -> usize {
        (self.0 & (Self::SEATS - 1)) as usize
    }

    /// How many flows had the seat before, modulo the number that can be told apart.
    pub const fn turn(self) -> u32 {
        self.0 >> SEAT_BITS
    }

    /// The same for no two flows under way.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The flow that has the seat after this one.
    #[must_use]
    pub const fn successor(self) -> Self {
        Self(self.0.wrapping_add(Self::SEATS))
    }
}

/// 4 million seats, and a seat's 1024th next flow looks like itself: long after its packets are gone.
const SEAT_BITS: u32 = 22;

/// The ECN field of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// The transport does not understand ECN: congestion can only be told by a drop.
    #[default]
    NotCapable,
    /// ECT(0): capable.
    Ect0,
    /// ECT(1): capable, low-latency service (RFC 9331).
    Ect1,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// A router may mark this packet instead of dropping it.
    pub fn is_capable(self) -> bool {
        self != Self::NotCapable
    }
}

/// Which of a flow's two routes the packet follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// From the sender to the receiver.
    Outward,
    /// From the receiver to the sender.
    Homeward,
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// When it arrived, or will arrive, at the place where it is now: the queue it waits in, the far end of its link.
    pub stamp: Time,
    /// When its endpoint sent it.
    pub sent_at: Time,
    /// Of a data segment or datagram its number within the flow, from 0; of an acknowledgement the first segment not yet
    /// received in order; of an echo or report the datagram it is about.
    pub number: u64,
    /// Whose it is.
    pub flow: FlowId,
    /// What it meets next, as an index into the routes of whoever carries it; nothing to its endpoints.
    pub next: u32,
    /// Bytes on the wire, headers included.
    pub size: u16,
    /// ECN field.
    pub ecn: Ecn,
    /// Sender to receiver: the window was reduced (CWR). Receiver to sender: congestion was seen (ECE).
    pub ecn_echo: bool,
    /// What the endpoints say to each other.
    pub body: Body,
}

/// What the endpoints say to each other.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// Opens a connection.
    Syn {
        /// What is asked of the routers.
        request: Option<Request>,
    },
    /// Accepts it.
    SynAck {
        /// What the routers answered to the SYN.
        feedback: Option<Feedback>,
    },
    /// Has heard that it is accepted: the third packet of a handshake.
    Established,
    /// A segment of data.
    Data {
        /// What is asked of the routers.
        request: Option<Request>,
        /// Bytes of payload.
        payload: u16,
        /// Sent before, under the same number.
        retransmission: bool,
        /// The sender's clock as the packet left, in units of its own (RFC 7323's TSval); wraps.
        timestamp: u8,
    },
    /// An acknowledgement.
    Ack {
        /// Segments received beyond the packet's number, most recently changed block first (RFC 2018 §4).
        blocks: SackBlocks,
        /// Data packets that arrived with CE since the connection opened; wraps.
        ce_packets: u16,
        /// The time stamp of the segment that let the packet's number advance last (RFC 7323's TSecr).
        timestamp_echo: u8,
    },
    /// An acknowledgement that brings back what routers answered, in the place of one SACK block.
    Answer {
        /// As in [`Body::Ack`].
        blocks: SackBlocks<2>,
        /// What the routers allow.
        feedback: Feedback,
        /// As in [`Body::Ack`].
        ce_packets: u16,
        /// As in [`Body::Ack`].
        timestamp_echo: u8,
    },
    /// A packet that is never sent again.
    Datagram {
        /// The sender's round-trip time, seconds; 0 while unknown.
        rtt: f32,
        /// Bytes of payload.
        payload: u16,
    },
    /// Datagram `number` has arrived.
    Echo {
        /// Bit i is set if datagram `number − 1 − i` had arrived before, so that a lost echo costs nothing.
        before: u32,
        /// As in [`Body::Ack`].
        ce_packets: u16,
    },
    /// What has arrived up to datagram `number`, the highest so far.
    Report(Report),
}

/// A receiver's report on many datagrams (RFC 5348 §3.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Loss events per packet; 0 before the first.
    pub loss_event_rate: f32,
    /// Payload received over the last round trip, bits per second.
    pub receive_rate: f32,
    /// Time from the arrival of the newest datagram to this report, seconds.
    pub hold: f32,
    /// Datagrams received since the flow began; wraps.
    pub received: u32,
    /// Datagrams found lost since the flow began; wraps.
    pub lost: u32,
    /// Loss events since the flow began; wraps.
    pub loss_events: u16,
    /// As in [`Body::Ack`].
    pub ce_packets: u16,
}

impl Packet {
    /// A packet that nobody sent, to be overwritten.
    pub const EMPTY: Self = Self {
        stamp: Time::ZERO,
        sent_at: Time::ZERO,
        number: 0,
        flow: FlowId::new(0, 0),
        next: 0,
        size: 0,
        ecn: Ecn::NotCapable,
        ecn_echo: false,
        body: Body::Established,
    };

    /// Bytes on the wire.
    pub fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }

    /// What it asks of the routers.
    pub fn request_mut(&mut self) -> Option<&mut Request> {
        match &mut self.body {
            Body::Syn { request } | Body::Data { request, .. } => request.as_mut(),
            _ => None,
        }
    }

    /// Passes a router: the hop count of IP falls, and that of a Quick-Start request only if the router takes part.
    pub fn pass_router(&mut self) {
        if let Some(Request::QuickStart { ttl_difference, .. }) = self.request_mut() {
            *ttl_difference = ttl_difference.wrapping_add(1);
        }
    }

    /// Which route it follows.
    pub fn leg(&self) -> Leg {
        match self.body {
            Body::Syn { .. } | Body::Established | Body::Data { .. } | Body::Datagram { .. } => Leg::Outward,
            Body::SynAck { .. }
            | Body::Ack { .. }
            | Body::Answer { .. }
            | Body::Echo { .. }
            | Body::Report(_) => Leg::Homeward,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FlowId, Packet};

    #[test]
    fn a_seat_keeps_its_number_whoever_has_it() {
        let first = FlowId::new(7, 0);
        let mut flow = first;
        for _ in 0..1023 {
            flow = flow.successor();
            assert_eq!(flow.seat(), 7);
            assert_ne!(flow.turn(), first.turn());
            assert_ne!(flow, first);
        }
        assert_eq!(flow.successor(), first);
        assert_eq!(FlowId::new(7, 1), first.successor());
    }

    #[test]
    fn a_packet_fits_a_cache_line() {
        assert!(size_of::<Packet>() <= 64, "{} bytes", size_of::<Packet>());
    }
}
