// SPDX-License-Identifier: Apache-2.0
//! Transport endpoints as pure state machines. Their input is packets and times, their output packets and
//! [`TransportEvent`]s through a [`Host`].
//!
//! A [`SendingEndpoint`] hosts a congestion control algorithm, a [`ReceivingEndpoint`] acknowledges. Each is of the
//! kind that the algorithm requires: a reliable byte stream counted in segments, or datagrams that are sent once. Loss
//! recovery is a module of its own, with one policy per file.

mod datagram;
mod ecn;
mod endpoint;
mod loss_events;
mod options;
mod pacer;
mod rate_sample;
mod receiver;
mod recovery;
mod round;
mod rto;
mod rtt;
mod rule;
mod sender;
mod stack;
mod transfer;
mod usage;
mod wheel;

pub use endpoint::{ReceivingEndpoint, SendingEndpoint};
pub use options::{
    EcnPackets, ForwardRtoKind, RecoveryKind, ReductionFrom, RtoRestart, RtoRule, TransportOptions, UndoKind,
};
pub use receiver::{Receiver, ReceiverCounters};
pub use rule::Rule;
#[cfg(debug_assertions)]
pub use sender::without_comparison;
pub use sender::{ConnectionState, Limit, Sender, SenderCounters, SenderSnapshot};
pub use stack::{
    Arrived, DATAGRAMS, PUSHED, StackPacket, StackPart, StackReceiver, StackRequest, StackSender, StackState,
    rtt_view,
};

use narrows_units::Span;
use narrows_wire::Packet;

/// The host of an endpoint: it sends packets and may observe events.
pub trait Host {
    /// Sends `packet`, now: at the time that was passed to the endpoint.
    fn send(&mut self, packet: Packet);
    /// Passes `request` to the stack that carries the connection. Only endpoints of a stack call it, so hosts of others need not
    /// implement it.
    fn request(&mut self, request: StackRequest) {
        debug_assert!(false, "no stack carries this connection: {request:?}");
    }
    /// Receives `event`, for records: nothing done here affects the endpoint. Ignores it by default.
    fn notify(&mut self, _event: TransportEvent) {}
}

/// An event at an endpoint, reported by [`Host::notify`] for the records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransportEvent {
    /// The connection was established.
    Established,
    /// A round-trip time was measured.
    RttSample(Span),
    /// The congestion window was reduced: a loss or mark episode started.
    Reduction {
        /// The congestion signal.
        cause: narrows_cc::Cause,
        /// The rule that found it.
        rule: Rule,
        /// Congestion window just before, packets.
        window_before: f64,
        /// Congestion window just after, packets.
        window_after: f64,
        /// Slow-start threshold just before, packets; `None` for an algorithm without one.
        ssthresh_before: Option<f64>,
    },
    /// A packet was declared lost; of a reliable flow reported after [`Sender::report_losses`].
    DeclaredLost {
        /// Number of the segment or datagram.
        number: u64,
        /// Rule by which the loss was declared.
        rule: Rule,
    },
    /// A timer expired: by [`Rule::Timeout`], [`Rule::SynTimeout`], or [`Rule::Probe`] if it sent a tail loss probe.
    Expired(Rule),
    /// Recovery from losses or a mark starts; a timeout or a lost retransmission may restart it.
    RecoveryStarted(Rule),
    /// Recovery is over.
    RecoveryEnded,
    /// The last episode was spurious, and was undone.
    Undone(Rule),
    /// The flow is about to send after an idle time, which lowered its window.
    IdleRestart,
    /// The receiver has no room for the next segment, and nothing is outstanding.
    WindowClosed,
    /// A probe of the closed window was sent.
    WindowProbe,
    /// The receiver has room again.
    WindowOpened,
    /// All data of a finite transfer was acknowledged; of datagrams, all have been sent.
    Completed,
    /// The connection was aborted: its SYN, or a segment, stayed unanswered after the last retry.
    GaveUp,
}
