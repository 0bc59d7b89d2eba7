//! H-TCP.

use super::Flow;
use narrows_cc::Cause;
use narrows_units::Span;

/// A flow that was cut at 1000 packets, `since` after the end of the episode.
fn cut_and_wait(name: &str, since: Span) -> Flow {
    let mut flow = Flow::avoiding(name, 1000.0);
    flow.acked(1);
    flow.lost(Cause::Detected);
    flow.wait(Span::from_ms(500));
    flow.recovered();
    flow.wait(since);
    flow
}

/// What one acknowledged packet adds, for a whole round trip.
fn step(flow: &mut Flow) -> f64 {
    let before = flow.window();
    flow.acked_after(1, Span::from_ms(400));
    (flow.window() - before) * before
}

fn close(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-6, "{one} is not {other}");
}

#[test]
fn three_seconds_after_a_loss_22_packets_are_added_in_a_round_trip() {
    close(step(&mut cut_and_wait("htcp(rtt_scaling=false)", Span::from_ms(3_000))), 22.0);
}

#[test]
fn in_the_first_second_growth_is_tcps() {
    close(step(&mut cut_and_wait("htcp", Span::from_ms(1_000))), 1.0);
    close(step(&mut cut_and_wait("htcp(linear=3)", Span::from_ms(3_000))), 1.0);
}

#[test]
fn with_rtt_scaling_growth_in_a_second_is_that_at_100_ms_within_bounds() {
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
fn scaling_leaves_at_least_one_packet() {
    let mut flow = Flow::avoiding("htcp", 1000.0);
    flow.acked_after(1, Span::from_ms(5));
    flow.lost(Cause::Detected);
    flow.recovered();
    close(step(&mut flow), 1.0);
}

/// Two losses at 1000 packets, each after samples of 100 and then 130 ms; the second may believe them.
fn second_cut(name: &str, least: Span, most: Span) -> Flow {
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
fn beta_is_the_smallest_over_the_largest_round_trip_time_from_the_second_loss_on() {
    let flow = second_cut("htcp(bandwidth_switch=false)", Span::from_ms(100), Span::from_ms(150));
    close(flow.inner("beta"), 100.0 / 150.0);
    let steady = Flow::avoiding("htcp", 1000.0);
    close(steady.inner("beta"), 0.5);
}

#[test]
fn beta_is_between_a_half_and_four_fifths_and_a_half_below_10_ms() {
    for (least, most, beta) in [(100, 101, 0.8), (30, 90, 0.5), (10, 14, 0.5)] {
        let flow = second_cut("htcp(bandwidth_switch=false)", Span::from_ms(least), Span::from_ms(most));
        close(flow.inner("beta"), beta);
    }
}

#[test]
fn without_adaptive_backoff_beta_is_a_half() {
    let flow = second_cut("htcp(adaptive_backoff=false)", Span::from_ms(100), Span::from_ms(150));
    close(flow.inner("beta"), 0.5);
}

#[test]
fn a_sample_more_than_20_ms_above_the_largest_is_not_believed() {
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

/// Throughput of 1000 packets a second up to the first loss and `rate` up to the second.
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
fn beta_is_a_half_where_the_throughput_changed_by_more_than_a_fifth() {
    close(after_two_epochs("htcp(period=0.25)", 1_000), 0.8);
    close(after_two_epochs("htcp(period=0.25)", 600), 0.5);
}
