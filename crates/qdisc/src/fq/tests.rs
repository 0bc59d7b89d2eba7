// SPDX-License-Identifier: Apache-2.0
//! Truth: the rules of Demers, Keshav and Shenker 1989 worked by hand, and their bound on fairness as theory.

use super::FairQueueing;
use crate::testing::{Bench, packet};
use crate::{DropReason, Limit, QueueDiscipline};
use narrows_card::Catalogue;
use narrows_units::Span;
use proptest::prelude::{Strategy, proptest};

fn bench(limit: Limit) -> Bench<FairQueueing> {
    Bench::new(FairQueueing::new(limit))
}

#[test]
fn packets_leave_in_the_order_in_which_they_would_finish_bit_by_bit() {
    let mut bench = bench(Limit::Unlimited);
    for (number, flow, size) in [(10, 1, 1000), (11, 1, 1000), (20, 2, 500), (21, 2, 600), (22, 2, 500)] {
        bench.arrive(packet(number, flow, size));
    }
    // Finish numbers 1000 and 2000, and 500, 1100 and 1600.
    assert_eq!(bench.drain(), [20, 10, 21, 22, 11]);
}

/// One byte is sent in a microsecond.
#[test]
fn a_flow_that_comes_late_has_the_rounds_made_until_then_and_no_more() {
    for (wait_us, order) in [(2_500, [9, 2, 3]), (2_850, [9, 2, 3]), (2_950, [2, 9, 3])] {
        let mut bench = bench(Limit::Unlimited);
        for number in 0..4 {
            bench.arrive(packet(number, 1, 1000));
        }
        assert_eq!(
            [bench.depart(), bench.depart()].map(|packet| packet.map(|packet| packet.number)),
            [Some(0), Some(1)]
        );
        bench.now += Span::from_us(wait_us);
        bench.arrive(packet(9, 2, 100));
        assert_eq!(bench.drain(), order, "{wait_us} us");
    }
}

/// Two flows share 600 us: 300 rounds. The third flow's packet of 250 bytes finishes at 550.
#[test]
fn rounds_are_made_more_slowly_the_more_flows_have_packets() {
    for (size, order) in [(250, [3, 1, 2]), (750, [1, 2, 3])] {
        let mut bench = bench(Limit::Unlimited);
        bench.arrive(packet(1, 1, 600));
        bench.arrive(packet(2, 2, 600));
        bench.now += Span::from_us(600);
        bench.arrive(packet(3, 3, size));
        assert_eq!(bench.drain(), order);
    }
}

#[test]
fn a_flow_that_was_idle_gains_nothing_by_it() {
    let mut bench = bench(Limit::Unlimited);
    bench.arrive(packet(0, 1, 1000));
    bench.drain();
    bench.now += Span::from_ms(100);
    for number in 1..3 {
        bench.arrive(packet(number, 2, 1000));
    }
    bench.arrive(packet(9, 1, 1000));
    assert_eq!(bench.drain(), [9, 1, 2]);
}

#[test]
fn the_last_packet_of_the_longest_queue_makes_room() {
    let mut bench = bench(Limit::Bytes(3000));
    for number in 0..3 {
        bench.arrive(packet(number, 1, 1000));
    }
    bench.arrive(packet(9, 2, 700));
    assert_eq!(bench.account.dropped, [(2, DropReason::Overflow)]);
    assert_eq!(bench.drain(), [9, 0, 1]);
    assert_eq!(bench.queue.backlog().packets, 0);
}

/// Both flows send at the rate of the link into room for ten packets, so that half of the packets are dropped.
#[test]
fn flows_whose_packets_are_dropped_have_the_same_bytes_whatever_their_size() {
    let mut bench = bench(Limit::Packets(10));
    let (mut sent, mut served) = ([0.0; 2], 0.0);
    // One byte is sent in a microsecond: each turn of 1500 us has five packets of 300 bytes and one of 1500.
    for turn in 0..4_000 {
        for part in 0..5 {
            bench.arrive(packet(turn * 10 + part, 1, 300));
            if part == 2 {
                bench.arrive(packet(turn * 10 + 9, 2, 1500));
            }
            bench.now += Span::from_us(300);
            served += 300.0;
            while sent[0] + sent[1] < served {
                let Some(left) = bench.depart() else { break };
                sent[usize::from(left.size().count() > 300)] += left.size().count() as f64;
            }
        }
    }
    assert!((sent[0] / (sent[0] + sent[1]) - 0.5).abs() < 0.01, "{sent:?}");
}

/// A packet of 1500 bytes finishes with every third of 500.
#[test]
fn flows_have_the_same_bytes_whatever_the_size_of_their_packets() {
    let mut bench = bench(Limit::Unlimited);
    for number in 0..400 {
        bench.arrive(packet(number, 1, 500));
        bench.arrive(packet(number, 2, 1500));
    }
    let mut sent = [0.0; 2];
    for packet in core::iter::from_fn(|| bench.depart()).take(400) {
        sent[packet.flow.index() - 1] += f64::from(packet.size);
    }
    let row = "bytes of a flow with packets of 500 bytes, against one with 1500";
    Catalogue::Queues.assert_near("fq", row, sent[0], sent[1], 0.01);
}

fn sizes() -> impl Strategy<Value = Vec<[u16; 3]>> {
    proptest::collection::vec([40..=1500_u16, 40..=1500_u16, 40..=1500_u16], 20..100)
}

proptest! {
    /// Demers et al. 1989: a packet is sent late by the longest packet at most, so that waiting flows may differ by
    /// that much in the data sent; with deficit round robin a quantum is added.
    #[test]
    fn what_flows_that_wait_may_send_differs_by_a_packet(sizes in sizes()) {
        let mut bench = bench(Limit::Unlimited);
        for (number, sizes) in sizes.iter().enumerate() {
            for (flow, &size) in sizes.iter().enumerate() {
                bench.arrive(packet(number as u64, flow as u32, size));
            }
        }
        let mut sent = [0_i64; 3];
        while let Some(packet) = bench.depart() {
            sent[packet.flow.index()] += i64::from(packet.size);
            let (least, most) = (sent.iter().min(), sent.iter().max());
            assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1500), "{sent:?}");
            if packet.number + 1 == sizes.len() as u64 {
                break;
            }
        }
    }
}
