//! RAP (Rejaie, Handley and Estrin 1999) and its kin RAP(1/gamma) (Bansal et al. 2001).

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::Span;

const RTT: Span = Span::from_ms(100);

/// A flow whose first echo has come.
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
fn a_packet_every_two_seconds_leaves_until_the_first_echo_sets_one_a_round_trip() {
    let mut flow = Flow::new("rap", SETUP);
    same(flow.inner("rate"), 0.5);
    assert_eq!(flow.algorithm.next_timer(), None);
    flow.acked_after(1, RTT);
    same(flow.inner("rate"), 10.0);
}

#[test]
fn the_rate_gains_a_packet_a_round_trip_each_round_trip() {
    let mut flow = flow("rap");
    for rate in [20.0, 30.0, 40.0] {
        let before = flow.path.now;
        step(&mut flow);
        assert_eq!(flow.path.now, before + RTT);
        same(flow.inner("rate"), rate);
    }
}

#[test]
fn an_episode_halves_the_rate_once_and_puts_the_next_step_off() {
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
fn half_of_each_sample_enters_the_round_trip() {
    let mut flow = flow("rap");
    flow.acked_after(1, RTT * 3);
    same(flow.inner("srtt"), 0.2);
}

#[test]
fn rap_of_one_eighth_takes_tcps_constants() {
    let mut flow = flow("rap(gamma=8)");
    step(&mut flow);
    let a = 4.0 * (2.0 / 8.0 - 1.0 / 64.0) / 3.0;
    same(flow.inner("rate"), 10.0 + 10.0 * a);
    flow.lost(Cause::Timeout);
    same(flow.inner("rate"), (10.0 + 10.0 * a) * 7.0 / 8.0);
}

#[test]
fn an_idle_application_lets_no_rate_grow() {
    let mut flow = flow("rap");
    flow.path.window_limited = false;
    step(&mut flow);
    same(flow.inner("rate"), 10.0);
}
