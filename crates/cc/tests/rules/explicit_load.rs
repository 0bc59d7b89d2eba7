// SPDX-License-Identifier: Apache-2.0
//! VCP, BMCC, MaxNet and DECbit: windows and rates by what routers write into packets.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_cc::card::Catalogue;
use narrows_units::{Rate, Span};
use narrows_wire::{Feedback, Request};

fn answered(flow: &mut Flow, acked: u64, feedback: Feedback) {
    flow.algorithm.on_ack(&ACK.newly_acked(acked).feedback(Some(feedback)), &flow.path);
}

/// A flow at `window` packets with a round-trip time of `rtt` milliseconds.
fn flow(name: &str, window: f64, rtt: u64) -> Flow {
    let mut flow = Flow::new(name, SETUP.initial_window(window));
    if let Some(view) = &mut flow.path.rtt {
        view.smoothed = Span::from_ms(rtt);
    }
    flow
}

const LOW: Feedback = Feedback::Level(1);
const HIGH: Feedback = Feedback::Level(2);
const OVERLOAD: Feedback = Feedback::Level(3);

#[test]
fn vcp_grows_by_a_sixteenth_in_an_interval_of_200_ms_while_the_load_is_low() {
    for (rtt, factor) in [(200, 1.0625), (400, 1.0625 * 1.0625), (2_000, libm::pow(1.0625, 2.5))] {
        let mut flow = flow("vcp", 100.0, rtt);
        answered(&mut flow, 100, LOW);
        assert!((flow.window() - 100.0 * factor).abs() < 1e-6, "{rtt} ms: {}", flow.window());
    }
}

#[test]
fn vcp_grows_by_a_packet_in_a_round_trip_of_100_ms_while_the_load_is_high() {
    for (rtt, gained) in [(100, 1.0), (200, 4.0), (10, 0.02), (1_000, 30.0)] {
        let mut flow = flow("vcp", 100.0, rtt);
        answered(&mut flow, 100, HIGH);
        same(flow.window(), 100.0 + gained);
    }
}

#[test]
fn vcp_decreases_by_an_eighth_once_and_rests_an_interval_and_a_round_trip() {
    let mut flow = flow("vcp", 100.0, 100);
    answered(&mut flow, 1, OVERLOAD);
    same(flow.window(), 87.5);
    flow.wait(Span::from_ms(199));
    for level in [LOW, HIGH, OVERLOAD] {
        answered(&mut flow, 10, level);
        same(flow.window(), 87.5);
    }
    flow.wait(Span::from_ms(1));
    answered(&mut flow, 10, OVERLOAD);
    let grown = 87.5 + 10.0 / 87.5;
    same(flow.window(), grown);
    flow.wait(Span::from_ms(100));
    answered(&mut flow, 10, OVERLOAD);
    same(flow.window(), 0.875 * grown);
}

#[test]
fn vcp_and_bmcc_halve_at_a_loss_and_have_one_packet_after_a_timeout() {
    for name in ["vcp", "bmcc"] {
        let mut flow = flow(name, 100.0, 100);
        flow.lost(Cause::Detected);
        same(flow.window(), 50.0);
        answered(&mut flow, 10, LOW);
        same(flow.window(), 50.0);
        flow.recovered();
        flow.lost(Cause::Timeout);
        same(flow.window(), 1.0);
    }
}

