// SPDX-License-Identifier: Apache-2.0
//! Prague.

use super::{Flow, SETUP, same};
use narrows_cc::{Cause, EcnUse};
use narrows_units::{Rate, Span};

#[test]
fn packets_are_sent_as_ect_1() {
    assert_eq!(Flow::new("prague", SETUP).algorithm.ecn(), EcnUse::LowLatency);
}

#[test]
fn alpha_is_one_until_the_first_mark_and_then_follows_the_fraction_marked() {
    let mut flow = Flow::avoiding("prague", 100.0);
    for _ in 0..3 {
        flow.marked(50, 0);
        flow.path.round += 1;
    }
    same(flow.inner("alpha"), 1.0);
    flow.marked(10, 0);
    flow.marked(20, 10);
    flow.path.round += 1;
    flow.marked(10, 0);
    same(flow.inner("alpha"), 1.0 + (10.0 / 30.0 - 1.0) / 16.0);
}

#[test]
fn marks_decrease_the_window_once_per_round_trip_and_packets_without_a_mark_add_to_it() {
    let mut flow = Flow::avoiding("prague", 100.0);
    flow.marked(4, 1);
    // Half of the window, and three of four packets add their share.
    same(flow.window(), 50.0 + 3.0 / 50.0);
    let before = flow.window();
    flow.marked(4, 4);
    same(flow.window(), before);
    flow.wait(Span::from_ms(99));
    flow.marked(2, 1);
    same(flow.window(), before + 1.0 / before);
    flow.wait(Span::from_ms(1));
    flow.marked(1, 1);
    assert!(flow.window() < 26.0);
}

#[test]
fn the_first_mark_ends_slow_start() {
    let mut flow = Flow::new("prague", SETUP);
    flow.marked(2, 2);
    same(flow.window(), 5.0);
    same(flow.ssthresh(), 5.0);
}

#[test]
fn after_500_rounds_the_increase_is_scaled_by_the_square_of_the_round_trip_over_25_ms() {
    let mut flow = Flow::avoiding("prague", 100.0);
    let rtt = Span::from_ms(5);
    let view = flow.path.rtt.as_mut().expect("there is one");
    (view.latest, view.smoothed) = (rtt, rtt);
    flow.acked(1);
    same(flow.window(), 100.01);
    flow.path.round += 500;
    let before = flow.window();
    flow.acked(1);
    same(flow.window(), before + 0.04 / before);
}

#[test]
fn the_pacing_rate_is_a_window_per_round_trip_and_two_below_half_of_ssthresh() {
    let pacing = |flow: &Flow| flow.algorithm.limits().pacing;
    let mut flow = Flow::avoiding("prague", 100.0);
    assert_eq!(pacing(&flow), None, "no round-trip time is known");
    flow.marked(1, 1);
    // 50 packets of 1448 bytes in 100 ms.
    assert_eq!(pacing(&flow), Some(Rate::from_bps(5_792_000)));
    let mut flow = Flow::new("prague", SETUP);
    flow.acked(10);
    assert_eq!(pacing(&flow), Some(Rate::from_bps(2 * 2_316_800)));
}

#[test]
fn a_loss_halves_the_window_for_any_alpha() {
    let mut flow = Flow::avoiding("prague", 100.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
}
