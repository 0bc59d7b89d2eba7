// SPDX-License-Identifier: Apache-2.0
//! DCTCP.

use super::{Flow, SETUP, same};
use narrows_cc::{Cause, EcnUse};
use narrows_units::Span;

#[test]
fn the_algorithm_needs_counts_of_marks() {
    assert_eq!(Flow::new("dctcp", SETUP).algorithm.ecn(), EcnUse::Counted);
}

#[test]
fn alpha_moves_by_a_sixteenth_towards_the_fraction_marked_in_each_round() {
    let mut flow = Flow::avoiding("dctcp", 100.0);
    flow.marked(1, 0);
    flow.marked(60, 30);
    flow.path.round += 1;
    flow.marked(40, 0);
    same(flow.inner("alpha"), 1.0 + (0.3 - 1.0) / 16.0);
    flow.path.round += 1;
    flow.marked(50, 0);
    same(flow.inner("alpha"), (1.0 - 0.7 / 16.0) * 15.0 / 16.0);
}

#[test]
fn the_first_mark_of_a_window_of_data_decreases_the_window_by_half_of_alpha() {
    let mut flow = Flow::avoiding("dctcp(alpha=0.5)", 100.0);
    flow.marked(10, 1);
    same(flow.window(), 75.0);
    flow.wait(Span::from_ms(99));
    flow.path.round += 1;
    flow.marked(10, 10);
    same(flow.window(), 75.0);
    flow.wait(Span::from_ms(1));
    flow.marked(10, 0);
    same(flow.window(), 75.0 + 10.0 / 75.0);
    flow.marked(10, 1);
    assert!(flow.window() < 60.0);
}

/// Linux: `cwnd * alpha >> 11`.
#[test]
fn a_decrease_takes_whole_packets() {
    for (alpha, left) in [("0.019", 100.0), ("0.02", 99.0), ("0.1", 95.0), ("0.119", 95.0)] {
        let mut flow = Flow::avoiding(&format!("dctcp(alpha={alpha})"), 100.0);
        flow.marked(10, 1);
        same(flow.window(), left);
        flow.path.round += 1;
        flow.wait(Span::from_ms(50));
        flow.acked(10);
        same(flow.window(), left);
    }
}

#[test]
fn a_mark_ends_slow_start() {
    let mut flow = Flow::new("dctcp(alpha=0.5)", SETUP);
    flow.marked(2, 1);
    same(flow.window(), 8.0);
    same(flow.ssthresh(), 8.0);
}

#[test]
fn a_loss_halves_the_window_for_any_alpha() {
    let mut flow = Flow::avoiding("dctcp(alpha=0)", 100.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
}
