// SPDX-License-Identifier: Apache-2.0
//! Hybla.

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::Span;

fn flow(name: &str, window: f64, rtt: Span) -> Flow {
    let mut flow = Flow::avoiding(name, window);
    flow.acked_after(0, rtt);
    flow
}

#[test]
fn in_congestion_avoidance_the_window_grows_by_the_square_of_rho_over_the_window() {
    for (rtt, rho) in [(100, 4.0), (50, 2.0), (40, 1.6), (25, 1.0), (10, 1.0)] {
        let rtt = Span::from_ms(rtt);
        let mut flow = flow("hybla", 200.0, rtt);
        same(flow.inner("rho"), rho);
        flow.acked_after(2, rtt);
        same(flow.window(), 200.0 + rho * rho * 2.0 / 200.0);
    }
}

#[test]
fn in_slow_start_the_window_grows_by_two_to_the_power_rho_less_one() {
    for (rtt, step) in [(100, 15.0), (50, 3.0), (25, 1.0), (10, 1.0)] {
        let rtt = Span::from_ms(rtt);
        let mut flow = Flow::new("hybla", SETUP.initial_window(10.0));
        flow.acked_after(0, rtt);
        flow.acked_after(2, rtt);
        same(flow.window(), 10.0 + 2.0 * step);
    }
}

#[test]
fn slow_start_ends_at_ssthresh_and_the_packets_beyond_count_for_congestion_avoidance() {
    let mut flow = Flow::new("hybla", SETUP.initial_window(10.0).initial_ssthresh(25.0));
    flow.acked_after(0, Span::from_ms(100));
    flow.acked_after(2, Span::from_ms(100));
    same(flow.window(), 25.0 + 16.0 / 25.0);
}

#[test]
fn rho_follows_the_minimum_round_trip_time_and_another_reference() {
    let mut flow = flow("hybla(rtt0=0.01)", 200.0, Span::from_ms(100));
    same(flow.inner("rho"), 10.0);
    flow.acked_after(1, Span::from_ms(50));
    flow.acked_after(1, Span::from_ms(80));
    same(flow.inner("rho"), 5.0);
}

#[test]
fn a_step_rounds_rho_down() {
    same(flow("hybla(step=0.125)", 200.0, Span::from_ms(40)).inner("rho"), 1.5);
}

#[test]
fn a_loss_halves_the_window() {
    let mut flow = flow("hybla", 200.0, Span::from_ms(100));
    flow.lost(Cause::Detected);
    same(flow.window(), 100.0);
}

/// Linux: `snd_cwnd_clamp`.
#[test]
fn the_window_grows_to_65535_packets_and_no_further() {
    let mut flow = Flow::new("hybla", SETUP);
    flow.acked_after(1, Span::from_ms(560));
    same(flow.window(), 65_535.0);
    flow.acked_after(1000, Span::from_ms(560));
    same(flow.window(), 65_535.0);
    let mut flow = Flow::new("hybla(clamp=20)", SETUP);
    flow.acked_after(1, Span::from_ms(560));
    same(flow.window(), 20.0);
    flow.algorithm.set_window(50.0, true);
    flow.acked(1);
    same(flow.window(), 50.0);
}
