// SPDX-License-Identifier: Apache-2.0
//! Truth: the rules of RFC 9332 and of Linux worked by hand; the coupling and the scheduler's shares as theory.

use super::{Config, DualPi2};
use crate::pi2::Pi2Law;
use crate::testing::{Bench, packet};
use crate::{DropReason, Limit, QueueDiscipline};
use narrows_card::Catalogue;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Packet};

fn config() -> Config {
    Config {
        target: Span::from_ms(15),
        update: Span::from_ms(16),
        alpha: 0.16,
        beta: 3.2,
        coupling: 2.0,
        step: Span::from_ms(1),
        min_qlen_step: 2,
        classic_share: 0.1,
        any_ect: false,
        limit: Limit::Unlimited,
        mtu: Bytes::new(1500),
    }
}

fn bench(config: Config) -> Bench<DualPi2> {
    Bench::new(DualPi2::new(&config))
}

fn of(ecn: Ecn, number: u64) -> Packet {
    Packet { ecn, ..packet(number, 0, 1000) }
}

#[test]
fn the_probability_moves_with_the_distance_from_the_target_and_with_its_change() {
    let mut law = Pi2Law::new(config().target, config().alpha, config().beta);
    law.update(Span::from_ms(25));
    assert!((law.probability() - (0.16 * 0.010 + 3.2 * 0.025)).abs() < 1e-12);
    let before = law.probability();
    law.update(Span::from_ms(20));
    assert!((law.probability() - before - (0.16 * 0.005 - 3.2 * 0.005)).abs() < 1e-12);
    law.update(Span::ZERO);
    law.update(Span::from_ms(15));
    let resting = law.probability();
    law.update(Span::from_ms(15));
    assert_eq!(law.probability().to_bits(), resting.to_bits(), "at rest on the target");
    law.update(Span::from_ms(2000));
    assert_eq!(law.probability().to_bits(), 1_f64.to_bits());
}

#[test]
fn the_wait_is_the_longer_of_the_two_heads() {
    for (first, second) in [(Ecn::Ect0, Ecn::Ect1), (Ecn::Ect1, Ecn::Ect0)] {
        let mut bench = bench(config());
        bench.arrive(of(first, 0));
        bench.now = Time::ZERO + Span::from_ms(6);
        bench.arrive(of(second, 1));
        bench.now = Time::ZERO + Span::from_ms(16);
        assert_eq!(bench.queue.next_wake(), Some(bench.now));
        bench.with(DualPi2::on_wake);
        assert!((bench.queue.law.probability() - (0.16 * 0.001 + 3.2 * 0.016)).abs() < 1e-12);
        assert_eq!(bench.queue.next_wake(), Some(Time::ZERO + Span::from_ms(32)));
    }
}

#[test]
fn the_low_bit_of_the_ecn_field_chooses_the_queue() {
    let mut bench = bench(config());
    for (number, ecn) in [(0, Ecn::NotCapable), (1, Ecn::Ect0), (2, Ecn::Ect1), (3, Ecn::Ce)] {
        bench.arrive(of(ecn, number));
    }
    assert_eq!(bench.drain(), [2, 3, 0, 1]);
}

/// While both wait, 1000 packets leave in the ratio of the shares, but for the one with which a queue overdraws.
#[test]
fn while_both_wait_the_classic_queue_has_its_share_of_the_bytes() {
    for (share, classic) in [(0.1, 100), (0.25, 250)] {
        let mut bench = bench(Config { classic_share: share, ..config() });
        for number in 0..1000 {
            bench.arrive(of(Ecn::Ect0, number));
            bench.arrive(of(Ecn::Ect1, number));
        }
        let sent = (0..1000).filter_map(|_| bench.depart()).filter(|packet| packet.ecn == Ecn::Ect0).count();
        assert!(sent.abs_diff(classic) <= 2, "{sent}, not {classic}");
        let what = format!("classic packets of 1000 while both queues wait, against a share of {share}");
        Catalogue::Queues.assert_near("dualpi2", &what, sent as f64, classic as f64, 0.02);
    }
}

#[test]
fn every_packet_with_ecn_may_have_low_latency() {
    for (any_ect, first) in [(false, Ecn::Ect1), (true, Ecn::Ect0)] {
        let mut bench = bench(Config { any_ect, ..config() });
        for (number, ecn) in [Ecn::NotCapable, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].into_iter().enumerate() {
            bench.arrive(of(ecn, number as u64));
        }
        let left: Vec<Ecn> = (0..4).filter_map(|_| bench.depart()).map(|packet| packet.ecn).collect();
        assert_eq!(left[0], first, "any_ect = {any_ect}");
        assert_eq!(left[3], if any_ect { Ecn::NotCapable } else { Ecn::Ect0 }, "any_ect = {any_ect}");
    }
}

