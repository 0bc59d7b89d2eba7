//! Endpoints as pure state machines: a packet or the time in, packets and news out through a [`Host`].
//!
//! [`Sender`] hosts any congestion control over a reliable byte stream counted in segments; [`Receiver`] acknowledges.
//! [`DatagramSender`] and [`DatagramReceiver`] send packets once and forget them; an algorithm says which of the two it is for.
//! What a loss is and which segment goes next is decided by a recovery policy, one file each in `recovery/`.

mod datagram;
mod ecn;
mod endpoint;
mod loss_events;
mod options;
mod pacer;
mod rate_reduction;
mod rate_sample;
mod receiver;
mod recovery;
mod round;
mod rtt;
mod scoreboard;
mod sender;
mod silent;
mod transfer;
mod undo;
mod usage;

pub use datagram::{DatagramReceiver, DatagramSender};
pub use endpoint::{ReceivingEndpoint, SendingEndpoint};
pub use options::{RecoveryKind, RtoRule, TransportOptions, UndoKind};
pub use receiver::{Receiver, ReceiverCounters};
pub use sender::{ConnectionState, Limit, Sender, SenderCounters};

use narrows_units::Span;
use narrows_wire::Packet;

/// What an endpoint may do to the world while it is told something.
pub trait Host {
    /// Sends `packet`, now.
    fn send(&mut self, packet: Packet);
    /// News for records; the endpoint's behaviour does not depend on it.
    fn tell(&mut self, _news: News) {}
}

/// What happened inside an endpoint, for records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum News {
    /// The connection is open.
    Established,
    /// A round-trip time was measured.
    RttSample(Span),
    /// A loss episode began; the congestion window just before and just after, packets.
    Reduction {
        /// Why.
        cause: narrows_cc::Cause,
        /// Before.
        window_before: f64,
        /// After.
        window_after: f64,
    },
    /// Every byte of a finite transfer has been acknowledged.
    Completed,
    /// The connection could not be opened, or too many retransmissions went unanswered.
    GaveUp,
}
