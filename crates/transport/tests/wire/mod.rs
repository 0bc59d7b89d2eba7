// SPDX-License-Identifier: Apache-2.0
//! Two endpoints connected by a link with a rate in the forward direction, a delay in both, and a script that decides
//! the fate of each packet.

pub mod impairment;

use narrows_cc::{Ack, Cause, CongestionControl, Limits, Loss, Needs, Path};
use narrows_transport::{
    ConnectionState, Host, ReceivingEndpoint, RecoveryKind, Rule, SendingEndpoint, TransportEvent,
    TransportOptions,
};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Body, Direction, Ecn, FlowId, Packet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Deliver,
    Drop,
    Mark,
    Delay(Span),
    Duplicate,
}

/// The transmission of a data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmission {
    pub at: Time,
    pub number: u64,
    pub retransmission: bool,
    pub cwr: bool,
}

/// Decides the fate of a packet; the count is the number of earlier packets with the same kind and number.
pub type Script = Box<dyn FnMut(&Packet, usize) -> Fate>;

pub struct Wire {
    pub sender: SendingEndpoint,
    pub receiver: ReceivingEndpoint,
    pub now: Time,
    pub options: Arc<TransportOptions>,
    /// The data packets in the order of sending.
    pub transmissions: Vec<Transmission>,
    /// The acknowledgements received by the sender, each with its time.
    pub acks: Vec<(Time, Packet)>,
    pub events: Vec<(Time, TransportEvent)>,
    script: Script,
    counts: BTreeMap<(u8, u64), usize>,
    arrivals: BTreeMap<(Time, u64), Packet>,
    order: u64,
    /// When the forward link is idle.
    free_at: Time,
    /// The transmission time of a data packet on the forward link.
    pub gap: Span,
    /// The packets that may wait in the queue of the forward link; more are dropped.
    pub queue: u64,
    /// Packets are marked that arrive at the queue with this many waiting.
    pub mark_at: u64,
    /// Whether the data sent must be within the windows: for an honest receiver of a transfer in one part.
    pub checked: bool,
    /// When data packets were dropped by the queue.
    pub overflows: Vec<Time>,
    /// The data packets that were dropped, by the queue or the script: when, and their numbers.
    pub dropped: Vec<(Time, u64)>,
}

/// The default transmission time of a data packet on the forward link.
pub const GAP: Span = Span::from_us(100);
/// One-way delay.
pub const DELAY: Span = Span::from_ms(20);
/// Payload of a full segment.
pub const MSS: Bytes = Bytes::new(1_000);

/// What one call to an endpoint sends and reports.
#[derive(Default)]
struct Outbox {
    packets: Vec<Packet>,
    events: Vec<TransportEvent>,
}

impl Host for Outbox {
    fn send(&mut self, packet: Packet) {
        self.packets.push(packet);
    }
    fn notify(&mut self, event: TransportEvent) {
        self.events.push(event);
    }
}

