//! Two endpoints on a wire with a rate, a delay each way, and a script that says what happens to each packet.

#![allow(dead_code, reason = "each test file uses its part")]

use narrows_cc::catalogue::{FirstCut, Needs, SlowStartKind};
use narrows_cc::{Ack, Cause, CongestionControl, Limits, Loss, Path};
use narrows_transport::{
    ConnectionState, Host, News, Receiver, RecoveryKind, RtoRule, Sender, TransportOptions, UndoKind,
};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Body, Ecn, FlowId, Leg, Packet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Deliver,
    Drop,
    Mark,
    Delay(Span),
    Duplicate,
}

/// A data packet that left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    pub at: Time,
    pub number: u64,
    pub again: bool,
    pub cwr: bool,
}

/// Decides a packet's fate; the count says how many of this kind and number left before.
pub type Script = Box<dyn FnMut(&Packet, usize) -> Fate>;

pub struct Wire {
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Time,
    pub options: Arc<TransportOptions>,
    /// Data packets in the order in which they left.
    pub departures: Vec<Departure>,
    /// Acknowledgements as the sender received them: when, and the packet.
    pub acks: Vec<(Time, Packet)>,
    pub news: Vec<(Time, News)>,
    script: Script,
    counts: BTreeMap<(u8, u64), usize>,
    arrivals: BTreeMap<(Time, u64), Packet>,
    order: u64,
    /// When the outward link is free again.
    free_at: Time,
    /// Time that the outward link takes for a data packet.
    pub gap: Span,
    /// Packets that may wait for it; more are dropped.
    pub queue: u64,
    /// Packets are marked that find this many waiting.
    pub mark_at: u64,
    /// Data packets dropped by the queue: when.
    pub overflows: Vec<Time>,
}

/// Time that the outward link takes for a data packet unless a test says otherwise.
pub const GAP: Span = Span::from_us(100);
/// One-way delay.
pub const DELAY: Span = Span::from_ms(20);
/// Payload of a full segment.
pub const MSS: Bytes = Bytes::new(1_000);

/// The world as one call to an endpoint sees it.
#[derive(Default)]
struct Outbox {
    packets: Vec<Packet>,
    news: Vec<News>,
}

impl Host for Outbox {
    fn send(&mut self, packet: Packet) {
        self.packets.push(packet);
    }
    fn tell(&mut self, news: News) {
        self.news.push(news);
    }
}

impl Wire {
    /// A transfer of `segments` full segments; endless where `None`.
    pub fn new(
        options: TransportOptions,
        algorithm: impl CongestionControl + 'static,
        segments: Option<u64>,
        script: impl FnMut(&Packet, usize) -> Fate + 'static,
    ) -> Self {
        Self::of_size(options, algorithm, segments.map(|count| MSS * count), script)
    }

    pub fn of_size(
        options: TransportOptions,
        algorithm: impl CongestionControl + 'static,
        size: Option<Bytes>,
        script: impl FnMut(&Packet, usize) -> Fate + 'static,
    ) -> Self {
        let options = Arc::new(options);
        let needs = Needs { packets: true, rate_samples: true };
        Self {
            sender: Sender::new(FlowId::new(0, 0), options.clone(), size, Box::new(algorithm), needs),
            receiver: Receiver::new(FlowId::new(0, 0), options.clone(), size),
            now: Time::ZERO,
            options,
            departures: Vec::new(),
            acks: Vec::new(),
            news: Vec::new(),
            script: Box::new(script),
            counts: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            order: 0,
            free_at: Time::ZERO,
            gap: GAP,
            queue: u64::MAX,
            mark_at: u64::MAX,
            overflows: Vec::new(),
        }
    }

    /// Opens the connection and runs until `end` or until nothing can happen any more.
    pub fn run(&mut self, end: Time) {
        if self.sender.state() == ConnectionState::Closed {
            let mut outbox = Outbox::default();
            self.sender.open(self.now, &mut outbox);
            self.take(outbox);
        }
        while let Some(at) = self.next_event().filter(|&at| at <= end) {
            assert!(at >= self.now, "time runs forwards");
            self.now = at;
            self.step();
        }
    }

    /// The application writes that many segments.
    pub fn offer(&mut self, segments: u64) {
        let mut outbox = Outbox::default();
        self.sender.offer(segments, self.now, &mut outbox);
        self.take(outbox);
    }

    /// Runs until the sender has completed or given up, at most `limit`; true if it completed.
    pub fn complete(&mut self, limit: Span) -> bool {
        self.run(Time::ZERO + limit);
        self.sender.state() == ConnectionState::Completed
    }

