// SPDX-License-Identifier: Apache-2.0
//! Truth: the rules of Floyd and Jacobson 1993, of Floyd, Gummadi and Shenker 2001 and of ns-2.35, worked by hand, and
//! the distributions that follow.

use super::{Config, Red, RedLaw, Verdict};
use crate::Unit;
use crate::{Context, DropReason, Limit, QueueDiscipline, Tap};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Ecn, FlowId, Packet};

const PACKET: Bytes = Bytes::new(1000);

/// min 4, max 12, `max_p` 1/8, weight 1/4: everything below is a whole number of binary digits.
fn config() -> Config {
    Config {
        unit: Unit::Packets,
        min: 4.0,
        max: 12.0,
        max_p: 0.125,
        weight: 0.25,
        gentle: true,
        wait: false,
        ecn: false,
        adaptive: false,
        limit: Limit::Unlimited,
        mean_packet: PACKET,
    }
}

/// A law whose average stands at `average` and has just been found there, so that signals are possible.
fn standing_at(config: &Config, average: f64) -> RedLaw {
    let mut law = RedLaw::new(&Config { weight: 1.0, ..*config });
    law.update(average, 0);
    assert_eq!(
        law.judge(9, PACKET, &mut || 0.0),
        Verdict::Pass,
        "the first arrival above min only arms the law"
    );
    law
}

