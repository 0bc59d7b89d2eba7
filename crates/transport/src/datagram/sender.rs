//! The datagram sender: hosts an algorithm that sets a rate.
//!
//! Packets are spaced by [`Spacing`](super::spacing::Spacing). Where each packet is echoed, one is lost when three later
//! ones have arrived or the timeout of RFC 6298 has passed since it left. The first loss begins an episode, and losses
//! among the packets that were out at that moment belong to it (Rejaie, Handley and Estrin 1999 §2.2); the first arrival
//! of a later packet ends it. Marks begin episodes as losses do. Where the receiver reports, what a report says is told,
//! and a new loss event counts as a reduction in the records.

use super::flight::Flight;
use super::spacing::Spacing;
use crate::ecn::EcnSender;
use crate::round::RoundCounter;
use crate::rtt::RttEstimator;
use crate::transfer::Transfer;
use crate::{ConnectionState, Host, Limit, News, SenderCounters, TransportOptions};
use narrows_cc::catalogue::Needs;
use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, Report, Reports, SentPacket, Transport};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{self as wire, Body, FlowId, Leg, Packet};
use std::sync::Arc;

/// A sender.
#[derive(Debug)]
pub struct DatagramSender {
    flow: FlowId,
    options: Arc<TransportOptions>,
    transfer: Transfer,
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
    /// delivery-rate samples are not among what is provided.
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

    fn on_echo<H: Host>(&mut self, number: u64, before: u32, ce_packets: u16, now: Time, host: &mut H) {
        self.counters.acks_received += 1;
        let marked = self.note_marks(ce_packets);
        let earlier = (0..u64::from(u32::BITS)).rev().filter(|back| before >> back & 1 == 1);
        let mut newly_acked = 0;
        for number in earlier.filter_map(|back| number.checked_sub(back + 1)) {
            newly_acked += u64::from(self.arrived(number).is_some());
        }
        let newest = self.arrived(number);
        newly_acked += u64::from(newest.is_some());
        let rtt = newest.map(|packet| {
            self.round.on_delivered(packet.sent_at, now);
            self.take_rtt_sample(now - packet.sent_at, now, host)
        });
        let acked = std::mem::take(&mut self.packets);
        self.find_losses(Cause::Detected, now, host, Flight::next_lost);
        if number >= self.episode_below && self.in_episode {
            self.in_episode = false;
            let path = self.path(now);
            self.algorithm.on_recovered(&path);
        }
        if marked > 0 && number >= self.episode_below {
            self.tell_loss(Cause::Mark, true, 0, now, host);
        }
        if newly_acked > 0 {
            let path = self.path(now);
            let ack = Ack {
                newly_acked,
                advanced: true,
                ce_packets: marked,
                rtt,
                rate: None,
                feedback: None,
                packets: &acked,
            };
            self.algorithm.on_ack(&ack, &path);
        }
        self.packets = acked;
        self.packets.clear();
    }

    /// Number `number` has arrived; the packet, if that is news.
    fn arrived(&mut self, number: u64) -> Option<SentPacket> {
        let packet = self.flight.arrive(number)?;
        self.counters.segments_acked += 1;
        self.counters.bytes_acked += packet.size.count();
        if self.needs.packets {
            self.packets.push(packet);
        }
        Some(packet)
    }

    fn on_report<H: Host>(&mut self, number: u64, report: &wire::Report, now: Time, host: &mut H) {
        self.counters.acks_received += 1;
        self.note_marks(report.ce_packets);
        let Some(newest) = self.flight.settle(number) else { return };
        self.round.on_delivered(newest.sent_at, now);
        let hold = Span::from_secs_f64(f64::from(report.hold));
        let rtt = self.take_rtt_sample((now - newest.sent_at).saturating_sub(hold), now, host);
        let received = u64::from(report.received.wrapping_sub(self.reported.received));
        let lost = u64::from(report.lost.wrapping_sub(self.reported.lost));
        let new_event = report.loss_events != self.reported.loss_events;
        self.reported =
            Totals { received: report.received, lost: report.lost, loss_events: report.loss_events };
        self.counters.segments_acked += received;
        self.counters.bytes_acked += received * self.options.mss.count();
        self.counters.packets_lost += lost;
        let path = self.path(now);
        let window_before = self.window();
        let told = Report {
            loss_event_rate: f64::from(report.loss_event_rate),
            receive_rate: Rate::from_bps_f64(f64::from(report.receive_rate)),
            lost,
            rtt,
        };
        self.algorithm.on_report(&told, &path);
        if new_event {
            self.note_reduction(Cause::Detected, window_before, host);
        }
    }

