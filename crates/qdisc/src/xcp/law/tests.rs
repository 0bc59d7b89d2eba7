// SPDX-License-Identifier: Apache-2.0
//! XCP's controllers against their equations.

use super::{super::Config, XcpLaw};
use narrows_units::{Bytes, Rate, Span, Time};

const PACKET: Bytes = Bytes::new(1000);
/// 1,000,000 bytes per second.
const LINK: Rate = Rate::from_bps(8_000_000);

fn config() -> Config {
    Config {
        alpha: 0.4,
        beta: 0.226,
        gamma: 0.1,
        min_interval: Span::from_ms(1),
        max_interval: Span::from_ms(1000),
        initial_interval: Span::from_ms(50),
    }
}

/// A law that has seen `packets` with this round-trip time and spacing, evenly over its first interval, while `waiting`
/// bytes were queued persistently.
fn seen(packets: u64, rtt: f32, spacing: f32, waiting: Bytes) -> XcpLaw {
    let mut law = XcpLaw::new(&config());
    let gap = Span::from_ms(50) / packets.max(1);
    for number in 0..packets {
        law.on_arrival(PACKET, Some((rtt, spacing)), Time::ZERO + gap * number);
    }
    // The first queueing interval only learns that something waits; the second that it stays.
    law.queue_due = Time::ZERO;
    law.control_due = Time::NEVER;
    law.on_wake(Time::ZERO, LINK, waiting);
    law.queue_due = Time::ZERO;
    law.on_wake(Time::ZERO, LINK, waiting);
    law.control_due = Time::ZERO;
    law.queue_due = Time::NEVER;
    law.on_wake(Time::ZERO, LINK, waiting);
    law
}

fn near(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-4 * expected.abs().max(1.0), "{got} is not {expected}");
}

/// All that `packets` departures with an unlimited wish are given.
fn handed_out(law: &mut XcpLaw, packets: u64, rtt: f32, spacing: f32) -> f64 {
    (0..packets).map(|_| f64::from(law.feedback(PACKET, (rtt, spacing), f32::INFINITY))).sum()
}

#[test]
fn the_efficiency_controller_hands_out_alpha_of_the_spare_rate() {
    // 25 packets in 50 ms are half of the link.
    let mut law = seen(25, 0.1, 0.002, Bytes::ZERO);
    near(handed_out(&mut law, 25, 0.1, 0.002), 0.4 * 500_000.0);
    near(handed_out(&mut law, 25, 0.1, 0.002), 0.0);
}

#[test]
fn a_persistent_queue_is_taken_back_by_beta() {
    let waiting = Bytes::new(50_000);
    let mut law = seen(50, 0.1, 0.001, waiting);
    near(handed_out(&mut law, 50, 0.1, 0.001), -0.226 * 50_000.0 / 0.1);
}

#[test]
fn a_tenth_of_the_traffic_changes_hands_until_flows_are_equal() {
    // Two flows of the same round trip fill the link, one with four fifths of it.
    let mut law = XcpLaw::new(&config());
    for number in 0..50 {
        let spacing = if number % 5 == 0 { 0.005 } else { 0.00125 };
        law.on_arrival(PACKET, Some((0.1, spacing)), Time::ZERO + Span::from_ms(1) * number);
    }
    law.queue_due = Time::NEVER;
    law.on_wake(Time::ZERO + Span::from_ms(50), LINK, Bytes::ZERO);
    let small: f64 = (0..10).map(|_| f64::from(law.feedback(PACKET, (0.1, 0.005), f32::INFINITY))).sum();
    let large: f64 = (0..40).map(|_| f64::from(law.feedback(PACKET, (0.1, 0.00125), f32::INFINITY))).sum();
    // h = 0.1 C; each flow gets half of it and gives its share.
    near(small, 0.1e6 * (0.5 - 0.2));
    near(large, 0.1e6 * (0.5 - 0.8));
}

#[test]
fn no_more_is_given_than_another_router_allows() {
    let mut law = seen(25, 0.1, 0.002, Bytes::ZERO);
    let open = f64::from(law.feedback(PACKET, (0.1, 0.002), f32::INFINITY));
    assert!(open > 1000.0);
    near(f64::from(law.feedback(PACKET, (0.1, 0.002), 1000.0)), 1000.0);
    near(f64::from(law.feedback(PACKET, (0.1, 0.002), -5.0)), -5.0);
    // Capacity that the two did not use is left for the others.
    near(law.give.left, 0.4 * 500_000.0 - open - 1000.0);
}

#[test]
fn a_packet_without_a_round_trip_time_counts_as_traffic_and_is_given_nothing() {
    let mut law = XcpLaw::new(&config());
    law.on_arrival(PACKET, Some((0.0, 0.0)), Time::ZERO);
    law.queue_due = Time::NEVER;
    law.on_wake(Time::ZERO + Span::from_ms(50), LINK, Bytes::ZERO);
    near(f64::from(law.feedback(PACKET, (0.0, 0.0), f32::INFINITY)), 0.0);
    near(f64::from(law.feedback(PACKET, (0.1, 0.001), f32::INFINITY)), 0.0);
}

#[test]
fn the_control_interval_is_the_mean_round_trip_weighted_by_spacing() {
    let mut law = XcpLaw::new(&config());
    law.on_arrival(PACKET, Some((0.1, 0.003)), Time::ZERO);
    law.on_arrival(PACKET, Some((0.2, 0.001)), Time::ZERO);
    law.queue_due = Time::NEVER;
    let end = Time::ZERO + Span::from_ms(50);
    law.on_wake(end, LINK, Bytes::ZERO);
    let due = law.next_wake().expect("a timer runs").since(end).as_secs_f64();
    near(due, 0.125);
}

#[test]
fn the_queue_is_looked_at_every_half_round_trip_less_what_the_queue_itself_takes() {
    let mut law = seen(25, 0.1, 0.002, Bytes::ZERO);
    law.queue_due = Time::ZERO;
    law.control_due = Time::NEVER;
    law.on_wake(Time::ZERO, LINK, Bytes::new(20_000));
    near(law.queue_due.since(Time::ZERO).as_secs_f64(), (0.1 - 0.02) / 2.0);
}
