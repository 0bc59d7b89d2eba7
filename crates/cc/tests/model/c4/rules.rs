// SPDX-License-Identifier: Apache-2.0
//! Rules: each test is one sentence of draft-huitema-ccwg-c4-spec (text after version 04).

use super::flow::{Flow, RTT};
use crate::host::MSS;
use narrows_cc::Cause;
use narrows_units::Span;

#[track_caller]
fn same(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-6 * other.abs().max(1.0), "{one} is not {other}");
}

/// Packets at `mbps` in `ms`.
fn packets(mbps: f64, ms: f64) -> f64 {
    mbps * 1e3 * ms / MSS.bits() as f64
}

#[test]
fn before_a_rate_is_known_the_window_is_the_initial_one_and_nothing_is_paced() {
    let flow = Flow::new("c4");
    let limits = flow.algorithm.limits();
    assert_eq!((limits.window, limits.pacing, flow.state()), (Some(10), None, "initial"));
}

#[test]
fn initial_paces_at_twice_the_rate_and_at_a_mebibit_per_second_at_least() {
    let mut flow = Flow::new("c4");
    flow.era(0.3, RTT);
    same(flow.pacing(), 1.048_576);
    flow.era(20.0, RTT);
    same(flow.pacing(), 40.0);
    same(flow.algorithm.window().expect("a window"), packets(40.0, 40.0));
}

#[test]
fn the_initial_window_grows_by_what_is_acknowledged_and_an_eighth_of_it_after_each_era_without_growth() {
    let mut flow = Flow::new("c4");
    // So slow that rate and delay ask for less. The first era grows, from nothing.
    flow.era(0.01, RTT);
    let window = |flow: &Flow| flow.algorithm.window().expect("a window");
    let mut grown = Vec::new();
    for _ in 0..3 {
        let before = window(&flow);
        flow.acked(64, 0, 0.01, RTT, false);
        grown.push(window(&flow) - before);
        flow.era(0.01, RTT);
    }
    assert_eq!(grown, [64.0, 8.0, 1.0]);
    assert_eq!(flow.state(), "recovery");
}

#[test]
fn initial_is_over_after_three_eras_without_growth_and_leaves_half_of_its_window_over_the_rate() {
    let mut flow = Flow::new("c4");
    for mbps in [5.0, 10.0, 20.0, 20.0, 21.0] {
        flow.era(mbps, RTT);
        assert_eq!(flow.state(), "initial");
    }
    let window = flow.algorithm.window().expect("a window");
    flow.era(20.0, RTT);
    assert_eq!(flow.state(), "recovery");
    same(flow.inner("nominal_max_rtt_s"), window.max(packets(42.0, 40.0)) / 2.0 / packets(21.0, 1e3));
}

#[test]
fn a_delay_ends_initial_only_after_two_eras_without_growth_and_a_loss_after_twenty_packets() {
    let mut flow = Flow::new("c4");
    (0..2).for_each(|_| flow.era(20.0, RTT));
    flow.acked(1, 0, 20.0, RTT * 3, false);
    assert_eq!(flow.state(), "initial");
    flow.era(20.0, RTT);
    flow.acked(1, 0, 20.0, RTT * 3, false);
    assert_eq!(flow.state(), "recovery");
    same(flow.mbps(), 20.0);

    let mut flow = Flow::new("c4");
    (0..2).for_each(|_| flow.era(80.0, RTT));
    flow.lost(Cause::Detected, 5);
    assert_eq!(flow.state(), "initial");
    flow.era(80.0, RTT);
    flow.lost(Cause::Detected, 5);
    assert_eq!(flow.state(), "recovery");
    same(flow.mbps(), 80.0);
}

#[test]
fn a_cycle_is_an_era_below_the_rate_two_at_it_and_one_above_it() {
    let mut flow = Flow::cruising(20.0);
    let mut seen = Vec::new();
    for _ in 0..8 {
        flow.era(20.0, RTT);
        seen.push((flow.state(), flow.pacing() / 20.0));
    }
    let cycle = [("cruising", 1.0), ("probing", 17.0 / 16.0), ("recovery", 15.0 / 16.0), ("cruising", 1.0)];
    let from = seen.iter().position(|(state, _)| *state == "probing").expect("a probe") + 3;
    let expected = [cycle[3], cycle[1], cycle[2], cycle[3]];
    for ((state, alpha), (expected, of)) in seen[from..].iter().zip(expected) {
        assert_eq!(*state, expected);
        same(*alpha, of);
    }
}

#[test]
fn the_window_covers_the_nominal_max_rtt_and_a_margin_of_a_quarter_up_to_15_ms() {
    let flow = Flow::cruising(20.0);
    let nominal_max = flow.inner("nominal_max_rtt_s") * 1e3;
    assert!((39.9..42.0).contains(&nominal_max), "{nominal_max}");
    same(flow.algorithm.window().expect("a window"), packets(20.0, nominal_max + nominal_max / 4.0));
    let mut flow = Flow::cruising(20.0);
    flow.era(20.0, Span::from_ms(100));
    flow.era(20.0, Span::from_ms(100));
    same(flow.inner("nominal_max_rtt_s"), 0.1);
    let alpha = flow.inner("alpha");
    same(flow.algorithm.window().expect("a window"), packets(alpha * flow.mbps(), 115.0));
}

