// SPDX-License-Identifier: Apache-2.0
//! Truth: the rules of Shreedhar and Varghese 1995 worked by hand, and their bound on fairness as theory.

use super::{Config, Drr, End};
use crate::testing::{Bench, packet};
use crate::{DropReason, Limit, QueueDiscipline};
use narrows_units::Bytes;
use narrows_wire::{Body, Packet};
use proptest::prelude::{Strategy, proptest};

fn config() -> Config {
    Config { quantum: Bytes::new(500), limit: Limit::Unlimited, drop: End::Head }
}

fn bench(config: Config) -> Bench<Drr> {
    Bench::new(Drr::new(&config))
}

#[test]
fn a_flow_saves_what_its_packets_leave_of_the_quantum_until_its_queue_is_empty() {
    let mut bench = bench(config());
    for (number, flow, size) in
        [(10, 1, 200), (11, 1, 750), (12, 1, 20), (20, 2, 500), (21, 2, 500), (30, 3, 200), (31, 3, 600)]
    {
        bench.arrive(packet(number, flow, size));
    }
    // Flow 1 keeps 300 after its first packet, which with the next 500 is enough for 750 and 20; flow 3 keeps 300 too.
    assert_eq!(bench.drain(), [10, 20, 30, 11, 12, 21, 31]);
}

#[test]
fn a_flow_that_comes_back_starts_without_a_deficit_at_the_end_of_the_round() {
    let mut bench = bench(config());
    bench.arrive(packet(0, 1, 100));
    assert_eq!(bench.drain(), [0]);
    bench.arrive(packet(1, 2, 600));
    bench.arrive(packet(2, 1, 600));
    bench.arrive(packet(3, 3, 500));
    assert_eq!(bench.drain(), [3, 1, 2], "the 400 bytes that flow 1 left are gone");
}

#[test]
fn the_legs_of_a_flow_are_kept_apart() {
    let mut bench = bench(Config { quantum: Bytes::new(1000), ..config() });
    for number in 0..3 {
        bench.arrive(packet(number, 1, 1000));
    }
    bench.arrive(Packet { body: Body::SynAck { feedback: None }, ..packet(9, 1, 40) });
    assert_eq!(bench.drain(), [0, 9, 1, 2]);
}

#[test]
fn a_quantum_smaller_than_the_packet_takes_more_rounds() {
    let mut bench = bench(Config { quantum: Bytes::new(250), ..config() });
    bench.arrive(packet(0, 1, 1000));
    bench.arrive(packet(1, 2, 500));
    bench.arrive(packet(2, 2, 500));
    assert_eq!(bench.drain(), [1, 0, 2]);
}

#[test]
fn the_longest_queue_makes_room_at_its_head_or_at_its_tail() {
    for (drop, victims) in [(End::Head, [0, 1]), (End::Tail, [3, 2])] {
        let mut bench = bench(Config { limit: Limit::Bytes(4000), drop, ..config() });
        for number in 0..4 {
            bench.arrive(packet(number, 1, 1000));
        }
        for number in 4..6 {
            bench.arrive(packet(number, 2, 700));
        }
        let overflow = victims.map(|number| (number, DropReason::Overflow));
        assert_eq!(bench.account.dropped, overflow, "{drop:?}");
    }
}

#[test]
fn a_flow_whose_only_packet_was_dropped_is_served_again_when_it_returns() {
    let mut bench = bench(Config { limit: Limit::Packets(1), ..config() });
    bench.arrive(packet(0, 1, 1000));
    bench.arrive(packet(1, 2, 500));
    assert_eq!(bench.drain(), [1]);
    bench.arrive(packet(2, 1, 1000));
    assert_eq!(bench.drain(), [2]);
    assert_eq!(bench.queue.backlog().packets, 0);
}

#[test]
fn rows_are_used_again_by_other_flows() {
    let mut bench = bench(config());
    for flow in 0..100 {
        bench.arrive(packet(0, flow, 500));
        bench.arrive(packet(1, flow + 1, 500));
        bench.drain();
    }
    assert_eq!(bench.queue.holders.len(), 2);
}

/// Sizes of the packets of three flows that always have some waiting.
fn sizes() -> impl Strategy<Value = Vec<[u16; 3]>> {
    proptest::collection::vec([40..=1500_u16, 40..=1500_u16, 40..=1500_u16], 20..100)
}

proptest! {
    /// Shreedhar and Varghese 1995, their fairness measure: over any time in which both flows wait, what they send differs by at
    /// most a quantum and two packets.
    #[test]
    fn what_flows_that_wait_may_send_differs_by_a_quantum_and_two_packets(
        sizes in sizes(),
        quantum in 200..=3000_u64,
    ) {
        let mut bench = bench(Config { quantum: Bytes::new(quantum), ..config() });
        for (number, sizes) in sizes.iter().enumerate() {
            for (flow, &size) in sizes.iter().enumerate() {
                bench.arrive(packet(number as u64, flow as u32, size));
            }
        }
        let bound = (quantum + 2 * 1500).cast_signed();
        let mut sent = [0_i64; 3];
        // Of every ordered pair the least difference so far: over an interval the difference grows from there.
        let mut least = [[0_i64; 3]; 3];
        while let Some(packet) = bench.depart() {
            let flow = packet.flow.index();
            sent[flow] += i64::from(packet.size);
            for a in 0..3 {
                for b in 0..3 {
                    let ahead = sent[a] - sent[b];
                    assert!(ahead - least[a][b] <= bound, "flow {a} by {} of {bound}", ahead - least[a][b]);
                    least[a][b] = least[a][b].min(ahead);
                }
            }
            if packet.number + 1 == sizes.len() as u64 {
                break;
            }
        }
    }
}
