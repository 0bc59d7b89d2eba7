// SPDX-License-Identifier: Apache-2.0
//! Westwood+.

use super::{Flow, same};
use narrows_cc::Cause;
use narrows_units::Span;

/// A flow after `seconds` of 500 packets per second with a round-trip time of 100 ms.
fn fed(window: f64, seconds: u32) -> Flow {
    let mut flow = Flow::avoiding("westwood", window);
    flow.path.window_limited = false;
    for _ in 0..100 * seconds {
        flow.wait(Span::from_ms(10));
        flow.acked(5);
    }
    flow
}

fn close(one: f64, other: f64) {
    assert!((one / other - 1.0).abs() < 1e-3, "{one} is not {other}");
}

#[test]
fn a_loss_sets_the_window_to_bandwidth_times_minimum_round_trip_time() {
    let mut flow = fed(80.0, 10);
    flow.lost(Cause::Detected);
    close(flow.window(), 50.0);
    close(flow.ssthresh(), 50.0);
}

#[test]
fn a_loss_never_raises_the_window_but_sets_ssthresh_to_the_estimate() {
    let mut flow = fed(20.0, 10);
    flow.lost(Cause::Detected);
    same(flow.window(), 20.0);
    close(flow.ssthresh(), 50.0);
}

#[test]
fn a_timeout_sets_one_packet_and_the_same_ssthresh_and_resets_the_minimum_round_trip_time() {
    let mut flow = fed(80.0, 10);
    flow.lost(Cause::Timeout);
    same(flow.window(), 1.0);
    close(flow.ssthresh(), 50.0);
    flow.acked_after(5, Span::from_ms(120));
    flow.lost(Cause::Detected);
    close(flow.ssthresh(), 60.0);
}

#[test]
fn before_the_first_sample_a_loss_halves_the_window() {
    let mut flow = Flow::avoiding("westwood", 80.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 40.0);
}

#[test]
fn a_sample_moves_the_second_filter_by_a_sixty_fourth() {
    let mut flow = fed(80.0, 10);
    let before = flow.inner("rate");
    flow.wait(Span::from_ms(101));
    flow.acked(0);
    // The packets before the idle period and the idle period are one sample or two.
    assert!(flow.inner("rate") < before && flow.inner("rate") > before * 61.0 / 64.0);
}

#[test]
fn no_sample_is_shorter_than_50_ms() {
    let mut flow = Flow::avoiding("westwood", 80.0);
    if let Some(rtt) = &mut flow.path.rtt {
        rtt.smoothed = Span::from_ms(5);
    }
    flow.acked(1);
    for _ in 0..5 {
        flow.wait(Span::from_ms(10));
        flow.acked(1);
        assert!(flow.inner("rate").is_nan());
    }
    flow.wait(Span::from_ms(10));
    flow.acked(1);
    close(flow.inner("rate"), 100.0);
}
