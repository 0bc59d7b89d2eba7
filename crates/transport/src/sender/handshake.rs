// SPDX-License-Identifier: Apache-2.0
//! The three-way handshake.
//!
//! A lost SYN or SYN-ACK is recovered by sending the SYN again after `initial_rto`, doubled each time, up to
//! `syn_retries` times. The handshake gives the first round-trip time sample unless a SYN was retransmitted (Karn's
//! algorithm); in that case the connection starts with a window of one segment (RFC 5681 §3.1) and a timeout of 3 s
//! (RFC 6298 §5.7).
//!
//! A timestamp says which SYN the SYN-ACK answers, the first that arrived, so that it gives a sample in any case. By
//! [`RtoRule::Linux`] the first four timeouts are not backed off (`tcp_syn_linear_timeouts`), and only a second
//! retransmission makes the window one segment, unless the first SYN is answered (`tcp_init_transfer`,
//! `tcp_try_undo_spurious_syn`).
//!
//! The SYN carries the algorithm's request to the routers, and the SYN-ACK their response.
//!
//! Deviations: the algorithm keeps its own initial window. The sender limits the packets in flight to one, and to
//! one more for each segment acknowledged, until that window is reached or reduced.

use super::{ConnectionState, Sender};
use crate::rto::LINEAR_SYN_TIMEOUTS;
use crate::{Host, RtoRule, Rule, TransportEvent, UndoKind};
use narrows_cc::CongestionControl;
use narrows_units::Time;
use narrows_wire::{Body, Feedback, Packet};

/// The state of the handshake.
#[derive(Clone, Debug)]
pub(super) struct Handshake {
    /// Time at which the SYN was sent, each time.
    sent_at: Vec<Time>,
    /// Packets that may be in flight after a lost SYN; `u64::MAX` for no limit.
    window_cap: u64,
}

impl Default for Handshake {
    fn default() -> Self {
        Self { sent_at: Vec::new(), window_cap: u64::MAX }
    }
}

impl Handshake {
    /// Returns the packets that may be in flight regardless of the algorithm.
    pub(super) fn window_cap(&self) -> u64 {
        self.window_cap
    }

    /// `acked` more segments were acknowledged: raises the limit until it reaches the window of `algorithm`.
    pub(super) fn on_acked(&mut self, acked: u64, algorithm: &dyn CongestionControl) {
        if self.window_cap == u64::MAX {
            return;
        }
        self.window_cap += acked;
        if algorithm.limits().window.is_none_or(|window| self.window_cap >= window) {
            self.lift_cap();
        }
    }

    /// Removes the limit.
    pub(super) fn lift_cap(&mut self) {
        self.window_cap = u64::MAX;
    }
}

impl Sender {
    /// Opens the connection by sending a SYN. Has no effect if it has been opened before.
    pub(crate) fn open<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.core.status.state == ConnectionState::Closed {
            self.core.status.state = ConnectionState::Connecting;
            self.send_syn(now, host);
        }
    }

    /// The other side has opened the connection: data may be sent at once. Has no effect if the connection is open.
    pub(crate) fn accept<H: Host>(&mut self, host: &mut H) {
        if self.core.status.state == ConnectionState::Closed {
            self.core.status.state = ConnectionState::Established;
            host.notify(TransportEvent::Established);
        }
    }

    /// The retransmission timer of the SYN expired.
    pub(super) fn on_syn_timeout<H: Host>(&mut self, now: Time, host: &mut H) {
        let more = if self.core.options.rto == RtoRule::Linux { LINEAR_SYN_TIMEOUTS } else { 0 };
        if self.core.timer.expirations() >= self.core.options.syn_retries + more {
            self.finish(ConnectionState::GaveUp, TransportEvent::GaveUp, host);
            return;
        }
        self.core.timer.on_syn_expired(now);
        host.notify(TransportEvent::Expired(Rule::SynTimeout));
        self.send_syn(now, host);
    }

    /// The answer to the SYN before which `answered` others were sent.
    pub(super) fn on_syn_ack<H: Host>(
        &mut self,
        answered: u64,
        feedback: Option<Feedback>,
        now: Time,
        host: &mut H,
    ) {
        match self.core.status.state {
            ConnectionState::Connecting => {}
            ConnectionState::Established | ConnectionState::Completed => {
                // The ACK of the handshake was lost, or the SYN-ACK sent twice.
                host.send(self.control_packet(0, Body::HandshakeAck, now));
                return;
            }
            ConnectionState::Closed | ConnectionState::GaveUp => return,
        }
        self.core.status.state = ConnectionState::Established;
        let retransmissions = self.core.timer.expirations();
        self.core.timer.on_syn_acknowledged();
        host.notify(TransportEvent::Established);
        let stamped = self.core.options.undo == UndoKind::DuplicatesAndTimestamps;
        let sent_at = self.handshake.sent_at.get(answered as usize);
        if let Some(sent_at) = sent_at.filter(|_| stamped || retransmissions == 0) {
            self.core.take_rtt_sample(now - *sent_at, now, host);
        }
        let suspects_congestion = match self.core.options.rto {
            RtoRule::Rfc6298 => retransmissions > 0,
            RtoRule::Linux => retransmissions > 1 && !(stamped && answered == 0),
        };
        if suspects_congestion {
            self.handshake.window_cap = 1;
        }
        host.send(self.control_packet(0, Body::HandshakeAck, now));
        if let Some(feedback) = feedback {
            let path = self.path(now);
            self.core.algorithm.on_answer(feedback, &path);
        }
        if self.core.data.transfer().segments() == 0 {
            self.finish(ConnectionState::Completed, TransportEvent::Completed, host);
            return;
        }
        self.transmit(now, host);
    }

    fn send_syn<H: Host>(&mut self, now: Time, host: &mut H) {
        let earlier = self.handshake.sent_at.len() as u64;
        self.handshake.sent_at.push(now);
        self.core.status.counters.syns_sent += 1;
        self.core.timer.on_sent(now);
        let path = self.path(now);
        let request = self.core.algorithm.request(&path);
        let control = self.core.ecn.codepoint_of_control();
        host.send(self.control_packet(earlier, Body::Syn { request, control }, now));
    }

    /// Returns a packet without data.
    pub(super) fn control_packet(&self, number: u64, body: Body, now: Time) -> Packet {
        let ecn = self.core.ecn.codepoint_of_control();
        Packet { ecn, ..Packet::new(self.core.flow, number, self.core.options.ack, body, now) }
    }
}
