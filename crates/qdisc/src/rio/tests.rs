// SPDX-License-Identifier: Apache-2.0
//! Truth: the rules of Clark and Fang 1998, worked by hand. The law itself is tested beside RED.

use super::{Config, Ramp, Rio};
use crate::Unit;
use crate::testing::{Bench, packet};
use crate::{Classes, DropReason, Limit};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Packet};

/// Flow 0 is In. The averages are the lengths; ramps from 2 to 6 over all, from 4 to 8 over In.
fn config() -> Config {
    Config {
        classes: Classes::new([0], 1),
        unit: Unit::Packets,
        inside: Ramp { min: 4.0, max: 8.0, max_p: 0.125 },
        outside: Ramp { min: 2.0, max: 6.0, max_p: 0.125 },
        weight: 1.0,
        gentle: false,
        wait: false,
        ecn: false,
        limit: Limit::Unlimited,
        mean_packet: Bytes::new(1000),
    }
}

fn bench(config: &Config) -> Bench<Rio> {
    let mut bench = Bench::new(Rio::new(config));
    bench.draw = Some(0.999);
    bench
}

fn dropped(bench: &Bench<Rio>, reason: DropReason) -> Vec<u64> {
    bench.account.dropped.iter().filter(|(_, each)| *each == reason).map(|(number, _)| *number).collect()
}

#[test]
fn out_packets_are_judged_by_all_that_wait_and_in_packets_by_their_own() {
    let mut bench = bench(&config());
    for number in 0..6 {
        bench.arrive(packet(number, u32::from(number % 2 == 0), 1000));
    }
    // Six wait, three of them In: past the end of Out's ramp, before the start of In's.
    bench.arrive(packet(6, 1, 1000));
    bench.arrive(packet(7, 0, 1000));
    assert_eq!(dropped(&bench, DropReason::Early), [6]);
    assert_eq!(bench.drain(), [0, 1, 2, 3, 4, 5, 7]);
}

#[test]
fn in_packets_are_signalled_past_their_own_thresholds() {
    let mut bench = bench(&config());
    for number in 0..10 {
        bench.arrive(packet(number, 0, 1000));
    }
    assert_eq!(dropped(&bench, DropReason::Early), [8, 9]);
}

#[test]
fn a_full_queue_pushes_out_the_youngest_out_packet_for_an_in_packet() {
    let never = Ramp { min: 9.0, max: 9.0, max_p: 1.0 };
    let mut bench = bench(&Config { limit: Limit::Packets(4), inside: never, outside: never, ..config() });
    for (number, flow) in [(0, 1), (1, 0), (2, 1), (3, 0), (4, 1), (5, 0), (6, 0), (7, 0)] {
        bench.arrive(packet(number, flow, 1000));
    }
    // 4 finds no room; 5 and 6 push out 2 and 0; only In packets are left when 7 arrives.
    assert_eq!(dropped(&bench, DropReason::Overflow), [4, 2, 0, 7]);
    assert_eq!(bench.drain(), [1, 3, 5, 6]);
}

#[test]
fn nothing_is_pushed_out_for_an_in_packet_that_still_finds_no_room() {
    let never = Ramp { min: 9.0, max: 9.0, max_p: 1.0 };
    let mut bench = bench(&Config { limit: Limit::Bytes(3000), inside: never, outside: never, ..config() });
    for (number, flow, size) in [(0, 0, 2000), (1, 1, 500), (2, 0, 1500)] {
        bench.arrive(packet(number, flow, size));
    }
    assert_eq!(dropped(&bench, DropReason::Overflow), [2]);
}

#[test]
fn a_capable_packet_is_marked_on_the_ramp_and_leaves_in_its_place() {
    let mut bench = bench(&Config { ecn: true, ..config() });
    for number in 0..4 {
        bench.arrive(packet(number, 1, 1000));
    }
    bench.draw = Some(0.0);
    bench.arrive(Packet { ecn: Ecn::Ect0, ..packet(4, 1, 1000) });
    bench.arrive(packet(5, 0, 1000));
    assert_eq!(bench.account.marked, [4]);
    assert_eq!(bench.drain(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn every_arrival_moves_the_average_of_all_and_idle_time_counts_for_both() {
    let mut bench = bench(&Config { weight: 0.5, ..config() });
    let averages = |bench: &Bench<Rio>| (bench.queue.inside.law.average(), bench.queue.outside.law.average());
    for number in 0..4 {
        bench.arrive(packet(number, u32::from(number > 2), 1000));
    }
    // In saw 0, 1 and 2; all saw 0, 1, 2 and 3.
    assert_eq!(averages(&bench), (1.25, 2.125));
    bench.drain();
    bench.now = Time::ZERO + Span::from_ms(2);
    bench.arrive(packet(4, 1, 1000));
    assert_eq!(averages(&bench), (1.25, 2.125 / 8.0), "two idle packet times and the arrival");
    bench.arrive(packet(5, 0, 1000));
    assert_eq!(averages(&bench).0.to_bits(), f64::to_bits(1.25 / 8.0));
}
