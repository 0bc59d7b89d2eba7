// SPDX-License-Identifier: Apache-2.0
//! Veno.

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::Span;

/// A flow at 100 packets with `queued` packets in the queue: a base of 100 ms and a smoothed time that is longer.
fn flow(name: &str, queued: f64) -> Flow {
    let mut flow = Flow::avoiding(name, 100.0);
    if let Some(rtt) = &mut flow.path.rtt {
        rtt.smoothed = Span::from_ms(100).scaled(100.0 / (100.0 - queued));
    }
    flow.acked_after(0, Span::from_ms(100));
    flow
}

#[test]
fn the_window_grows_as_renos_with_fewer_than_three_packets_in_the_queue_and_at_half_the_rate_with_more() {
    for (queued, step) in [(0.0, 0.02), (2.9, 0.02), (3.1, 0.01), (50.0, 0.01)] {
        let mut flow = flow("veno", queued);
        flow.acked(2);
        same(flow.window(), 100.0 + step);
    }
}

#[test]
fn a_loss_takes_a_fifth_of_the_window_with_fewer_than_three_packets_in_the_queue_and_half_with_more() {
    for (queued, left) in [(0.0, 80.0), (2.9, 80.0), (3.1, 50.0), (50.0, 50.0)] {
        let mut flow = flow("veno", queued);
        flow.lost(Cause::Detected);
        same(flow.window(), left);
    }
}

#[test]
fn a_timeout_halves_ssthresh_however_short_the_queue_is() {
    let mut flow = flow("veno", 0.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 50.0);
    same(flow.window(), 1.0);
}

/// The window after a loss and a second one, when all round-trip times since the first belonged to a long queue.
fn after_two_losses(name: &str) -> f64 {
    let mut flow = flow(name, 20.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
    flow.recovered();
    flow.path.window_limited = false;
    flow.acked_after(1, Span::from_ms(125));
    flow.lost(Cause::Detected);
    flow.window()
}

#[test]
fn a_loss_resets_the_base_unless_it_is_that_of_the_connection() {
    same(after_two_losses("veno"), 40.0);
    same(after_two_losses("veno(reset=false)"), 25.0);
}

#[test]
fn the_round_trip_time_is_the_smoothed_one_unless_it_is_the_latest() {
    for (name, left) in [("veno", 80.0), ("veno(rtt=latest)", 50.0)] {
        let mut flow = flow(name, 0.0);
        flow.path.window_limited = false;
        flow.acked_after(1, Span::from_ms(150));
        flow.lost(Cause::Detected);
        same(flow.window(), left);
    }
}

#[test]
fn slow_start_is_renos() {
    let mut flow = Flow::new("veno", SETUP.initial_window(20.0));
    flow.acked(10);
    same(flow.window(), 30.0);
}
