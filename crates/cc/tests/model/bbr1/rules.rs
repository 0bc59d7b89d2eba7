// SPDX-License-Identifier: Apache-2.0
//! Rules of Linux's `tcp_bbr.c`, each tested with single facts.

use super::flow::{Acked, Flow, RTT};
use crate::at;
use crate::host::MSS;
use narrows_cc::Cause;
use narrows_units::Span;

#[track_caller]
fn near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 0.002, "{got} is not {expected}");
}

#[test]
fn ten_packets_leave_unpaced_and_the_next_at_high_gain_times_the_initial_window_per_round_trip() {
    let mut flow = Flow::new("bbr1");
    flow.sent(9, false);
    assert_eq!(flow.algorithm.limits().pacing, None);
    flow.sent(1, false);
    near(flow.pacing_mbps(), 0.99 * 739.0 / 256.0 * 10.0 * 0.012 / 0.040);
}

#[test]
fn bursts_are_two_packets_or_one_at_a_low_rate_or_those_of_a_millisecond_at_a_high_one() {
    // At 100 Mbps 0.99 · 10⁸ / 8 / 1024 bytes; at 1 Gbps the largest aggregate, just below 64 KiB.
    for (mbps, packets) in [(0.3, 1), (20.0, 2), (100.0, 8), (1000.0, 43)] {
        let mut flow = Flow::new("bbr1");
        (0..20).for_each(|_| flow.round(Acked { mbps, ..Acked::default() }));
        while (flow.inner("pacing_gain") - 1.0).abs() > 0.1 {
            flow.in_flight += 1;
            flow.round(Acked { mbps, ..Acked::default() });
        }
        assert_eq!(flow.algorithm.limits().burst, MSS * packets, "{mbps}");
    }
}

#[test]
fn startup_ends_after_three_rounds_with_less_than_a_quarter_more_bandwidth() {
    let mut flow = Flow::new("bbr1");
    flow.in_flight = 200;
    for mbps in [10.0, 12.4, 12.4] {
        flow.round(Acked { mbps, ..Acked::default() });
        near(flow.inner("pacing_gain"), 739.0 / 256.0);
    }
    flow.round(Acked { mbps: 12.5, ..Acked::default() });
    near(flow.inner("pacing_gain"), 739.0 / 256.0);
    // 12.5 was a quarter more: three rounds to go.
    for gain in [739, 739, 88] {
        flow.round(Acked { mbps: 15.0, ..Acked::default() });
        near(flow.inner("pacing_gain"), f64::from(gain) / 256.0);
    }
}

#[test]
fn application_limited_rounds_do_not_end_startup() {
    let mut flow = Flow::new("bbr1");
    (0..10).for_each(|_| flow.round(Acked { app_limited: true, ..Acked::default() }));
    near(flow.inner("pacing_gain"), 739.0 / 256.0);
}

#[test]
fn drain_lasts_until_no_more_than_the_bdp_is_in_flight() {
    let mut flow = Flow::new("bbr1");
    flow.in_flight = 100;
    (0..4).for_each(|_| flow.round(Acked::default()));
    near(flow.inner("pacing_gain"), 88.0 / 256.0);
    // 66.7 packets, rounded up, three pairs, made even: 74.
    flow.in_flight = 75;
    flow.acked(Acked::default());
    near(flow.inner("pacing_gain"), 88.0 / 256.0);
    flow.in_flight = 74;
    flow.acked(Acked::default());
    near(flow.inner("cwnd_gain"), 2.0);
}

#[test]
fn the_window_is_twice_the_bdp_plus_three_bursts_plus_extra_acked() {
    let mut flow = Flow::steady();
    (0..200).for_each(|_| flow.round(Acked { packets: 8, mbps: 20.0, ..Acked::default() }));
    let probing = if flow.inner("pacing_gain") > 1.0 { 2 } else { 0 };
    let extra = flow.inner("extra_acked");
    near(extra, 8.0);
    // ⌈2 · 66.67⌉ + 8 + 6 = 148.
    assert_eq!(flow.window(), 148 + probing);
}

#[test]
fn extra_acked_is_the_maximum_of_five_to_ten_rounds() {
    let mut flow = Flow::steady();
    flow.round(Acked { packets: 16, ..Acked::default() });
    (0..4).for_each(|_| flow.round(Acked::default()));
    near(flow.inner("extra_acked"), 16.0);
    (0..6).for_each(|_| flow.round(Acked::default()));
    near(flow.inner("extra_acked"), 2.0);
}

