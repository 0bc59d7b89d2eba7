// SPDX-License-Identifier: Apache-2.0
//! PCC Vivace and PCC Allegro, over a link with a buffer.

use super::{ACK, SETUP};
use narrows_cc::{Algorithm, Cause, CongestionControl, Loss, Path, RttView, SentPacket};
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

const MSS: Bytes = Bytes::new(1448);
const PROPAGATION: Span = Span::from_ms(50);

/// A paced flow over a link of `rate` packets per second with a buffer of `buffer` packets, on which every `interval`th packet is
/// lost besides.
struct Link {
    algorithm: Box<dyn CongestionControl>,
    rate: f64,
    buffer: f64,
    interval: u64,
    now: Time,
    next_send: Time,
    free: Time,
    number: u64,
    /// Packets with the time at which the sender learns of them, and whether they are lost.
    flying: VecDeque<(SentPacket, Time, bool)>,
    smoothed: Span,
    /// Pacing rates, Mbps, and states, in their order without repetition.
    rates: Vec<(f64, &'static str)>,
    delivered: u64,
}

impl Link {
    fn new(name: &str, mbps: f64, buffer: f64, interval: u64) -> Self {
        Self {
            algorithm: Algorithm::parse(name).expect("a known algorithm").build(&SETUP),
            rate: mbps * 1e6 / MSS.bits() as f64,
            buffer,
            interval,
            now: Time::ZERO,
            next_send: Time::ZERO,
            free: Time::ZERO,
            number: 0,
            flying: VecDeque::new(),
            smoothed: PROPAGATION,
            rates: Vec::new(),
            delivered: 0,
        }
    }

    fn path(&self) -> Path {
        let (latest, min, variation) = (self.smoothed, PROPAGATION, Span::ZERO);
        Path::new(self.now, MSS).in_flight(self.flying.len() as u64).rtt(
            (self.delivered > 0)
                .then_some(RttView::new(latest).min(min).smoothed(self.smoothed).variation(variation)),
        )
    }

    fn send(&mut self) {
        let queued = self.free.since(self.now).as_secs_f64() * self.rate;
        self.number += 1;
        let lost = queued > self.buffer || self.number.is_multiple_of(self.interval);
        if !lost {
            self.free = self.free.max(self.now) + Span::from_secs_f64(1.0 / self.rate);
        }
        let back = self.free.max(self.now) + PROPAGATION;
        let packet = SentPacket::new(self.number, MSS, self.now);
        let path = self.path();
        self.algorithm.on_sent(&packet, &path);
        self.flying.push_back((packet, back, lost));
        let pacing = self.algorithm.limits().pacing.map_or(1e6, |rate| rate.as_bps() as f64);
        self.next_send = self.now + Span::from_secs_f64(MSS.bits() as f64 / pacing);
        let seen = (pacing / 1e6, self.algorithm.state());
        if self.rates.last() != Some(&seen) {
            self.rates.push(seen);
        }
    }

    /// Runs for `ms` and returns the delivery rate, Mbps.
    fn run(&mut self, ms: u64) -> f64 {
        let (begin, delivered) = (self.now, self.delivered);
        let end = begin + Span::from_ms(ms);
        while self.now < end {
            let back = self.flying.front().map(|(_, back, _)| *back);
            if back.is_none_or(|back| self.next_send < back) {
                self.now = self.next_send;
                self.send();
                continue;
            }
            let (packet, back, is_lost) = self.flying.pop_front().expect("the front was there");
            self.now = back;
            let packets = [packet];
            if is_lost {
                let loss = Loss::new(Cause::Detected, 1).new_episode(false).packets(&packets);
                self.algorithm.on_loss(&loss, &self.path());
            } else {
                self.delivered += 1;
                let rtt = back.since(packet.sent_at);
                self.smoothed = self.smoothed.scaled(0.875) + rtt / 8;
                let ack = ACK.newly_acked(1).rtt(Some(rtt)).packets(&packets);
                self.algorithm.on_ack(&ack, &self.path());
            }
        }
        (self.delivered - delivered) as f64 * MSS.bits() as f64 / 1e6 / self.now.since(begin).as_secs_f64()
    }
}

#[test]
fn the_rate_doubles_with_each_interval_until_the_utility_falls() {
    for name in ["vivace", "allegro"] {
        let mut link = Link::new(name, 50.0, 50.0, u64::MAX);
        link.run(5_000);
        let starting: Vec<f64> =
            link.rates.iter().filter(|(_, state)| *state == "starting").map(|(rate, _)| *rate).collect();
        // The first is the rate of the flow without a sample.
        for pair in starting[1..].windows(2) {
            assert!((pair[1] / pair[0] - 2.0).abs() < 1e-6, "{name}: {starting:?}");
        }
        assert!(starting.len() > 4 && link.algorithm.state() != "starting", "{name}: {starting:?}");
    }
}

#[test]
fn probing_tries_the_two_sides_of_the_rate_in_pairs() {
    for (name, steps) in [("vivace", &[0.05][..]), ("allegro", &[0.01, 0.02, 0.03, 0.04, 0.05])] {
        let mut link = Link::new(name, 20.0, 50.0, u64::MAX);
        link.run(20_000);
        let probing: Vec<f64> =
            link.rates.iter().filter(|(_, state)| *state == "probing").map(|(rate, _)| *rate).collect();
        let pairs = probing.windows(2).filter(|pair| {
            let middle = f64::midpoint(pair[0], pair[1]);
            let step = (pair[0] - pair[1]).abs() / 2.0 / middle;
            steps.iter().any(|known| (step - known).abs() < 1e-4)
        });
        assert!(pairs.count() > 10, "{name}: {probing:?}");
    }
}

#[test]
fn both_fill_a_link() {
    for name in ["vivace", "allegro"] {
        let mut link = Link::new(name, 20.0, 80.0, u64::MAX);
        link.run(10_000);
        let rate = link.run(30_000);
        assert!(rate > 18.0, "{name}: {rate} of 20 Mbps");
    }
}

/// Dong et al. 2015 §2.2: up to 5 % the utility grows with the rate; above it collapses.
#[test]
fn allegro_bears_losses_below_its_tolerance_alone() {
    for (interval, least, most) in [(50, 17.0, 20.0), (10, 0.0, 5.0)] {
        let mut link = Link::new("allegro", 20.0, 80.0, interval);
        link.run(30_000);
        let rate = link.run(30_000);
        assert!((least..most).contains(&rate), "every {interval}th packet lost: {rate} of 20 Mbps");
    }
}

/// Dong et al. 2018 §3: the utility of a rate grows up to (0.9 / (c L))^10 Mbps, which is 20 Mbps at a loss rate of 5.9 %.
#[test]
fn vivace_bears_losses_up_to_those_of_its_utility() {
    for (interval, least, most) in [(50, 17.0, 20.0), (8, 0.0, 5.0)] {
        let mut link = Link::new("vivace", 20.0, 80.0, interval);
        link.run(30_000);
        let rate = link.run(30_000);
        assert!((least..most).contains(&rate), "every {interval}th packet lost: {rate} of 20 Mbps");
    }
}

#[test]
fn the_order_of_the_pairs_is_that_of_the_seed() {
    let rates = |seed| {
        let algorithm = Algorithm::parse("vivace").expect("known").build(&SETUP.seed(seed));
        let mut link = Link { algorithm, ..Link::new("vivace", 20.0, 80.0, u64::MAX) };
        link.run(5_000);
        link.rates
    };
    assert_eq!(rates(1), rates(1));
    assert_ne!(rates(1), rates(2));
}