#[test]
fn the_nominal_max_rtt_rises_at_once_by_250_ms_at_most_and_falls_by_an_eighth() {
    let mut flow = Flow::new("c4(all_delays=false)");
    (0..5).for_each(|_| flow.era(20.0, RTT));
    flow.era(20.0, Span::from_ms(1_000));
    same(flow.inner("nominal_max_rtt_s"), flow.inner("running_min_rtt_s") + 0.25);
    let before = flow.inner("nominal_max_rtt_s");
    flow.era(20.0, RTT);
    same(flow.inner("nominal_max_rtt_s"), before - (before - 0.04) / 8.0);
}

#[test]
fn of_packets_sent_above_the_rate_the_nominal_max_rtt_takes_nothing() {
    let mut flow = Flow::cruising(20.0);
    while flow.state() != "recovery" {
        flow.era(20.0, RTT);
    }
    let before = flow.inner("nominal_max_rtt_s");
    flow.era(20.0, Span::from_us(42_400));
    same(flow.inner("nominal_max_rtt_s"), before);
}

#[test]
fn a_delay_in_cruising_lowers_the_rate_by_its_excess_over_the_threshold_up_to_a_quarter() {
    let threshold =
        |flow: &Flow| flow.inner("nominal_max_rtt_s") * (4.0 - 3.0 * (0.92 + 0.08 * 1.5 / 9.0)) / 16.0;
    for (excess, beta) in [(0.1, 0.1), (3.0, 0.25)] {
        let mut flow = Flow::cruising(20.0);
        let limit = flow.inner("nominal_max_rtt_s") + threshold(&flow);
        flow.acked(1, 0, 20.0, Span::from_secs_f64(limit - 1e-6), false);
        assert_eq!(flow.state(), "cruising");
        flow.acked(1, 0, 20.0, Span::from_secs_f64(limit + excess * threshold(&flow)), false);
        assert_eq!(flow.state(), "recovery");
        same(flow.mbps(), 20.0 * (1.0 - beta));
        // The rate that caused it does not come back in the recovery.
        flow.acked(1, 0, 20.0, RTT, false);
        same(flow.mbps(), 20.0 * (1.0 - beta));
    }
}

#[test]
fn delays_of_packets_sent_at_the_rate_are_no_signs_where_the_flow_asks_for_it() {
    let mut flow = Flow::new("c4(all_delays=false)");
    (0..5).for_each(|_| flow.era(20.0, RTT));
    assert_eq!(flow.state(), "cruising");
    flow.acked(1, 0, 20.0, Span::from_ms(500), false);
    assert_eq!(flow.state(), "cruising");
    same(flow.mbps(), 20.0);
}

#[test]
fn losses_count_above_their_share_and_lower_rate_and_nominal_max_rtt_by_a_quarter() {
    // One loss is a sixteenth, more than the 2 % of 80 Mbps. At 4 Mbps it takes 1 - (15 / 16)^n > 0.302.
    for (mbps, enough) in [(80.0, 1), (4.0, 6)] {
        let mut flow = Flow::cruising(mbps);
        let nominal_max = flow.inner("nominal_max_rtt_s");
        for _ in 1..enough {
            flow.lost(Cause::Detected, 1);
        }
        assert_eq!(flow.state(), "cruising");
        flow.lost(Cause::Detected, 1);
        assert_eq!(flow.state(), "recovery");
        same(flow.mbps(), 0.75 * mbps);
        same(flow.inner("nominal_max_rtt_s"), 0.75 * nominal_max);
    }
}

#[test]
fn a_timeout_changes_nothing() {
    let mut flow = Flow::cruising(80.0);
    let before = (flow.algorithm.limits(), flow.state());
    flow.lost(Cause::Timeout, 50);
    assert_eq!((flow.algorithm.limits(), flow.state()), before);
}

#[test]
fn marks_beyond_their_share_lower_the_rate_and_shorten_later_probes() {
    let mut flow = Flow::cruising(80.0);
    // S is 1: above 3/32. Half of two packets is taken at once, and is more than a quarter beyond.
    flow.acked(98, 0, 80.0, RTT, false);
    flow.acked(2, 2, 80.0, RTT, false);
    assert_eq!(flow.state(), "cruising", "2 % are marked");
    flow.acked(2, 1, 80.0, RTT, false);
    assert_eq!(flow.state(), "recovery");
    same(flow.mbps(), 60.0);
    while flow.state() != "probing" {
        flow.era(60.0, RTT);
    }
    same(flow.inner("alpha"), 33.0 / 32.0);
}

