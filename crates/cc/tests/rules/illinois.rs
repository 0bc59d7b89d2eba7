// SPDX-License-Identifier: Apache-2.0
//! TCP-Illinois.

use super::{Flow, same};
use narrows_cc::Cause;
use narrows_units::Span;

/// A flow that knows round-trip times of 100 to 200 ms, so that `d_m` is 100 ms, at the start of a round.
fn flow(name: &str, window: f64) -> Flow {
    let mut flow = Flow::avoiding(name, window);
    flow.path.window_limited = false;
    flow.acked_after(1, Span::from_ms(100));
    flow.acked_after(1, Span::from_ms(200));
    end_round(&mut flow, Span::from_ms(150));
    flow
}

/// The acknowledgement that ends the round.
fn end_round(flow: &mut Flow, rtt: Span) {
    flow.path.round += 1;
    flow.acked_after(1, rtt);
}

/// `α` and `β` after a round with a mean queueing delay of `delay` if the largest is 100 ms.
fn adapted(name: &str, delay: Span) -> (f64, f64) {
    let mut flow = flow(name, 100.0);
    end_round(&mut flow, Span::from_ms(100) + delay);
    (flow.inner("alpha"), flow.inner("beta"))
}

#[test]
fn alpha_is_kappa_1_over_kappa_2_plus_the_delay() {
    // Equations of Liu et al. 2008 §3 with α from 0.1 to 10, d_m = 100 ms and d_1 = 1 ms.
    let kappa_1 = (0.1 - 0.001) * 0.1 * 10.0 / (10.0 - 0.1);
    let kappa_2 = (0.1 - 0.001) * 0.1 / (10.0 - 0.1) - 0.001;
    for delay in [2_u32, 10, 30, 50, 100] {
        let expected = kappa_1 / (kappa_2 + f64::from(delay) / 1e3);
        same(adapted("illinois", Span::from_ms(u64::from(delay))).0, expected);
    }
    same(adapted("illinois", Span::from_ms(100)).0, 0.1);
    same(adapted("illinois(alpha_min=0.3)", Span::from_ms(100)).0, 0.3);
}

#[test]
fn beta_is_an_eighth_up_to_a_tenth_of_the_largest_delay_a_half_from_four_fifths_and_linear_in_between() {
    for (delay, beta) in [(0, 0.125), (10, 0.125), (45, 0.3125), (80, 0.5), (100, 0.5)] {
        same(adapted("illinois", Span::from_ms(delay)).1, beta);
    }
}

#[test]
fn a_window_grows_by_alpha_per_round_trip_and_a_loss_takes_beta_of_it() {
    let mut flow = flow("illinois", 100.0);
    end_round(&mut flow, Span::from_ms(145));
    flow.path.window_limited = true;
    let alpha = flow.inner("alpha");
    flow.acked(50);
    same(flow.window(), 100.0 + alpha * 50.0 / 100.0);
    let before = flow.window();
    flow.lost(Cause::Detected);
    same(flow.window(), before * (1.0 - 0.3125));
}

#[test]
fn after_a_long_delay_alpha_is_10_again_in_the_fifth_short_round_in_a_row() {
    let mut flow = flow("illinois", 100.0);
    let long = flow.inner("alpha");
    assert!(long < 1.0, "{long}");
    for _ in 0..4 {
        end_round(&mut flow, Span::from_ms(100));
        same(flow.inner("alpha"), long);
    }
    end_round(&mut flow, Span::from_ms(150));
    for _ in 0..4 {
        end_round(&mut flow, Span::from_ms(100));
        same(flow.inner("alpha"), long);
    }
    end_round(&mut flow, Span::from_ms(100));
    same(flow.inner("alpha"), 10.0);
    end_round(&mut flow, Span::from_ms(100));
    same(flow.inner("alpha"), 10.0);
}

#[test]
fn below_10_packets_the_rule_is_renos() {
    let mut flow = flow("illinois", 9.0);
    end_round(&mut flow, Span::from_ms(100));
    same(flow.inner("alpha"), 1.0);
    same(flow.inner("beta"), 0.5);
}

#[test]
fn a_timeout_uses_beta_and_then_resets_it() {
    let mut flow = flow("illinois", 100.0);
    end_round(&mut flow, Span::from_ms(100));
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 87.5);
    same(flow.inner("alpha"), 1.0);
    same(flow.inner("beta"), 0.5);
}