fn thresholds(flow: &mut Flow, count: usize) -> Vec<f32> {
    (0..count)
        .map(|_| match flow.algorithm.request(&flow.path) {
            Some(Request::Load { threshold, above: false, overload: false }) => threshold,
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn bmcc_asks_for_a_half_a_quarter_three_quarters_and_so_on_of_1_2() {
    let mut flow = flow("bmcc", 100.0, 100);
    let expected = [0.6, 0.3, 0.9, 0.15, 0.75];
    assert_eq!(thresholds(&mut flow, 5), expected);
}

/// What `packets` requests find of a load that stays.
fn estimate(load: f32, packets: usize) -> f64 {
    let mut flow = flow("bmcc", 100.0, 100);
    for threshold in thresholds(&mut flow, packets) {
        let feedback = Feedback::Load { threshold, above: load > threshold, overload: load >= 1.0 };
        answered(&mut flow, 0, feedback);
    }
    flow.inner("load")
}

/// ADPM: after m packets the error is at most 1.2 / m.
#[test]
fn bmcc_knows_a_load_that_stays_within_1_2_over_the_number_of_packets() {
    for load in [0.0, 0.13, 0.5, 0.79, 0.81, 0.99, 1.0, 1.1] {
        for packets in [16, 64, 256, 1024] {
            let error = (estimate(load, packets) - f64::from(load)).abs();
            assert!(error <= 1.2 / packets as f64 + 1e-3, "{load}, {packets} packets: {error}");
        }
    }
    let row = "estimate of a load of 0.79 after 256 packets, against it";
    Catalogue::Algorithms.assert_near("bmcc", row, estimate(0.79, 256), 0.79, 0.006);
}

#[test]
fn bmcc_grows_by_the_spare_load_and_decreases_by_the_overload() {
    let known = |threshold: f32, overload| Feedback::Load { threshold, above: true, overload };
    for (load, overload, window) in [
        // xi = 0.25 (1 - f) / f over two intervals of 200 ms; at most 1.
        (0.5, false, 100.0 * 1.25 * 1.25),
        (0.01, false, 400.0),
        // Four packets in a round trip of 400 ms, squared.
        (0.9, false, 116.0),
        (1.0, true, 99.0),
        (1.1, true, 87.0),
        (1.2, true, 75.0),
    ] {
        let mut flow = flow("bmcc", 100.0, 400);
        answered(&mut flow, 100, known(load, overload));
        assert!((flow.window() - window).abs() < 1e-3, "{load}: {}", flow.window());
    }
}

#[test]
fn maxnet_sends_at_a_rate_that_falls_exponentially_with_the_price() {
    let mut flow = flow("maxnet(peak=1000000)", 10.0, 100);
    assert_eq!(flow.algorithm.request(&flow.path), Some(Request::Price(-1.0)));
    assert_eq!((flow.algorithm.limits().window, flow.algorithm.limits().pacing), (Some(10), None));
    for (price, rate) in [(0.0, 1_000_000), (1.0, 367_879), (100.0, 1_000)] {
        answered(&mut flow, 1, Feedback::Price(price));
        let limits = flow.algorithm.limits();
        assert_eq!((limits.window, limits.pacing), (None, Some(Rate::from_bps(rate))));
    }
}

#[test]
fn maxnet_keeps_its_window_where_no_router_has_a_price() {
    let mut flow = flow("maxnet", 10.0, 100);
    answered(&mut flow, 1, Feedback::Price(-1.0));
    assert_eq!(flow.algorithm.limits().window, Some(10));
}

/// After a change the packets of the window before it are not counted.
#[test]
fn decbit_adds_a_packet_where_fewer_than_half_of_a_window_have_the_bit_and_else_takes_an_eighth() {
    for (set, window) in [(0, 11.0), (4, 11.0), (5, 8.75), (10, 8.75)] {
        let mut flow = flow("decbit", 10.0, 100);
        for number in 0..10 {
            same(flow.window(), 10.0);
            answered(&mut flow, 1, Feedback::Level(u8::from(number < set)));
        }
        same(flow.window(), window);
        for _ in 0..10 {
            answered(&mut flow, 1, Feedback::Level(1));
            same(flow.window(), window);
        }
    }
}

/// Each packet more takes the packets of the window before the last change and of the present one.
#[test]
fn decbit_takes_two_windows_for_a_packet() {
    let mut flow = flow("decbit", 10.0, 100);
    let mut packets = 0.0;
    while flow.window() < 20.0 {
        answered(&mut flow, 1, Feedback::Level(0));
        packets += 1.0;
    }
    let row = "packets from a window of 10 to 20 without a bit, against 10 + ... + 19 and 10 + ... + 18";
    Catalogue::Algorithms.assert_near("decbit", row, packets, 145.0 + 126.0, 0.001);
}
