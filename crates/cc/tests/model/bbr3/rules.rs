// SPDX-License-Identifier: Apache-2.0
//! Rules of draft-ietf-ccwg-bbr-06, each tested with single facts.

use super::flow::Flow;
use super::state::{CRUISE, DRAIN, STARTUP, UP};
use crate::build;
use narrows_cc::{Cause, Loss};
use narrows_units::Span;

#[track_caller]
fn near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 1e-3, "{got} is not {expected}");
}

#[test]
fn rate_and_window_are_gains_times_the_model() {
    let mut flow = Flow::cruising();
    near(flow.pacing_mbps(), 0.99 * 30.0);
    flow.round();
    // The window includes the packets acknowledged at once, as extra_acked.
    near(flow.window(), 200.0 + flow.inner("extra_acked"));
    flow.probe();
    near(flow.pacing_mbps(), 1.25 * 0.99 * 30.0);
}

#[test]
fn before_a_round_trip_time_is_known_the_rate_is_startups_gain_times_the_initial_window_per_ms() {
    let flow = build("bbr3", 1);
    let limits = flow.limits();
    assert_eq!(limits.window, Some(10));
    near(limits.pacing.expect("BBR has a rate").as_bps() as f64, 2.77 * 10.0 * 12_000.0 / 0.001);
}

#[test]
fn drain_is_over_after_three_rounds_with_any_number_in_flight() {
    let mut flow = Flow::starting();
    flow.in_flight = 500;
    while flow.state() != DRAIN {
        flow.round();
    }
    let rounds = (1..10).find(|_| {
        flow.round();
        flow.state() != DRAIN
    });
    assert_eq!(rounds, Some(4));
}

#[test]
fn a_round_with_losses_in_cruise_sets_the_short_term_model_until_the_next_probe() {
    let mut flow = Flow::cruising();
    flow.round();
    let window = flow.window();
    flow.mbps = 10.0;
    // bw_latest is the maximum of this round and the one before.
    flow.round();
    flow.lose(1, true);
    flow.round();
    near(flow.inner("bandwidth_bps"), 0.7 * 30e6);
    near(flow.bound("inflight_shortterm").expect("a bound is set"), 0.7 * window);
    flow.lose(1, false);
    flow.round();
    near(flow.inner("bandwidth_bps"), 0.49 * 30e6);
    near(flow.pacing_mbps(), 0.99 * 0.49 * 30.0);
    // A round without losses changes nothing.
    flow.round();
    near(flow.inner("bandwidth_bps"), 0.49 * 30e6);
    flow.probe();
    near(flow.inner("bandwidth_bps"), 30e6);
    assert_eq!(flow.bound("inflight_shortterm"), None);
}

#[test]
fn a_probe_with_a_loss_rate_of_two_percent_continues() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 150;
    flow.lose(3, true);
    assert_eq!((flow.state(), flow.bound("inflight_longterm")), (UP, None), "3 of 150");
}

#[test]
fn inflight_longterm_is_where_losses_exceeded_the_threshold() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 150;
    flow.lose(4, true);
    // Before the fourth: 149 in flight, 3 lost; (0.02 * 149 - 3) / 0.98 more make 2 %.
    near(flow.bound("inflight_longterm").expect("a bound is set"), 149.0 - 0.02 / 0.98);
    assert!(flow.state() < UP);
    // Only once per probe.
    flow.in_flight = 50;
    flow.lose(40, false);
    near(flow.bound("inflight_longterm").expect("a bound is set"), 149.0 - 0.02 / 0.98);
}

#[test]
fn cruise_leaves_headroom_below_inflight_longterm() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 100;
    flow.lose(3, true);
    let bound = flow.bound("inflight_longterm").expect("a bound is set");
    flow.in_flight = 60;
    while flow.state() != CRUISE {
        flow.round();
    }
    flow.round();
    let bound = flow.bound("inflight_longterm").expect("it stays").max(bound);
    near(flow.window(), 0.85 * bound);
}

