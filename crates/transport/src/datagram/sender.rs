// SPDX-License-Identifier: Apache-2.0
//! The sender of datagrams: hosts a congestion control algorithm that sets a rate.
//!
//! Where each packet is echoed, a packet is lost when three later ones have arrived or when its echo is overdue by the
//! timeout of RFC 6298. The first loss starts an episode; losses of packets sent before its start belong to it (Rejaie,
//! Handley and Estrin 1999 §2.2), and the first arrival of a later packet ends it. Marks start episodes as losses do.
//! If the receiver reports, the reports are passed on, and a new loss event counts as a reduction in the records.

mod feedback;
mod transmit;

use super::flight::Flight;
use super::spacing::Spacing;
use crate::sender::SenderCore;
use crate::{ConnectionState, Host, Limit, Rule, TransportEvent, TransportOptions};
use narrows_cc::{Cause, CongestionControl, Needs, Path, Reports, SentPacket, Transport};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Body, FlowId, Packet};
use std::sync::Arc;

/// A sender of datagrams.
#[derive(Debug)]
pub(crate) struct DatagramSender {
    core: SenderCore,
    /// Kind of reports that the receiver sends.
    reports: Reports,
    /// The number of the next packet.
    next: u64,
    flight: Flight,
    /// The first packet that had not been sent at the start of the last episode.
    recovery_point: u64,
    in_episode: bool,
    /// The totals of the last report.
    reported: Totals,
    spacing: Spacing,
    /// The packets to be reported to the algorithm, where it needs them.
    packets: Vec<SentPacket>,
}

/// The totals of a receiver as a report carries them; they wrap.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    received: u32,
    lost: u32,
    loss_events: u16,
}

impl DatagramSender {
    /// Creates a sender of `size` bytes of payload, endless if `None`. It provides no delivery-rate samples.
    pub(crate) fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
    ) -> Self {
        let reports = match needs.transport {
            Transport::Datagram(reports) => reports,
            Transport::Reliable => Reports::EachPacket,
        };
        Self {
            core: SenderCore::new(flow, options, size, algorithm, needs),
            reports,
            next: 0,
            flight: Flight::default(),
            recovery_point: 0,
            in_episode: false,
            reported: Totals::default(),
            spacing: Spacing::default(),
            packets: Vec::new(),
        }
    }

    /// Starts to send. Has no effect if the flow has started before.
    pub(crate) fn open<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.core.status.state == ConnectionState::Closed {
            self.core.status.state = ConnectionState::Established;
            host.notify(TransportEvent::Established);
            self.transmit(now, host);
        }
    }

    /// A packet from the receiver arrived.
    pub(crate) fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        if self.core.status.state != ConnectionState::Established || packet.number >= self.next {
            return;
        }
        match packet.body {
            Body::Echo { before, ce_packets } => {
                self.on_echo(packet.number, before, (ce_packets, packet.sent_at), now, host);
            }
            Body::Report(report) => self.on_report(packet.number, &report, now, host),
            _ => return,
        }
        self.transmit(now, host);
    }

    /// A timer may have expired. Has no effect if none has.
    pub(crate) fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.core.status.state != ConnectionState::Established {
            return;
        }
        if self.core.algorithm.next_timer().is_some_and(|at| now >= at) {
            let path = self.path(now);
            self.core.algorithm.on_timer(&path);
        }
        if now >= self.echo_deadline() {
            let timeout = self.core.timer.rto();
            self.core.status.counters.timeouts += 1;
            host.notify(TransportEvent::Expired(Rule::Timeout));
            self.detect_losses((Cause::Timeout, Rule::Timeout), now, host, |flight| {
                flight.next_overdue(timeout, now)
            });
        }
        self.transmit(now, host);
    }

    /// Returns when the next timer expires; `Time::NEVER` if none is set.
    pub(crate) fn next_wake(&self) -> Time {
        if self.core.status.state != ConnectionState::Established {
            return Time::NEVER;
        }
        let algorithm = self.core.algorithm.next_timer().unwrap_or(Time::NEVER);
        self.spacing.deadline().min(algorithm).min(self.echo_deadline())
    }

    /// The application offers `packets` more packets.
    pub(crate) fn offer<H: Host>(&mut self, packets: u64, now: Time, host: &mut H) {
        self.core.data.offer(packets);
        if self.core.status.state == ConnectionState::Established {
            self.transmit(now, host);
        }
    }

    /// The application offers no more.
    pub(crate) fn stop<H: Host>(&mut self, now: Time, host: &mut H) {
        self.core.data.close(self.next);
        if self.core.status.state == ConnectionState::Established {
            self.transmit(now, host);
        }
    }

    /// Returns what this sender has in common with other kinds.
    #[inline]
    pub(crate) fn core(&self) -> &SenderCore {
        &self.core
    }

    /// Returns what this sender has in common with other kinds.
    #[inline]
    pub(crate) fn core_mut(&mut self) -> &mut SenderCore {
        &mut self.core
    }

    /// Returns the congestion window, packets; for an algorithm without one, the packets sent in a smoothed round-trip
    /// time at its rate.
    pub(crate) fn window(&self) -> Option<f64> {
        self.core.algorithm.window().or_else(|| {
            let (rate, rtt) = (self.pacing_rate()?, self.core.smoothed_rtt()?);
            Some(rate.as_bps() as f64 * rtt.as_secs_f64() / self.core.options.mss.bits() as f64)
        })
    }

    pub(crate) fn mss(&self) -> Bytes {
        self.core.options.mss
    }

    /// Returns the packets that may be in flight now; `None` if only a rate limits.
    pub(crate) fn usable_window(&self) -> Option<u64> {
        self.core.algorithm.limits().window
    }

    /// Returns the packets in flight; `None` if the receiver sends nothing back.
    pub(crate) fn in_flight(&self) -> Option<u64> {
        (self.reports != Reports::Nothing).then(|| self.flight.count())
    }

    /// Returns the sending rate, of payload; `None` if only a window limits.
    pub(crate) fn pacing_rate(&self) -> Option<Rate> {
        self.core.algorithm.limits().pacing
    }

    /// The state of the path. The rate is a limit as a window is.
    fn path(&self, now: Time) -> Path {
        let is_limited = self.core.status.limited_by != Limit::Application;
        self.core.path(self.flight.count(), is_limited, self.spacing.deadline().min(now), now)
    }

    /// When the oldest echo is overdue.
    fn echo_deadline(&self) -> Time {
        match self.flight.oldest_sent_at() {
            Some(sent_at) if self.reports == Reports::EachPacket => sent_at + self.core.timer.rto(),
            _ => Time::NEVER,
        }
    }
}