    /// Numbers of the data packets that left, in order.
    pub fn numbers(&self) -> Vec<u64> {
        self.departures.iter().map(|departure| departure.number).collect()
    }

    /// Retransmissions: when and which.
    pub fn retransmissions(&self) -> Vec<(Time, u64)> {
        self.departures.iter().filter(|departure| departure.again).map(|d| (d.at, d.number)).collect()
    }

    /// Reductions and their causes.
    pub fn reductions(&self) -> Vec<(Time, Cause)> {
        let cause = |(at, news): &(Time, News)| match news {
            News::Reduction { cause, .. } => Some((*at, *cause)),
            _ => None,
        };
        self.news.iter().filter_map(cause).collect()
    }

    fn next_event(&self) -> Option<Time> {
        let arrival = self.arrivals.keys().next().map_or(Time::NEVER, |key| key.0);
        let at = arrival.min(self.sender.next_wake()).min(self.receiver.next_wake());
        (at < Time::NEVER).then_some(at.max(self.now))
    }

    fn step(&mut self) {
        let mut outbox = Outbox::default();
        let probes = self.sender.counters().probes;
        match self.arrivals.first_key_value() {
            Some((&key, &packet)) if key.0 == self.now => {
                self.arrivals.remove(&key);
                match packet.leg() {
                    Leg::Outward => self.receiver.on_packet(&packet, self.now, &mut outbox),
                    Leg::Homeward => {
                        if matches!(packet.body, Body::Ack { .. } | Body::Answer { .. }) {
                            self.acks.push((self.now, packet));
                        }
                        self.sender.on_packet(&packet, self.now, &mut outbox);
                    }
                }
            }
            _ if self.sender.next_wake() <= self.now => {
                self.sender.on_wake(self.now, &mut outbox);
                assert!(self.sender.next_wake() > self.now, "a wake that is answered is over");
            }
            _ => {
                self.receiver.on_wake(self.now, &mut outbox);
                assert!(self.receiver.next_wake() > self.now, "a wake that is answered is over");
            }
        }
        self.check_windows(&outbox, self.sender.counters().probes > probes);
        self.take(outbox);
    }

    /// No new segment leaves beyond the usable or the receiver's window.
    fn check_windows(&self, outbox: &Outbox, probed: bool) {
        let new = outbox
            .packets
            .iter()
            .filter(|packet| matches!(packet.body, Body::Data { retransmission: false, .. }));
        for packet in new {
            let una = self.sender.counters().segments_acked;
            if let Some(window) = self.options.receive_window {
                assert!(
                    packet.number < una + window,
                    "segment {} beyond the receiver's window",
                    packet.number
                );
            }
            if let Some(usable) = self.sender.usable_window()
                && !probed
            {
                assert!(
                    self.sender.in_flight() <= usable,
                    "{} in flight of {usable}",
                    self.sender.in_flight()
                );
            }
        }
    }

    fn take(&mut self, outbox: Outbox) {
        self.news.extend(outbox.news.into_iter().map(|news| (self.now, news)));
        for packet in outbox.packets {
            self.dispatch(packet);
        }
    }

    fn dispatch(&mut self, mut packet: Packet) {
        assert_eq!(packet.sent_at, self.now);
        let kind = match packet.body {
            Body::Syn { .. } => 0,
            Body::SynAck { .. } => 1,
            Body::Data { retransmission, .. } => {
                let departure = Departure {
                    at: self.now,
                    number: packet.number,
                    again: retransmission,
                    cwr: packet.ecn_echo,
                };
                self.departures.push(departure);
                2
            }
            Body::Ack { .. } | Body::Answer { .. } => 3,
            Body::Established => 4,
            Body::Datagram { .. } | Body::Echo { .. } | Body::Report(_) => {
                unreachable!("a reliable connection sends no datagrams")
            }
        };
        let count = self.counts.entry((kind, packet.number)).or_default();
        let fate = (self.script)(&packet, *count);
        *count += 1;
        let start = if kind == 2 {
            // Of what the link has still to send one packet is in transmission, the others wait.
            let backlog = self.free_at.since(self.now).as_ps().div_ceil(self.gap.as_ps());
            let waiting = backlog.saturating_sub(1);
            if waiting >= self.queue {
                self.overflows.push(self.now);
                return;
            }
            if waiting >= self.mark_at && packet.ecn.is_capable() {
                packet.ecn = Ecn::Ce;
            }
            self.free_at = self.free_at.max(self.now) + self.gap;
            self.free_at
        } else {
            self.now
        };
        let mut copies = 1;
        let mut extra = Span::ZERO;
        match fate {
            Fate::Drop => return,
            Fate::Mark if packet.ecn.is_capable() => packet.ecn = Ecn::Ce,
            Fate::Deliver | Fate::Mark => {}
            Fate::Delay(by) => extra = by,
            Fate::Duplicate => copies = 2,
        }
        for _ in 0..copies {
            self.order += 1;
            self.arrivals.insert((start + DELAY + extra, self.order), packet);
        }
    }
}