#[test]
fn congestion_of_a_probe_does_not_lower_the_rate() {
    let mut flow = Flow::cruising(80.0);
    while flow.state() != "probing" {
        flow.era(80.0, RTT);
    }
    flow.lost(Cause::Detected, 3);
    assert_eq!(flow.state(), "recovery");
    same(flow.mbps(), 80.0);
}

#[test]
fn two_recoveries_with_congestion_in_succession_lower_the_rate_to_the_largest_measured_between() {
    let mut flow = Flow::cruising(80.0);
    flow.lost(Cause::Detected, 1);
    flow.era(60.0, RTT);
    assert_eq!(flow.state(), "cruising");
    same(flow.mbps(), 60.0);
    flow.acked(1, 0, 20.0, RTT, false);
    flow.lost(Cause::Detected, 1);
    flow.era(20.0, RTT);
    same(flow.mbps(), 20.0);
}

#[test]
fn a_rate_that_a_probe_does_not_raise_is_trimmed_to_half_of_what_it_exceeds_the_measured_one() {
    let mut flow = Flow::cruising(80.0);
    while flow.state() != "recovery" {
        flow.era(72.0, RTT);
    }
    // The first cycle may have measured 80 before.
    flow.era(72.0, RTT);
    let before = flow.mbps();
    while flow.state() != "recovery" {
        flow.era(72.0, RTT);
    }
    flow.era(72.0, RTT);
    same(flow.mbps(), f64::midpoint(before, 72.0));
}

/// A flow at 20 Mbps in the recovery after a probe, in which 21 Mbps are measured.
fn pushing() -> Flow {
    let mut flow = Flow::cruising(20.0);
    while flow.state() != "probing" {
        flow.era(20.0, RTT);
    }
    flow.era(21.0, RTT);
    assert_eq!(flow.state(), "recovery");
    flow.era(21.0, RTT);
    flow
}

#[test]
fn a_probe_that_raised_the_rate_is_followed_by_pushing_while_the_rate_grows_by_three_sixteenths() {
    let mut flow = pushing();
    assert_eq!(flow.state(), "pushing");
    same(flow.pacing(), 21.0 * 1.25);
    // Packets sent in the recovery.
    flow.era(21.0, RTT);
    assert_eq!(flow.state(), "pushing");
    flow.era(21.0 * 1.2, RTT);
    assert_eq!(flow.state(), "pushing");
    flow.era(21.0 * 1.2 * 1.15, RTT);
    assert_eq!(flow.state(), "recovery");
}

/// A push leaves a queue of its own packets. The recovery lasts until a packet that left after the push has been acknowledged, so
/// that Cruising does not respond to that queue.
#[test]
fn a_recovery_in_which_the_queue_of_a_push_shows_begins_anew_once() {
    let mut flow = pushing();
    flow.era(21.0, RTT);
    flow.era(21.0, RTT);
    assert_eq!(flow.state(), "recovery");
    let (rate, queued) = (flow.mbps(), Span::from_ms(80));
    flow.acked(1, 0, 21.0, queued, false);
    same(flow.inner("alpha"), 7.0 / 8.0);
    flow.sent_before(1, queued);
    assert_eq!(flow.state(), "recovery");
    flow.era(21.0, RTT);
    assert_eq!(flow.state(), "cruising");
    same(flow.mbps(), rate);
}

#[test]
fn more_than_three_eras_of_pushing_lead_to_initial() {
    let mut flow = pushing();
    let mut mbps = 21.0;
    for _ in 0..3 {
        flow.era(mbps, RTT);
        assert_eq!(flow.state(), "pushing");
        mbps *= 1.25;
    }
    flow.era(mbps, RTT);
    assert_eq!(flow.state(), "initial");
    same(flow.pacing(), 2.0 * mbps);
}

#[test]
fn high_jitter_leads_to_initial_once() {
    let mut flow = Flow::new("c4(all_delays=false)");
    (0..5).for_each(|_| flow.era(4.0, RTT));
    assert_eq!(flow.state(), "cruising");
    flow.acked(1, 0, 4.0, RTT, false);
    flow.era(4.0, Span::from_ms(120));
    assert_eq!(flow.state(), "initial");
    while flow.state() == "initial" {
        flow.era(4.0, RTT);
    }
    for _ in 0..40 {
        flow.acked(1, 0, 4.0, RTT, false);
        flow.era(4.0, Span::from_ms(120));
        assert_ne!(flow.state(), "initial");
    }
}

#[test]
fn a_recovery_drains_where_more_is_in_flight_than_a_probe_accounts_for() {
    for (share, alpha) in [(1.1, 15.0 / 16.0), (1.2, 7.0 / 8.0)] {
        let mut flow = Flow::cruising(20.0);
        flow.in_flight = (share * packets(20.0, 40.0)) as u64;
        while flow.state() != "recovery" {
            flow.era(20.0, RTT);
        }
        same(flow.inner("alpha"), alpha);
    }
}
