// SPDX-License-Identifier: Apache-2.0
//! The binomial algorithms and TCP(b).

use super::{Flow, same};
use narrows_cc::Cause;

/// A round of sixteen acknowledgements from a window of sixteen.
fn after_a_round(name: &str) -> f64 {
    let mut flow = Flow::avoiding(name, 16.0);
    (0..16).for_each(|_| flow.acked(1));
    flow.window()
}

fn after_a_loss(name: &str) -> f64 {
    let mut flow = Flow::avoiding(name, 16.0);
    flow.lost(Cause::Detected);
    flow.window()
}

#[test]
fn a_round_trip_adds_a_over_the_window_to_the_power_k() {
    same(after_a_round("binomial(k=0.5,l=0.5,a=2,b=1)"), 16.5);
    same(after_a_round("sqrt(gamma=3)"), 16.125);
    same(after_a_round("iiad(a=4,b=1)"), 16.25);
    same(after_a_round("binomial"), 17.0);
}

#[test]
fn a_loss_subtracts_b_times_the_window_to_the_power_l() {
    same(after_a_loss("binomial(k=0.5,l=0.5,a=2,b=1)"), 12.0);
    same(after_a_loss("sqrt(gamma=4)"), 15.0);
    same(after_a_loss("iiad"), 15.33);
    same(after_a_loss("binomial"), 8.0);
}

#[test]
fn the_increase_of_the_next_round_is_computed_with_its_window() {
    let mut flow = Flow::avoiding("iiad", 16.0);
    (0..16).for_each(|_| flow.acked(1));
    let window = flow.window();
    flow.path.round += 1;
    flow.acked(1);
    same(flow.window(), window + 1.0 / (window * window));
}

#[test]
fn tcp_of_a_half_is_standard_tcp_by_either_formula() {
    for name in ["tcp", "tcp(compat=fhp)", "tcp(b=0.5)"] {
        same(after_a_round(name), 17.0);
        same(after_a_loss(name), 8.0);
    }
}

#[test]
fn tcp_of_an_eighth_adds_0_3125_by_gaimd_and_0_2_by_fhp() {
    same(after_a_round("tcp(gamma=8)"), 16.3125);
    same(after_a_round("tcp(b=0.125)"), 16.3125);
    same(after_a_round("tcp(b=0.125,compat=fhp)"), 16.2);
    same(after_a_loss("tcp(gamma=8)"), 14.0);
}

#[test]
fn b_overrides_gamma() {
    same(after_a_loss("tcp(gamma=8,b=0.5)"), 8.0);
}

#[test]
fn a_decrease_leaves_at_least_one_packet() {
    let mut flow = Flow::avoiding("iiad(a=1,b=100)", 16.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 1.0);
}
