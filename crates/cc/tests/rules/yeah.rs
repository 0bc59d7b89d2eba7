// SPDX-License-Identifier: Apache-2.0
//! YeAH-TCP.

use super::{Flow, same};
use narrows_cc::Cause;
use narrows_units::Span;

/// A flow with a minimum round-trip time of 100 ms, at the start of a round. Its window grows in no test that does not say so.
fn flow(name: &str, window: f64) -> Flow {
    let mut flow = Flow::avoiding(name, window);
    flow.path.window_limited = false;
    flow.acked(0);
    flow.path.round += 1;
    flow.acked(0);
    flow
}

/// A round with a round-trip time at which a `part` of it is queueing.
fn round(flow: &mut Flow, part: f64) {
    for last in [false, false, false, true] {
        flow.path.round += u64::from(last);
        flow.acked_after(1, Span::from_ms(100).scaled(1.0 / (1.0 - part)));
    }
}

/// The increase of the window for one packet, times the window.
fn step(flow: &mut Flow) -> f64 {
    flow.path.window_limited = true;
    let before = flow.window();
    flow.acked(1);
    (flow.window() - before) * before
}

/// `(rtt − base) / rtt` where `(rtt − base) / base` is `delay`.
fn part(delay: f64) -> f64 {
    delay / (1.0 + delay)
}

#[test]
fn a_fast_round_has_scalables_increase_and_a_slow_one_renos() {
    for (window, delay, expected) in
        [(500.0, 0.0, 5.0), (500.0, 0.12, 5.0), (500.0, 0.13, 1.0), (50.0, 0.0, 1.0)]
    {
        let mut flow = flow("yeah", window);
        round(&mut flow, part(delay));
        assert!((step(&mut flow) - expected).abs() < 1e-6);
    }
}

#[test]
fn a_round_is_slow_with_more_than_80_packets_in_the_queue_however_short_the_delay_is() {
    for (queue, expected) in [(79.0, 10.0), (81.0, 1.0)] {
        // The decongestion takes the window down to Reno's, which has none yet.
        let mut flow = flow("yeah(gamma=1000)", 1000.0);
        round(&mut flow, queue / 1000.0);
        assert!((step(&mut flow) - expected).abs() < 1e-6);
    }
}

#[test]
fn more_than_80_packets_in_the_queue_are_removed_but_at_most_half_of_the_window() {
    for (window, queue, left) in
        [(1000.0, 81.0, 919.0), (1000.0, 400.0, 600.0), (1000.0, 600.0, 500.0), (200.0, 79.0, 200.0)]
    {
        let mut flow = flow("yeah", window);
        round(&mut flow, queue / window);
        assert!((flow.window() - left).abs() < 1e-6, "{}", flow.window());
        assert!(flow.ssthresh() <= flow.window());
    }
}

#[test]
fn the_window_is_not_decreased_below_that_of_a_reno_flow() {
    let mut flow = flow("yeah", 200.0);
    round(&mut flow, 0.2);
    same(flow.inner("reno"), 100.0);
    for slow in 1..=30 {
        round(&mut flow, 0.2);
        same(flow.inner("reno"), 100.0 + f64::from(slow));
    }
    round(&mut flow, 0.45);
    assert!((flow.window() - 130.0).abs() < 1e-6, "{}", flow.window());
}

#[test]
fn fifty_one_fast_rounds_forget_the_reno_flow_and_a_loss_halves_its_window() {
    let mut flow = flow("yeah", 200.0);
    round(&mut flow, 0.2);
    (0..50).for_each(|_| round(&mut flow, 0.0));
    same(flow.inner("reno"), 100.0);
    flow.lost(Cause::Detected);
    same(flow.inner("reno"), 50.0);
    flow.recovered();
    (0..50).for_each(|_| round(&mut flow, 0.0));
    same(flow.inner("reno"), 50.0);
    round(&mut flow, 0.0);
    same(flow.inner("reno"), 2.0);
}

#[test]
fn a_loss_removes_the_queue_or_an_eighth_or_half_of_the_window() {
    for (queue, left) in [(0.0, 350.0), (40.0, 350.0), (70.0, 330.0)] {
        let mut flow = flow("yeah", 400.0);
        round(&mut flow, queue / 400.0);
        flow.lost(Cause::Detected);
        assert!((flow.window() - left).abs() < 1e-6, "{}", flow.window());
    }
    let mut flow = flow("yeah(q_max=1000)", 400.0);
    round(&mut flow, 0.7);
    flow.lost(Cause::Detected);
    same(flow.window(), 200.0);
}

#[test]
fn after_sixteen_slow_rounds_in_a_row_a_loss_halves_the_window() {
    for (slow, left) in [(15, 328.0), (16, 200.0)] {
        let mut flow = flow("yeah", 400.0);
        (0..slow).for_each(|_| round(&mut flow, 0.18));
        flow.lost(Cause::Detected);
        assert!((flow.window() - left).abs() < 1e-6, "{}", flow.window());
    }
}