#[test]
fn a_gain_cycle_is_5_4_and_3_4_and_six_phases_of_1() {
    let mut flow = Flow::steady();
    let mut gains = Vec::new();
    for _ in 0..24 {
        flow.now += Span::from_ms(1);
        // The phase of 5/4 needs a quarter more in flight, the phase of 3/4 more than the BDP.
        flow.in_flight = 100;
        flow.round(Acked::default());
        gains.push((flow.inner("pacing_gain") * 4.0) as u32);
    }
    let first = gains.iter().position(|&gain| gain == 5).expect("a probe comes within a cycle");
    assert_eq!(gains[first..first + 16], [5, 3, 4, 4, 4, 4, 4, 4, 5, 3, 4, 4, 4, 4, 4, 4]);
}

#[test]
fn the_phase_of_5_4_lasts_until_a_quarter_more_is_in_flight_or_a_packet_is_lost() {
    for loses in [false, true] {
        let mut flow = Flow::steady();
        while flow.inner("pacing_gain") < 1.2 {
            flow.round(Acked::default());
        }
        flow.in_flight = 80;
        (0..5).for_each(|_| flow.round(Acked::default()));
        near(flow.inner("pacing_gain"), 1.25);
        if loses {
            flow.lost(Cause::Detected, 1, true);
        } else {
            flow.in_flight = 100;
        }
        flow.round(Acked::default());
        near(flow.inner("pacing_gain"), 0.75);
    }
}

#[test]
fn packets_that_are_delivered_before_the_next_departure_do_not_end_the_phase_of_5_4() {
    // Two packets are delivered in 1.3 ms.
    for (wait, gain) in [(Span::ZERO, 0.75), (Span::from_us(1_300), 1.25)] {
        let mut flow = Flow::steady();
        while flow.inner("pacing_gain") < 1.2 {
            flow.round(Acked::default());
        }
        // With the two of the acknowledgement and the two of the next departure the 92 of the phase.
        flow.in_flight = 88;
        flow.next_departure = flow.now + RTT + Span::from_ms(1) + wait;
        flow.now += Span::from_ms(1);
        flow.round(Acked::default());
        near(flow.inner("pacing_gain"), gain);
    }
}

#[test]
fn the_phase_of_3_4_ends_as_soon_as_no_more_than_the_bdp_is_in_flight() {
    for (in_flight, gain) in [(80, 0.75), (70, 1.0)] {
        let mut flow = Flow::steady();
        flow.in_flight = 100;
        while flow.inner("pacing_gain") > 0.8 {
            flow.round(Acked::default());
        }
        flow.in_flight = in_flight;
        flow.now += Span::from_ms(1);
        flow.acked(Acked::default());
        near(flow.inner("pacing_gain"), gain);
    }
}

#[test]
fn the_bandwidth_is_the_maximum_of_ten_rounds() {
    let mut flow = Flow::steady();
    (0..10).for_each(|_| flow.round(Acked { mbps: 10.0, ..Acked::default() }));
    near(flow.inner("bandwidth_bps"), 20e6);
    flow.round(Acked { mbps: 10.0, ..Acked::default() });
    near(flow.inner("bandwidth_bps"), 10e6);
}

#[test]
fn application_limited_samples_can_only_raise_the_bandwidth() {
    let mut flow = Flow::steady();
    (0..20).for_each(|_| flow.round(Acked { mbps: 10.0, app_limited: true, ..Acked::default() }));
    near(flow.inner("bandwidth_bps"), 20e6);
    flow.round(Acked { mbps: 30.0, app_limited: true, ..Acked::default() });
    near(flow.inner("bandwidth_bps"), 30e6);
}

#[test]
fn probe_rtt_keeps_four_packets_in_flight_and_its_samples_do_not_lower_the_bandwidth() {
    let mut flow = Flow::steady();
    let window = flow.window();
    flow.now = at(10_300);
    flow.acked(Acked { rtt: RTT + Span::from_us(600), ..Acked::default() });
    assert_eq!(flow.window(), 4);
    near(flow.inner("min_rtt_s"), 0.0406);
    // The 200 ms start when four are in flight.
    (0..20).for_each(|_| flow.round(Acked { mbps: 1.0, ..Acked::default() }));
    assert_eq!(flow.window(), 4);
    flow.in_flight = 2;
    (0..6).for_each(|_| flow.round(Acked { mbps: 1.0, ..Acked::default() }));
    assert_eq!(flow.window(), 4);
    flow.round(Acked { mbps: 1.0, ..Acked::default() });
    assert!(flow.window() + 2 >= window, "{} after {window}", flow.window());
    near(flow.inner("bandwidth_bps"), 20e6);
}