impl Wire {
    /// A transfer of `segments` full segments, endless if `None`.
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
        let needs = Needs::RELIABLE.packets(true).rate_samples(true);
        Self::needing(needs, options, algorithm, size, script)
    }

    /// As [`of_size`](Self::of_size), of an algorithm with other needs.
    pub fn needing(
        needs: Needs,
        options: TransportOptions,
        algorithm: impl CongestionControl + 'static,
        size: Option<Bytes>,
        script: impl FnMut(&Packet, usize) -> Fate + 'static,
    ) -> Self {
        Self::needing_boxed(needs, options, Box::new(algorithm), size, script)
    }

    /// As [`needing`](Self::needing), of an algorithm of the catalogue.
    pub fn needing_boxed(
        needs: Needs,
        options: TransportOptions,
        algorithm: Box<dyn CongestionControl>,
        size: Option<Bytes>,
        script: impl FnMut(&Packet, usize) -> Fate + 'static,
    ) -> Self {
        let options = Arc::new(options);
        Self {
            sender: SendingEndpoint::new(FlowId::new(0, 0), options.clone(), size, algorithm, needs),
            receiver: ReceivingEndpoint::new(FlowId::new(0, 0), options.clone(), size, needs.transport),
            now: Time::ZERO,
            options,
            transmissions: Vec::new(),
            acks: Vec::new(),
            events: Vec::new(),
            script: Box::new(script),
            counts: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            order: 0,
            free_at: Time::ZERO,
            gap: GAP,
            queue: u64::MAX,
            mark_at: u64::MAX,
            checked: true,
            overflows: Vec::new(),
            dropped: Vec::new(),
        }
    }

    /// Opens the connection and runs until `end`, or until no event is left.
    pub fn run(&mut self, end: Time) {
        if self.sender.state() == ConnectionState::Closed {
            let mut outbox = Outbox::default();
            self.sender.open(self.now, &mut outbox);
            self.take(outbox);
        }
        while let Some(at) = self.next_event().filter(|&at| at <= end) {
            assert!(at >= self.now, "time increases");
            self.now = at;
            self.step();
        }
    }

    /// The application writes `segments` more segments.
    pub fn offer(&mut self, segments: u64) {
        let mut outbox = Outbox::default();
        self.sender.offer(segments, self.now, &mut outbox);
        self.take(outbox);
    }

    /// The application writes a part of `size` bytes, of which the receiver knows.
    pub fn write(&mut self, size: u64) {
        let mut outbox = Outbox::default();
        self.receiver.reliable_mut().expect("it is reliable").expect_write(Bytes::new(size));
        let sender = self.sender.reliable_mut().expect("it is reliable");
        sender.write(Bytes::new(size), self.now, &mut outbox);
        self.take(outbox);
    }

    /// The application writes `size` bytes to a stream.
    pub fn append(&mut self, size: u64) {
        let mut outbox = Outbox::default();
        let sender = self.sender.reliable_mut().expect("it is reliable");
        sender.append(Bytes::new(size), self.now, &mut outbox);
        self.take(outbox);
    }

    /// The application writes no more.
    pub fn close(&mut self) {
        let mut outbox = Outbox::default();
        self.sender.reliable_mut().expect("it is reliable").close(&mut outbox);
        self.take(outbox);
    }

    /// Runs until the transfer is complete or aborted, at most for `limit`. Returns true if it is complete.
    pub fn complete(&mut self, limit: Span) -> bool {
        self.run(Time::ZERO + limit);
        self.sender.state() == ConnectionState::Completed
    }

    /// The numbers of the data packets in the order of sending.
    pub fn numbers(&self) -> Vec<u64> {
        self.transmissions.iter().map(|transmission| transmission.number).collect()
    }

    /// The time and number of each retransmission.
    pub fn retransmissions(&self) -> Vec<(Time, u64)> {
        self.transmissions
            .iter()
            .filter(|transmission| transmission.retransmission)
            .map(|d| (d.at, d.number))
            .collect()
    }

    /// The timeouts after which the last transmission of the first unacknowledged segment arrived: when, and its number.
    pub fn needless_timeouts(&self) -> Vec<(Time, u64)> {
        let expired = |(at, event): &(Time, TransportEvent)| {
            matches!(event, TransportEvent::Expired(Rule::Timeout)).then_some(*at)
        };
        let needless = |at: Time| {
            let acknowledged = self.acks.iter().take_while(|(when, _)| *when < at).map(|(_, ack)| ack.number);
            let head = acknowledged.max().unwrap_or(0);
            let last = self.transmissions.iter().rfind(|sent| sent.number == head && sent.at < at)?;
            (!self.dropped.contains(&(last.at, head))).then_some((at, head))
        };
        self.events.iter().filter_map(expired).filter_map(needless).collect()
    }

    /// The time and cause of each reduction.
    pub fn reductions(&self) -> Vec<(Time, Cause)> {
        let cause = |(at, event): &(Time, TransportEvent)| match event {
            TransportEvent::Reduction { cause, .. } => Some((*at, *cause)),
            _ => None,
        };
        self.events.iter().filter_map(cause).collect()
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
                match packet.direction() {
                    Direction::Forward => self.receiver.on_packet(&packet, self.now, &mut outbox),
                    Direction::Reverse => {
                        if packet.is_ack() && !matches!(packet.body, Body::PartialAck) {
                            self.acks.push((self.now, packet));
                        }
                        self.sender.on_packet(&packet, self.now, &mut outbox);
                    }
                }
            }
            _ if self.sender.next_wake() <= self.now => {
                self.sender.on_wake(self.now, &mut outbox);
                assert!(
                    self.sender.next_wake() > self.now,
                    "a timer that expired must be set to a later time or cleared"
                );
            }
            _ => {
                self.receiver.on_wake(self.now, &mut outbox);
                assert!(
                    self.receiver.next_wake() > self.now,
                    "a timer that expired must be set to a later time or cleared"
                );
            }
        }
        if self.checked {
            self.check_windows(&outbox, self.sender.counters().probes > probes);
        }
        self.take(outbox);
    }

    /// The right edge of the window that the receiver last advertised, bytes from the start; `None` if it advertises none.
    fn edge(&self) -> Option<u64> {
        let mut edge = self.options.read_buffer()?.count();
        for (_, ack) in &self.acks {
            if let Body::AckWithWindow { window, .. } | Body::AckWithFeedbackAndWindow { window, .. } =
                ack.body
            {
                // Only the last segment of a transfer may be smaller, and nothing is sent after it.
                edge = edge.max(ack.number * self.options.mss.count() + u64::from(window));
            }
        }
        Some(edge)
    }

    /// Asserts that no new segment exceeds the usable window or the receiver's window.
    fn check_windows(&self, outbox: &Outbox, probed: bool) {
        let new = outbox
            .packets
            .iter()
            .filter(|packet| matches!(packet.body, Body::Data { retransmission: false, .. }));
        for packet in new {
            if let (Some(edge), Body::Data { payload, .. }) = (self.edge(), packet.body) {
                let end = packet.number * self.options.mss.count() + u64::from(payload);
                assert!(end <= edge, "segment {} exceeds the advertised window", packet.number);
            }
            let una = self.sender.counters().segments_acked;
            if let Some(window) = self.options.receive_window {
                assert!(
                    packet.number < una + window,
                    "segment {} exceeds the receiver's window",
                    packet.number
                );
            }
            let snapshot = self.sender.snapshot();
            let in_flight = snapshot.in_flight.expect("a reliable receiver acknowledges");
            if let Some(usable) = snapshot.usable_window
                && !probed
            {
                assert!(in_flight <= usable, "{in_flight} in flight of {usable}");
            }
        }
    }

    fn take(&mut self, outbox: Outbox) {
        self.events.extend(outbox.events.into_iter().map(|event| (self.now, event)));
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
                let transmission = Transmission {
                    at: self.now,
                    number: packet.number,
                    retransmission,
                    cwr: packet.ecn_echo,
                };
                self.transmissions.push(transmission);
                2
            }
            Body::Ack { .. }
            | Body::PartialAck
            | Body::AckWithFeedback { .. }
            | Body::AckWithWindow { .. }
            | Body::AckWithFeedbackAndWindow { .. } => 3,
            Body::HandshakeAck => 4,
            Body::WindowProbe => 5,
            Body::Datagram { .. } | Body::Echo { .. } | Body::Report(_) => {
                unreachable!("a reliable connection sends no datagrams")
            }
        };
        let count = self.counts.entry((kind, packet.number)).or_default();
        let fate = (self.script)(&packet, *count);
        *count += 1;
        let start = if kind == 2 {
            // One packet of the backlog is being transmitted, the others wait.
            let backlog = self.free_at.since(self.now).as_ps().div_ceil(self.gap.as_ps());
            let waiting = backlog.saturating_sub(1);
            if waiting >= self.queue {
                self.overflows.push(self.now);
                self.dropped.push((self.now, packet.number));
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
            Fate::Drop => {
                if kind == 2 {
                    self.dropped.push((self.now, packet.number));
                }
                return;
            }
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

/// The simplest algorithm: halves its window in each episode, and sets it to one after a timeout.
#[derive(Clone, Debug)]
pub struct Halving {
    pub window: f64,
    pub ssthresh: f64,
    pub grows: bool,
    pub recovering: bool,
    /// Window and ssthresh before the last reduction.
    pub before_reduction: Option<(f64, f64)>,
}

impl Halving {
    /// A window that does not grow, except to ssthresh after a timeout.
    pub fn fixed(window: f64) -> Self {
        Self { window, ssthresh: window, grows: false, recovering: false, before_reduction: None }
    }

    /// Slow start from `window`, then one packet per round trip.
    pub fn growing(window: f64) -> Self {
        Self { window, ssthresh: f64::INFINITY, grows: true, recovering: false, before_reduction: None }
    }
}

impl CongestionControl for Halving {
    fn limits(&self) -> Limits {
        Limits::new(Some((self.window as u64).max(1)), None, Bytes::ZERO)
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
            self.before_reduction = Some((self.window, self.ssthresh));
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
        let (window, ssthresh) = self.before_reduction.take().expect("only a reduction can be undone");
        (self.window, self.ssthresh) = (self.window.max(window), ssthresh);
        self.recovering = false;
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The default options with small segments, each acknowledged separately.
pub fn options(recovery: RecoveryKind) -> TransportOptions {
    TransportOptions { recovery, mss: MSS, delayed_ack: 1, ..TransportOptions::default() }
}

/// Drops the first transmission of each of `numbers`.
pub fn lose_once(numbers: &[u64]) -> impl FnMut(&Packet, usize) -> Fate + 'static {
    let numbers = numbers.to_vec();
    move |packet, count| match packet.body {
        Body::Data { .. } if count == 0 && numbers.contains(&packet.number) => Fate::Drop,
        _ => Fate::Deliver,
    }
}

/// Delivers every packet.
pub fn lossless(_: &Packet, _: usize) -> Fate {
    Fate::Deliver
}

/// The time `ms` milliseconds after the start.
pub fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// All policies.
pub const POLICIES: [RecoveryKind; 5] = [
    RecoveryKind::Reno,
    RecoveryKind::NewReno,
    RecoveryKind::Sack,
    RecoveryKind::Sack1996,
    RecoveryKind::Rack,
];
