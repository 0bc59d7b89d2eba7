//! The three-way handshake.
//!
//! A lost SYN or SYN-ACK is recovered by sending the SYN again after `initial_rto`, doubled each time, up to
//! `syn_retries` times. The handshake gives the first round-trip time sample unless a SYN was retransmitted (Karn's
//! algorithm); in that case the connection starts with a window of one segment (RFC 5681 §3.1) and a timeout of 3 s
//! (RFC 6298 §5.7).
//!
//! The SYN carries the algorithm's request to the routers, and the SYN-ACK their response.
//!
//! Deviations: the algorithm keeps its own initial window. The sender limits the packets in flight to one, and to
//! one more for each segment acknowledged, until that window is reached or reduced.

use super::{ConnectionState, Sender};
use crate::{Host, Rule, TransportEvent};
use narrows_cc::CongestionControl;
use narrows_units::Time;
use narrows_wire::{Body, Feedback, Packet};

/// The state of the handshake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handshake {
    /// When the SYN was last sent.
    sent_at: Time,
    /// Packets that may be in flight after a lost SYN; `u64::MAX` for no limit.
    window_cap: u64,
}

impl Default for Handshake {
    fn default() -> Self {
        Self { sent_at: Time::ZERO, window_cap: u64::MAX }
    }
}

impl Handshake {
    /// Packets that may be in flight regardless of the algorithm.
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
        if self.core.state == ConnectionState::Closed {
            self.core.state = ConnectionState::Connecting;
            self.send_syn(now, host);
        }
    }

    /// The other side has opened the connection: data may be sent at once. Has no effect if the connection is open.
    pub(crate) fn accept<H: Host>(&mut self, host: &mut H) {
        if self.core.state == ConnectionState::Closed {
            self.core.state = ConnectionState::Established;
            host.notify(TransportEvent::Established);
        }
    }

    /// The retransmission timer of the SYN expired.
    pub(super) fn on_syn_timeout<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.core.timer.expirations() >= self.core.options.syn_retries {
            self.finish(ConnectionState::GaveUp, TransportEvent::GaveUp, host);
            return;
        }
        self.core.timer.on_expired(now);
        host.notify(TransportEvent::Expired(Rule::SynTimeout));
        self.send_syn(now, host);
    }

    pub(super) fn on_syn_ack<H: Host>(&mut self, feedback: Option<Feedback>, now: Time, host: &mut H) {
        match self.core.state {
            ConnectionState::Connecting => {}
            ConnectionState::Established | ConnectionState::Completed => {
                // The ACK of the handshake was lost, or the SYN-ACK sent twice.
                host.send(self.handshake_packet(Body::HandshakeAck, now));
                return;
            }
            ConnectionState::Closed | ConnectionState::GaveUp => return,
        }
        self.core.state = ConnectionState::Established;
        let retransmitted = self.core.timer.expirations() > 0;
        self.core.timer.on_syn_acknowledged();
        host.notify(TransportEvent::Established);
        if retransmitted {
            self.handshake.window_cap = 1;
        } else {
            self.core.take_rtt_sample(now - self.handshake.sent_at, now, host);
        }
        host.send(self.handshake_packet(Body::HandshakeAck, now));
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
        self.handshake.sent_at = now;
        self.core.counters.syns_sent += 1;
        self.core.timer.on_sent(now);
        let path = self.path(now);
        let request = self.core.algorithm.request(&path);
        host.send(self.handshake_packet(Body::Syn { request }, now));
    }

    fn handshake_packet(&self, body: Body, now: Time) -> Packet {
        Packet::new(self.core.flow, 0, self.core.options.ack, body, now)
    }
}
