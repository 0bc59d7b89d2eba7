// SPDX-License-Identifier: Apache-2.0
//! BIC.

use super::{Flow, same};
use narrows_cc::Cause;

/// A flow after the recovery from a loss at `window` packets.
fn after_a_loss_at(name: &str, window: f64) -> Flow {
    let mut flow = Flow::avoiding(name, window);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow
}

/// The increase of one packet acknowledged, times the window: packets per round trip.
fn step(flow: &mut Flow) -> f64 {
    let before = flow.window();
    flow.acked(1);
    (flow.window() - before) * before
}

#[test]
fn a_loss_multiplies_the_window_by_0_8_and_by_a_half_at_14_packets() {
    same(after_a_loss_at("bic", 1000.0).window(), 800.0);
    same(after_a_loss_at("bic", 14.0).window(), 7.0);
}

#[test]
fn the_increase_is_a_quarter_of_the_distance_at_most_16_and_0_2_around_w_max() {
    let mut flow = after_a_loss_at("bic", 1000.0);
    let mut seen = [0; 5];
    while flow.window() < 1060.0 {
        let window = flow.window();
        let (place, expected) = match window {
            _ if window < 936.0 => (0, 16.0),
            _ if window < 996.0 => (1, (1000.0 - window) / 4.0),
            _ if window < 1004.0 => (2, 0.2),
            _ if window < 1048.0 => (3, (window - 1000.0) / 3.0),
            _ => (4, 16.0),
        };
        seen[place] += 1;
        let step = step(&mut flow);
        assert!((step - expected).abs() < 1e-6, "{step} at {window}, expected {expected}");
    }
    assert!(seen.iter().all(|times| *times > 100), "{seen:?}");
}

#[test]
fn a_loss_below_w_max_lowers_it_further() {
    let mut flow = after_a_loss_at("bic", 1000.0);
    flow.lost(Cause::Detected);
    same(flow.inner("w_max"), 720.0);
    let mut flow = after_a_loss_at("bic(fast_convergence=false)", 1000.0);
    flow.lost(Cause::Detected);
    same(flow.inner("w_max"), 800.0);
}

#[test]
fn at_14_packets_the_increase_is_renos() {
    same(step(&mut after_a_loss_at("bic", 17.5)), 1.0);
}

#[test]
fn before_any_loss_the_increase_is_at_least_a_twentieth() {
    let mut flow = Flow::avoiding("bic", 1000.0);
    same(step(&mut flow), 50.0);
}

#[test]
fn a_timeout_resets_w_max() {
    let mut flow = Flow::avoiding("bic", 1000.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 800.0);
    same(flow.inner("w_max"), 0.0);
    flow.acked(799);
    same(step(&mut flow), 40.0);
}