#[test]
fn only_a_smaller_sample_postpones_probe_rtt() {
    for (sample, enters) in [(RTT, true), (RTT - Span::from_us(1), false)] {
        let mut flow = Flow::steady();
        flow.now = at(8_000);
        flow.acked(Acked { rtt: sample, ..Acked::default() });
        flow.now = at(10_300);
        flow.acked(Acked::default());
        assert_eq!(flow.window() == 4, enters, "{sample}");
    }
}

#[test]
fn probe_rtt_lasts_a_round_even_if_that_is_longer_than_200_ms() {
    let mut flow = Flow::steady();
    flow.now = at(10_300);
    flow.in_flight = 2;
    let of_this_round = Acked { prior_delivered: Some(flow.delivered), ..Acked::default() };
    for _ in 0..20 {
        flow.now += RTT;
        flow.acked(of_this_round);
        assert_eq!(flow.window(), 4);
    }
    flow.round(Acked::default());
    assert!(flow.window() > 4);
}

#[test]
fn the_first_round_of_a_recovery_conserves_packets_and_its_end_restores_the_window() {
    let mut flow = Flow::steady();
    (0..50).for_each(|_| flow.acked(Acked { prior_delivered: Some(0), ..Acked::default() }));
    let (window, rate) = (flow.window(), flow.algorithm.limits().pacing);
    flow.lost(Cause::Detected, 3, true);
    let of_this_round = Acked { prior_delivered: Some(flow.delivered), ..Acked::default() };
    flow.in_flight = 50;
    flow.acked(of_this_round);
    assert_eq!(flow.window(), 52);
    flow.in_flight = 48;
    flow.acked(of_this_round);
    assert_eq!(flow.window(), 52, "it does not fall with what is in flight");
    flow.lost(Cause::Detected, 10, false);
    flow.in_flight = 36;
    flow.acked(of_this_round);
    assert_eq!(flow.window(), 42, "but with what is lost");
    // A round later it grows by the packets acknowledged.
    flow.round(Acked::default());
    assert_eq!(flow.window(), 44);
    flow.recovered();
    flow.acked(of_this_round);
    assert!(flow.window() + 2 >= window, "{} after {window}", flow.window());
    assert_eq!(flow.algorithm.limits().pacing, rate, "losses do not change the rate");
}

#[test]
fn a_timeout_sets_one_packet_and_the_end_of_recovery_restores_the_window() {
    let mut flow = Flow::steady();
    (0..50).for_each(|_| flow.acked(Acked { prior_delivered: Some(0), ..Acked::default() }));
    let window = flow.window();
    flow.in_flight = 0;
    flow.lost(Cause::Timeout, 60, true);
    assert_eq!(flow.window(), 1);
    flow.acked(Acked { packets: 1, prior_delivered: Some(0), ..Acked::default() });
    assert_eq!(flow.window(), 4);
    flow.recovered();
    flow.acked(Acked { prior_delivered: Some(0), ..Acked::default() });
    assert!(flow.window() + 2 >= window, "{} after {window}", flow.window());
}

#[test]
fn marks_change_nothing() {
    let mut flow = Flow::steady();
    let before = format!("{:?}", flow.algorithm);
    flow.lost(Cause::Mark, 0, true);
    flow.recovered();
    assert_eq!(format!("{:?}", flow.algorithm), before);
}

#[test]
fn after_an_idle_period_the_flow_paces_at_the_bandwidth_without_probe_rtt() {
    let mut flow = Flow::steady();
    flow.in_flight = 0;
    flow.now = at(20_000);
    flow.sent(1, true);
    near(flow.pacing_mbps(), 0.99 * 20.0);
    flow.acked(Acked { app_limited: true, ..Acked::default() });
    near(flow.inner("cwnd_gain"), 2.0);
}

#[test]
fn two_lossy_intervals_with_the_same_rate_are_a_policer_for_48_rounds() {
    // Twenty packets in 40 ms are 6 Mbps.
    let mut flow = Flow::policed("bbr1", 20);
    near(flow.inner("bandwidth_bps"), 6e6);
    near(flow.inner("pacing_gain"), 1.0);
    let mut rounds = 0;
    while flow.inner("bandwidth_bps") < 7e6 {
        flow.round(Acked { packets: 20, ..Acked::default() });
        rounds += 1;
    }
    assert_eq!(rounds, 48);
    near(flow.inner("bandwidth_bps"), 20e6);
    near(Flow::policed("bbr1(policer=false)", 20).inner("bandwidth_bps"), 20e6);
}

#[test]
fn lossy_intervals_that_differ_by_more_than_an_eighth_are_no_policer() {
    near(Flow::policed("bbr1", 22).inner("bandwidth_bps"), 6.3e6);
    near(Flow::policed("bbr1", 24).inner("bandwidth_bps"), 20e6);
}
