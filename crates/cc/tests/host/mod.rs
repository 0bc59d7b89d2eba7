//! The smallest host that closes the loop around an algorithm: a greedy sender, one FIFO link, packets that come back in
//! order, and losses that are noticed when the lost packet's acknowledgement would have come. An episode ends when a
//! packet that left after its cut is acknowledged.

use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RttView};
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// The path and its receiver.
pub struct Link {
    /// Time to serialise a packet; zero for a link that is never the limit.
    pub service: Span,
    /// Two-way propagation.
    pub delay: Span,
    /// Packets that may wait.
    pub buffer: u64,
    /// Packets for each acknowledgement, once `quick` have been acknowledged one by one.
    pub per_ack: u64,
    /// Packets acknowledged one by one at first.
    pub quick: u64,
}

/// A cut as the host saw it.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// When the episode was declared.
    pub at: Time,
    /// The window before.
    pub from: f64,
    /// The window after.
    pub to: f64,
}

/// One flow over one link.
pub struct Host<L> {
    /// What is under test.
    pub algorithm: Box<dyn CongestionControl>,
    /// The time of the newest acknowledgement.
    pub now: Time,
    /// All cuts so far.
    pub cuts: Vec<Cut>,
    /// Packets that find more than this many waiting are marked.
    pub mark_above: u64,
    /// The share of packets that are marked at random besides.
    pub mark_share: f64,
    link: Link,
    lose: L,
    /// Packets under way, in the order in which their acknowledgements come.
    under_way: VecDeque<Packet>,
    /// When the link will be idle.
    link_free: Time,
    next: u64,
    acked: u64,
    rtt: Option<RttView>,
    round: u64,
    round_end: u64,
    recovery_end: Option<u64>,
    /// Window times seconds.
    area: f64,
}

struct Packet {
    number: u64,
    sent_at: Time,
    back_at: Time,
    lost: bool,
    marked: bool,
}

impl<L: FnMut(u64) -> bool> Host<L> {
    /// A flow whose packet `n` is lost where `lose(n)`.
    pub fn new(algorithm: Box<dyn CongestionControl>, link: Link, lose: L) -> Self {
        Self {
            algorithm,
            now: Time::ZERO,
            cuts: Vec::new(),
            mark_above: u64::MAX,
            mark_share: 0.0,
            link,
            lose,
            under_way: VecDeque::new(),
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
        while self.under_way.front().expect("a window of one packet is always under way").back_at < end {
            self.step();
        }
        (self.area - area) / self.now.since(begin).as_secs_f64()
    }

    /// Handles the next acknowledgement or loss.
    pub fn step(&mut self) {
        self.send();
        self.fire_timers();
        let packet = self.under_way.pop_front().expect("a window of one packet is always under way");
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

    /// The congestion window, packets.
    pub fn window(&self) -> f64 {
        self.algorithm.window().expect("the algorithm has a window")
    }

    /// Calls the algorithm's timer as often as it is due before the next acknowledgement.
    fn fire_timers(&mut self) {
        while let Some(at) = self.algorithm.next_timer() {
            let next = self.under_way.front().expect("a window of one packet is always under way").back_at;
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
        let loss = Loss { cause: Cause::Detected, new_episode, lost: 1, packets: &[] };
        self.algorithm.on_loss(&loss, &self.path());
        if new_episode {
            self.recovery_end = Some(self.next);
            self.cuts.push(Cut { at: self.now, from, to: self.window() });
        }
    }

    fn delivered(&mut self, packet: &Packet) {
        let mut newly_acked = 1;
        let per_ack = if self.acked < self.link.quick { 1 } else { self.link.per_ack };
        let mut newest = (packet.number, packet.sent_at);
        let mut ce_packets = u64::from(packet.marked);
        while newly_acked < per_ack && self.under_way.front().is_some_and(|next| !next.lost) {
            let next = self.under_way.pop_front().expect("the front was there");
            self.area += self.window() * next.back_at.since(self.now).as_secs_f64();
            self.now = next.back_at;
            newest = (next.number, next.sent_at);
            ce_packets += u64::from(next.marked);
            newly_acked += 1;
        }
        self.acked += newly_acked;
        if newest.0 >= self.round_end {
            self.round += 1;
            self.round_end = self.next;
        }
        let latest = self.now.since(newest.1);
        self.rtt = Some(self.rtt.map_or(
            RttView { latest, min: latest, smoothed: latest, variation: latest / 2 },
            |rtt| RttView {
                latest,
                min: rtt.min.min(latest),
                smoothed: rtt.smoothed.scaled(0.875) + latest / 8,
                variation: rtt.variation,
            },
        ));
        let path = self.path();
        if self.recovery_end.is_some_and(|end| newest.0 >= end) {
            self.recovery_end = None;
            self.algorithm.on_recovered(&path);
        }
        let ack = Ack {
            newly_acked,
            advanced: true,
            ce_packets,
            rtt: Some(latest),
            rate: None,
            feedback: None,
            packets: &[],
        };
        self.algorithm.on_ack(&ack, &path);
    }

    fn send(&mut self) {
        while (self.under_way.len() as u64) < self.algorithm.limits().window.expect("a window") {
            let backlog = self.link_free.since(self.now).as_ps();
            // One more than wait is in transmission.
            let held = if backlog > 0 { backlog.div_ceil(self.link.service.as_ps()) } else { 0 };
            let lost = (self.lose)(self.next) || held > self.link.buffer;
            let marked = held.saturating_sub(1) > self.mark_above || at_random(self.next) < self.mark_share;
            if !lost {
                self.link_free = self.link_free.max(self.now) + self.link.service;
            }
            let back_at = self.link_free.max(self.now) + self.link.delay;
            self.under_way.push_back(Packet { number: self.next, sent_at: self.now, back_at, lost, marked });
            self.next += 1;
        }
    }

    fn path(&self) -> Path {
        Path {
            now: self.now,
            mss: Bytes::new(1448),
            in_flight: self.under_way.len() as u64,
            rtt: self.rtt,
            round: self.round,
            window_limited: true,
        }
    }
}

/// A number from 0 to 1 for each packet (SplitMix64).
fn at_random(number: u64) -> f64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64
}
