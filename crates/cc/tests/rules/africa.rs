// SPDX-License-Identifier: Apache-2.0
//! TCP-Africa.

use super::{Flow, same};
use narrows_cc::Cause;
use narrows_units::Span;

/// A flow at 1000 packets, in the eighth row of the table of RFC 3649, with `queued` packets in the queue by its estimate.
fn flow(name: &str, queued: f64) -> Flow {
    let mut flow = Flow::avoiding(name, 1000.0);
    flow.acked_after(0, Span::from_ms(100));
    let rtt = Span::from_ms(100).scaled(1000.0 / (1000.0 - queued));
    for _ in 0..300 {
        flow.acked_after(0, rtt);
    }
    flow
}

#[test]
fn the_increase_is_that_of_highspeed_tcp_below_1_641_packets_in_the_queue_and_renos_above() {
    for (queued, step) in [(0.0, 0.008), (1.6, 0.008), (1.7, 0.001), (300.0, 0.001)] {
        let mut flow = flow("africa", queued);
        flow.acked_after(1, Span::from_ms(100).scaled(1000.0 / (1000.0 - queued)));
        same(flow.window(), 1000.0 + step);
    }
}

#[test]
fn a_loss_takes_b_of_the_window_in_fast_mode_and_half_in_slow_mode() {
    // RFC 3649, appendix B: b = 0.33 in the row of 1058 packets.
    let table = 0.5 - 0.4 * libm::log(1058.0 / 38.0) / libm::log(83_000.0 / 38.0);
    for (name, queued, taken) in [
        ("africa", 0.0, table),
        ("africa", 10.0, 0.5),
        ("africa(reduction=table)", 10.0, table),
        ("africa(reduction=half)", 0.0, 0.5),
    ] {
        let mut flow = flow(name, queued);
        flow.lost(Cause::Detected);
        same(flow.window(), 1000.0 * (1.0 - taken));
    }
}

#[test]
fn up_to_38_packets_both_modes_are_reno() {
    let mut flow = Flow::avoiding("africa", 38.0);
    flow.acked_after(0, Span::from_ms(100));
    flow.acked(19);
    same(flow.window(), 38.5);
    flow.lost(Cause::Detected);
    assert!(flow.window() > 0.49 * 38.5, "{}", flow.window());
}

#[test]
fn without_a_sample_of_the_round_trip_time_the_flow_is_slow() {
    let mut flow = Flow::avoiding("africa", 1000.0);
    flow.path.rtt = None;
    flow.lost(Cause::Detected);
    same(flow.window(), 500.0);
}
