// SPDX-License-Identifier: Apache-2.0
//! H-TCP.

use super::Flow;
use narrows_cc::Cause;
use narrows_cc::card::Catalogue;
use narrows_units::Span;

/// A flow with a loss at 1000 packets, `since` after the end of the loss episode.
fn after_a_loss(name: &str, since: Span) -> Flow {
    let mut flow = Flow::avoiding(name, 1000.0);
    flow.acked(1);
    flow.lost(Cause::Detected);
    flow.wait(Span::from_ms(500));
    flow.recovered();
    flow.wait(since);
    flow
}

/// The increase of one packet acknowledged, times the window: packets per round trip.
fn step(flow: &mut Flow) -> f64 {
    let before = flow.window();
    flow.acked_after(1, Span::from_ms(400));
    (flow.window() - before) * before
}

fn close(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-6, "{one} is not {other}");
}

#[test]
fn three_seconds_after_a_loss_the_increase_is_22_packets_per_round_trip() {
    let alpha = step(&mut after_a_loss("htcp(rtt_scaling=false)", Span::from_ms(3_000)));
    let what = "alpha 3 s after a loss, packets per round trip, against 22";
    Catalogue::Algorithms.assert_near("htcp", what, alpha, 22.0, 1e-6);
}

#[test]
fn in_the_first_second_the_increase_is_renos() {
    close(step(&mut after_a_loss("htcp", Span::from_ms(1_000))), 1.0);
    close(step(&mut after_a_loss("htcp(linear=3)", Span::from_ms(3_000))), 1.0);
}

#[test]
fn with_rtt_scaling_the_increase_per_second_is_that_at_100_ms_within_bounds() {
    for (rtt, expected) in [(50, 11.0), (100, 22.0), (200, 44.0), (400, 44.0), (5, 2.2)] {
        let mut flow = Flow::avoiding("htcp", 1000.0);
        flow.acked_after(1, Span::from_ms(rtt));
        flow.lost(Cause::Detected);
        flow.recovered();
        flow.wait(Span::from_ms(3_000));
        close(step(&mut flow), expected);
    }
}

#[test]
fn with_scaling_the_increase_is_at_least_one_packet() {
    let mut flow = Flow::avoiding("htcp", 1000.0);
    flow.acked_after(1, Span::from_ms(5));
    flow.lost(Cause::Detected);
    flow.recovered();
    close(step(&mut flow), 1.0);
}

/// Two losses at 1000 packets, each after round-trip times of `least` and `most`, which count from the second loss on.
fn after_two_losses(name: &str, least: Span, most: Span) -> Flow {
    let mut flow = Flow::avoiding(name, 1000.0);
    for _ in 0..2 {
        flow.acked_after(1, least);
        for step in 1..=4 {
            flow.acked_after(1, least + (most - least).scaled(f64::from(step) / 4.0));
        }
        flow.lost(Cause::Detected);
        flow.recovered();
    }
    flow
}

#[test]
fn beta_is_the_minimum_over_the_maximum_round_trip_time_from_the_second_loss_on() {
    let flow = after_two_losses("htcp(bandwidth_switch=false)", Span::from_ms(100), Span::from_ms(150));
    close(flow.inner("beta"), 100.0 / 150.0);
    let steady = Flow::avoiding("htcp", 1000.0);
    close(steady.inner("beta"), 0.5);
}

#[test]
fn beta_is_between_0_5_and_0_8_and_0_5_up_to_10_ms() {
    for (least, most, beta) in [(100, 101, 0.8), (30, 90, 0.5), (10, 14, 0.5)] {
        let flow =
            after_two_losses("htcp(bandwidth_switch=false)", Span::from_ms(least), Span::from_ms(most));
        close(flow.inner("beta"), beta);
    }
}

#[test]
fn without_adaptive_backoff_beta_is_a_half() {
    let flow = after_two_losses("htcp(adaptive_backoff=false)", Span::from_ms(100), Span::from_ms(150));
    close(flow.inner("beta"), 0.5);
}

#[test]
fn a_sample_more_than_20_ms_above_the_maximum_is_ignored() {
    let mut flow = Flow::avoiding("htcp(bandwidth_switch=false)", 1000.0);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow.acked_after(1, Span::from_ms(100));
    flow.acked_after(1, Span::from_ms(125));
    flow.acked_after(1, Span::from_ms(400));
    flow.acked_after(1, Span::from_ms(115));
    flow.lost(Cause::Detected);
    close(flow.inner("beta"), 0.8);
}

/// A throughput of 1000 packets per second up to the first loss and of `rate` up to the second.
fn after_two_epochs(name: &str, rate: u64) -> f64 {
    let mut flow = Flow::avoiding(name, 100.0);
    for packets in [100, rate / 10] {
        for _ in 0..40 {
            flow.wait(Span::from_ms(100));
            flow.acked_after(packets, Span::from_ms(100));
        }
        flow.acked_after(1, Span::from_ms(120));
        flow.lost(Cause::Detected);
        flow.recovered();
    }
    flow.lost(Cause::Detected);
    flow.inner("beta")
}

#[test]
fn beta_is_a_half_if_the_throughput_changed_by_more_than_a_fifth() {
    close(after_two_epochs("htcp(period=0.25)", 1_000), 0.8);
    close(after_two_epochs("htcp(period=0.25)", 600), 0.5);
}
