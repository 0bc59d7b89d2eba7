// SPDX-License-Identifier: Apache-2.0
//! The linear family.

use super::{Flow, same};
use narrows_cc::Cause;

#[test]
fn after_a_loss_the_increase_is_computed_with_the_new_window() {
    let mut flow = Flow::avoiding("aimd", 10.0);
    flow.acked(1);
    flow.lost(Cause::Detected);
    flow.recovered();
    let window = flow.window();
    flow.acked(5);
    same(flow.window(), window + 5.0 / window);
}

/// A round of ten acknowledgements from a window of ten.
fn after_a_round(name: &str) -> f64 {
    let mut flow = Flow::avoiding(name, 10.0);
    (0..10).for_each(|_| flow.acked(1));
    flow.window()
}

fn after_a_loss(name: &str) -> f64 {
    let mut flow = Flow::avoiding(name, 10.0);
    flow.lost(Cause::Detected);
    flow.window()
}

#[test]
fn a_round_trip_applies_the_linear_increase() {
    same(after_a_round("aimd"), 11.0);
    same(after_a_round("aiad(a=2)"), 12.0);
    same(after_a_round("mimd"), 11.25);
    same(after_a_round("miad(a=1.5)"), 15.0);
    same(after_a_round("aimad"), 11.0);
    same(after_a_round("maimd"), 12.0);
}

#[test]
fn a_loss_applies_the_linear_decrease() {
    same(after_a_loss("aimd"), 5.0);
    same(after_a_loss("aimd(a=1,b=0.8)"), 8.0);
    same(after_a_loss("aiad"), 7.0);
    same(after_a_loss("mimd"), 8.0);
    same(after_a_loss("miad"), 7.0);
    same(after_a_loss("aimad"), 8.0);
    same(after_a_loss("maimd"), 8.0);
}

#[test]
fn a_decrease_leaves_at_least_one_packet() {
    let mut flow = Flow::avoiding("aiad", 2.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 1.0);
    same(flow.ssthresh(), 2.0);
}
