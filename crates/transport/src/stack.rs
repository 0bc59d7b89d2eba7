// SPDX-License-Identifier: Apache-2.0
//! Endpoints of a connection that a protocol stack outside the simulator carries, such as a kernel's.
//!
//! They execute no protocol: they ask the stack through their [`Host`](crate::Host) to open, write and receive, send what it
//! sends, and keep the counts and the state that it reports, so that the host above them and its records are the same as for a
//! simulated endpoint.

mod arrived;
mod receiver;
mod sender;

pub use arrived::Arrived;
pub use receiver::StackReceiver;
pub use sender::StackSender;

use narrows_cc::{Cause, RttView};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Direction, Ecn, FlowId, Packet};

/// Number of the first stream that the side opens which accepts the connection. Those of the other side are numbered from 0.
pub const PUSHED: u64 = 1 << 61;

/// Number of the first object that is sent in datagrams, as if it were a stream: it may not arrive in full.
pub const DATAGRAMS: u64 = 1 << 62;

/// A request of an endpoint to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackRequest {
    /// Opens the connection.
    Open(FlowId),
    /// Sends the data of the accepting side on the connection that the other side has opened.
    Accept(FlowId),
    /// Writes this much payload to the connection; `None` for an endless supply.
    Write(FlowId, Option<Bytes>),
    /// Writes a part to a stream of the connection.
    WritePart(FlowId, StackPart),
    /// Resets a stream, unless its first bytes, as many as given, have been sent.
    Expire(FlowId, u64, Bytes),
    /// The application writes no more. If both sides write, it closes the connection.
    Stop(FlowId),
    /// A packet has arrived at the stack.
    Deliver {
        /// Connection of the packet.
        flow: FlowId,
        /// The direction in which it travelled.
        direction: Direction,
        /// The number under which the stack sent it.
        handle: u64,
        /// ECN field of the packet, which the network may have changed.
        ecn: Ecn,
    },
    /// The connection has ended, and is removed: the request of what hosts the endpoint.
    Close(FlowId),
}

/// A part of a stream that an application writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackPart {
    /// Number of the stream.
    pub stream: u64,
    /// Payload; `None` for an endless supply.
    pub size: Option<Bytes>,
    /// Whether the stream ends with it.
    pub last: bool,
}

/// The state of a connection in the stack.
#[expect(clippy::struct_excessive_bools, reason = "what a stack reports, one by one")]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackState {
    /// Whether the connection is established.
    pub established: bool,
    /// Whether the stack has aborted the connection.
    pub aborted: bool,
    /// Whether an application has closed the connection, or has stopped and all its data is acknowledged.
    pub closed: bool,
    /// Congestion window, packets, with the fraction of a stack that counts bytes; 0 if it is not known.
    pub window: f64,
    /// Slow-start threshold, packets, likewise; `None` for infinite.
    pub ssthresh: Option<f64>,
    /// Packets sent, not acknowledged and not declared lost.
    pub in_flight: u32,
    /// The round-trip time estimate; `None` before the first sample.
    pub rtt: Option<RttView>,
    /// Pacing rate, of bytes on the wire; `None` if packets are not paced.
    pub pacing_rate: Option<Rate>,
    /// Payload acknowledged cumulatively, bytes.
    pub bytes_acked: u64,
    /// Packets acknowledged in any way; wraps.
    pub delivered: u32,
    /// Packets declared lost.
    pub lost: u32,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Reductions of the window.
    pub reductions: u32,
    /// The window before the last reduction, packets.
    pub before_reduction: f64,
    /// Whether the window is being reduced, for this cause.
    pub reducing: Option<Cause>,
    /// Whether it asked for ECN and does without.
    pub lacks_ecn: bool,
    /// Whether the window stopped the stack at its last attempt to send.
    pub window_limited: bool,
}

/// A packet that the stack sends.
#[derive(Clone, Copy, Debug)]
pub struct StackPacket {
    /// The number under which the stack knows it, until it has been delivered or lost: below the number of packets that the
    /// network has held at a time.
    pub handle: u64,
    /// Number in logs: the number of the segment, from 0, or of the first that has not been received.
    pub number: u64,
    /// Size on the wire, headers included.
    pub size: Bytes,
    /// Payload.
    pub payload: Bytes,
    /// Position of the payload among all payload of its sender, bytes from the start of the connection. Of a retransmission it is
    /// before the end of what was sent.
    pub position: u64,
    /// Whether it opens or accepts the connection.
    pub syn: bool,
    /// The ECN field.
    pub ecn: Ecn,
    /// The connection of a program of several, which queues that keep flows apart distinguish from the others; below 1024. Only
    /// of flows whose slots have one connection in a run.
    pub lane: u32,
    /// Number of the path that it takes, among the paths of the connection, from 0.
    pub path: u32,
}

impl StackRequest {
    /// `packet` has arrived at the stack.
    fn deliver(packet: &Packet) -> Self {
        Self::Deliver {
            flow: packet.flow,
            direction: packet.direction(),
            handle: packet.number,
            ecn: packet.ecn,
        }
    }
}

impl StackPacket {
    fn on_wire(&self, flow: FlowId, body: Body, now: Time) -> Packet {
        let flow = if self.lane == 0 { flow } else { FlowId::new(flow.index() as u32, self.lane) };
        let mut sent = Packet::new(flow, self.handle, self.size, body, now);
        sent.ecn = self.ecn;
        sent
    }
}

/// Returns a round-trip time estimate of the stack, in microseconds; `None` before the first sample.
pub fn rtt_view(latest_us: u32, smoothed_us: u32, min_us: u32) -> Option<RttView> {
    let span = |us: u32| Span::from_ps(u64::from(us) * 1_000_000);
    (smoothed_us > 0).then(|| {
        RttView::new(span(latest_us)).min(span(min_us)).smoothed(span(smoothed_us)).variation(Span::ZERO)
    })
}
