//! XCP, RCP and Quick-Start: what the end hosts ask, and what they make of the answers.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::catalogue::Setup;
use narrows_cc::explicit::quick_start::StartUp;
use narrows_cc::{Ack, Cause};
use narrows_units::Rate;
use narrows_wire::{Feedback, Request};

/// An acknowledgement of one packet that brings an answer.
fn answered(flow: &mut Flow, feedback: Feedback) {
    flow.algorithm.on_ack(&Ack { newly_acked: 1, feedback: Some(feedback), ..ACK }, &flow.path);
}

fn asking(name: &str, ends_slow_start: bool) -> Flow {
    let quick_start = Some(StartUp { rate: Rate::from_bps(100_000_000), ends_slow_start });
    Flow::new(name, Setup { quick_start, ..SETUP })
}

/// The handshake of a flow: its SYN asks, and the SYN-ACK brings `rate`.
fn opened(mut flow: Flow, rate: f32) -> Flow {
    flow.algorithm.request(&flow.path);
    flow.algorithm.on_answer(Feedback::Rate(rate), &flow.path);
    flow
}

/// A flow that was approved 12 Mbps, 100 packets of 1500 bytes in the 100 ms of its round trip.
fn approved(ends_slow_start: bool) -> Flow {
    opened(asking("reno", ends_slow_start), 12e6)
}

/// draft-falk-xcp-spec-03: round-trip time, time between packets, and a wish.
#[test]
fn xcp_tells_its_round_trip_and_its_spacing_and_wishes_for_all() {
    let mut flow = Flow::new("xcp", SETUP);
    let Some(Request::Xcp { rtt, spacing, delta }) = flow.algorithm.request(&flow.path) else {
        panic!("XCP asks with every packet")
    };
    assert!((rtt - 0.1).abs() < 1e-6 && (spacing - 0.01).abs() < 1e-6 && delta == f32::INFINITY);
    flow.path.rtt = None;
    let unknown = Some(Request::Xcp { rtt: 0.0, spacing: 0.0, delta: 0.0 });
    assert_eq!(flow.algorithm.request(&flow.path), unknown);
}

/// 15,000 bytes per second over 100 ms are one packet of 1500 bytes.
#[test]
fn xcp_changes_its_window_by_what_the_routers_allow() {
    let mut flow = Flow::new("xcp", SETUP);
    answered(&mut flow, Feedback::Delta(15_000.0));
    same(flow.window(), 11.0);
    answered(&mut flow, Feedback::Delta(-30_000.0));
    same(flow.window(), 9.0);
    answered(&mut flow, Feedback::Delta(-3e6));
    same(flow.window(), 1.0);
}

#[test]
fn xcp_does_not_grow_without_feedback_or_where_no_router_answered() {
    let mut flow = Flow::new("xcp", SETUP);
    flow.acked(10);
    answered(&mut flow, Feedback::Delta(f32::INFINITY));
    same(flow.window(), 10.0);
}

#[test]
fn xcp_halves_at_a_loss_and_grows_again_once_it_is_repaired() {
    let mut flow = Flow::new("xcp", SETUP);
    flow.lost(Cause::Detected);
    same(flow.window(), 5.0);
    answered(&mut flow, Feedback::Delta(15_000.0));
    same(flow.window(), 5.0);
    answered(&mut flow, Feedback::Delta(-15_000.0));
    same(flow.window(), 4.0);
    flow.algorithm.on_recovered(&flow.path);
    answered(&mut flow, Feedback::Delta(15_000.0));
    same(flow.window(), 5.0);
    flow.lost(Cause::Timeout);
    same(flow.window(), 1.0);
}

#[test]
fn rcp_paces_at_the_rate_offered_less_headers() {
    let mut flow = Flow::new("rcp", SETUP);
    assert_eq!(flow.algorithm.limits().window, Some(10));
    let asked = flow.algorithm.request(&flow.path);
    assert_eq!(asked, Some(Request::Rate { rate: f32::INFINITY, rtt: 0.1 }));
    answered(&mut flow, Feedback::Rate(15e6));
    let limits = flow.algorithm.limits();
    assert_eq!((limits.window, limits.pacing), (None, Some(Rate::from_bps(14_480_000))));
    flow.lost(Cause::Detected);
    assert_eq!(flow.algorithm.limits(), limits);
}

#[test]
fn rcp_paces_from_the_first_data_on_at_what_its_syn_was_offered() {
    let mut flow = Flow::new("rcp", SETUP);
    flow.algorithm.on_answer(Feedback::Rate(15e6), &flow.path);
    let limits = flow.algorithm.limits();
    assert_eq!((limits.window, limits.pacing), (None, Some(Rate::from_bps(14_480_000))));
}

