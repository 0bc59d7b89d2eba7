// SPDX-License-Identifier: Apache-2.0
//! TFRC's sender (Floyd et al. 2000; RFC 5348 §4; Bansal et al. 2001 §4.1), with one report of `p` and `X_recv` per round
//! trip.

use super::{Flow, SETUP, same};
use narrows_cc::rate::equation::{Form, throughput};
use narrows_cc::{Report, SentPacket};
use narrows_units::{Rate, Span};

const RTT: Span = Span::from_ms(100);
const R: f64 = 0.1;

/// A report `after` the last one: loss events per packet, packets received per second, packets newly lost.
fn report(flow: &mut Flow, after: Span, loss_event_rate: f64, arriving: f64, lost: u64) {
    flow.wait(after);
    let receive_rate = Rate::from_bps_f64(arriving * SETUP.mss.bits() as f64);
    flow.algorithm.on_report(&Report::new(loss_event_rate, receive_rate, RTT).lost(lost), &flow.path);
}

/// A flow after the report of its first packet.
fn flow(name: &str) -> Flow {
    let mut flow = Flow::new(name, SETUP);
    report(&mut flow, RTT, 0.0, 0.0, 0);
    flow
}

/// A flow at the rate of the equation, as far as the rules allow it.
fn by_equation(name: &str, loss_event_rate: f64) -> Flow {
    let mut flow = flow(name);
    for _ in 0..1_000 {
        let rate = flow.inner("rate");
        report(&mut flow, RTT, loss_event_rate, rate, 0);
    }
    flow
}

fn equation_rate(p: f64) -> f64 {
    throughput(p, R, Form::Simple)
}

#[test]
fn the_first_report_sets_one_packet_per_round_trip_or_the_initial_window_of_rfc_5348() {
    same(Flow::new("tfrc", SETUP).inner("rate"), 1.0);
    same(flow("tfrc").inner("rate"), 1.0 / R);
    same(flow("tfrc(rules=rfc5348)").inner("rate"), 4380.0 / 1448.0 / R);
}

#[test]
fn the_rate_doubles_once_per_round_trip_up_to_twice_the_receive_rate() {
    for name in ["tfrc", "tfrc(rules=rfc5348)"] {
        let mut flow = flow(name);
        let first = flow.inner("rate");
        for doubled in [2.0, 4.0, 8.0] {
            report(&mut flow, RTT / 2, 0.0, 1e6, 0);
            report(&mut flow, RTT / 2, 0.0, 1e6, 0);
            same(flow.inner("rate"), doubled * first);
        }
        for _ in 0..4 {
            report(&mut flow, RTT, 0.0, 90.0, 0);
        }
        assert!((flow.inner("rate") / 180.0 - 1.0).abs() < 1e-6, "{name}");
    }
}

#[test]
fn after_a_loss_the_rate_is_that_of_the_equation_up_to_twice_the_receive_rate() {
    let mut flow = by_equation("tfrc(rules=rfc5348)", 0.01);
    same(flow.inner("rate"), equation_rate(0.01));
    for _ in 0..4 {
        report(&mut flow, RTT, 0.01, 20.0, 0);
    }
    assert!((flow.inner("rate") / 40.0 - 1.0).abs() < 1e-6);
}

#[test]
fn the_rules_of_2001_add_at_most_a_packet_per_round_trip_each_round_trip() {
    let mut flow = by_equation("tfrc", 0.01);
    same(flow.inner("rate"), equation_rate(0.01));
    report(&mut flow, RTT, 0.001, 1e6, 0);
    same(flow.inner("rate"), equation_rate(0.01) + 1.0 / R);
    report(&mut flow, RTT, 0.02, 1e6, 0);
    same(flow.inner("rate"), equation_rate(0.02));
    let mut standard = by_equation("tfrc(rules=rfc5348)", 0.01);
    report(&mut standard, RTT, 0.001, 1e6, 0);
    same(standard.inner("rate"), equation_rate(0.001));
}

#[test]
fn self_clocking_bounds_the_rate_by_the_receive_rate_after_a_loss_and_by_c_times_it_otherwise() {
    let mut flow = by_equation("tfrc(conservative=true,c=1.2)", 0.01);
    report(&mut flow, RTT, 0.01, 60.0, 3);
    assert!((flow.inner("rate") / 60.0 - 1.0).abs() < 1e-6);
    report(&mut flow, RTT, 0.01, 55.0, 0);
    assert!((flow.inner("rate") / 66.0 - 1.0).abs() < 1e-6);
    report(&mut flow, RTT, 0.01, 1.0, 1);
    same(flow.inner("rate"), 1.0 / R);
}

#[test]
fn without_reports_the_rate_is_halved_down_to_a_packet_in_64_seconds() {
    for (name, rounds) in [("tfrc", 2), ("tfrc(rules=rfc5348)", 4)] {
        let mut flow = by_equation(name, 0.01);
        let rate = flow.inner("rate");
        let at = flow.algorithm.next_timer().expect("it waits for a report");
        let two_packets = Span::from_secs_f64(2.0 / rate);
        assert_eq!(at, flow.path.now + Span::from_secs_f64(R * f64::from(rounds)).max(two_packets), "{name}");
        flow.path.now = at;
        flow.algorithm.on_timer(&flow.path);
        same(flow.inner("rate"), rate / 2.0);
        for _ in 0..30 {
            flow.path.now = flow.algorithm.next_timer().expect("it goes on waiting");
            flow.algorithm.on_timer(&flow.path);
        }
        same(flow.inner("rate"), 1.0 / 64.0);
    }
}

#[test]
fn the_initial_nofeedback_timer_is_two_seconds_from_the_first_packet() {
    let mut flow = Flow::new("tfrc", SETUP);
    assert_eq!(flow.algorithm.next_timer(), None);
    let packet = SentPacket::new(0, SETUP.mss, flow.path.now);
    flow.algorithm.on_sent(&packet, &flow.path);
    assert_eq!(flow.algorithm.next_timer(), Some(flow.path.now + Span::from_ms(2_000)));
}

#[test]
fn a_round_trip_time_above_the_mean_increases_the_packet_spacing() {
    for (name, spread) in [("tfrc", true), ("tfrc(damping=false)", false)] {
        let mut flow = by_equation(name, 0.01);
        flow.wait(RTT);
        let receive_rate = Rate::from_bps(1_000_000_000);
        flow.algorithm.on_report(&Report::new(0.01, receive_rate, RTT * 4), &flow.path);
        let pacing = flow.algorithm.limits().pacing.expect("a rate").as_bps() as f64;
        let rate = flow.inner("rate") * SETUP.mss.bits() as f64;
        // R_sqmean moves by a twentieth of the way from sqrt(R) to sqrt(4 R).
        let scale = if spread { 1.05 / 2.0 } else { 1.0 };
        assert!((pacing / rate / scale - 1.0).abs() < 1e-6, "{name}");
    }
}
