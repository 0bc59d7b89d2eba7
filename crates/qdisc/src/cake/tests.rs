// SPDX-License-Identifier: Apache-2.0
//! Truth: equal shares of hosts and flows, sets that keep flows apart, and rules worked by hand.

use super::{Cake, Config, Control, QUEUES, WAYS};
use crate::testing::{Bench, packet};
use crate::{Classes, DropReason, Limit};
use alloc::collections::BTreeSet;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Ecn, Packet, SackBlocks};

fn config() -> Config {
    Config {
        target: Span::from_ms(5),
        interval: Span::from_ms(100),
        shaped: false,
        hosts: None,
        ack_filter: false,
        limit: Limit::Unlimited,
        packet: Bytes::new(1000),
    }
}

/// Packets that each of five flows sends in `turns` transmissions while all always have packets.
fn shares(config: &Config, turns: u64) -> [u64; 5] {
    let mut bench = Bench::new(Cake::new(config));
    let mut sent = [0; 5];
    let mut number = 0;
    for flow in (0..5).cycle().take(50) {
        bench.arrive(packet(number, flow, 1000));
        number += 1;
    }
    for _ in 0..turns {
        let left = bench.depart().expect("packets wait");
        sent[left.flow.index()] += 1;
        bench.arrive(Packet { number, ..left });
        number += 1;
    }
    sent
}

#[test]
fn flows_of_different_hosts_have_equal_shares() {
    let sent = shares(&config(), 1000);
    assert!(sent.iter().all(|count| (199..=201).contains(count)), "{sent:?}");
}

#[test]
fn hosts_have_equal_shares_and_their_flows_too() {
    // Flow 0 is alone on its host; the other four share one.
    let hosts = Some(Classes::new([0, 1, 1, 1, 1], 2));
    let sent = shares(&Config { hosts, ..config() }, 8000);
    assert!((3960..=4040).contains(&sent[0]), "half: {sent:?}");
    assert!(sent[1..].iter().all(|count| (980..=1020).contains(count)), "an eighth: {sent:?}");
}

#[test]
fn eight_flows_of_a_set_do_not_share_a_queue_and_a_ninth_does() {
    let mut bench = Bench::new(Cake::new(&config()));
    let mut in_set: Vec<u32> = Vec::new();
    let mut rows = BTreeSet::new();
    // Find flows whose first choices lie in one set, without letting them hold a row.
    for flow in 0..10_000 {
        let mut probe = bench.queue.clone();
        let row = bench.with(|_, context| probe.row_for(&packet(0, flow, 1000), context.uniform));
        bench.queue.salt = probe.salt;
        if row / WAYS == 3 {
            in_set.push(flow);
        }
    }
    assert!(in_set.len() > 9, "{} of {QUEUES}", in_set.len());
    for (number, flow) in (0..).zip(&in_set[..8]) {
        bench.arrive(packet(number, *flow, 1000));
        let held = (0..QUEUES).filter(|row| bench.queue.rows.backlog_of(*row).packets > 0);
        rows.extend(held);
    }
    assert_eq!(rows.len(), 8);
    bench.arrive(packet(8, in_set[8], 1000));
    let held = (0..QUEUES).filter(|row| bench.queue.rows.backlog_of(*row).packets > 0).count();
    assert_eq!(held, 8, "a collision");
}

#[test]
fn overflow_drops_the_head_of_the_longest_queue() {
    let mut bench = Bench::new(Cake::new(&Config { limit: Limit::Packets(3), ..config() }));
    for (number, flow) in [(0, 0), (1, 1), (2, 1), (3, 2)] {
        bench.arrive(packet(number, flow, 1000));
    }
    assert_eq!(bench.account.dropped, [(1, DropReason::Overflow)]);
    assert_eq!(bench.drain(), [0, 2, 3]);
}

#[test]
fn the_settings_follow_the_rate_of_a_slow_link() {
    let mut queue = Cake::new(&Config { shaped: true, ..config() });
    // 8 ms for a full packet.
    let slow = queue.control(Rate::from_bps(1_000_000));
    let expected =
        Control { target: Span::from_ms(12), interval: Span::from_ms(107), four_packets: Span::from_ms(32) };
    assert_eq!(slow, expected);
    let fast = queue.control(Rate::from_bps(1_000_000_000));
    assert_eq!((fast.target, fast.interval), (Span::from_ms(5), Span::from_ms(100)));
    let mut bench = Bench::new(queue);
    assert_eq!(bench.with(|queue, context| queue.quantum(0, context)), 300, "8 Mbps / 4096 is less");
}

#[test]
fn a_flow_that_waits_too_long_is_marked_if_it_can_be_and_its_last_packet_is_never_dropped() {
    for (ecn, marked) in [(Ecn::Ect0, true), (Ecn::NotCapable, false)] {
        let mut bench = Bench::new(Cake::new(&config()));
        for number in 0..400 {
            bench.arrive(Packet { ecn, ..packet(number, 0, 1000) });
        }
        for ms in 0..400 {
            bench.now = Time::ZERO + Span::from_ms(ms);
            bench.depart();
        }
        assert_eq!(bench.account.marked.is_empty(), !marked);
        assert_eq!(bench.account.dropped.is_empty(), marked);
        assert!(bench.account.dropped.iter().all(|(number, _)| *number < 399));
    }
}

#[test]
fn of_the_acknowledgements_of_a_flow_only_the_last_waits_with_the_filter() {
    let ack = |number, flow| {
        let body = Body::Ack { blocks: SackBlocks::NONE, ce_packets: 0, timestamp_echo: 0 };
        Packet { body, ..packet(number, flow, 40) }
    };
    for (ack_filter, left) in [(true, vec![1, 6]), (false, vec![1, 5, 6, 1])] {
        let mut bench = Bench::new(Cake::new(&Config { ack_filter, ..config() }));
        for arrival in [ack(1, 0), ack(5, 0), ack(6, 0), ack(1, 1)] {
            bench.arrive(arrival);
        }
        let mut found = bench.drain();
        found.sort_unstable();
        let mut left = left;
        left.sort_unstable();
        assert_eq!(found, left);
    }
}
