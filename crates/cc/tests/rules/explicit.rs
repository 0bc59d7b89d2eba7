// SPDX-License-Identifier: Apache-2.0
//! XCP, RCP and Quick-Start: requests of the end hosts, and their response to the answers.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::{Cause, QuickStartRequest};
use narrows_units::{Rate, Span};
use narrows_wire::{Feedback, Request};

/// An acknowledgement of one packet with an answer.
fn answered(flow: &mut Flow, feedback: Feedback) {
    flow.algorithm.on_ack(&ACK.newly_acked(1).feedback(Some(feedback)), &flow.path);
}

fn requesting(name: &str, ends_slow_start: bool) -> Flow {
    let quick_start = Some(QuickStartRequest::new(Rate::from_bps(100_000_000), ends_slow_start));
    Flow::new(name, SETUP.quick_start(quick_start))
}

/// The handshake of a flow: a request in the SYN, and `rate` in the SYN-ACK.
fn opened(mut flow: Flow, rate: f32) -> Flow {
    flow.algorithm.request(&flow.path);
    flow.algorithm.on_answer(Feedback::Rate(rate), &flow.path);
    flow
}

/// A flow with an approved rate of 12 Mbps, 100 packets of 1500 bytes in its round-trip time of 100 ms.
fn approved(ends_slow_start: bool) -> Flow {
    opened(requesting("reno", ends_slow_start), 12e6)
}

