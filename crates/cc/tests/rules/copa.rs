// SPDX-License-Identifier: Apache-2.0
//! Copa.

use super::{Flow, SETUP, same};
use narrows_cc::{Cause, RttView};
use narrows_units::{Rate, Span};

const LEAST: Span = Span::from_ms(100);

/// Acknowledges one packet after `rtt`, which is the smoothed round-trip time as well.
fn acked(flow: &mut Flow, rtt: Span) {
    flow.path.rtt = Some(RttView::new(rtt).min(LEAST).variation(Span::ZERO));
    flow.acked_after(1, rtt);
}

/// A round trip that lasts `rtt`, with one acknowledgement after it.
fn round(flow: &mut Flow, rtt: Span) {
    flow.wait(rtt);
    flow.path.round += 1;
    acked(flow, rtt);
}

/// A flow of `name` at `window` packets whose slow start is over, with a least round-trip time of 100 ms.
fn flow(name: &str, window: f64) -> Flow {
    let mut flow = Flow::new(name, SETUP.initial_window(window).initial_ssthresh(2.0));
    acked(&mut flow, LEAST);
    flow.algorithm.set_window(window, true);
    flow
}

#[test]
fn slow_start_doubles_each_round_trip_until_the_rate_exceeds_its_target() {
    let mut flow = Flow::new("copa", SETUP);
    for _ in 0..10 {
        acked(&mut flow, LEAST);
    }
    same(flow.window(), 20.0);
    assert_eq!(flow.algorithm.state(), "slow-start");
    // 2 packets over 20 ms are 100 packets per second, and 20 over 120 ms are 167.
    flow.wait(LEAST);
    acked(&mut flow, Span::from_ms(120));
    assert_eq!(flow.algorithm.state(), "default");
    same(flow.window(), 20.0 - 1.0 / (0.5 * 20.0));
}

#[test]
fn the_window_moves_by_v_over_delta_w_towards_the_target() {
    for (delta, queued, sign) in [(0.5, 9, 1.0), (0.5, 12, -1.0), (0.05, 99, 1.0), (0.05, 101, -1.0)] {
        let mut flow = flow(&format!("copa(delta={delta})"), 20.0 * f64::from(queued) / 10.0);
        // The target is 1 / (delta d): with a window of w and 100 ms + d the two are equal where w d = (100 ms + d) / delta.
        let window = (100.0 + f64::from(queued)) / (delta * f64::from(queued));
        flow.algorithm.set_window(window - sign, true);
        // The first sample is no longer in the window of half a round trip.
        flow.wait(LEAST * 2);
        acked(&mut flow, LEAST + Span::from_ms(queued as u64));
        same(flow.window(), window - sign + sign / (delta * (window - sign)));
    }
}

#[test]
fn the_pacing_rate_is_twice_the_window_in_a_round_trip() {
    let flow = flow("copa", 50.0);
    assert_eq!(flow.algorithm.limits().pacing, Some(Rate::from_bps(2 * 50 * 1448 * 8 * 10)));
}

#[test]
fn velocity_doubles_after_three_more_round_trips_in_one_direction_and_is_1_after_a_turn() {
    let mut flow = flow("copa", 50.0);
    let mut seen = Vec::new();
    for _ in 0..8 {
        round(&mut flow, LEAST);
        seen.push(flow.inner("velocity"));
    }
    assert_eq!(seen, [1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0]);
    for _ in 0..2 {
        round(&mut flow, Span::from_ms(200));
    }
    same(flow.inner("velocity"), 1.0);
}

#[test]
fn the_velocity_is_bounded_so_that_a_window_at_most_doubles() {
    let mut flow = flow("copa", 50.0);
    (0..30).for_each(|_| round(&mut flow, LEAST));
    assert!(flow.inner("velocity") <= 0.5 * flow.window(), "{}", flow.inner("velocity"));
}

#[test]
fn a_queue_that_is_not_nearly_empty_for_five_round_trips_is_competed_for() {
    let mut flow = flow("copa", 50.0);
    round(&mut flow, Span::from_ms(200));
    let mut states = Vec::new();
    for _ in 0..7 {
        round(&mut flow, Span::from_ms(150));
        states.push((flow.algorithm.state(), flow.inner("delta")));
    }
    // Five round trips after the first; then 1 / delta is 2, 3, 4.
    let third = 1.0 / 3.0;
    assert_eq!(
        states,
        [("default", 0.5); 4]
            .into_iter()
            .chain([("competitive", 0.5), ("competitive", third), ("competitive", 0.25),])
            .collect::<Vec<_>>()
    );
    flow.lost(Cause::Detected);
    same(flow.inner("delta"), 0.5);
    round(&mut flow, Span::from_ms(101));
    round(&mut flow, Span::from_ms(101));
    assert_eq!((flow.algorithm.state(), flow.inner("delta")), ("default", 0.5));
}

/// A flow alone drains its own overshoot for more than five round trips. In each of them the step would double with the velocity,
/// and grow with the smaller delta.
#[test]
fn a_change_of_mode_begins_the_velocity_anew() {
    let mut flow = flow("copa", 500.0);
    let mut before = 1.0;
    for _ in 0..12 {
        round(&mut flow, Span::from_ms(150));
        let velocity = flow.inner("velocity");
        if flow.algorithm.state() == "competitive" {
            assert!(before >= 2.0, "{before}");
            same(velocity, 1.0);
            return;
        }
        before = velocity;
    }
    panic!("the queue is never nearly empty");
}

#[test]
fn a_loss_halves_1_over_delta_once_in_an_episode_and_in_the_competitive_mode_alone() {
    let mut flow = flow("copa(delta=0.1)", 50.0);
    let window = flow.window();
    flow.lost(Cause::Detected);
    same(flow.window(), window);
    same(flow.inner("delta"), 0.1);
    for _ in 0..17 {
        round(&mut flow, Span::from_ms(200));
    }
    let before = flow.inner("delta");
    assert!(before < 0.06 && flow.algorithm.state() == "competitive");
    flow.lost(Cause::Detected);
    flow.declared(Cause::Detected, false);
    same(flow.inner("delta"), (2.0 * before).min(0.1));
}

#[test]
fn without_its_competitive_mode_it_stays_in_the_default_mode() {
    let mut flow = flow("copa(competitive=false)", 50.0);
    (0..20).for_each(|_| round(&mut flow, Span::from_ms(200)));
    assert_eq!((flow.algorithm.state(), flow.inner("delta")), ("default", 0.5));
}

#[test]
fn after_a_timeout_slow_start_leads_up_from_one_packet_and_is_undone_with_it() {
    let mut flow = flow("copa", 50.0);
    flow.lost(Cause::Timeout);
    assert_eq!((flow.window(), flow.algorithm.state()), (1.0, "slow-start"));
    acked(&mut flow, LEAST);
    same(flow.window(), 2.0);
    flow.algorithm.on_spurious_loss(&flow.path);
    assert_eq!((flow.window(), flow.algorithm.state()), (50.0, "default"));
}
