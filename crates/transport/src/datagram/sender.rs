//! The datagram sender: hosts an algorithm that sets a rate.
//!
//! Packets are spaced by [`Spacing`](super::spacing::Spacing). Where each packet is echoed, one is lost when three later
//! ones have arrived or the timeout of RFC 6298 has passed since it left. The first loss begins an episode, and losses
//! among the packets that were out at that moment belong to it (Rejaie, Handley and Estrin 1999 §2.2); the first arrival
//! of a later packet ends it. Marks begin episodes as losses do. Where the receiver reports, what a report says is told,
//! and a new loss event counts as a reduction in the records.

mod hear;
mod transmit;

use super::flight::Flight;
use super::spacing::Spacing;
use crate::ecn::EcnSender;
use crate::loss_events::LossEvents;
use crate::round::RoundCounter;
use crate::rtt::RttEstimator;
use crate::transfer::Transfer;
use crate::{ConnectionState, Host, Limit, News, SenderCounters, TransportOptions};
use narrows_cc::catalogue::Needs;
use narrows_cc::{Cause, CongestionControl, Path, Reports, SentPacket, Transport};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, FlowId, Packet};
use std::sync::Arc;

/// A sender.
#[derive(Debug)]
pub struct DatagramSender {
    flow: FlowId,
    options: Arc<TransportOptions>,
    transfer: Transfer,
    /// Packets that the application has written; `u64::MAX` where it has written everything.
    offered: u64,
    algorithm: Box<dyn CongestionControl>,
    needs: Needs,
    reports: Reports,
    state: ConnectionState,
    /// Number of the next packet.
    next: u64,
    flight: Flight,
    /// Losses of packets below this belong to the last episode.
    episode_below: u64,
    in_episode: bool,
    /// The receiver's totals when it last reported.
    reported: Totals,
    rtt: RttEstimator,
    ecn: EcnSender,
    round: RoundCounter,
    spacing: Spacing,
    /// When the next packet may leave; `NEVER` unless the rate holds it back.
    pacing_deadline: Time,
    limited_by: Limit,
    /// Slices for algorithms that ask for them.
    packets: Vec<SentPacket>,
    loss_events: LossEvents,
    counters: SenderCounters,
}

/// What a receiver counts, as a report carries it.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    received: u32,
    lost: u32,
    loss_events: u16,
}