/// The simplest window: halved at an episode, one after a timeout; it grows only if told to.
#[derive(Clone, Debug)]
pub struct Halving {
    pub window: f64,
    pub ssthresh: f64,
    pub grows: bool,
    pub recovering: bool,
    /// Window and ssthresh before the last cut.
    pub before_cut: Option<(f64, f64)>,
}

impl Halving {
    /// A window that stays until it is cut, and after a timeout grows back to half.
    pub fn fixed(window: f64) -> Self {
        Self { window, ssthresh: window, grows: false, recovering: false, before_cut: None }
    }

    /// Slow start from `window`, then one packet per round trip.
    pub fn growing(window: f64) -> Self {
        Self { window, ssthresh: f64::INFINITY, grows: true, recovering: false, before_cut: None }
    }
}

impl CongestionControl for Halving {
    fn limits(&self) -> Limits {
        Limits { window: Some((self.window as u64).max(1)), pacing: None, burst: Bytes::ZERO }
    }
    fn window(&self) -> Option<f64> {
        Some(self.window)
    }
    fn ssthresh(&self) -> Option<f64> {
        Some(self.ssthresh)
    }
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        if self.recovering || !path.window_limited || !ack.advanced {
            return;
        }
        if self.window < self.ssthresh {
            self.window = (self.window + ack.newly_acked as f64).min(self.ssthresh);
        } else if self.grows {
            self.window += ack.newly_acked as f64 / self.window;
        }
    }
    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.new_episode {
            self.before_cut = Some((self.window, self.ssthresh));
            self.ssthresh = (self.window / 2.0).max(2.0);
            self.window = self.ssthresh;
            self.recovering = true;
        }
        if loss.cause == Cause::Timeout {
            self.window = 1.0;
            self.recovering = false;
        }
    }
    fn on_recovered(&mut self, _path: &Path) {
        self.recovering = false;
    }
    fn on_spurious_loss(&mut self, _path: &Path) {
        let (window, ssthresh) = self.before_cut.take().expect("only what was cut can be given back");
        (self.window, self.ssthresh) = (self.window.max(window), ssthresh);
        self.recovering = false;
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// Plain options: one ACK per segment, nothing that the tests do not ask for.
pub fn options(recovery: RecoveryKind) -> TransportOptions {
    TransportOptions {
        recovery,
        proportional_rate_reduction: false,
        limited_transmit: true,
        initial_window: 10,
        initial_ssthresh: None,
        slow_start: SlowStartKind::Standard,
        quick_start: None,
        first_cut: FirstCut::Rule,
        receive_window: None,
        undo: UndoKind::Duplicates,
        idle_restart: true,
        pacing: false,
        ecn: false,
        mss: MSS,
        header: Bytes::new(40),
        ack: Bytes::new(40),
        delayed_ack: 1,
        delayed_ack_timeout: Span::from_ms(40),
        quick_ack: false,
        rto: RtoRule::Rfc6298,
        initial_rto: Span::from_ms(1_000),
        min_rto: Span::from_ms(200),
        max_rto: Span::from_ms(60_000),
        syn_retries: 6,
        retries: 15,
    }
}

/// Drops the first transmission of each of `numbers`.
pub fn lose_once(numbers: &[u64]) -> impl FnMut(&Packet, usize) -> Fate + 'static {
    let numbers = numbers.to_vec();
    move |packet, count| match packet.body {
        Body::Data { .. } if count == 0 && numbers.contains(&packet.number) => Fate::Drop,
        _ => Fate::Deliver,
    }
}

/// A perfect wire.
pub fn lossless(_: &Packet, _: usize) -> Fate {
    Fate::Deliver
}

/// `ms` milliseconds after the start.
pub fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// All policies.
pub const POLICIES: [RecoveryKind; 4] =
    [RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack, RecoveryKind::Rack];
