// SPDX-License-Identifier: Apache-2.0
//! A minimal closed loop for BBR: a paced sender, one FIFO link, acknowledgements of single packets in order, losses that
//! are detected when the acknowledgement of the lost packet would have arrived, and delivery-rate samples.

use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RateSample, RttView, SentPacket};
use narrows_units::{Bytes, Rate, Span, Time};
use std::collections::VecDeque;

/// Payload of a packet; there are no headers.
pub const MSS: Bytes = Bytes::new(1_500);

/// The bottleneck and the delay of the path.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub rate: Rate,
    /// Two-way propagation delay.
    pub delay: Span,
    /// Packets that may wait in the queue.
    pub buffer: u64,
}

/// One flow over one link.
pub struct Host {
    pub algorithm: Box<dyn CongestionControl>,
    pub now: Time,
    /// Packets lost so far.
    pub lost: u64,
    /// Packets acknowledged so far.
    pub delivered: u64,
    pub link: Link,
    /// Rate at which the application offers data; `None` for unlimited data.
    pub demand: Option<Rate>,
    /// One packet in this many is lost in addition to those that find the buffer full.
    pub lossy: Option<u64>,
    next_offer: Time,
    app_limited_until: u64,
    in_flight: VecDeque<Packet>,
    link_free: Time,
    next_send: Time,
    next: u64,
    delivered_at: Time,
    first_sent_at: Time,
    rtt: RttView,
    recovery_end: Option<u64>,
    /// The window has been full since the packet now acknowledged left.
    window_limited: bool,
    full_until: u64,
}

#[derive(Clone, Copy)]
struct Packet {
    sent: SentPacket,
    back_at: Time,
    lost: bool,
    /// As a delivery-rate sample needs them.
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
}

impl Host {
    pub fn new(algorithm: Box<dyn CongestionControl>, link: Link) -> Self {
        let handshake = link.delay;
        Self {
            algorithm,
            now: Time::ZERO,
            lost: 0,
            delivered: 0,
            link,
            demand: None,
            lossy: None,
            next_offer: Time::ZERO,
            app_limited_until: 0,
            in_flight: VecDeque::new(),
            link_free: Time::ZERO,
            next_send: Time::ZERO,
            next: 0,
            delivered_at: Time::ZERO,
            first_sent_at: Time::ZERO,
            rtt: RttView::new(handshake),
            recovery_end: None,
            window_limited: true,
            full_until: 0,
        }
    }

    /// Runs to `end`.
    pub fn run(&mut self, end: Time) {
        while self.now < end {
            self.step();
        }
    }

    /// Handles the next departure or acknowledgement.
    pub fn step(&mut self) {
        let limits = self.algorithm.limits();
        let room = (self.in_flight.len() as u64) < limits.window.expect("BBR has a window");
        let may_send_at = self.next_send.max(self.now);
        let send_at = if self.demand.is_some() { may_send_at.max(self.next_offer) } else { may_send_at };
        if room && send_at > may_send_at {
            self.app_limited_until = (self.delivered + self.in_flight.len() as u64).max(1);
        }
        let back_at = self.in_flight.front().map_or(Time::NEVER, |packet| packet.back_at);
        if !room {
            self.full_until = self.next;
        }
        if room && send_at < back_at {
            self.now = send_at;
            self.send(limits.pacing);
        } else {
            self.now = back_at;
            let packet = self.in_flight.pop_front().expect("a window of one packet is always in flight");
            if packet.lost { self.lose(&packet) } else { self.deliver(&packet) }
        }
    }

    /// An internal variable of the algorithm.
    pub fn inner(&self, name: &str) -> f64 {
        super::inner(&*self.algorithm, name)
    }

    /// The latest round-trip time.
    pub fn latest_rtt(&self) -> Span {
        self.rtt.latest
    }

    fn send(&mut self, pacing: Option<Rate>) {
        if self.in_flight.is_empty() {
            (self.first_sent_at, self.delivered_at) = (self.now, self.now);
        }
        let service = self.link.rate.time_for(MSS);
        let unlucky = self.lossy.is_some_and(|one_in| self.next % one_in == one_in - 1);
        let lost = unlucky || self.link_free.since(self.now) > service * self.link.buffer;
        if !lost {
            self.link_free = self.link_free.max(self.now) + service;
        }
        if let Some(demand) = self.demand {
            self.next_offer = self.next_offer.max(self.now) + demand.time_for(MSS);
        }
        let sent = SentPacket::new(self.next, MSS, self.now)
            .in_flight(self.in_flight.len() as u64 + 1)
            .lost_before(self.lost)
            .app_limited(self.app_limited_until > 0);
        self.in_flight.push_back(Packet {
            sent,
            back_at: self.link_free.max(self.now) + self.link.delay,
            lost,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
        });
        if let Some(rate) = pacing {
            self.next_send = self.next_send.max(self.now) + rate.time_for(MSS);
        }
        self.next += 1;
        self.algorithm.on_sent(&sent, &self.path());
    }

    fn lose(&mut self, packet: &Packet) {
        self.lost += 1;
        let new_episode = self.recovery_end.is_none();
        self.recovery_end.get_or_insert(self.next);
        let loss = Loss::new(Cause::Detected, 1).new_episode(new_episode);
        self.algorithm.on_loss(&loss.packets(&[packet.sent]), &self.path());
    }

    fn deliver(&mut self, packet: &Packet) {
        let prior_in_flight = self.in_flight.len() as u64 + 1;
        self.window_limited = packet.sent.number < self.full_until;
        self.delivered += 1;
        if self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        self.delivered_at = self.now;
        self.first_sent_at = packet.sent.sent_at;
        let latest = self.now - packet.sent.sent_at;
        let smoothed = self.rtt.smoothed.scaled(0.875) + latest / 8;
        self.rtt = self.rtt.latest(latest).smoothed(smoothed).min(self.rtt.min.min(latest));
        if self.recovery_end.is_some_and(|end| packet.sent.number >= end) {
            self.recovery_end = None;
            self.algorithm.on_recovered(&self.path());
        }
        let interval =
            packet.sent.sent_at.since(packet.first_sent_at).max(self.now.since(packet.delivered_at));
        let delivered = self.delivered - packet.delivered;
        let rate = Rate::from_bps_f64(delivered as f64 * MSS.bits() as f64 / interval.as_secs_f64());
        let sample = RateSample::new(delivered, interval, rate)
            .prior_delivered(packet.delivered)
            .prior_in_flight(prior_in_flight)
            .app_limited(packet.sent.app_limited);
        let ack = Ack::new(1).rtt(Some(latest)).rate(Some(sample));
        self.algorithm.on_ack(&ack.packets(&[packet.sent]), &self.path());
    }

    fn path(&self) -> Path {
        Path::new(self.now, MSS)
            .in_flight(self.in_flight.len() as u64)
            .rtt(Some(self.rtt))
            .window_limited(self.window_limited)
            .next_departure(self.next_send)
    }
}
