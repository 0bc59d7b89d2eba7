// SPDX-License-Identifier: Apache-2.0
//! Truth: the rules of RFC 8290 worked by hand, and equal shares as theory. The law is tested beside CoDel.

use super::{Config, FqCodel};
use crate::codel::Control;
use crate::testing::{Bench, packet};
use crate::{DropReason, Limit, QueueDiscipline};
use narrows_card::Catalogue;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Packet};

fn config() -> Config {
    Config {
        control: Control { target: Span::from_ms(5), interval: Span::from_ms(100), mtu: Bytes::new(1500) },
        ecn: false,
        quantum: Bytes::new(1500),
        queues: 1024,
        limit: Limit::Unlimited,
    }
}

fn bench(config: Config) -> Bench<FqCodel> {
    Bench::new(FqCodel::new(&config))
}

#[test]
fn a_flow_sends_a_quantum_and_lets_the_next_have_its_turn() {
    let mut bench = bench(config());
    for number in 0..4 {
        bench.arrive(packet(number, 1, 1000));
    }
    for number in 10..14 {
        bench.arrive(packet(number, 2, 1000));
    }
    // The second packet of 1000 bytes overdraws the quantum, so that the third has to wait for two turns' worth.
    assert_eq!(bench.drain(), [0, 1, 10, 11, 2, 12, 3, 13]);
}

#[test]
fn a_flow_that_has_just_come_is_served_before_the_old() {
    let mut bench = bench(config());
    for number in 0..6 {
        bench.arrive(packet(number, 1, 1500));
    }
    assert_eq!([(); 2].map(|()| bench.depart().map(|packet| packet.number)), [Some(0), Some(1)]);
    bench.arrive(packet(10, 2, 100));
    assert_eq!(bench.drain(), [10, 2, 3, 4, 5]);
}

#[test]
fn a_flow_that_comes_back_at_once_is_not_new_again() {
    let mut bench = bench(config());
    for number in 0..7 {
        bench.arrive(packet(number, 1, 500));
    }
    for number in 0..4 {
        assert_eq!(bench.depart().map(|packet| packet.number), Some(number));
    }
    bench.arrive(packet(10, 2, 100));
    assert_eq!(bench.depart().map(|packet| packet.number), Some(10));
    // Found empty, the new flow goes behind the old one, which may still send 1000 bytes, and meets its next packet there.
    assert_eq!(bench.depart().map(|packet| packet.number), Some(4));
    bench.arrive(packet(11, 2, 100));
    bench.arrive(packet(12, 3, 100));
    assert_eq!(bench.drain(), [12, 5, 11, 6]);
}

#[test]
fn overflow_takes_half_of_the_longest_queue_from_its_head() {
    let mut bench = bench(Config { limit: Limit::Packets(10), ..config() });
    for number in 0..3 {
        bench.arrive(packet(number, 1, 1000));
    }
    for number in 10..18 {
        bench.arrive(packet(number, 2, 1000));
    }
    let lost: Vec<_> = (10..14).map(|number| (number, DropReason::Overflow)).collect();
    assert_eq!(bench.account.dropped, lost);
    assert_eq!(bench.queue.backlog().packets, 7);
}

#[test]
fn overflow_takes_64_packets_at_most() {
    let mut bench = bench(Config { limit: Limit::Packets(200), ..config() });
    for number in 0..201 {
        bench.arrive(packet(number, 1, 1000));
    }
    assert_eq!(bench.account.dropped.len(), 64);
}

#[test]
fn each_flow_has_a_law_of_its_own() {
    let mut bench = bench(Config { ecn: true, ..config() });
    for number in 0..200 {
        bench.arrive(Packet { ecn: Ecn::Ect0, ..packet(number, 1, 1000) });
    }
    // A millisecond per packet; the other flow's packets never wait.
    for ms in 0..150 {
        bench.now = Time::ZERO + Span::from_ms(ms);
        if ms % 3 == 0 {
            bench.arrive(Packet { ecn: Ecn::Ect0, ..packet(1000 + ms, 2, 100) });
        }
        bench.depart();
    }
    assert!(!bench.account.marked.is_empty());
    assert!(bench.account.marked.iter().all(|number| *number < 1000), "{:?}", bench.account.marked);
}

/// Over a long time flows that wait share to a quantum and a packet, whatever their packets' sizes.
#[test]
fn flows_that_wait_share_equally() {
    let mut bench = bench(config());
    let sizes = [1500, 700, 90];
    for (flow, size) in sizes.iter().enumerate() {
        for number in 0..400_000 / u32::from(*size) {
            bench.arrive(packet(u64::from(number), flow as u32, *size));
        }
    }
    let mut sent = [0_i64; 3];
    for _ in 0..2000 {
        let packet = bench.depart().expect("much waits");
        sent[packet.flow.index()] += i64::from(packet.size);
    }
    let (least, most) = (sent.iter().min().expect("three"), sent.iter().max().expect("three"));
    assert!(*least > 100_000 && most - least <= 3000, "{sent:?}");
    let what =
        "bytes sent of three flows that wait, packets of 1500, 700 and 90 bytes, the most against the least";
    Catalogue::Queues.assert_near("fq-codel", what, *most as f64, *least as f64, 0.03);
}

#[test]
fn flows_are_spread_over_the_queues_as_evenly_as_chance_does() {
    let mut bench = bench(Config { queues: 64, ..config() });
    for flow in 0..6400 {
        bench.arrive(packet(0, flow, 100));
    }
    // Chi-square with 63 degrees of freedom: mean 63, standard deviation 11.2.
    let chi: f64 = (0..64)
        .map(|row| bench.queue.fair.rows.backlog_of(row).packets as f64 - 100.0)
        .map(|off| off * off / 100.0)
        .sum();
    assert!((20.0..120.0).contains(&chi), "{chi}");
}