#[test]
fn a_spurious_loss_restores_the_bounds_and_the_probe() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 150;
    flow.lose(4, true);
    assert!(flow.bound("inflight_longterm").is_some());
    let path = flow.path();
    flow.algorithm.on_spurious_loss(&path);
    flow.algorithm.on_recovered(&path);
    assert_eq!(flow.bound("inflight_longterm"), None);
    flow.round();
    flow.round();
    assert_eq!(flow.state(), UP, "a refill of a round, and the probe goes on");
}

/// Appendix A.19.
#[test]
fn a_spurious_timeout_restores_window_bounds_and_the_probe() {
    let mut flow = Flow::cruising();
    flow.probe();
    let window = flow.window();
    flow.in_flight = 150;
    let left: Vec<_> = (0..150).map(|_| flow.packet()).collect();
    flow.in_flight = 0;
    let path = flow.path();
    let loss = Loss::new(Cause::Timeout, 150).packets(&left);
    flow.algorithm.on_loss(&loss, &path);
    assert!(flow.state() < UP && flow.bound("inflight_longterm").is_some());
    near(flow.window(), 1.0);
    flow.algorithm.on_spurious_loss(&path);
    flow.algorithm.on_recovered(&path);
    assert_eq!(flow.bound("inflight_longterm"), None);
    near(flow.window(), window);
    flow.round();
    flow.round();
    assert_eq!(flow.state(), UP);
}

#[test]
fn a_timeout_sets_one_packet_more_than_in_flight_and_recovery_restores_the_window() {
    let mut flow = Flow::cruising();
    flow.round();
    let window = flow.window();
    let left = [flow.packet()];
    flow.in_flight = 0;
    let loss = Loss::new(Cause::Timeout, 1).packets(&left);
    let path = flow.path();
    flow.algorithm.on_loss(&loss, &path);
    near(flow.window(), 1.0);
    flow.algorithm.on_recovered(&path);
    near(flow.window(), window);
}

#[test]
fn a_mark_in_cruise_lowers_the_short_term_model_as_a_loss_does() {
    let (mut marked, mut lossy) = (Flow::cruising(), Flow::cruising());
    for flow in [&mut marked, &mut lossy] {
        flow.round();
        flow.mbps = 10.0;
        flow.round();
    }
    mark(&mut marked);
    lossy.lose(1, true);
    marked.round();
    lossy.round();
    near(marked.inner("bandwidth_bps"), 0.7 * 30e6);
    near(marked.inner("bandwidth_bps"), lossy.inner("bandwidth_bps"));
    assert!(marked.bound("inflight_shortterm").is_some());
}

#[test]
fn a_mark_ends_a_probe_and_bounds_what_is_in_flight() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 150;
    mark(&mut flow);
    assert_ne!(flow.state(), UP);
    near(flow.bound("inflight_longterm").expect("a bound is set"), 150.0);
}

#[test]
fn a_mark_ends_startup() {
    let mut flow = Flow::starting();
    flow.round();
    mark(&mut flow);
    assert!(flow.bound("inflight_longterm").is_some());
    assert_eq!(flow.state(), STARTUP);
    flow.round();
    assert!(flow.state() > STARTUP);
}

/// The first mark of a round trip is reported.
fn mark(flow: &mut Flow) {
    let loss = Loss::new(Cause::Mark, 0);
    let path = flow.path();
    flow.algorithm.on_loss(&loss, &path);
}

#[test]
fn the_first_packet_after_an_idle_period_is_paced_at_the_bandwidth_without_probe_rtt() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.now += Span::from_ms(6_000);
    flow.in_flight = 1;
    let packet = flow.packet().app_limited(true);
    flow.algorithm.on_sent(&packet, &flow.path());
    near(flow.pacing_mbps(), 0.99 * 30.0);
    flow.round();
    assert!(flow.state() <= UP, "the idle period has drained the queue");
}