impl DatagramSender {
    /// A sender of `size` bytes of payload, endless where `None`. `needs` are those of the algorithm's catalogue entry;
    /// delivery-rate samples are not among what is provided. One made for a reliable sender hears of each packet.
    pub fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
    ) -> Self {
        let reports = match algorithm.transport() {
            Transport::Datagram(reports) => reports,
            Transport::Reliable => Reports::EachPacket,
        };
        Self {
            flow,
            transfer: Transfer::new(size, options.mss),
            offered: u64::MAX,
            needs,
            reports,
            state: ConnectionState::Closed,
            next: 0,
            flight: Flight::default(),
            episode_below: 0,
            in_episode: false,
            reported: Totals::default(),
            rtt: RttEstimator::new(options.rto, options.initial_rto, options.min_rto, options.max_rto),
            ecn: EcnSender::new(options.ecn, algorithm.ecn()),
            round: RoundCounter::default(),
            spacing: Spacing::default(),
            pacing_deadline: Time::NEVER,
            limited_by: Limit::Application,
            packets: Vec::new(),
            loss_events: LossEvents::default(),
            counters: SenderCounters::default(),
            options,
            algorithm,
        }
    }

    /// Begins to send. Does nothing if it has begun before.
    pub fn open<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.state == ConnectionState::Closed {
            self.state = ConnectionState::Established;
            host.tell(News::Established);
            self.transmit(now, host);
        }
    }

    /// Takes in a packet from the receiver.
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        if self.state != ConnectionState::Established || packet.number >= self.next {
            return;
        }
        match packet.body {
            Body::Echo { before, ce_packets } => self.on_echo(packet.number, before, ce_packets, now, host),
            Body::Report(report) => self.on_report(packet.number, &report, now, host),
            _ => return,
        }
        self.transmit(now, host);
    }

    /// Some deadline may be due; harmless if none is.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.state != ConnectionState::Established {
            return;
        }
        if self.algorithm.next_timer().is_some_and(|at| now >= at) {
            let path = self.path(now);
            self.algorithm.on_timer(&path);
        }
        if now >= self.timeout_deadline() {
            let patience = self.rtt.rto();
            self.counters.timeouts += 1;
            self.find_losses(Cause::Timeout, now, host, |flight| flight.next_overdue(patience, now));
        }
        self.transmit(now, host);
    }

    /// The earliest deadline; `Time::NEVER` if there is none.
    pub fn next_wake(&self) -> Time {
        if self.state != ConnectionState::Established {
            return Time::NEVER;
        }
        let timer = self.algorithm.next_timer().unwrap_or(Time::NEVER);
        self.pacing_deadline.min(timer).min(self.timeout_deadline())
    }

    /// Nothing is written yet: what may be sent is what [`offer`](Self::offer) says.
    pub fn wait_for_offers(&mut self) {
        self.offered = 0;
    }

    /// The application has written that many packets more.
    pub fn offer<H: Host>(&mut self, packets: u64, now: Time, host: &mut H) {
        self.offered = self.offered.saturating_add(packets);
        if self.state == ConnectionState::Established {
            self.transmit(now, host);
        }
    }

    /// Counts so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }

    /// The algorithm's congestion window, packets; without one, the packets that its rate sends in a smoothed round trip.
    pub fn window(&self) -> Option<f64> {
        self.algorithm.window().or_else(|| {
            let (rate, rtt) = (self.pacing_rate()?, self.smoothed_rtt()?);
            Some(rate.as_bps() as f64 * rtt.as_secs_f64() / self.options.mss.bits() as f64)
        })
    }

    /// Packets that may be in flight now; `None` where only a rate limits.
    pub fn usable_window(&self) -> Option<u64> {
        self.algorithm.limits().window
    }

    /// The algorithm's slow-start threshold, packets; infinite while unset.
    pub fn ssthresh(&self) -> Option<f64> {
        self.algorithm.ssthresh()
    }

    /// Packets sent, not known to have arrived and not found lost; `None` where the receiver is silent.
    pub fn in_flight(&self) -> Option<u64> {
        (self.reports != Reports::Nothing).then(|| self.flight.count())
    }

    /// The rate at which packets leave, payload bits per second; `None` if they are not paced.
    pub fn pacing_rate(&self) -> Option<Rate> {
        self.algorithm.limits().pacing
    }

    /// The shortest round trip so far; `None` before the first sample.
    pub fn minimum_rtt(&self) -> Option<Span> {
        self.rtt.view().map(|view| view.min)
    }

    /// `SRTT`; `None` before the first sample.
    pub fn smoothed_rtt(&self) -> Option<Span> {
        self.rtt.view().map(|view| view.smoothed)
    }

    /// How far the flow has come.
    pub fn state(&self) -> ConnectionState {
        self.state
    }

    /// What stopped the last attempt to send.
    pub fn limited_by(&self) -> Limit {
        self.limited_by
    }

    /// The hosted algorithm, for records.
    pub fn algorithm(&self) -> &dyn CongestionControl {
        self.algorithm.as_ref()
    }

    /// Where the flow stands. The rate is a limit as a window is.
    fn path(&self, now: Time) -> Path {
        Path {
            now,
            mss: self.options.mss,
            in_flight: self.flight.count(),
            rtt: self.rtt.view().copied(),
            round: self.round.count(),
            window_limited: self.limited_by != Limit::Application,
        }
    }

    /// When the oldest echo is overdue.
    fn timeout_deadline(&self) -> Time {
        match self.flight.oldest() {
            Some(sent_at) if self.reports == Reports::EachPacket => sent_at + self.rtt.rto(),
            _ => Time::NEVER,
        }
    }
}
