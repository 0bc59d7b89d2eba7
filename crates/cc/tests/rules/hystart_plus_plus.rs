// SPDX-License-Identifier: Apache-2.0
//! HyStart++.

use super::{Flow, SETUP, same};
use narrows_cc::{Cause, SlowStartKind};
use narrows_units::Span;

/// A flow after a round with eight samples of 100 ms.
fn flow() -> Flow {
    let mut flow = Flow::new("reno", SETUP.slow_start(SlowStartKind::HyStartPlusPlus));
    round(&mut flow, 100_000);
    flow
}

/// A round of eight acknowledgements of one packet. Returns the increase with the last of them, packets.
fn round(flow: &mut Flow, rtt_us: u64) -> f64 {
    flow.path.round += 1;
    for _ in 0..7 {
        flow.acked_after(1, Span::from_us(rtt_us));
    }
    let before = flow.window();
    flow.acked_after(1, Span::from_us(rtt_us));
    flow.window() - before
}

#[test]
fn a_round_an_eighth_above_the_one_before_starts_css() {
    same(round(&mut flow(), 112_499), 1.0);
    same(round(&mut flow(), 112_500), 0.25);
}

#[test]
fn the_threshold_is_at_least_4_and_at_most_16_ms() {
    for (before, after, added) in
        [(10_000, 13_999, 1.0), (10_000, 14_000, 0.25), (400_000, 415_999, 1.0), (400_000, 416_000, 0.25)]
    {
        let mut flow = Flow::new("reno", SETUP.slow_start(SlowStartKind::HyStartPlusPlus));
        round(&mut flow, before);
        same(round(&mut flow, after), added);
    }
}

#[test]
fn seven_samples_do_not_start_css() {
    let mut flow = flow();
    flow.path.round += 1;
    let before = flow.window();
    (0..7).for_each(|_| flow.acked_after(1, Span::from_ms(200)));
    same(flow.window(), before + 7.0);
}

#[test]
fn five_rounds_of_css_with_the_first_end_slow_start() {
    let mut flow = flow();
    for _ in 0..5 {
        round(&mut flow, 120_000);
        assert!(flow.ssthresh().is_infinite());
    }
    flow.path.round += 1;
    let window = flow.window();
    flow.acked_after(1, Span::from_ms(120));
    same(flow.ssthresh(), window);
}

#[test]
fn a_round_below_the_baseline_of_css_resumes_slow_start() {
    let mut flow = flow();
    same(round(&mut flow, 120_000), 0.25);
    same(round(&mut flow, 125_000), 0.25);
    same(round(&mut flow, 119_000), 1.0);
    for _ in 0..5 {
        same(round(&mut flow, 119_000), 1.0);
    }
}

#[test]
fn an_acknowledgement_counts_for_at_most_eight_packets() {
    let mut flow = flow();
    let before = flow.window();
    flow.acked(20);
    same(flow.window(), before + 8.0);
}

/// RFC 9406 §4.2: with pacing there are no bursts to limit.
#[test]
fn an_acknowledgement_of_a_paced_flow_counts_for_all_its_packets() {
    let kind = SlowStartKind::HyStartPlusPlus;
    let mut flow = Flow::new("reno", SETUP.slow_start(kind).paced(true));
    let before = flow.window();
    flow.acked(20);
    same(flow.window(), before + 20.0);
}

#[test]
fn after_a_timeout_slow_start_is_the_standard_one() {
    let mut flow = flow();
    (0..60).for_each(|_| flow.acked(8));
    flow.lost(Cause::Timeout);
    round(&mut flow, 100_000);
    same(round(&mut flow, 200_000), 1.0);
    flow.acked(20);
    same(flow.window(), 37.0);
}

/// RFC 9406 §4.3: only the initial slow start, in which ssthresh is not known.
#[test]
fn conservative_slow_start_ends_with_a_loss_and_a_known_ssthresh_is_not_lowered() {
    let mut flow = flow();
    (0..60).for_each(|_| flow.acked(8));
    same(round(&mut flow, 120_000), 0.25);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow.idle(Span::from_ms(30_000), 100);
    let ssthresh = flow.ssthresh();
    assert!(ssthresh > 200.0);
    same(flow.window(), 10.0);
    for _ in 0..6 {
        same(round(&mut flow, 120_000), 1.0);
        same(flow.ssthresh(), ssthresh);
    }
}

#[test]
fn a_flow_with_an_initial_ssthresh_has_standard_slow_start() {
    let setup = SETUP.slow_start(SlowStartKind::HyStartPlusPlus).initial_ssthresh(1000.0);
    let mut flow = Flow::new("reno", setup);
    round(&mut flow, 100_000);
    for _ in 0..6 {
        same(round(&mut flow, 120_000), 1.0);
    }
    same(flow.ssthresh(), 1000.0);
}

#[test]
fn an_idle_time_starts_the_measurement_anew_while_ssthresh_is_unknown() {
    let mut flow = flow();
    same(round(&mut flow, 120_000), 0.25);
    flow.idle(Span::from_ms(30_000), 100);
    same(round(&mut flow, 120_000), 1.0);
    same(round(&mut flow, 120_000), 1.0);
    same(round(&mut flow, 140_000), 0.25);
}

#[test]
fn after_a_spurious_timeout_the_initial_slow_start_goes_on() {
    let mut flow = flow();
    same(round(&mut flow, 120_000), 0.25);
    flow.lost(Cause::Timeout);
    flow.algorithm.on_spurious_loss(&flow.path);
    same(round(&mut flow, 130_000), 0.25);
}
