// SPDX-License-Identifier: Apache-2.0
//! RAP (Rejaie, Handley and Estrin 1999) and RAP(1/gamma) (Bansal et al. 2001).

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::Span;

const RTT: Span = Span::from_ms(100);

/// A flow after its first acknowledgement.
fn flow(name: &str) -> Flow {
    let mut flow = Flow::new(name, SETUP);
    flow.acked_after(1, RTT);
    flow
}

fn step(flow: &mut Flow) {
    let at = flow.algorithm.next_timer().expect("the rate grows by a timer");
    flow.path.now = at;
    flow.algorithm.on_timer(&flow.path);
}

#[test]
fn the_rate_is_a_packet_per_two_seconds_and_per_round_trip_from_the_first_sample() {
    let mut flow = Flow::new("rap", SETUP);
    same(flow.inner("rate"), 0.5);
    assert_eq!(flow.algorithm.next_timer(), None);
    flow.acked_after(1, RTT);
    same(flow.inner("rate"), 10.0);
}

#[test]
fn the_rate_grows_by_a_packet_per_round_trip_each_round_trip() {
    let mut flow = flow("rap");
    for rate in [20.0, 30.0, 40.0] {
        let before = flow.path.now;
        step(&mut flow);
        assert_eq!(flow.path.now, before + RTT);
        same(flow.inner("rate"), rate);
    }
}

#[test]
fn an_episode_halves_the_rate_once_and_defers_the_next_increase() {
    let mut flow = flow("rap");
    step(&mut flow);
    flow.wait(RTT / 2);
    flow.lost(Cause::Detected);
    same(flow.inner("rate"), 10.0);
    flow.declared(Cause::Detected, false);
    same(flow.inner("rate"), 10.0);
    assert_eq!(flow.algorithm.next_timer(), Some(flow.path.now + RTT));
}

#[test]
fn the_weight_of_a_round_trip_time_sample_is_a_half() {
    let mut flow = flow("rap");
    flow.acked_after(1, RTT * 3);
    same(flow.inner("srtt_s"), 0.2);
}

#[test]
fn rap_of_one_eighth_has_the_constants_of_tcp() {
    let mut flow = flow("rap(gamma=8)");
    step(&mut flow);
    let a = 4.0 * (2.0 / 8.0 - 1.0 / 64.0) / 3.0;
    same(flow.inner("rate"), 10.0 + 10.0 * a);
    flow.lost(Cause::Timeout);
    same(flow.inner("rate"), (10.0 + 10.0 * a) * 7.0 / 8.0);
}

#[test]
fn the_rate_does_not_grow_while_the_application_limits_the_sender() {
    let mut flow = flow("rap");
    flow.path.window_limited = false;
    step(&mut flow);
    same(flow.inner("rate"), 10.0);
}
