//! Opening the connection: SYN, SYN-ACK, and what their loss costs.
//!
//! A lost SYN or SYN-ACK is sent for again after `initial_rto`, doubled each time, up to `syn_retries` times. The
//! handshake gives the first RTT sample unless a SYN was sent again (Karn). After a loss the connection starts with one
//! segment (RFC 5681 §3.1) and a timeout of 3 s (RFC 6298 §5.7).
//!
//! The SYN carries what the algorithm asks of the routers, and the SYN-ACK that answers it their answer.
//!
//! Deviations: the algorithm's own initial window stays; the transport lets one packet go and one more for each
//! acknowledged until that window is reached or cut.

use super::{ConnectionState, Sender};
use crate::{Host, News};
use narrows_cc::CongestionControl;
use narrows_units::{Span, Time};
use narrows_wire::{Body, Ecn, Feedback, Packet};

/// The state of the handshake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handshake {
    /// When the SYN last left.
    sent_at: Time,
    /// SYNs sent again.
    retries: u32,
    /// Packets that may be in flight after a lost SYN; unlimited otherwise.
    cap: u64,
}

impl Default for Handshake {
    fn default() -> Self {
        Self { sent_at: Time::ZERO, retries: 0, cap: u64::MAX }
    }
}

impl Handshake {
    /// Packets that may be in flight whatever the algorithm says.
    pub(super) fn cap(&self) -> u64 {
        self.cap
    }

    /// `acked` more segments were acknowledged: the cap rises until it reaches the window.
    pub(super) fn on_acked(&mut self, acked: u64, algorithm: &dyn CongestionControl) {
        if self.cap == u64::MAX {
            return;
        }
        self.cap += acked;
        if algorithm.limits().window.is_none_or(|window| self.cap >= window) {
            self.lift_cap();
        }
    }

    pub(super) fn lift_cap(&mut self) {
        self.cap = u64::MAX;
    }
}

impl Sender {
    /// Opens the connection: a SYN leaves. Does nothing if it has been opened before.
    pub fn open<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.state == ConnectionState::Closed {
            self.state = ConnectionState::Connecting;
            self.send_syn(now, host);
        }
    }

    /// The other side has opened the connection and its data came: data may go back at once. Does nothing if the
    /// connection is open already.
    pub fn accept<H: Host>(&mut self, host: &mut H) {
        if self.state == ConnectionState::Closed {
            self.state = ConnectionState::Established;
            host.tell(News::Established);
        }
    }

    /// No answer to the SYN in time.
    pub(super) fn on_syn_timeout<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.handshake.retries >= self.options.syn_retries {
            self.finish(ConnectionState::GaveUp, News::GaveUp, host);
            return;
        }
        self.handshake.retries += 1;
        self.rtt.back_off();
        self.send_syn(now, host);
    }

    pub(super) fn on_syn_ack<H: Host>(&mut self, feedback: Option<Feedback>, now: Time, host: &mut H) {
        match self.state {
            ConnectionState::Connecting => {}
            ConnectionState::Established | ConnectionState::Completed => {
                // The ACK of the handshake was lost, or the SYN-ACK sent twice.
                host.send(self.handshake_packet(Body::Established, now));
                return;
            }
            ConnectionState::Closed | ConnectionState::GaveUp => return,
        }
        self.state = ConnectionState::Established;
        self.rto_deadline = Time::NEVER;
        host.tell(News::Established);
        if self.handshake.retries == 0 {
            self.take_rtt_sample(now - self.handshake.sent_at, now, host);
        } else {
            self.rtt.restart_after_lost_syn();
            self.handshake.cap = 1;
        }
        host.send(self.handshake_packet(Body::Established, now));
        if let Some(feedback) = feedback {
            let path = self.path(now);
            self.algorithm.on_answer(feedback, &path);
        }
        if self.transfer.segments() == 0 {
            self.finish(ConnectionState::Completed, News::Completed, host);
            return;
        }
        self.transmit(now, host);
    }

    pub(super) fn take_rtt_sample<H: Host>(&mut self, rtt: Span, now: Time, host: &mut H) {
        self.rtt.sample(rtt, now);
        host.tell(News::RttSample(rtt));
    }

    fn send_syn<H: Host>(&mut self, now: Time, host: &mut H) {
        self.handshake.sent_at = now;
        self.counters.syns_sent += 1;
        self.rto_deadline = now + self.rtt.rto();
        let path = self.path(now);
        let request = self.algorithm.request(&path);
        host.send(self.handshake_packet(Body::Syn { request }, now));
    }

    fn handshake_packet(&self, body: Body, now: Time) -> Packet {
        Packet {
            stamp: now,
            sent_at: now,
            number: 0,
            flow: self.flow,
            size: self.options.ack.count() as u16,
            next: 0,
            ecn: Ecn::NotCapable,
            ecn_echo: false,
            body,
        }
    }
}
