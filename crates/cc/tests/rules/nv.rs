// SPDX-License-Identifier: Apache-2.0
//! TCP-NV.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::{Cause, SentPacket};
use narrows_units::{Bytes, Span, Time};

/// An acknowledgement of a packet that was sent as the last of `in_flight`.
fn acked(flow: &mut Flow, in_flight: u64, rtt: Span) {
    let size = Bytes::new(1448);
    let packets = [SentPacket::new(1, size, Time::ZERO).in_flight(in_flight)];
    let ack = ACK.newly_acked(1).rtt(Some(rtt)).packets(&packets);
    flow.algorithm.on_ack(&ack, &flow.path);
}

/// A round with `samples` acknowledgements of packets that were the last of `in_flight`, the last of which ends it.
fn round(flow: &mut Flow, samples: u64, in_flight: u64, rtt: Span) {
    for sample in 1..=samples {
        flow.path.round += u64::from(sample == samples);
        acked(flow, in_flight, rtt);
    }
}

/// A flow at `window` packets in congestion avoidance after its first reduction and a minimum round-trip time of 100 ms.
fn flow(window: f64) -> Flow {
    let setup = SETUP.initial_window(window / 0.8).initial_ssthresh(2.0);
    let mut flow = Flow::new("nv", setup);
    flow.path.window_limited = false;
    acked(&mut flow, 1, Span::from_ms(100));
    flow.lost(Cause::Detected);
    flow.recovered();
    (0..3).for_each(|_| acked(&mut flow, 1, Span::from_ms(100)));
    flow
}

#[test]
fn a_loss_takes_a_fifth_of_the_window_and_stops_its_growth() {
    let mut flow = flow(80.0);
    same(flow.window(), 80.0);
    same(flow.inner("growing"), 0.0);
    flow.path.window_limited = true;
    acked(&mut flow, 80, Span::from_ms(100));
    same(flow.window(), 80.0);
}

#[test]
fn without_congestion_in_a_round_of_20_samples_the_window_may_grow() {
    for (samples, growing) in [(15, 0.0), (30, 1.0)] {
        let mut flow = flow(80.0);
        round(&mut flow, samples, 80, Span::from_ms(100));
        same(flow.inner("growing"), growing);
    }
}

#[test]
fn within_two_packets_of_the_limit_nothing_changes() {
    // A rate of 71 packets in 100 ms needs 71 packets, and ten may wait.
    let mut flow = flow(80.0);
    round(&mut flow, 100, 71, Span::from_ms(100));
    round(&mut flow, 100, 71, Span::from_ms(100));
    same(flow.inner("growing"), 0.0);
    same(flow.window(), 80.0);
}

#[test]
fn congestion_in_two_rounds_of_60_samples_removes_30_percent_of_the_excess() {
    let mut flow = flow(80.0);
    // The mean of the round-trip times approaches 200 ms while little is in flight.
    (0..30).for_each(|_| acked(&mut flow, 1, Span::from_ms(200)));
    // 80 packets in 200 ms need 40 packets, and ten may wait: an excess of 30.
    round(&mut flow, 61, 80, Span::from_ms(200));
    same(flow.window(), 80.0);
    round(&mut flow, 5, 80, Span::from_ms(200));
    let left = 80.0 - 30.0 * 0.296_875;
    assert!((flow.window() - left).abs() < 0.2, "{} is not {left}", flow.window());
    same(flow.inner("growing"), 0.0);
}

#[test]
fn fewer_than_60_samples_decide_nothing_but_stop_the_growth_after_ten_rounds() {
    let mut flow = flow(80.0);
    round(&mut flow, 30, 80, Span::from_ms(100));
    same(flow.inner("growing"), 1.0);
    for _ in 0..10 {
        round(&mut flow, 5, 80, Span::from_ms(200));
        same(flow.inner("growing"), 1.0);
    }
    round(&mut flow, 5, 80, Span::from_ms(200));
    same(flow.inner("growing"), 0.0);
    same(flow.window(), 80.0);
}

#[test]
fn an_excess_of_at_most_two_packets_is_removed_at_once() {
    let mut flow = flow(80.0);
    for _ in 0..2 {
        round(&mut flow, 100, 69, Span::from_ms(100));
    }
    assert!((flow.window() - 79.0).abs() < 0.01, "{}", flow.window());
}

#[test]
fn after_a_timeout_the_window_grows_by_half_a_packet_per_round_trip() {
    let mut flow = Flow::new("nv", SETUP.initial_window(100.0).initial_ssthresh(2.0));
    flow.path.window_limited = false;
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 80.0);
    flow.algorithm.set_window(80.0, true);
    round(&mut flow, 30, 80, Span::from_ms(100));
    flow.path.window_limited = true;
    acked(&mut flow, 80, Span::from_ms(100));
    same(flow.window(), 80.0 + 0.5 / 80.0);
}

#[test]
fn slow_start_ends_with_congestion_in_30_samples() {
    let mut flow = Flow::new("nv", SETUP.initial_window(80.0));
    flow.path.window_limited = false;
    acked(&mut flow, 1, Span::from_ms(100));
    round(&mut flow, 16, 80, Span::from_ms(200));
    assert!(flow.ssthresh().is_infinite());
    round(&mut flow, 16, 80, Span::from_ms(200));
    assert!(flow.window() < 80.0 && flow.ssthresh() <= flow.window());
}
