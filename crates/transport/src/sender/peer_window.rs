// SPDX-License-Identifier: Apache-2.0
//! The window of a receiver whose application does not read all data at once (RFC 9293 §3.8.6).
//!
//! A segment is sent only if all of it is within the window, so that none is cut: with the receiver's avoidance of silly
//! windows this is what §3.8.6.2.1 asks of a sender. While the next segment does not fit and nothing is outstanding, the window
//! is *closed*, and an update that is lost would be waited for without end. The persist timer (§3.8.6.1) then sends a probe
//! after the retransmission timeout, and further ones after times that double up to `max_rto`, as long as they are answered:
//! after `retries` without an answer the connection is aborted. It is the retransmission timer, which has nothing else to
//! do while nothing is outstanding.
//!
//! An acknowledgement that moves the edge of the window is no duplicate (RFC 5681 §2).
//!
//! Deviation: a probe has no octet of new data. As in Linux (`tcp_xmit_probe_skb`) it has no data.

use super::acknowledge::AckFields;
use super::{ConnectionState, Limit, Sender};
use crate::{Host, TransportEvent, TransportOptions};
use narrows_units::Time;
use narrows_wire::{Block, Body};

/// The window of one receiver.
#[derive(Clone, Debug)]
pub(super) struct PeerWindow {
    /// Payload from the start of the connection that may be sent, bytes: `SND.UNA + SND.WND`.
    edge: u64,
    /// Whether the window is closed.
    closed: bool,
    /// Probes since the edge last moved.
    probes: u32,
    /// Of these, probes since the last acknowledgement.
    unanswered: u32,
}

impl PeerWindow {
    /// Creates the window at the start of a connection; `None` if it never changes.
    pub(super) fn new(options: &TransportOptions) -> Option<Box<Self>> {
        let edge = options.read_buffer()?.count();
        Some(Box::new(Self { edge, closed: false, probes: 0, unanswered: 0 }))
    }
}

impl Sender {
    /// Whether the receiver has no room for the next segment, as far as the sender knows.
    #[inline]
    pub(super) fn exceeds_peer_window(&self) -> bool {
        self.peer_window.as_ref().is_some_and(|peer| self.end_of_next().count() > peer.edge)
    }

    /// An acknowledgement arrived that carries a `window`.
    #[cold]
    pub(super) fn on_ack_with_window<H: Host>(
        &mut self,
        mut fields: AckFields,
        window: u32,
        blocks: impl Iterator<Item = Block>,
        now: Time,
        host: &mut H,
    ) {
        let acceptable = fields.next <= self.recovery.board().next();
        if self.core.status.state == ConnectionState::Established && acceptable {
            fields.opens_window = self.move_edge(fields.next, window, host);
            self.on_ack(&fields, blocks, now, host);
        }
    }

    /// Moves the edge to `window` bytes beyond segment `next`. Returns whether it was not there or further yet.
    fn move_edge<H: Host>(&mut self, next: u64, window: u32, host: &mut H) -> bool {
        let Some(peer) = &mut self.peer_window else { return false };
        peer.unanswered = 0;
        let edge = self.core.data.transfer().payload_before(next).count() + u64::from(window);
        if edge <= peer.edge {
            return false;
        }
        (peer.edge, peer.probes) = (edge, 0);
        if std::mem::take(&mut peer.closed) {
            self.core.timer.stop();
            host.notify(TransportEvent::WindowOpened);
        }
        true
    }

    /// The receiver's window is the limit, and nothing is outstanding: starts the persist timer unless it runs.
    #[cold]
    pub(super) fn on_closed_window<H: Host>(&mut self, now: Time, host: &mut H) {
        debug_assert_eq!(self.core.status.limited_by, Limit::ReceiveWindow, "another limit needs no probe");
        let Some(peer) = &mut self.peer_window else { return };
        if !peer.closed {
            peer.closed = true;
            self.core.timer.persist(peer.probes, now);
            host.notify(TransportEvent::WindowClosed);
        }
    }

    /// The persist timer expired: sends a probe.
    #[cold]
    pub(super) fn on_persist_timeout<H: Host>(&mut self, now: Time, host: &mut H) {
        let Some(peer) = &mut self.peer_window else { return };
        if peer.unanswered >= self.core.options.retries {
            self.finish(ConnectionState::GaveUp, TransportEvent::GaveUp, host);
            return;
        }
        peer.probes += 1;
        peer.unanswered += 1;
        self.core.timer.persist(peer.probes, now);
        host.notify(TransportEvent::WindowProbe);
        host.send(self.control_packet(self.recovery.board().next(), Body::WindowProbe, now));
    }
}
