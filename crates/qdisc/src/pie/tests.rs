// SPDX-License-Identifier: Apache-2.0
//! Truth: the rules of RFC 8033 worked by hand, and the spacing of its signals as theory.

use super::{Config, Pie, PieLaw};
use crate::testing::{Bench, packet};
use crate::{DropReason, Limit, QueueDiscipline};
use narrows_card::Catalogue;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Packet};

const MUCH: Bytes = Bytes::new(100_000);

fn config() -> Config {
    Config {
        target: Span::from_ms(15),
        update: Span::from_ms(15),
        alpha: 0.125,
        beta: 1.25,
        burst: Span::from_ms(150),
        ecn: true,
        limit: Limit::Unlimited,
        mean_packet: Bytes::new(1500),
    }
}

/// A law at `probability` whose burst allowance is used up and whose packets wait for the target.
fn standing_at(probability: f64) -> PieLaw {
    let mut law = PieLaw::new(&config());
    law.burst_left = Span::ZERO;
    law.probability = probability;
    law.delay_old = Span::from_ms(15);
    law
}

#[test]
fn the_probability_moves_with_the_distance_from_the_target_and_with_its_change() {
    let mut law = standing_at(0.2);
    law.update(Span::from_ms(25));
    // 0.125 of 10 ms too long, and 1.25 of 10 ms longer.
    assert!((law.probability() - (0.2 + 0.001_25 + 0.012_5)).abs() < 1e-12);
    law.update(Span::from_ms(15));
    assert!(
        (law.probability() - (0.2 + 0.001_25)).abs() < 1e-12,
        "back at the target, only the change counts"
    );
    law.update(Span::from_ms(15));
    assert!((law.probability() - (0.2 + 0.001_25)).abs() < 1e-12, "at rest on the target");
}

#[test]
fn small_probabilities_move_by_a_part_of_the_step() {
    let step = 0.125 * 0.005 + 1.25 * 0.005;
    for (probability, part) in [
        (0.0, 2048.0),
        (0.9e-6, 2048.0),
        (1.1e-6, 512.0),
        (0.9e-5, 512.0),
        (1.1e-5, 128.0),
        (0.9e-4, 128.0),
        (1.1e-4, 32.0),
        (0.9e-3, 32.0),
        (1.1e-3, 8.0),
        (0.9e-2, 8.0),
        (1.1e-2, 2.0),
        (0.099, 2.0),
        (0.101, 1.0),
    ] {
        let mut law = standing_at(probability);
        law.update(Span::from_ms(20));
        assert!((law.probability() - probability - step / part).abs() < 1e-12, "{probability}");
    }
}

#[test]
fn large_probabilities_rise_by_a_fiftieth_at_most_and_long_waits_add_another() {
    let after = |delay| {
        let mut law = standing_at(0.5);
        law.update(Span::from_ms(delay));
        law.probability()
    };
    assert!((after(100) - 0.52).abs() < 1e-12);
    assert!((after(251) - 0.54).abs() < 1e-12);
}

#[test]
fn without_a_queue_the_probability_decays() {
    let mut law = standing_at(0.5);
    law.delay_old = Span::ZERO;
    law.update(Span::ZERO);
    assert!((law.probability() - 0.98 * (0.5 - 0.125 * 0.015)).abs() < 1e-12);
    for _ in 0..1000 {
        law.update(Span::ZERO);
    }
    assert_eq!(law.probability().to_bits(), 0_f64.to_bits(), "never below zero");
    assert_eq!(law.burst_left, Span::from_ms(150), "calm allows another burst");
}

#[test]
fn a_burst_of_150_ms_is_let_pass() {
    let mut law = PieLaw::new(&config());
    for _ in 0..9 {
        law.update(Span::from_ms(100));
        assert!(!law.judge(MUCH, &mut || unreachable!("no draw within the allowance")));
    }
    law.update(Span::from_ms(100));
    assert_eq!(law.burst_left, Span::ZERO);
}

#[test]
fn nothing_is_signalled_in_calm_or_with_two_packets_waiting() {
    let mut short = standing_at(0.9);
    assert!((0..100).all(|_| !short.judge(Bytes::new(3000), &mut || 0.0)));
    let mut calm = standing_at(0.19);
    calm.delay_old = Span::from_us(7499);
    assert!((0..100).all(|_| !calm.judge(MUCH, &mut || 0.0)));
    calm.probability = 0.2;
    assert!((0..5).any(|_| calm.judge(MUCH, &mut || 0.0)));
}

