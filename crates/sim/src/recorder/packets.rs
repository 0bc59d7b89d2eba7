// SPDX-License-Identifier: Apache-2.0
//! Entries of the packet log.

use super::log::Entry;
use super::place::Place;
use narrows_records::{PacketEvent, PacketKind};
use narrows_units::Time;
use narrows_wire::{Body, Packet};

/// An entry of the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogEntry {
    /// Time of the event.
    pub at: Time,
    /// Host or link of the event.
    pub place: Place,
    /// Kind of the event.
    pub event: PacketEvent,
    /// The packet at the time of the event.
    pub packet: Packet,
}

impl Entry for LogEntry {
    fn at(&self) -> Time {
        self.at
    }

    fn place(&self) -> Place {
        self.place
    }
}

/// Returns the kind of the packet with `body`.
pub(crate) fn kind(body: &Body) -> PacketKind {
    match body {
        Body::Syn { .. } => PacketKind::Syn,
        Body::SynAck { .. } => PacketKind::SynAck,
        Body::HandshakeAck => PacketKind::Established,
        Body::Data { .. } => PacketKind::Data,
        Body::Ack { .. }
        | Body::PartialAck
        | Body::AckWithFeedback { .. }
        | Body::AckWithWindow { .. }
        | Body::AckWithFeedbackAndWindow { .. } => PacketKind::Ack,
        Body::WindowProbe => PacketKind::WindowProbe,
        Body::Datagram { .. } => PacketKind::Datagram,
        Body::Echo { .. } => PacketKind::Echo,
        Body::Report(_) => PacketKind::Report,
    }
}
