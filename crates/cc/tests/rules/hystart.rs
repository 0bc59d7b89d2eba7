// SPDX-License-Identifier: Apache-2.0
//! HyStart.

use super::{Flow, SETUP, same};
use narrows_cc::{Cause, SlowStartKind};
use narrows_units::Span;

fn flow(window: f64) -> Flow {
    let mut flow = Flow::new("reno", SETUP.initial_window(window).slow_start(SlowStartKind::HyStart));
    flow.wait(Span::from_ms(100));
    flow.acked(1);
    flow
}

#[test]
fn an_ack_train_longer_than_half_the_minimum_delay_ends_slow_start() {
    let mut flow = flow(20.0);
    for _ in 0..33 {
        flow.wait(Span::from_us(1_500));
        flow.acked(1);
        assert!(flow.ssthresh().is_infinite());
    }
    // 49.5 ms into the round; the bound is half of 100 ms plus ack_delay of 1 ms, 50.5 ms.
    flow.wait(Span::from_us(1_500));
    flow.acked(1);
    assert!(flow.ssthresh().is_finite());
}

/// Linux: pacing spreads a window over half a round trip.
#[test]
fn the_ack_train_of_a_paced_flow_may_be_as_long_as_the_minimum_delay() {
    let setup = SETUP.initial_window(20.0).slow_start(SlowStartKind::HyStart).paced(true);
    let mut flow = Flow::new("reno", setup);
    flow.wait(Span::from_ms(100));
    flow.acked(1);
    for _ in 0..67 {
        flow.wait(Span::from_us(1_500));
        flow.acked(1);
        assert!(flow.ssthresh().is_infinite());
    }
    // 100.5 ms into the round; the bound is 100 ms plus ack_delay of 1 ms, 101 ms.
    flow.wait(Span::from_us(1_500));
    flow.acked(1);
    assert!(flow.ssthresh().is_finite());
}

#[test]
fn a_gap_of_more_than_2_ms_ends_the_ack_train() {
    let mut flow = flow(20.0);
    flow.wait(Span::from_us(2_001));
    for _ in 0..100 {
        flow.acked(1);
        flow.wait(Span::from_us(1_500));
    }
    assert!(flow.ssthresh().is_infinite());
}

#[test]
fn nine_samples_an_eighth_above_the_minimum_delay_end_slow_start() {
    let mut flow = flow(20.0);
    flow.path.round += 1;
    for _ in 0..8 {
        flow.acked_after(1, Span::from_us(112_600));
        assert!(flow.ssthresh().is_infinite());
    }
    flow.acked_after(1, Span::from_us(112_600));
    same(flow.window(), flow.ssthresh() + 1.0 / flow.ssthresh());
}

#[test]
fn with_one_sample_near_the_minimum_delay_slow_start_continues() {
    let mut flow = flow(20.0);
    flow.path.round += 1;
    flow.acked_after(1, Span::from_us(112_400));
    for _ in 0..20 {
        flow.acked_after(1, Span::from_us(150_000));
    }
    assert!(flow.ssthresh().is_infinite());
}

#[test]
fn a_timeout_resets_the_minimum_delay() {
    let mut flow = flow(199.0);
    flow.lost(Cause::Timeout);
    flow.path.round += 1;
    for _ in 0..60 {
        flow.acked_after(1, Span::from_ms(200));
    }
    same(flow.window(), 61.0);
    same(flow.ssthresh(), 100.0);
}

#[test]
fn nothing_ends_slow_start_below_16_packets() {
    let mut flow = flow(2.0);
    flow.path.round += 1;
    for _ in 0..12 {
        flow.acked_after(1, Span::from_ms(200));
        assert!(flow.ssthresh().is_infinite());
    }
}

/// Linux: `found` is set until a timeout.
#[test]
fn slow_start_after_an_idle_time_ends_at_the_ssthresh_that_hystart_has_found() {
    let slow = |flow: &mut Flow| {
        flow.path.round += 1;
        for _ in 0..9 {
            flow.acked_after(1, Span::from_ms(150));
        }
    };
    let mut flow = flow(20.0);
    slow(&mut flow);
    let found = flow.ssthresh();
    assert!(found.is_finite());
    flow.algorithm.set_window(18.0, false);
    slow(&mut flow);
    same(flow.ssthresh(), found);
}