/// Distances between signals at a constant average, drawn from an even grid of numbers.
fn spacings(config: &Config, average: f64, arrivals: usize) -> Vec<u32> {
    let mut law = standing_at(config, average);
    let mut state = 1_u64;
    let mut uniform = || {
        // A 64-bit linear congruential generator, Knuth's constants, upper bits.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut since = 0;
    let mut found = Vec::new();
    for _ in 0..arrivals {
        since += 1;
        if law.judge(9, PACKET, &mut uniform) != Verdict::Pass {
            found.push(since);
            since = 0;
        }
    }
    found.remove(0);
    found
}

#[test]
fn the_average_moves_by_the_weight_on_every_arrival() {
    let mut law = RedLaw::new(&config());
    for (length, expected) in [(8.0, 2.0), (8.0, 3.5), (0.0, 2.625)] {
        law.update(length, 0);
        assert_eq!(law.average().to_bits(), f64::to_bits(expected));
    }
}

#[test]
fn idle_time_counts_as_arrivals_to_an_empty_queue() {
    let mut idle = RedLaw::new(&config());
    let mut fed = idle.clone();
    idle.update(8.0, 0);
    fed.update(8.0, 0);
    idle.update(0.0, 3);
    for _ in 0..4 {
        fed.update(0.0, 0);
    }
    assert!((idle.average() - fed.average()).abs() < 1e-15);
    assert!((idle.average() - 2.0 * 0.316_406_25).abs() < 1e-15, "2 × 0.75⁴");
}

#[test]
fn the_base_probability_is_a_ramp_from_min_to_max_and_a_gentle_one_to_twice_max() {
    let at = |average: f64, gentle| {
        let mut law = RedLaw::new(&Config { weight: 1.0, gentle, ..config() });
        law.update(average, 0);
        law.base_probability()
    };
    for (average, gentle, sharp) in [
        (3.9, 0.0, 0.0),
        (4.0, 0.0, 0.0),
        (8.0, 0.0625, 0.0625),
        (12.0, 0.125, 1.0),
        (18.0, 0.5625, 1.0),
        (24.0, 1.0, 1.0),
    ] {
        assert_eq!(at(average, true).to_bits(), f64::to_bits(gentle), "gentle at {average}");
        assert_eq!(at(average, false).to_bits(), f64::to_bits(sharp), "not gentle at {average}");
    }
}

#[test]
fn nothing_is_signalled_below_min_or_with_one_packet_waiting() {
    let mut below = RedLaw::new(&Config { weight: 1.0, ..config() });
    below.update(3.9, 0);
    let mut short = standing_at(&config(), 23.9);
    for _ in 0..1000 {
        assert_eq!(below.judge(9, PACKET, &mut || 0.0), Verdict::Pass);
        assert_eq!(short.judge(1, PACKET, &mut || 0.0), Verdict::Pass);
    }
}

#[test]
fn the_probability_grows_with_the_arrivals_since_the_last_signal() {
    // p_b is 1/16 at an average of 8; the arming arrival was the first, so p_a is 1/(16 − 2), then 1/(16 − 3), …
    let mut law = standing_at(&config(), 8.0);
    for count in 2..16 {
        let certain = 1.0 / f64::from(16 - count);
        assert_eq!(law.clone().judge(9, PACKET, &mut || certain * 0.999), Verdict::Signal, "arrival {count}");
        assert_eq!(
            law.judge(9, PACKET, &mut || (certain * 1.001).min(0.999)),
            match count {
                15 => Verdict::Signal,
                _ => Verdict::Pass,
            }
        );
    }
}

#[test]
fn spacing_is_uniform_from_1_to_one_less_than_the_reciprocal_of_the_probability() {
    even_from_to(&spacings(&config(), 8.0, 400_000), 1, 15);
}

#[test]
fn waiting_makes_the_spacing_uniform_from_1_to_2_reciprocals_of_the_probability() {
    even_from_to(&spacings(&Config { wait: true, ..config() }, 8.0, 400_000), 16, 31);
}

/// Each value of `first..=last` has its share of `found`, within five standard deviations, and no other occurs.
fn even_from_to(found: &[u32], first: u32, last: u32) {
    let share = 1.0 / f64::from(last - first + 1);
    let total = found.len() as f64;
    assert!(found.iter().all(|each| (first..=last).contains(each)));
    for value in first..=last {
        let count = found.iter().filter(|&&each| each == value).count() as f64;
        let sigma = (total * share * (1.0 - share)).sqrt();
        assert!((count - total * share).abs() < 5.0 * sigma, "{value}: {count} of {total}");
    }
}

#[test]
fn at_a_constant_average_the_mean_signal_rate_is_that_of_the_uniform_spacing() {
    // The mean of 1 … 1/p − 1 is 1/2p; the mean of 1/p … 2/p − 1 is (3/p − 1)/2.
    for (wait, expected) in [(false, 8.0), (true, 23.5)] {
        let found = spacings(&Config { wait, ..config() }, 8.0, 400_000);
        let mean = f64::from(found.iter().sum::<u32>()) / found.len() as f64;
        let width = if wait { 16.0 } else { 15.0 };
        let sigma = width / 12_f64.sqrt() / (found.len() as f64).sqrt();
        assert!((mean - expected).abs() < 5.0 * sigma, "wait {wait}: {mean}");
    }
}

#[test]
fn above_max_a_signal_is_a_drop_and_at_twice_max_it_is_certain() {
    assert_eq!(standing_at(&config(), 11.9).judge(9, PACKET, &mut || 0.0), Verdict::Signal);
    assert_eq!(standing_at(&config(), 12.0).judge(9, PACKET, &mut || 0.0), Verdict::Drop);
    let mut law = RedLaw::new(&Config { weight: 1.0, ..config() });
    law.update(24.0, 0);
    assert_eq!(
        law.judge(9, PACKET, &mut || unreachable!("no draw where the drop is certain")),
        Verdict::Drop
    );
}

#[test]
fn in_byte_mode_small_packets_are_signalled_in_proportion() {
    let bytes = Config { unit: Unit::Bytes, min: 4000.0, max: 12_000.0, ..config() };
    let small = Bytes::new(100);
    // Armed by a full packet; a tenth of a packet makes the count 1.1 and a tenth of p_b/(1 − 1.1 p_b).
    let expected = 0.1 * 0.0625 / (1.0 - 1.1 * 0.0625);
    let law = standing_at(&bytes, 8000.0);
    assert_eq!(law.clone().judge(9, small, &mut || expected * 0.999), Verdict::Signal);
    assert_eq!(law.clone().judge(9, small, &mut || expected * 1.001), Verdict::Pass);
}

/// Counts the actions of a queue.
#[derive(Default)]
struct Counts {
    early: u64,
    overflow: u64,
    marked: u64,
}

impl Tap for Counts {
    fn dropped(&mut self, _packet: &Packet, reason: DropReason) {
        match reason {
            DropReason::Early => self.early += 1,
            DropReason::Overflow => self.overflow += 1,
            DropReason::Failure => unreachable!("no link fails here"),
        }
    }

    fn marked(&mut self, _packet: &Packet) {
        self.marked += 1;
    }
}

fn packet(ecn: Ecn) -> Packet {
    Packet {
        arrival: Time::ZERO,
        sent_at: Time::ZERO,
        number: 0,
        flow: FlowId::new(0, 0),
        size: 1000,
        next: 0,
        ecn,
        ecn_echo: false,
        body: Body::syn(None),
    }
}

/// Calls `act` at `now` in front of a link that takes 1 ms for a packet; every draw is `draw`.
fn at<T>(now: Time, draw: f64, counts: &mut Counts, act: impl FnOnce(&mut Context<'_>) -> T) -> T {
    act(&mut Context { now, rate: Rate::from_bps(8_000_000), uniform: &mut || draw, tap: counts })
}

/// A queue of `length` packets, none of them signalled, whose average is its length.
fn holding(length: u64, config: &Config) -> Red {
    let mut red = Red::new(&Config { weight: 1.0, ..*config });
    let mut counts = Counts::default();
    for _ in 0..length {
        at(Time::ZERO, 0.999, &mut counts, |context| {
            red.enqueue(packet(Ecn::NotCapable), context);
        });
    }
    assert_eq!((red.backlog().packets, counts.early), (length, 0));
    red
}

#[test]
fn a_capable_packet_is_marked_below_max_and_dropped_above() {
    let below = (11, Ecn::Ect0, (0, 1));
    let incapable = (11, Ecn::NotCapable, (1, 0));
    let above = (13, Ecn::Ect0, (1, 0));
    for (length, ecn, expected) in [below, incapable, above] {
        let gradual = Config { ecn: true, max_p: 0.0625, ..config() };
        let mut red = holding(length, &gradual);
        let mut counts = Counts::default();
        at(Time::ZERO, 0.0, &mut counts, |context| {
            red.enqueue(packet(ecn), context);
        });
        assert_eq!((counts.early, counts.marked), expected, "{ecn:?} with {length} waiting");
    }
}

#[test]
fn a_full_queue_drops_and_the_count_starts_again() {
    let mut red = holding(8, &Config { limit: Limit::Packets(8), ..config() });
    let mut counts = Counts::default();
    at(Time::ZERO, 0.0, &mut counts, |context| {
        red.enqueue(packet(Ecn::NotCapable), context);
    });
    assert_eq!((counts.overflow, counts.early, red.backlog().packets), (1, 0, 8));
    assert_eq!(red.law.judge(8, PACKET, &mut || 1.0 / 15.0), Verdict::Pass, "p_a is 1/15 again");
}

#[test]
fn an_idle_link_is_remembered_in_whole_packet_times() {
    let mut red = Red::new(&config());
    let mut counts = Counts::default();
    let mut pass = |red: &mut Red, now| {
        at(now, 0.0, &mut counts, |context| {
            red.enqueue(packet(Ecn::NotCapable), context);
            red.dequeue(context).is_some()
        })
    };
    red.law.update(16.0, 0);
    assert!(pass(&mut red, Time::ZERO));
    assert_eq!(red.law.average().to_bits(), 3_f64.to_bits());
    let tenths_of_ms = |count: u64| Time::from_ps(count * 100_000_000);
    for now in [10, 20] {
        at(tenths_of_ms(now), 0.0, &mut Counts::default(), |context| {
            assert!(red.dequeue(context).is_none());
        });
    }
    // 2.9 ms after the link became idle: two whole packet times, and the arrival itself.
    assert!(pass(&mut red, tenths_of_ms(39)));
    assert!((red.law.average() - 3.0 * 0.421_875).abs() < 1e-12, "3 × 0.75³: {}", red.law.average());
}

#[test]
fn max_p_grows_by_a_quarter_or_a_hundredth_and_shrinks_by_a_tenth() {
    let adapted = |max_p: f64, average: f64| {
        let mut law = RedLaw::new(&Config { max_p, weight: 1.0, ..config() });
        law.update(average, 0);
        law.adapt();
        law.max_p()
    };
    // The thresholds are 4 and 12: the target is 7.2 to 8.8.
    for (max_p, average, expected) in [
        (0.02, 8.9, 0.025),
        (0.1, 8.9, 0.11),
        (0.5, 12.0, 0.51),
        (0.51, 12.0, 0.51),
        (0.1, 8.7, 0.1),
        (0.1, 7.3, 0.1),
        (0.1, 7.1, 0.09),
        (0.01, 0.0, 0.009),
        (0.009, 0.0, 0.009),
    ] {
        let found = adapted(max_p, average);
        assert!((found - expected).abs() < 1e-12, "{max_p} at {average}: {found}");
    }
}

#[test]
fn against_traffic_that_needs_a_given_signal_rate_the_average_settles_in_the_target() {
    // Traffic that is content with a signal rate p holds the average at the point at which the ramp gives p.
    for needed in [0.006, 0.02, 0.1, 0.2] {
        let mut law = RedLaw::new(&Config { weight: 1.0, ..config() });
        for _ in 0..200 {
            law.update((4.0 + 8.0 * needed / law.max_p()).min(24.0), 0);
            law.adapt();
        }
        assert!((7.2..=8.8).contains(&law.average()), "{needed}: {} at {}", law.average(), law.max_p());
    }
}

#[test]
fn the_timer_starts_with_the_first_arrival_and_runs_every_half_second() {
    let mut red = Red::new(&Config { adaptive: true, ..config() });
    let mut still = Red::new(&config());
    assert_eq!(red.next_wake(), None);
    let mut now = Time::ZERO + Span::from_ms(30);
    for queue in [&mut red, &mut still] {
        at(now, 0.0, &mut Counts::default(), |context| queue.enqueue(packet(Ecn::NotCapable), context));
    }
    for expected in [0.1125, 0.10125] {
        now += Span::from_ms(500);
        assert_eq!((red.next_wake(), still.next_wake()), (Some(now), None));
        at(now, 0.0, &mut Counts::default(), |context| red.on_wake(context));
        assert!((red.law.max_p() - expected).abs() < 1e-12);
    }
}
