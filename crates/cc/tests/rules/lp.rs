// SPDX-License-Identifier: Apache-2.0
//! TCP-LP.

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::Span;

/// A flow in congestion avoidance at 100 packets that knows delays of 100 to 200 ms, so that 115 ms are the threshold.
fn flow(name: &str) -> Flow {
    let mut flow = Flow::new(name, SETUP.initial_window(100.0).initial_ssthresh(101.0));
    flow.acked_after(0, Span::from_ms(200));
    flow.path.window_limited = false;
    flow.wait(Span::from_ms(1_000));
    for _ in 0..200 {
        flow.acked_after(0, Span::from_ms(100));
    }
    flow.path.window_limited = true;
    flow.acked(1);
    same(flow.window(), 101.0);
    flow
}

/// Acknowledgements with a round-trip time of `rtt` until the smoothed delay is near it.
fn settle(flow: &mut Flow, rtt: u64) {
    for _ in 0..100 {
        flow.acked_after(0, Span::from_ms(rtt));
    }
}

#[test]
fn the_smoothed_delay_moves_by_an_eighth_of_the_distance() {
    let mut flow = flow("lp");
    let before = flow.inner("delay");
    flow.acked_after(0, Span::from_ms(108));
    same(flow.inner("delay"), before + (0.108 - before) / 8.0);
}

#[test]
fn a_delay_above_15_percent_of_the_largest_halves_the_window() {
    for (rtt, left) in [(114, 101.0), (116, 50.5)] {
        let mut flow = flow("lp");
        settle(&mut flow, rtt);
        same(flow.window(), left);
        same(flow.ssthresh(), left);
    }
}

#[test]
fn packets_sent_before_a_decrease_indicate_nothing() {
    let mut flow = flow("lp");
    settle(&mut flow, 150);
    flow.wait(Span::from_ms(149));
    settle(&mut flow, 150);
    same(flow.window(), 50.5);
    flow.wait(Span::from_ms(1));
    flow.acked_after(0, Span::from_ms(150));
    same(flow.window(), 1.0);
}

#[test]
fn the_window_does_not_grow_for_three_round_trip_times_after_an_indication() {
    let mut flow = flow("lp");
    settle(&mut flow, 150);
    flow.wait(Span::from_ms(299));
    flow.acked(10);
    same(flow.window(), 50.5);
    flow.wait(Span::from_ms(1));
    flow.acked(10);
    same(flow.window(), 50.5 + 10.0 / 50.5);
}

#[test]
fn an_indication_after_the_inference_phase_halves_again() {
    let mut flow = flow("lp");
    settle(&mut flow, 150);
    flow.wait(Span::from_ms(300));
    flow.acked_after(0, Span::from_ms(150));
    same(flow.window(), 25.25);
}

#[test]
fn another_indication_starts_the_inference_phase_anew() {
    let mut flow = flow("lp");
    settle(&mut flow, 150);
    flow.wait(Span::from_ms(200));
    flow.acked_after(0, Span::from_ms(150));
    same(flow.window(), 1.0);
    flow.wait(Span::from_ms(299));
    flow.acked(1);
    same(flow.window(), 1.0);
    flow.wait(Span::from_ms(1));
    flow.acked(1);
    // ssthresh is at least 2 packets, so that a window of one is in slow start.
    same(flow.window(), 2.0);
    flow.acked(1);
    same(flow.window(), 2.5);
}

#[test]
fn a_window_below_four_packets_measures_nothing() {
    for (window, left) in [(3.0, 3.0), (4.0, 2.0)] {
        let mut flow = Flow::avoiding("lp", window);
        flow.path.window_limited = false;
        flow.acked_after(0, Span::from_ms(100));
        settle(&mut flow, 200);
        same(flow.window(), left);
    }
}

#[test]
fn nothing_is_indicated_in_slow_start_and_a_loss_halves() {
    let mut flow = Flow::new("lp", SETUP.initial_window(20.0));
    flow.acked(0);
    flow.acked_after(0, Span::from_ms(300));
    settle(&mut flow, 300);
    same(flow.window(), 20.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 10.0);
}

/// Kuzmanovic, Knightly and Cottrell 2004: the windows of HighSpeed TCP, the early indications of TCP-LP.
#[test]
fn hstcp_lp_is_highspeed_tcp_that_gives_way_as_lp() {
    let grown = |name: &str| {
        let mut flow = Flow::avoiding(name, 2_000.0);
        flow.acked(10);
        let grown = flow.window();
        flow.lost(Cause::Detected);
        (grown, flow.window())
    };
    assert_eq!(grown("hstcp-lp"), grown("hstcp"));
    let mut flow = flow("hstcp-lp");
    settle(&mut flow, 116);
    assert!(flow.window() < 51.0, "{}", flow.window());
}
