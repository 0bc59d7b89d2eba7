// SPDX-License-Identifier: Apache-2.0
//! Limited slow start.

use super::{Flow, SETUP, same};
use narrows_cc::SlowStartKind;

fn flow(window: f64, ssthresh: f64) -> Flow {
    let setup = SETUP.initial_window(window).initial_ssthresh(ssthresh);
    Flow::new("reno", setup.slow_start(SlowStartKind::Limited))
}

#[test]
fn up_to_100_packets_it_is_the_standard_slow_start() {
    let mut flow = flow(98.0, f64::INFINITY);
    flow.acked(2);
    same(flow.window(), 100.0);
    flow.acked(2);
    same(flow.window(), 102.0);
}

#[test]
fn above_100_packets_each_packet_acknowledged_adds_one_over_the_window_in_fifties() {
    for (window, divisor) in [(101.0, 2.0), (149.0, 2.0), (150.0, 3.0), (1000.0, 20.0)] {
        let mut flow = flow(window, f64::INFINITY);
        flow.acked(1);
        same(flow.window(), window + 1.0 / divisor);
    }
}

#[test]
fn a_round_trip_adds_50_packets() {
    let mut flow = flow(1000.0, f64::INFINITY);
    (0..1000).for_each(|_| flow.acked(1));
    assert!((flow.window() - 1050.0).abs() < 1.5, "{}", flow.window());
}

#[test]
fn packets_acknowledged_beyond_ssthresh_count_for_congestion_avoidance() {
    let mut flow = flow(1000.0, 1000.1);
    flow.acked(6);
    same(flow.window(), 1000.1 + 4.0 / 1000.1);
}
