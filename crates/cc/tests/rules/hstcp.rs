// SPDX-License-Identifier: Apache-2.0
//! HighSpeed TCP.

use super::{Flow, same};
use narrows_cc::Cause;
use narrows_cc::card::Catalogue;

fn after_a_loss(name: &str, window: f64) -> f64 {
    let mut flow = Flow::avoiding(name, window);
    flow.lost(Cause::Detected);
    1.0 - flow.window() / window
}

fn step(name: &str, window: f64) -> f64 {
    let mut flow = Flow::avoiding(name, window);
    flow.acked(1);
    same(flow.window(), window + flow.inner("a") / window);
    flow.inner("a")
}

/// RFC 3649, table of appendix B, which was computed with `p` rounded to `0.078 / w^1.2`: up to 2.1 % less than the formula.
#[test]
fn increase_and_decrease_are_those_of_the_table_of_the_rfc() {
    for (window, a, b) in [
        (118.0, 2.0, 0.44),
        (221.0, 3.0, 0.41),
        (1058.0, 8.0, 0.33),
        (10661.0, 30.0, 0.21),
        (83000.0, 72.0, 0.10),
    ] {
        let (increase, decrease) = (step("hstcp", window), after_a_loss("hstcp", window));
        let what = |of: &str| format!("{of}({window}), against the table of RFC 3649");
        Catalogue::Algorithms.assert_near("hstcp", &what("a"), increase, a, 0.025);
        assert!((decrease - b).abs() < 0.005, "b({window}) = {decrease}");
    }
}

#[test]
fn at_low_window_the_rule_is_renos() {
    same(step("hstcp", 38.0), 1.0);
    same(after_a_loss("hstcp", 38.0), 0.5);
}

#[test]
fn with_low_p_of_2002_the_increase_is_continuous_at_a_low_window_of_31() {
    let above = step("hstcp(low_window=31,low_p=0)", 31.0 + 1e-9);
    assert!((above - 1.0).abs() < 1e-6, "{above}");
}

#[test]
fn the_window_at_most_doubles_in_a_round() {
    // The formula gives a = w² p 2b/(2 - b), with p = 1 and b = 0.1 far beyond w.
    same(step("hstcp(high_p=1)", 1e6), 1e6);
}

#[test]
fn above_high_window_the_decrease_is_a_tenth() {
    same(after_a_loss("hstcp", 1e6), 0.1);
}

#[test]
fn the_increase_is_computed_for_each_round_and_after_a_loss() {
    let mut flow = Flow::avoiding("hstcp", 1058.0);
    flow.acked(1);
    let first = flow.inner("a");
    flow.acked(1000);
    same(flow.inner("a"), first);
    flow.path.round += 1;
    flow.acked(1);
    assert!(flow.inner("a") > first);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow.acked(1);
    assert!(flow.inner("a") < first);
}
