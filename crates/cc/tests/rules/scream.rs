// SPDX-License-Identifier: Apache-2.0
//! SCReAM v2.

use super::media::{acked, flow, lost, target};
use super::same;
use narrows_cc::{Cause, EcnUse, Loss};
use narrows_units::Span;

const MSS: f64 = 1448.0;

#[test]
fn a_window_grows_by_a_segment_and_a_fiftieth_of_itself_in_a_round_trip() {
    let mut flow = flow("scream");
    let before = 3000.0 / MSS;
    same(flow.inner("ref_wnd"), before);
    acked(&mut flow, Span::from_ms(1), Span::ZERO, 0);
    same(flow.inner("ref_wnd"), before + (1.0 + 0.02 * before) / before);
}

#[test]
fn the_encoder_gets_the_window_in_a_round_trip_less_what_overhead_and_bursts_need() {
    let mut flow = flow("scream");
    for _ in 0..100 {
        acked(&mut flow, Span::from_ms(1), Span::ZERO, 0);
    }
    let window = flow.inner("ref_wnd");
    assert!(window > 10.0, "{window}");
    let expected = 8.0 * window * MSS / 0.1 * (MSS / (MSS + 20.0)) / 1.2;
    assert!((target(&flow) - expected).abs() < 1.0, "{}", target(&flow));
    let limits = flow.algorithm.limits();
    assert_eq!(limits.pacing.map(narrows_units::Rate::as_bps), Some((1.5 * expected).round() as u64));
    // The delay does not vary: three times the window.
    assert_eq!(limits.window, Some((3.0 * window) as u64));
}

#[test]
fn a_loss_multiplies_the_window_by_7_tenths_and_a_mark_by_8_at_most_once_in_25_ms() {
    for (mark, factor) in [(false, 0.7), (true, 0.8)] {
        let mut flow = flow("scream");
        for _ in 0..100 {
            acked(&mut flow, Span::from_ms(1), Span::ZERO, 0);
        }
        let before = flow.inner("ref_wnd");
        for (wait, expected) in [(1, factor), (24, factor), (2, factor * factor)] {
            flow.wait(Span::from_ms(wait));
            if mark {
                let loss = Loss::new(Cause::Mark, 0);
                flow.algorithm.on_loss(&loss, &flow.path);
            } else {
                lost(&mut flow, true);
            }
            same(flow.inner("ref_wnd"), expected * before);
        }
    }
}

#[test]
fn a_queueing_delay_above_half_of_its_target_is_a_virtual_mark() {
    let mut flow = flow("scream(competing=false)");
    for _ in 0..100 {
        acked(&mut flow, Span::from_ms(1), Span::ZERO, 0);
    }
    let queue = Span::from_ms(45);
    for _ in 0..100 {
        let before = flow.inner("ref_wnd");
        acked(&mut flow, Span::from_ms(25), queue, 0);
        let (after, mean) = (flow.inner("ref_wnd"), flow.inner("qdelay_avg_s"));
        // 145 ms are 5.8 times 25 ms.
        let share = (2.0 * mean / 0.06 - 1.0).clamp(0.0, 1.0) / 2.0 / 5.8;
        let lowered = before * (1.0 - share);
        assert!(after >= lowered.max(3000.0 / MSS) - 1e-9, "{before} to {after} at {mean}");
        assert!(after < lowered + 1.5, "{before} to {after} at {mean}");
    }
    assert!((flow.inner("qdelay_avg_s") - 0.045).abs() < 1e-6);
    // A shorter delay counts at once.
    acked(&mut flow, Span::from_ms(25), Span::from_ms(5), 0);
    same(flow.inner("qdelay_avg_s"), 0.005);
}

#[test]
fn with_l4s_the_window_falls_by_half_of_the_mean_share_of_marks() {
    let mut flow = flow("scream(l4s=true)");
    assert_eq!(flow.algorithm.ecn(), EcnUse::LowLatency);
    for _ in 0..100 {
        acked(&mut flow, Span::from_ms(1), Span::ZERO, 0);
    }
    acked(&mut flow, Span::from_ms(10), Span::ZERO, 0);
    let before = flow.inner("ref_wnd");
    acked(&mut flow, Span::from_ms(10), Span::ZERO, 1);
    // All packets of 10 ms: the mean is 1 / 8, and a round trip has four responses.
    same(flow.inner("ref_wnd"), before * (1.0 - 1.0 / 8.0 / 2.0 / 4.0));
    let classic = super::media::flow("scream");
    assert_eq!(classic.algorithm.ecn(), EcnUse::Classic);
}

#[test]
fn near_the_window_of_the_last_congestion_growth_is_a_quarter() {
    let mut flow = flow("scream");
    for _ in 0..100 {
        acked(&mut flow, Span::from_ms(1), Span::ZERO, 0);
    }
    let peak = flow.inner("ref_wnd");
    lost(&mut flow, true);
    let mut steps = Vec::new();
    for _ in 0..3000 {
        let before = flow.inner("ref_wnd");
        acked(&mut flow, Span::from_ms(1), Span::ZERO, 0);
        steps.push((before, (flow.inner("ref_wnd") - before) * before));
    }
    let near = steps.iter().find(|(window, _)| *window >= peak).expect("it grows back").1;
    // A quarter of a segment in a round trip; a tenth of the multiplicative part.
    assert!(near > 0.25 && near < 0.26, "{near}");
    let away = steps[0].1;
    assert!((1.0..1.1).contains(&away), "{away}");
}

/// As in the authors' code: a delay that lasts for a minute is not a queue if half of the rate for five round trips does not
/// remove it.
#[test]
fn on_a_path_that_became_longer_the_base_of_the_delay_begins_anew_within_a_minute() {
    let mut flow = flow("scream");
    let longer = Span::from_ms(100);
    for _ in 0..400 {
        acked(&mut flow, Span::from_ms(50), Span::ZERO, 0);
    }
    let mut starved = 0;
    while flow.inner("qdelay_avg_s") > 0.0 || starved == 0 {
        acked(&mut flow, Span::from_ms(50), longer, 0);
        starved += 1;
        assert!(starved < 900, "the delay of the longer path is a queue after 45 s");
    }
    assert!(starved > 700, "the base began anew after {starved} samples, before a minute of the flow");
    let before = target(&flow);
    for _ in 0..200 {
        acked(&mut flow, Span::from_ms(50), longer, 0);
    }
    assert!(target(&flow) > 2.0 * before, "{} after {before}", target(&flow));
}

#[test]
fn a_steady_long_delay_raises_its_target_up_to_400_ms() {
    for (name, queue, expected) in [
        ("scream", 200, 0.2),
        ("scream", 30, 0.06),
        ("scream", 900, 0.4),
        ("scream(competing=false)", 200, 0.06),
    ] {
        let mut flow = flow(name);
        acked(&mut flow, Span::from_ms(50), Span::ZERO, 0);
        for _ in 0..400 {
            acked(&mut flow, Span::from_ms(50), Span::from_ms(queue), 0);
        }
        assert!((flow.inner("qdelay_target_s") - expected).abs() < 1e-6, "{name} at {queue} ms");
    }
}
