// SPDX-License-Identifier: Apache-2.0
//! A minimal closed loop around an algorithm: a sender with unlimited data, one FIFO link, acknowledgements in order, and
//! losses that are detected when the acknowledgement of the lost packet would have arrived. A loss episode ends when a
//! packet sent after its start is acknowledged.

use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RttView, SentPacket};
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// The link and the receiver.
pub struct Link {
    /// Serialization time of a packet; zero for an infinite rate.
    pub service: Span,
    /// Two-way propagation.
    pub delay: Span,
    /// Packets that may wait in the queue.
    pub buffer: u64,
    /// Packets per acknowledgement, after `quick` packets have been acknowledged one by one.
    pub per_ack: u64,
    /// Packets acknowledged one by one at first.
    pub quick: u64,
}

/// A decrease of the window at the start of a loss episode.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Time of the loss.
    pub at: Time,
    /// Window before, packets.
    pub from: f64,
    /// Window after, packets.
    pub to: f64,
}

/// One flow over one link.
pub struct Host<L> {
    /// The algorithm under test.
    pub algorithm: Box<dyn CongestionControl>,
    /// The time of the newest acknowledgement.
    pub now: Time,
    /// All decreases so far.
    pub cuts: Vec<Cut>,
    /// A packet is marked if more than this many packets wait when it arrives.
    pub mark_above: u64,
    /// Probability with which other packets are marked.
    pub mark_share: f64,
    link: Link,
    lose: L,
    /// Packets in flight, in the order of their acknowledgements.
    in_flight: VecDeque<Packet>,
    /// When the link will be idle.
    link_free: Time,
    next: u64,
    acked: u64,
    rtt: Option<RttView>,
    round: u64,
    round_end: u64,
    recovery_end: Option<u64>,
    /// Integral of the window over time, packets times seconds.
    area: f64,
}

struct Packet {
    number: u64,
    sent_at: Time,
    back_at: Time,
    /// Packets in flight when it was sent, itself included.
    in_flight: u64,
    lost: bool,
    marked: bool,
}

impl<L: FnMut(u64) -> bool> Host<L> {
    /// A flow whose packet `n` is lost if `lose(n)`.
    pub fn new(algorithm: Box<dyn CongestionControl>, link: Link, lose: L) -> Self {
        Self {
            algorithm,
            now: Time::ZERO,
            cuts: Vec::new(),
            mark_above: u64::MAX,
            mark_share: 0.0,
            link,
            lose,
            in_flight: VecDeque::new(),
            link_free: Time::ZERO,
            next: 1,
            acked: 0,
            rtt: None,
            round: 0,
            round_end: 0,
            recovery_end: None,
            area: 0.0,
        }
    }

    /// Runs to `end` and returns the mean window over that time.
    pub fn run(&mut self, end: Time) -> f64 {
        let (begin, area) = (self.now, self.area);
        self.send();
        while self.in_flight.front().expect("a window of one packet is always in flight").back_at < end {
            self.step();
        }
        (self.area - area) / self.now.since(begin).as_secs_f64()
    }

    /// Handles the next acknowledgement or loss.
    pub fn step(&mut self) {
        self.send();
        self.fire_timers();
        let packet = self.in_flight.pop_front().expect("a window of one packet is always in flight");
        let window = self.window();
        self.area += window * packet.back_at.since(self.now).as_secs_f64();
        self.now = packet.back_at;
        if packet.lost {
            self.lost(window);
        } else {
            self.delivered(&packet);
        }
        self.send();
    }

    /// Round trips so far.
    #[allow(dead_code, reason = "not all tests that share this host count them")]
    pub fn rounds(&self) -> u64 {
        self.round
    }

    /// The congestion window, packets.
    pub fn window(&self) -> f64 {
        self.algorithm.window().expect("the algorithm has a window")
    }

    /// Calls the algorithm's timer as often as it is due before the next acknowledgement.
    fn fire_timers(&mut self) {
        while let Some(at) = self.algorithm.next_timer() {
            let next = self.in_flight.front().expect("a window of one packet is always in flight").back_at;
            if at > next {
                return;
            }
            self.area += self.window() * at.since(self.now).as_secs_f64();
            self.now = at;
            self.algorithm.on_timer(&self.path());
            self.send();
        }
    }

    fn lost(&mut self, from: f64) {
        let new_episode = self.recovery_end.is_none();
        let loss = Loss::new(Cause::Detected, 1).new_episode(new_episode);
        self.algorithm.on_loss(&loss, &self.path());
        if new_episode {
            self.recovery_end = Some(self.next);
            self.cuts.push(Cut { at: self.now, from, to: self.window() });
        }
    }

    fn delivered(&mut self, packet: &Packet) {
        let mut newly_acked = 1;
        let per_ack = if self.acked < self.link.quick { 1 } else { self.link.per_ack };
        let mut newest = (packet.number, packet.sent_at, packet.in_flight);
        let mut ce_packets = u64::from(packet.marked);
        while newly_acked < per_ack && self.in_flight.front().is_some_and(|next| !next.lost) {
            let next = self.in_flight.pop_front().expect("the front was there");
            self.area += self.window() * next.back_at.since(self.now).as_secs_f64();
            self.now = next.back_at;
            newest = (next.number, next.sent_at, next.in_flight);
            ce_packets += u64::from(next.marked);
            newly_acked += 1;
        }
        self.acked += newly_acked;
        if newest.0 >= self.round_end {
            self.round += 1;
            self.round_end = self.next;
        }
        let latest = self.now.since(newest.1);
        self.rtt = Some(self.rtt.map_or(RttView::new(latest), |rtt| {
            RttView::new(latest)
                .min(rtt.min.min(latest))
                .smoothed(rtt.smoothed.scaled(0.875) + latest / 8)
                .variation(rtt.variation)
        }));
        let path = self.path();
        if self.recovery_end.is_some_and(|end| newest.0 >= end) {
            self.recovery_end = None;
            self.algorithm.on_recovered(&path);
        }
        let newest = SentPacket::new(newest.0, path.mss, newest.1).in_flight(newest.2);
        let ack = Ack::new(newly_acked).ce_packets(ce_packets).rtt(Some(latest));
        self.algorithm.on_ack(&ack.packets(&[newest]), &path);
    }

    fn send(&mut self) {
        while (self.in_flight.len() as u64) < self.algorithm.limits().window.expect("a window") {
            let backlog = self.link_free.since(self.now).as_ps();
            // One of them is in transmission.
            let held = if backlog > 0 { backlog.div_ceil(self.link.service.as_ps()) } else { 0 };
            let lost = (self.lose)(self.next) || held > self.link.buffer;
            let marked = held.saturating_sub(1) > self.mark_above || at_random(self.next) < self.mark_share;
            if !lost {
                self.link_free = self.link_free.max(self.now) + self.link.service;
            }
            let back_at = self.link_free.max(self.now) + self.link.delay;
            let in_flight = self.in_flight.len() as u64 + 1;
            self.in_flight.push_back(Packet {
                number: self.next,
                sent_at: self.now,
                back_at,
                in_flight,
                lost,
                marked,
            });
            self.next += 1;
        }
    }

    fn path(&self) -> Path {
        Path::new(self.now, Bytes::new(1448))
            .in_flight(self.in_flight.len() as u64)
            .rtt(self.rtt)
            .round(self.round)
    }
}

/// A number from 0 to 1 for each packet (SplitMix64).
fn at_random(number: u64) -> f64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64
}
