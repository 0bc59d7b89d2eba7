// SPDX-License-Identifier: Apache-2.0
//! LTCP.

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::Span;

/// The packets that a window's worth of acknowledgements adds, to the first order.
fn step(flow: &mut Flow) -> f64 {
    let before = flow.window();
    flow.acked(1);
    (flow.window() - before) * before
}

#[test]
fn layers_begin_at_50_200_500_1000_and_1750_packets() {
    let beginnings = [(49.0, 1.0), (50.0, 2.0), (199.0, 2.0), (200.0, 3.0), (499.0, 3.0), (500.0, 4.0)];
    for (window, layer) in
        [&beginnings[..], &[(1000.0, 5.0), (1749.0, 5.0), (1750.0, 6.0), (28_000.0, 15.0)]].concat()
    {
        let mut flow = Flow::avoiding("ltcp", window);
        assert!((step(&mut flow) - layer).abs() < 1e-3, "{window} packets");
        same(flow.inner("layer"), layer);
    }
}

#[test]
fn a_loss_takes_15_percent_and_one_layer_at_most() {
    for (window, layer) in [(1_010.0, 4.0), (1_200.0, 5.0), (57_001.0, 18.0)] {
        let mut flow = Flow::avoiding("ltcp", window);
        flow.acked(0);
        step(&mut flow);
        let before = flow.window();
        flow.lost(Cause::Detected);
        same(flow.window(), 0.85 * before);
        same(flow.inner("layer"), layer);
    }
}

#[test]
fn a_layer_that_is_kept_below_its_beginning_is_not_added_again() {
    let mut flow = Flow::avoiding("ltcp", 57_001.0);
    step(&mut flow);
    flow.lost(Cause::Detected);
    flow.recovered();
    assert!((step(&mut flow) - 18.0).abs() < 1e-3);
}

#[test]
fn in_the_first_layer_the_rule_is_renos() {
    let (mut ltcp, mut reno) = (Flow::avoiding("ltcp", 40.0), Flow::avoiding("reno", 40.0));
    for flow in [&mut ltcp, &mut reno] {
        flow.acked(3);
        flow.lost(Cause::Detected);
    }
    same(ltcp.window(), reno.window());
}

#[test]
fn a_loss_in_slow_start_is_that_of_the_layer_of_its_window() {
    let mut flow = Flow::new("ltcp", SETUP.initial_window(300.0));
    flow.acked(10);
    flow.lost(Cause::Detected);
    same(flow.window(), 0.85 * 310.0);
    same(flow.inner("layer"), 3.0);
}

#[test]
fn a_timeout_halves_ssthresh_and_leaves_one_layer() {
    let mut flow = Flow::avoiding("ltcp", 1_000.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 500.0);
    same(flow.inner("layer"), 1.0);
}

#[test]
fn compensation_is_the_cube_root_of_the_round_trip_time_and_at_least_one() {
    for (smoothed, factor) in [(50, 1.0), (100, 1.0), (800, 2.0)] {
        let mut flow = Flow::avoiding("ltcp(rtt_scaling=true,reference=0.1)", 100.0);
        if let Some(rtt) = &mut flow.path.rtt {
            rtt.smoothed = Span::from_ms(smoothed);
        }
        assert!((step(&mut flow) - 2.0 * factor).abs() < 1e-3, "{smoothed} ms");
    }
}
