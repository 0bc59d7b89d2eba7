// SPDX-License-Identifier: Apache-2.0
//! Rapid Start.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::{Cause, Loss, RttView, Setup, SlowStartKind};
use narrows_units::{Rate, Span};

const RAPID: Setup = SETUP.slow_start(SlowStartKind::Rapid);

fn flow(name: &str, window: f64) -> Flow {
    Flow::new(name, RAPID.initial_window(window))
}

/// The increase of the window with a packet acknowledged after `rtt_us`, `wait` after the one before, of a path with a least
/// round-trip time of `min_us`.
fn increase(flow: &mut Flow, wait: Span, min_us: u64, rtt_us: u64) -> f64 {
    let rtt = Span::from_us(rtt_us);
    flow.wait(wait);
    flow.path.rtt = Some(RttView::new(rtt).min(Span::from_us(min_us)));
    let before = flow.window();
    flow.acked_after(1, rtt);
    flow.window() - before
}

/// The first recovery from a window of `window` packets that fill it, with `lost` lost first.
fn recovery(name: &str, window: u64, lost: u64) -> Flow {
    let mut flow = flow(name, 10.0);
    flow.algorithm.set_window(window as f64, false);
    flow.path.in_flight = window - lost;
    lose(&mut flow, lost, true);
    flow
}

fn lose(flow: &mut Flow, lost: u64, new_episode: bool) {
    flow.wait(Span::from_ms(1));
    flow.algorithm.on_loss(&Loss::new(Cause::Detected, lost).new_episode(new_episode), &flow.path);
}

fn acknowledge(flow: &mut Flow, packets: u64) {
    flow.wait(Span::from_ms(1));
    flow.algorithm.on_ack(&ACK.newly_acked(packets).advanced(false), &flow.path);
}

#[test]
fn a_packet_adds_two_if_the_round_trip_time_is_at_most_4_ms_and_a_tenth_above_the_least() {
    for (min, rtt, added) in
        [(100_000, 104_000, 2.0), (100_000, 104_001, 1.0), (10_000, 11_000, 2.0), (10_000, 11_001, 1.0)]
    {
        same(increase(&mut flow("reno", 10.0), Span::ZERO, min, rtt), added);
    }
}

#[test]
fn the_least_round_trip_time_of_the_last_min_rtt_counts() {
    let mut flow = flow("reno", 10.0);
    same(increase(&mut flow, Span::ZERO, 100_000, 100_000), 2.0);
    same(increase(&mut flow, Span::from_ms(99), 100_000, 150_000), 2.0);
    same(increase(&mut flow, Span::from_ms(2), 100_000, 150_000), 1.0);
    same(increase(&mut flow, Span::from_ms(1), 100_000, 103_000), 2.0);
}

#[test]
fn the_first_round_is_paced_over_a_round_trip() {
    let mut flow = flow("reno", 10.0);
    assert_eq!(flow.algorithm.limits().pacing, None);
    flow.acked(5);
    // 20 packets of 1448 bytes in 100 ms.
    assert_eq!(flow.algorithm.limits().pacing, Some(Rate::from_bps(20 * 1448 * 8 * 10)));
    flow.path.round += 1;
    flow.acked(5);
    assert_eq!(flow.algorithm.limits().pacing, None);
}

#[test]
fn a_known_ssthresh_makes_a_standard_slow_start() {
    let mut flow = Flow::new("reno", RAPID.initial_window(10.0).initial_ssthresh(900.0));
    flow.acked(5);
    same(flow.window(), 15.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 7.5);
    assert!(!flow.algorithm.reduces_gradually());
}

#[test]
fn the_factors_of_silence_acknowledgement_and_loss_are_those_of_section_3_3_1() {
    for (name, silence, acked) in [("reno", 5.0 / 6.0, 1.0 / 3.0), ("cubic", 0.9, 0.2)] {
        let mut flow = recovery(name, 900, 0);
        assert!(flow.algorithm.reduces_gradually());
        same(flow.window(), 900.0 * silence);
        acknowledge(&mut flow, 30);
        same(flow.window(), 900.0 * silence - 30.0 * acked);
        lose(&mut flow, 60, false);
        same(flow.window(), 900.0 * silence - 30.0 * acked - 60.0 * silence);
        same(flow.ssthresh(), flow.window());
    }
}

#[test]
fn the_window_stays_above_beta_thirds_of_the_window_before_and_beta_initial_windows() {
    // Nine of ten are lost.
    for (window, least) in [(900, 150.0), (20, 5.0)] {
        let mut flow = recovery("reno", window, window * 9 / 10);
        acknowledge(&mut flow, window / 10);
        same(flow.window(), least);
    }
}

#[test]
fn packets_beyond_those_in_flight_at_its_start_take_nothing_from_the_window() {
    let mut flow = recovery("reno", 900, 300);
    acknowledge(&mut flow, 599);
    same(flow.window(), 300.0 + 1.0 / 3.0);
    for _ in 0..2 {
        acknowledge(&mut flow, 100);
        same(flow.window(), 300.0);
    }
    lose(&mut flow, 100, false);
    same(flow.window(), 300.0);
    flow.recovered();
    assert!(!flow.algorithm.reduces_gradually());
}

#[test]
fn a_mark_leaves_beta_of_the_window() {
    let mut flow = flow("cubic", 100.0);
    flow.path.in_flight = 100;
    flow.wait(Span::from_ms(1));
    flow.algorithm.on_loss(&Loss::new(Cause::Mark, 0).new_episode(true), &flow.path);
    acknowledge(&mut flow, 100);
    same(flow.window(), 70.0);
}

#[test]
fn the_algorithm_decreases_its_window_from_what_path_and_buffer_hold() {
    let mut flow = recovery("cubic", 900, 600);
    acknowledge(&mut flow, 300);
    flow.recovered();
    same(flow.window(), 210.0);
    same(flow.inner("w_max"), 300.0);
}

#[test]
fn a_timeout_and_a_spurious_loss_end_the_reduction() {
    let mut flow = recovery("reno", 900, 0);
    flow.lost(Cause::Timeout);
    assert!(!flow.algorithm.reduces_gradually());
    same(flow.window(), 1.0);
    let mut flow = recovery("reno", 900, 0);
    acknowledge(&mut flow, 30);
    flow.algorithm.on_spurious_loss(&flow.path);
    assert!(!flow.algorithm.reduces_gradually());
    same(flow.window(), 900.0);
    assert!(flow.ssthresh().is_infinite());
}