#[test]
fn a_low_latency_packet_that_waited_longer_than_the_step_is_marked() {
    for (us, marked) in [(1000, 0), (1001, 1)] {
        let mut bench = bench(Config { min_qlen_step: 0, ..config() });
        bench.arrive(of(Ecn::Ect1, 0));
        bench.arrive(of(Ecn::Ect0, 1));
        bench.now = Time::ZERO + Span::from_us(us);
        bench.drain();
        assert_eq!(bench.account.marked.len(), marked, "{us} us");
        assert!(bench.account.dropped.is_empty());
    }
}

/// RFC 9332 appendix A.1, figure 3, lines 5a to 5d.
#[test]
fn the_step_marks_only_with_enough_low_latency_packets_behind() {
    for (min_qlen_step, marked) in [(0, &[0, 1, 2][..]), (1, &[0, 1][..]), (2, &[0][..]), (3, &[][..])] {
        let mut bench = bench(Config { min_qlen_step, ..config() });
        for number in 0..3 {
            bench.arrive(of(Ecn::Ect1, number));
        }
        // Classic packets do not count.
        bench.arrive(of(Ecn::Ect0, 3));
        bench.now = Time::ZERO + Span::from_ms(2);
        bench.drain();
        let numbers = &bench.account.marked;
        assert_eq!(numbers, marked, "{min_qlen_step}");
    }
}

/// How often a packet with `ecn` was marked and dropped in so many draws with `p` held.
fn outcomes(p: f64, ecn: Ecn, draws: u32) -> (f64, f64) {
    let mut bench = bench(config());
    bench.queue.law.set_probability(p);
    for number in 0..10 {
        bench.arrive(of(ecn, number));
    }
    for number in 0..draws {
        bench.arrive(of(ecn, u64::from(number)));
        bench.depart();
        // Drops leave less behind: keep the queue above two packets.
        while bench.queue.backlog().packets < 10 {
            bench.arrive(of(ecn, 0));
        }
    }
    let judged = f64::from(draws) + bench.account.dropped.len() as f64;
    (bench.account.marked.len() as f64 / judged, bench.account.dropped.len() as f64 / judged)
}

fn is_share(found: f64, expected: f64, draws: u32) {
    let sigma = (expected * (1.0 - expected) / f64::from(draws)).sqrt();
    assert!((found - expected).abs() <= 5.0 * sigma, "{found}, not {expected}");
}

/// RFC 9332 §2.1: `p_L = k √p_C`.
#[test]
fn low_latency_marks_are_coupled_to_the_root_of_classic_signals() {
    let draws = 100_000;
    for p in [0.05, 0.2, 0.4] {
        let (marked, dropped) = outcomes(p, Ecn::Ect1, draws);
        is_share(marked, 2.0 * p, draws);
        let what = format!("share of low-latency packets marked, p = {p}, against 2 p (RFC 9332 §2.1)");
        Catalogue::Queues.assert_near("dualpi2", &what, marked, 2.0 * p, 0.03);
        is_share(dropped, 0.0, draws);
        let (marked, dropped) = outcomes(p, Ecn::Ect0, draws);
        is_share(marked, p * p, draws);
        is_share(dropped, 0.0, draws);
        let (marked, dropped) = outcomes(p, Ecn::NotCapable, draws);
        is_share(marked, 0.0, draws);
        is_share(dropped, p * p, draws);
    }
}

#[test]
fn overload_drops_from_both_queues_alike() {
    let draws = 100_000;
    let p = 0.6;
    for (ecn, marks) in [(Ecn::Ect1, 1.0 - p * p), (Ecn::Ect0, 0.0), (Ecn::NotCapable, 0.0)] {
        let (marked, dropped) = outcomes(p, ecn, draws);
        is_share(marked, marks, draws);
        is_share(dropped, p * p, draws);
    }
}

#[test]
fn with_less_than_two_packets_behind_chance_signals_nothing() {
    let mut bench = bench(config());
    bench.queue.law.set_probability(1.0);
    bench.draw = Some(0.0);
    for number in 0..4 {
        bench.arrive(of(Ecn::Ect0, number));
    }
    // Three thousand bytes wait behind the first, two thousand behind the second.
    assert_eq!(bench.drain(), [1, 2, 3]);
    assert_eq!(bench.account.dropped, [(0, DropReason::Early)]);
}

#[test]
fn both_queues_share_the_limit() {
    let mut bench = bench(Config { limit: Limit::Packets(2), ..config() });
    for (number, ecn) in [(0, Ecn::Ect0), (1, Ecn::Ect1), (2, Ecn::Ect0), (3, Ecn::Ect1)] {
        bench.arrive(of(ecn, number));
    }
    assert_eq!(bench.account.dropped, [(2, DropReason::Overflow), (3, DropReason::Overflow)]);
}