    /// Packets that the receiver reports marked beyond what it has reported before.
    fn note_marks(&mut self, ce_packets: u16) -> u64 {
        let marked = self.ecn.newly_marked(ce_packets);
        self.counters.marks_seen += marked;
        marked
    }

    fn take_rtt_sample<H: Host>(&mut self, rtt: Span, now: Time, host: &mut H) -> Span {
        self.rtt.sample(rtt, now);
        host.tell(News::RttSample(rtt));
        rtt
    }

    /// Takes for lost what `next` names and tells the algorithm, in one fact.
    fn find_losses<H: Host>(
        &mut self,
        cause: Cause,
        now: Time,
        host: &mut H,
        mut next: impl FnMut(&mut Flight) -> Option<SentPacket>,
    ) {
        let (mut lost, mut new_episode) = (0, false);
        while let Some(packet) = next(&mut self.flight) {
            lost += 1;
            new_episode |= packet.number >= self.episode_below;
            if self.needs.packets {
                self.packets.push(packet);
            }
        }
        if lost > 0 {
            self.tell_loss(cause, new_episode, lost, now, host);
        }
    }

    fn tell_loss<H: Host>(&mut self, cause: Cause, new_episode: bool, lost: u64, now: Time, host: &mut H) {
        if new_episode {
            self.episode_below = self.next;
            self.in_episode = true;
        }
        let path = self.path(now);
        let window_before = self.window();
        self.algorithm.on_loss(&Loss { cause, new_episode, lost, packets: &self.packets }, &path);
        self.packets.clear();
        self.counters.packets_lost += lost;
        if new_episode {
            self.note_reduction(cause, window_before, host);
        }
    }

    fn note_reduction<H: Host>(&mut self, cause: Cause, window_before: Option<f64>, host: &mut H) {
        self.counters.reductions += 1;
        if let (Some(window_before), Some(window_after)) = (window_before, self.window()) {
            host.tell(News::Reduction { cause, window_before, window_after });
        }
    }

    /// Sends until something stops it.
    fn transmit<H: Host>(&mut self, now: Time, host: &mut H) {
        self.pacing_deadline = Time::NEVER;
        loop {
            let limits = self.algorithm.limits();
            if self.next >= self.transfer.segments() {
                self.limited_by = Limit::Application;
                self.state = ConnectionState::Completed;
                host.tell(News::Completed);
                return;
            }
            if limits.window.is_some_and(|window| self.flight.count() >= window) {
                self.limited_by = Limit::Window;
                return;
            }
            if let Some(rate) = limits.pacing {
                let at = self.spacing.next_send(rate, limits.burst);
                if at > now {
                    self.limited_by = Limit::Pacing;
                    self.pacing_deadline = at;
                    return;
                }
            }
            self.send_next(limits.pacing, now, host);
        }
    }

    fn send_next<H: Host>(&mut self, rate: Option<Rate>, now: Time, host: &mut H) {
        let number = self.next;
        let payload = self.transfer.payload(number);
        let size = payload + self.options.header;
        self.next += 1;
        host.send(Packet {
            stamp: now,
            sent_at: now,
            number,
            flow: self.flow,
            size: size.count() as u32,
            leg: Leg::Outward,
            hop: 0,
            ecn: self.ecn.codepoint(false),
            ecn_echo: false,
            body: Body::Datagram {
                rtt: self.smoothed_rtt().map_or(0.0, |rtt| rtt.as_secs_f64() as f32),
                payload: payload.count() as u16,
            },
        });
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += size.count();
        if let Some(rate) = rate {
            self.spacing.on_sent(rate, payload, now);
        }
        let packet = SentPacket {
            number,
            size: payload,
            sent_at: now,
            in_flight: self.flight.count() + 1,
            lost_before: self.counters.packets_lost,
            app_limited: self.next >= self.transfer.segments(),
        };
        if self.reports != Reports::Nothing {
            self.flight.push(packet);
        }
        let path = self.path(now);
        self.algorithm.on_sent(&packet, &path);
    }
}
