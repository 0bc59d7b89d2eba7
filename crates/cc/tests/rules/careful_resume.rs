// SPDX-License-Identifier: Apache-2.0
//! Careful Resume (RFC 9959).

use super::{Flow, SETUP, same};
use narrows_cc::{Cause, SavedPath, SentPacket};
use narrows_units::{Bytes, Rate, Span};

const RTT: Span = Span::from_ms(100);

/// A flow with saved values of 300 packets and this round-trip time.
fn saved(rtt: Option<Span>) -> Flow {
    let saved_path = Some(SavedPath::new(300.0, rtt));
    let mut flow = Flow::new("reno", SETUP.saved_path(saved_path));
    flow.path.in_flight = 10;
    flow
}

/// A flow that has jumped with `in_flight` packets in flight.
fn jumped(in_flight: u64) -> Flow {
    let mut flow = saved(Some(RTT));
    flow.path.in_flight = in_flight;
    flow.acked(10);
    assert_eq!((flow.window(), flow.algorithm.state()), (150.0, "unvalidated"));
    flow
}

/// A packet leaves, after which so many are in flight.
fn sent(flow: &mut Flow, in_flight: u64) {
    flow.path.in_flight = in_flight;
    let packet = SentPacket::new(0, Bytes::new(1448), flow.path.now).in_flight(in_flight);
    flow.algorithm.on_sent(&packet, &flow.path);
}

#[test]
fn when_the_initial_window_is_acknowledged_the_window_jumps_to_half_of_the_saved_one_paced_over_a_round_trip()
{
    let mut flow = saved(Some(RTT));
    flow.acked(9);
    assert_eq!((flow.window(), flow.algorithm.limits().pacing), (19.0, None));
    flow.acked(1);
    same(flow.window(), 150.0);
    assert_eq!(flow.algorithm.limits().pacing, Some(Rate::from_bps(150 * 1448 * 8 * 10)));
    assert!(flow.ssthresh().is_infinite());
}

#[test]
fn a_round_trip_of_half_of_the_saved_one_or_more_than_ten_times_it_is_another_path() {
    for (saved_rtt, jumps) in [(9, false), (10, true), (199, true), (200, false)] {
        let mut flow = saved(Some(Span::from_ms(saved_rtt)));
        flow.acked(10);
        assert_eq!(flow.window() > 20.0, jumps, "{saved_rtt} ms");
        // Persistently.
        flow.acked(1);
        assert_eq!(flow.window() > 21.0, jumps, "{saved_rtt} ms");
    }
    let mut flow = saved(None);
    flow.acked(10);
    same(flow.window(), 150.0);
}

#[test]
fn congestion_in_reconnaissance_ends_it() {
    for cause in [Cause::Detected, Cause::Mark, Cause::Timeout] {
        let mut flow = saved(Some(RTT));
        flow.acked(5);
        flow.lost(cause);
        flow.recovered();
        let before = flow.window();
        flow.acked(10);
        assert!(flow.window() <= before + 10.0, "{cause:?}");
    }
}

#[test]
fn a_flow_without_more_data_waits_for_it() {
    let mut flow = saved(Some(RTT));
    flow.path.window_limited = false;
    flow.acked(10);
    same(flow.window(), 10.0);
    flow.path.window_limited = true;
    flow.acked(1);
    same(flow.window(), 150.0);
}

#[test]
fn the_unvalidated_window_does_not_grow_and_is_over_when_it_is_full() {
    let mut flow = jumped(29);
    flow.acked(20);
    same(flow.window(), 150.0);
    sent(&mut flow, 149);
    assert_eq!(flow.algorithm.state(), "unvalidated");
    sent(&mut flow, 150);
    assert_eq!((flow.window(), flow.algorithm.state()), (150.0, "validating"));
    assert_eq!(flow.algorithm.limits().pacing, None);
    // Slow start goes on until all of them are acknowledged.
    flow.acked(149);
    assert_eq!((flow.window(), flow.algorithm.state()), (299.0, "validating"));
    flow.acked(1);
    assert_eq!((flow.window(), flow.algorithm.state()), (300.0, "slow-start"));
}

#[test]
fn an_unvalidated_packet_acknowledged_and_a_round_trip_end_it_with_what_is_in_flight() {
    for by_time in [false, true] {
        let mut flow = jumped(29);
        flow.acked(29);
        assert_eq!(flow.algorithm.state(), "unvalidated");
        flow.path.in_flight = 79;
        if by_time {
            flow.wait(RTT + Span::from_us(1));
            sent(&mut flow, 80);
        } else {
            flow.acked(1);
        }
        let in_flight = if by_time { 80.0 } else { 79.0 };
        assert_eq!((flow.window(), flow.algorithm.state()), (in_flight, "validating"), "{by_time}");
    }
}

#[test]
fn a_flow_that_sent_no_more_than_before_continues_with_that() {
    let mut flow = jumped(29);
    flow.acked(29);
    flow.path.in_flight = 25;
    flow.acked(1);
    assert_eq!((flow.window(), flow.algorithm.state()), (30.0, "slow-start"));
}

/// The example of RFC 9959 with a loss: 29 packets in flight before, and 34 unvalidated ones acknowledged.
#[test]
fn a_loss_leads_to_half_of_the_pipe_size_and_the_recovery_to_a_threshold_of_half_of_what_it_is_then() {
    for cause in [Cause::Detected, Cause::Mark] {
        let mut flow = jumped(29);
        sent(&mut flow, 150);
        flow.acked(29 + 34);
        flow.lost(cause);
        assert_eq!((flow.window(), flow.algorithm.state()), (31.5, "safe-retreat"), "{cause:?}");
        flow.acked(27);
        same(flow.window(), 31.5);
        flow.recovered();
        assert_eq!((flow.window(), flow.ssthresh(), flow.algorithm.state()), (31.5, 45.0, "slow-start"));
    }
}

#[test]
fn a_timeout_ends_it_as_any_slow_start() {
    let mut flow = jumped(29);
    flow.lost(Cause::Timeout);
    assert_eq!((flow.window(), flow.ssthresh(), flow.algorithm.state()), (1.0, 75.0, "slow-start"));
    flow.acked(10);
    same(flow.window(), 11.0);
}

#[test]
fn a_retreat_before_which_nothing_was_lost_is_undone() {
    let mut flow = jumped(29);
    sent(&mut flow, 150);
    flow.lost(Cause::Detected);
    flow.algorithm.on_spurious_loss(&flow.path);
    assert_eq!((flow.window(), flow.algorithm.state()), (150.0, "validating"));
}

#[test]
fn an_algorithm_without_slow_start_ignores_saved_values() {
    let saved_path = Some(SavedPath::new(300.0, None));
    let mut flow = Flow::new("copa", SETUP.saved_path(saved_path));
    flow.acked(10);
    same(flow.window(), 20.0);
}