#[test]
fn rcp_keeps_its_window_where_no_router_offers_a_rate() {
    let mut flow = Flow::new("rcp", SETUP);
    answered(&mut flow, Feedback::Rate(f32::INFINITY));
    assert_eq!((flow.algorithm.limits().window, flow.algorithm.limits().pacing), (Some(10), None));
}

#[test]
fn quick_start_asks_once_with_the_first_packet() {
    let mut flow = asking("reno", false);
    let request = Some(Request::QuickStart { rate: 1e8, ttl_difference: 0 });
    assert_eq!(flow.algorithm.request(&flow.path), request);
    assert_eq!(flow.algorithm.request(&flow.path), None);
}

/// RCP's offers are rates, too, and are none of Quick-Start's affair once its own request is answered.
#[test]
fn what_data_is_answered_is_the_algorithms_own() {
    let mut flow = opened(asking("rcp", false), 0.0);
    assert!(matches!(flow.algorithm.request(&flow.path), Some(Request::Rate { .. })));
    answered(&mut flow, Feedback::Rate(15e6));
    assert_eq!(flow.algorithm.limits().pacing, Some(Rate::from_bps(14_480_000)));
}

/// Without a round trip a rate is no window.
#[test]
fn an_approval_is_not_used_where_the_handshake_has_measured_no_round_trip() {
    let mut flow = asking("reno", true);
    flow.path.rtt = None;
    let flow = opened(flow, 12e6);
    same(flow.window(), 10.0);
    assert_eq!(flow.algorithm.limits().pacing, None);
}

/// RFC 4782 §4.4: window = rate times round trip over packet size, paced.
#[test]
fn an_approved_rate_becomes_the_window_and_is_paced_for_a_round() {
    let mut flow = approved(false);
    same(flow.window(), 100.0);
    assert_eq!(flow.algorithm.limits().pacing, Some(Rate::from_bps(11_584_000)));
    assert_eq!(flow.algorithm.ssthresh(), Some(f64::INFINITY));
    // The first acknowledgement of what was paced finds 80 packets out, itself one of them, and slow start goes on.
    flow.path.round += 1;
    flow.path.in_flight = 79;
    flow.acked(1);
    same(flow.window(), 81.0);
    assert_eq!(flow.algorithm.limits().pacing, None);
}

/// Welzl, Abfalterer and Gjessing, "XCP vs. CUBIC with Quick-Start": no probing after an approval.
#[test]
fn an_approval_that_ends_slow_start_goes_on_in_congestion_avoidance() {
    let mut flow = approved(true);
    same(flow.window(), 100.0);
    same(flow.algorithm.ssthresh().expect("reno has one"), 100.0);
    flow.acked(1);
    same(flow.window(), 100.01);
}

#[test]
fn a_refused_request_or_less_than_the_window_changes_nothing() {
    for rate in [0.0, 1e6, f32::INFINITY] {
        let flow = opened(asking("reno", true), rate);
        same(flow.window(), 10.0);
        assert_eq!(flow.algorithm.limits().pacing, None);
        assert_eq!(flow.algorithm.ssthresh(), Some(f64::INFINITY));
    }
}

/// RFC 4782 §4.6: a loss of approved data returns to the window that the flow would have had without.
#[test]
fn a_loss_among_approved_data_returns_to_the_initial_window() {
    for rounds in [0, 1] {
        let mut flow = approved(false);
        flow.path.round += rounds;
        flow.path.in_flight = 99;
        flow.algorithm.on_ack(&Ack { newly_acked: 1, advanced: false, ..ACK }, &flow.path);
        flow.lost(Cause::Detected);
        same(flow.window(), 10.0);
        assert_eq!(flow.algorithm.limits().pacing, None);
    }
}

#[test]
fn a_loss_after_the_approved_data_is_the_algorithms_own_affair() {
    let mut flow = approved(true);
    flow.path.in_flight = 99;
    for _ in 0..2 {
        flow.path.round += 1;
        flow.algorithm.on_ack(&Ack { newly_acked: 1, advanced: false, ..ACK }, &flow.path);
    }
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
}

/// BBR takes its window from its model.
#[test]
fn an_algorithm_that_takes_its_window_from_elsewhere_starts_up_by_itself() {
    let before = asking("bbr1", false).algorithm.limits();
    assert_eq!(opened(asking("bbr1", false), 12e6).algorithm.limits(), before);
}
