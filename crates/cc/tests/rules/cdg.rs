// SPDX-License-Identifier: Apache-2.0
//! CDG.

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_cc::card::Catalogue;
use narrows_units::Span;

/// A flow in congestion avoidance at `window` packets, with random numbers of `seed`. Its window grows in no test that does
/// not say so.
fn flow(name: &str, window: f64, seed: u64) -> Flow {
    let setup = SETUP.initial_window(window).initial_ssthresh(2.0).seed(seed);
    let mut flow = Flow::new(name, setup);
    flow.path.window_limited = false;
    flow
}

/// A round whose shortest and longest round-trip times are these, in microseconds.
fn round(flow: &mut Flow, least: u64, most: u64) {
    flow.acked_after(1, Span::from_us(least));
    flow.path.round += 1;
    flow.acked_after(1, Span::from_us(most));
}

/// The part of 20000 flows that back off at a gradient of `us` microseconds per round trip, the same for all rounds.
fn backing_off(us: u64) -> f64 {
    let backs_off = |seed: &u64| {
        let mut flow = flow("cdg(smoothing=1)", 100.0, *seed);
        round(&mut flow, 100_000, 100_000);
        round(&mut flow, 100_000 + us, 100_000 + us);
        flow.window() < 100.0
    };
    (0..20_000).filter(backs_off).count() as f64 / 20_000.0
}

#[test]
fn a_backoff_has_probability_one_less_e_to_the_power_of_the_gradient_over_3_ms() {
    for us in [300_u64, 1_000, 3_000, 9_000] {
        let expected = 1.0 - libm::exp(-(us as f64) / 3_000.0);
        let what =
            format!("part of rounds with a gradient of {us} us that back off, against 1 - exp(-g / 3 ms)");
        Catalogue::Algorithms.assert_near("cdg", &what, backing_off(us), expected, 0.07);
    }
    same(backing_off(0), 0.0);
}

#[test]
fn a_backoff_takes_three_tenths_of_the_window() {
    let mut flow = flow("cdg(smoothing=1,scale=0.000001)", 100.0, 1);
    round(&mut flow, 100_000, 100_000);
    round(&mut flow, 110_000, 110_000);
    same(flow.window(), 70.0);
    same(flow.ssthresh(), 70.0);
    same(flow.inner("shadow"), 100.0);
}

#[test]
fn gradients_are_means_of_eight_rounds() {
    let mut flow = flow("cdg(scale=100)", 100.0, 1);
    round(&mut flow, 100_000, 120_000);
    round(&mut flow, 108_000, 112_000);
    same(flow.inner("g_min"), 0.001);
    same(flow.inner("g_max"), -0.001);
    (0..7).for_each(|_| round(&mut flow, 108_000, 112_000));
    same(flow.inner("g_min"), 0.001);
    round(&mut flow, 108_000, 112_000);
    same(flow.inner("g_min"), 0.0);
}

#[test]
fn in_slow_start_the_latest_gradient_counts() {
    let backs_off = |ssthresh: f64| {
        let setup = SETUP.initial_window(50.0).initial_ssthresh(ssthresh);
        let mut flow = Flow::new("cdg(smoothing=256,scale=0.0001)", setup);
        flow.path.window_limited = false;
        round(&mut flow, 100_000, 100_000);
        round(&mut flow, 101_000, 101_000);
        flow.window() < 50.0
    };
    assert!(backs_off(f64::INFINITY) && !backs_off(2.0));
}

/// Rounds of which each is 10 ms longer than the one before, so that a flow backs off whenever it measures.
fn growing(flow: &mut Flow, rounds: std::ops::Range<u64>) {
    for step in rounds {
        round(flow, 100_000 + 10_000 * step, 100_000 + 10_000 * step);
    }
}

#[test]
fn after_five_backoffs_without_effect_five_are_left_out() {
    let mut flow = flow("cdg(smoothing=1,scale=0.000001)", 1_000.0, 1);
    // The round after a backoff has no gradient.
    growing(&mut flow, 0..11);
    let five = 1_000.0 * libm::pow(0.7, 5.0);
    same(flow.window(), five);
    growing(&mut flow, 11..21);
    same(flow.window(), five);
    growing(&mut flow, 21..22);
    same(flow.window(), 0.7 * five);
}

#[test]
fn a_loss_with_a_full_queue_halves_the_larger_of_window_and_shadow_and_any_other_nothing() {
    // The minimum grows while the maximum does not: the queue is full.
    let mut flow = flow("cdg(smoothing=1,scale=100)", 100.0, 1);
    round(&mut flow, 100_000, 200_000);
    round(&mut flow, 110_000, 200_000);
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
    flow.recovered();
    round(&mut flow, 120_000, 210_000);
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 25.0);
}

#[test]
fn without_tolerance_every_loss_halves() {
    let mut flow = flow("cdg(smoothing=1,scale=100,tolerance=false)", 100.0, 1);
    round(&mut flow, 100_000, 200_000);
    round(&mut flow, 110_000, 210_000);
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
}

#[test]
fn the_shadow_window_restores_what_backoffs_took() {
    for (name, left) in [
        ("cdg(smoothing=1,scale=0.000001,tolerance=false)", 50.0),
        ("cdg(smoothing=1,scale=0.000001,tolerance=false,shadow=false)", 35.0),
    ] {
        let mut flow = flow(name, 100.0, 1);
        round(&mut flow, 100_000, 100_000);
        round(&mut flow, 110_000, 110_000);
        same(flow.window(), 70.0);
        flow.lost(Cause::Detected);
        same(flow.window(), left);
    }
}

#[test]
fn an_empty_queue_forgets_the_shadow_window() {
    let mut flow = flow("cdg(smoothing=1,scale=100)", 100.0, 1);
    round(&mut flow, 100_000, 200_000);
    same(flow.inner("shadow"), 100.0);
    round(&mut flow, 100_000, 190_000);
    same(flow.inner("shadow"), 0.0);
}