/// draft-falk-xcp-spec-03: round-trip time, packet spacing, and requested change.
#[test]
fn xcp_requests_an_unlimited_increase_with_its_round_trip_time_and_spacing() {
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
fn xcp_changes_its_window_by_the_feedback_of_the_routers() {
    let mut flow = Flow::new("xcp", SETUP);
    answered(&mut flow, Feedback::Delta(15_000.0));
    same(flow.window(), 11.0);
    answered(&mut flow, Feedback::Delta(-30_000.0));
    same(flow.window(), 9.0);
    answered(&mut flow, Feedback::Delta(-3e6));
    same(flow.window(), 1.0);
}

#[test]
fn xcp_does_not_grow_without_feedback_or_without_an_xcp_router() {
    let mut flow = Flow::new("xcp", SETUP);
    flow.acked(10);
    answered(&mut flow, Feedback::Delta(f32::INFINITY));
    same(flow.window(), 10.0);
}

/// With each packet the routers offer again the bandwidth that application or receiver leave unused.
#[test]
fn xcp_does_not_grow_by_bandwidth_that_it_does_not_use() {
    let mut flow = Flow::new("xcp", SETUP);
    flow.path.window_limited = false;
    answered(&mut flow, Feedback::Delta(15_000.0));
    same(flow.window(), 10.0);
    answered(&mut flow, Feedback::Delta(-15_000.0));
    same(flow.window(), 9.0);
}

#[test]
fn xcp_halves_its_window_at_a_loss_and_grows_again_after_recovery() {
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
fn rcp_paces_at_the_offered_rate_less_headers() {
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
fn rcp_paces_its_first_data_at_the_rate_offered_to_its_syn() {
    let mut flow = Flow::new("rcp", SETUP);
    flow.algorithm.on_answer(Feedback::Rate(15e6), &flow.path);
    let limits = flow.algorithm.limits();
    assert_eq!((limits.window, limits.pacing), (None, Some(Rate::from_bps(14_480_000))));
}

#[test]
fn rcp_keeps_its_window_without_an_rcp_router() {
    let mut flow = Flow::new("rcp", SETUP);
    answered(&mut flow, Feedback::Rate(f32::INFINITY));
    assert_eq!((flow.algorithm.limits().window, flow.algorithm.limits().pacing), (Some(10), None));
}

#[test]
fn quick_start_sends_one_request_with_the_first_packet() {
    let mut flow = requesting("reno", false);
    let request = Some(Request::QuickStart { rate: 1e8, ttl_difference: 0 });
    assert_eq!(flow.algorithm.request(&flow.path), request);
    assert_eq!(flow.algorithm.request(&flow.path), None);
}

/// RCP's offers are rates, too; Quick-Start passes them on once its own request is answered.
#[test]
fn answers_to_data_packets_are_for_the_algorithm() {
    let mut flow = opened(requesting("rcp", false), 0.0);
    assert!(matches!(flow.algorithm.request(&flow.path), Some(Request::Rate { .. })));
    answered(&mut flow, Feedback::Rate(15e6));
    assert_eq!(flow.algorithm.limits().pacing, Some(Rate::from_bps(14_480_000)));
}

/// Without a round-trip time a rate gives no window.
#[test]
fn an_approval_without_a_round_trip_time_is_not_used() {
    let mut flow = requesting("reno", true);
    flow.path.rtt = None;
    let flow = opened(flow, 12e6);
    same(flow.window(), 10.0);
    assert_eq!(flow.algorithm.limits().pacing, None);
}

/// RFC 4782 §4.4: window = rate times round-trip time over packet size, paced.
#[test]
fn an_approved_rate_sets_the_window_and_paces_it_for_a_round() {
    let mut flow = approved(false);
    same(flow.window(), 100.0);
    assert_eq!(flow.algorithm.limits().pacing, Some(Rate::from_bps(11_584_000)));
    assert_eq!(flow.algorithm.ssthresh(), Some(f64::INFINITY));
    // At the first acknowledgement of these packets 80 are in flight, with that one, and slow start continues.
    flow.path.round += 1;
    flow.path.in_flight = 79;
    flow.acked(1);
    same(flow.window(), 81.0);
    assert_eq!(flow.algorithm.limits().pacing, None);
}

/// Welzl, Abfalterer and Gjessing, "XCP vs. CUBIC with Quick-Start": no probing after an approval.
#[test]
fn an_approval_that_ends_slow_start_continues_in_congestion_avoidance() {
    let mut flow = approved(true);
    same(flow.window(), 100.0);
    same(flow.algorithm.ssthresh().expect("reno has one"), 100.0);
    flow.acked(1);
    same(flow.window(), 100.01);
}

#[test]
fn a_refusal_or_less_than_the_window_changes_nothing() {
    for rate in [0.0, 1e6, f32::INFINITY] {
        let flow = opened(requesting("reno", true), rate);
        same(flow.window(), 10.0);
        assert_eq!(flow.algorithm.limits().pacing, None);
        assert_eq!(flow.algorithm.ssthresh(), Some(f64::INFINITY));
    }
}

/// RFC 4782 §4.6: after a loss of an approved packet the window is the same as without Quick-Start.
#[test]
fn a_loss_of_the_approved_window_sets_the_initial_window() {
    for rounds in [0, 1] {
        let mut flow = approved(false);
        flow.path.round += rounds;
        flow.path.in_flight = 99;
        flow.algorithm.on_ack(&ACK.newly_acked(1).advanced(false), &flow.path);
        flow.lost(Cause::Detected);
        same(flow.window(), 10.0);
        assert_eq!(flow.algorithm.limits().pacing, None);
    }
}

#[test]
fn a_loss_after_the_approved_window_is_for_the_algorithm_alone() {
    let mut flow = approved(true);
    flow.path.in_flight = 99;
    for _ in 0..2 {
        flow.path.round += 1;
        flow.algorithm.on_ack(&ACK.newly_acked(1).advanced(false), &flow.path);
    }
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
}

/// BBR computes its window from its model.
#[test]
fn an_algorithm_that_ignores_set_window_starts_as_without_quick_start() {
    let before = requesting("bbr1", false).algorithm.limits();
    assert_eq!(opened(requesting("bbr1", false), 12e6).algorithm.limits(), before);
}

/// RFC 1122 §4.2.3.9: slow start as after a timeout; BSD kept ssthresh.
#[test]
fn a_quench_starts_from_one_packet_with_half_of_the_window_as_ssthresh_or_the_one_before() {
    for (name, ssthresh) in [("source-quench", 20.0), ("source-quench(ssthresh=kept)", 12.0)] {
        let setup = SETUP.initial_window(40.0).initial_ssthresh(12.0);
        let mut flow = Flow::new(name, setup);
        assert_eq!(flow.algorithm.request(&flow.path), Some(Request::Level(0)));
        flow.wait(Span::from_ms(1000));
        answered(&mut flow, Feedback::Level(1));
        assert_eq!((flow.window(), flow.ssthresh()), (1.0, ssthresh));
        // The rest of the window reports the same queue.
        answered(&mut flow, Feedback::Level(1));
        assert_eq!((flow.window(), flow.ssthresh()), (1.0, ssthresh));
        for _ in 0..4 {
            answered(&mut flow, Feedback::Level(0));
        }
        assert_eq!((flow.window(), flow.ssthresh()), (5.0, ssthresh));
    }
}

/// A packet that was sent after the answer and is quenched halves again.
#[test]
fn a_quench_of_a_packet_sent_later_halves_ssthresh_again() {
    let mut flow = Flow::new("source-quench", SETUP.initial_window(40.0).initial_ssthresh(2.0));
    flow.wait(Span::from_ms(1000));
    answered(&mut flow, Feedback::Level(1));
    flow.acked(15);
    flow.wait(Span::from_ms(100));
    let quenched = ACK.newly_acked(1).rtt(Some(Span::from_ms(100))).feedback(Some(Feedback::Level(1)));
    flow.algorithm.on_ack(&quenched, &flow.path);
    assert_eq!((flow.window(), flow.ssthresh()), (1.0, 8.0));
}