#[test]
fn signals_come_neither_before_the_sum_of_085_nor_after_85() {
    let mut law = standing_at(0.125);
    assert_eq!((1..100).find(|_| law.judge(MUCH, &mut || 0.0)), Some(7), "7/8 is the first sum above 0.85");
    assert_eq!((1..100).find(|_| law.judge(MUCH, &mut || 0.999)), Some(68), "68/8 = 8.5");
}

/// At p = 1/8: six arrivals that cannot be signalled, then one in eight, cut at the 68th.
#[test]
fn at_a_constant_probability_signals_are_spaced_by_185_reciprocals() {
    let mut bench = Bench::new(Pie::new(&config()));
    let mut law = standing_at(0.125);
    let arrivals = 400_000;
    let signals =
        (0..arrivals).filter(|_| bench.with(|_, context| law.judge(MUCH, context.uniform))).count() as f64;
    let cut = libm::pow(0.875, 62.0);
    let spacing = 6.0 + 8.0 * (1.0 - cut);
    let found = f64::from(arrivals) / signals;
    // A geometric spacing of mean 8 has a standard deviation of √56.
    let sigma = 56_f64.sqrt() / signals.sqrt();
    assert!((found - spacing).abs() < 5.0 * sigma, "{found}, not {spacing}");
    let what = "arrivals between signals at p = 1/8, against 6 + 8 (1 - (7/8)^62)";
    Catalogue::Queues.assert_near("pie", what, found, spacing, 0.01);
}

/// A queue of packets that have waited for `delay`, under a law at `probability`.
fn standing(probability: f64, config: Config) -> Bench<Pie> {
    let mut bench = Bench::new(Pie::new(&config));
    for number in 0..20 {
        bench.arrive(packet(number, 0, 1500));
    }
    bench.queue.law = standing_at(probability);
    bench
}

#[test]
fn capable_packets_are_marked_up_to_a_tenth_and_dropped_beyond() {
    for (probability, ecn, outcome) in
        [(0.1, Ecn::Ect0, (1, 0)), (0.11, Ecn::Ect0, (0, 1)), (0.1, Ecn::NotCapable, (0, 1))]
    {
        let mut bench = standing(probability, config());
        bench.queue.law.accumulated = 8.5;
        bench.arrive(Packet { ecn, ..packet(20, 0, 1500) });
        assert_eq!(
            (bench.account.marked.len(), bench.account.dropped.len()),
            outcome,
            "{probability} {ecn:?}"
        );
        assert!(bench.account.dropped.iter().all(|(_, reason)| *reason == DropReason::Early));
    }
}

#[test]
fn the_wait_is_that_of_the_last_packet_to_leave_until_none_waits() {
    let mut bench = Bench::new(Pie::new(&config()));
    bench.arrive(packet(0, 0, 1500));
    bench.arrive(packet(1, 0, 1500));
    bench.now = Time::ZERO + Span::from_ms(7);
    bench.depart();
    assert_eq!(bench.queue.waiting.delay(), Span::from_ms(7));
    bench.depart();
    assert_eq!(bench.queue.waiting.delay(), Span::ZERO);
}

#[test]
fn the_timer_starts_with_the_first_arrival() {
    let mut bench = Bench::new(Pie::new(&config()));
    assert_eq!(bench.queue.next_wake(), None);
    bench.now = Time::ZERO + Span::from_ms(4);
    bench.arrive(packet(0, 0, 1500));
    for expected in [19, 34] {
        bench.now = Time::ZERO + Span::from_ms(expected);
        assert_eq!(bench.queue.next_wake(), Some(bench.now));
        bench.with(Pie::on_wake);
    }
}

#[test]
fn an_arrival_that_finds_no_room_is_dropped_and_the_sum_starts_again() {
    let mut bench = standing(0.125, Config { limit: Limit::Packets(20), ..config() });
    bench.queue.law.accumulated = 0.8;
    bench.arrive(packet(20, 0, 1500));
    assert_eq!(bench.account.dropped, [(20, DropReason::Overflow)]);
    assert_eq!(bench.queue.law.accumulated.to_bits(), 0_f64.to_bits());
}
