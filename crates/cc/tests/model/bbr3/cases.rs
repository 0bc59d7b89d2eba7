// SPDX-License-Identifier: Apache-2.0
//! Theory: the example cases of draft-ietf-ccwg-bbr-06, appendix A, on a path with known parameters.

use super::state::{CRUISE, DOWN, DRAIN, PROBE_RTT, REFILL, STARTUP, UP};
use crate::host::{Host, Link, MSS};
use crate::{at, build};
use narrows_cc::card::Catalogue;
use narrows_units::{Rate, Span};

fn link(mbps: f64, ms: u64, buffer_bdp: f64) -> Link {
    let (rate, delay) = (Rate::from_bps_f64(mbps * 1e6), Span::from_ms(ms));
    let bdp = rate.as_bytes_per_sec() * delay.as_secs_f64() / MSS.count() as f64;
    Link { rate, delay, buffer: (bdp * buffer_bdp) as u64 }
}

fn host(link: Link) -> Host {
    Host::new(build("bbr3", 1), link)
}

/// The state by its number.
fn state_of(host: &Host) -> u8 {
    host.inner("state") as u8
}

/// Whether the internal variable `name` is `expected`.
fn is(host: &Host, name: &str, expected: f64) -> bool {
    (host.inner(name) - expected).abs() < 1e-9
}

/// Runs until the flow is in `state`, at most to `end` seconds.
#[track_caller]
fn until(host: &mut Host, state: u8, end: u64) {
    while state_of(host) != state {
        assert!(host.now < at(1_000 * end), "state {state} is not reached by {end} s");
        host.step();
    }
}

/// Runs until the flow leaves the state it is in, and returns the next.
#[track_caller]
fn next_state(host: &mut Host, end: u64) -> u8 {
    let state = state_of(host);
    while state_of(host) == state {
        assert!(host.now < at(1_000 * end), "state {state} is not left by {end} s");
        host.step();
    }
    state_of(host)
}

/// Utilization of the link in the next `seconds`.
fn utilization(host: &mut Host, seconds: u64) -> f64 {
    let (from, before) = (host.now, host.delivered);
    host.run(from + Span::from_ms(1_000 * seconds));
    let bits = (host.delivered - before) as f64 * MSS.bits() as f64;
    bits / host.now.since(from).as_secs_f64() / host.link.rate.as_bps() as f64
}

#[test]
fn a1_a3_startup_ends_with_a_plateau_and_drain_with_the_bdp_in_flight() {
    for (mbps, ms) in [(20.0, 40), (400.0, 10), (5.0, 200), (0.5, 100)] {
        let link = link(mbps, ms, 20.0);
        let mut host = host(link);
        assert_eq!(next_state(&mut host, 20), DRAIN, "{link:?}");
        let what = format!(
            "bandwidth at the end of Startup, {mbps} Mbps, {ms} ms, against the link's rate (draft-ietf-ccwg-bbr-06 A.1)"
        );
        let estimate = host.inner("max_bandwidth_bps");
        Catalogue::Algorithms.assert_near("bbr3", &what, estimate, link.rate.as_bps() as f64, 0.02);
        assert!(is(&host, "pacing_gain", 0.5));
        // If the queue is empty already, Down is over with the same acknowledgement.
        assert!(next_state(&mut host, 30) >= DOWN, "{link:?}");
        assert_eq!(host.lost, 0);
    }
}

#[test]
fn a2_a7_an_application_limited_flow_stays_in_startup_until_losses_end_it() {
    let mut host = host(link(200.0, 40, 4.0));
    host.demand = Some(Rate::from_bps(100_000_000));
    host.run(at(4_000));
    assert_eq!(state_of(&host), STARTUP);
    host.lossy = Some(20);
    assert!((DRAIN..=DOWN).contains(&next_state(&mut host, 6)));
}

#[test]
fn a5_a8_up_ends_with_a_plateau_and_down_with_the_bdp_in_flight() {
    let mut host = host(link(20.0, 40, 20.0));
    for _ in 0..3 {
        until(&mut host, REFILL, 30);
        assert_eq!(next_state(&mut host, 30), UP);
        assert!(is(&host, "pacing_gain", 1.25));
        let since = host.now;
        assert_eq!(next_state(&mut host, 30), DOWN);
        // Three rounds without growth, each longer by the queue.
        assert!(host.now.since(since) > Span::from_ms(3 * 40));
        assert!(is(&host, "pacing_gain", 0.9));
        assert_eq!(next_state(&mut host, 30), CRUISE);
    }
    assert_eq!(host.lost, 0);
}

#[test]
fn a6_a21_losses_end_a_probe_and_set_inflight_longterm() {
    // A probe sends a quarter of the BDP more than the path holds.
    let mut host = host(link(20.0, 40, 0.2));
    let mut bounds = Vec::new();
    for _ in 0..2 {
        until(&mut host, UP, 30);
        let (lost, since) = (host.lost, host.now);
        if next_state(&mut host, 30) == DOWN && host.lost > lost {
            assert!(host.now.since(since) < Span::from_ms(3 * 40), "the losses end it, not the plateau");
            bounds.push(host.inner("inflight_longterm"));
        }
    }
    // Path and buffer hold 80 packets; the loss threshold is 2 %.
    assert!(!bounds.is_empty());
    assert!(bounds.iter().all(|bound| (60.0..90.0).contains(bound)), "{bounds:?}");
    assert!(utilization(&mut host, 10) > 0.85);
}

#[test]
fn a10_probe_rtt_comes_every_five_seconds_for_200_ms_and_a_round() {
    let mut host = host(link(20.0, 40, 4.0));
    let mut begins = Vec::new();
    for _ in 0..3 {
        until(&mut host, PROBE_RTT, 30);
        begins.push(host.now);
        assert!(is(&host, "cwnd_gain", 0.5));
        assert_eq!(next_state(&mut host, 30), CRUISE);
        let length = host.now.since(*begins.last().expect("one was pushed"));
        assert!(length > Span::from_ms(200) && length < Span::from_ms(200 + 4 * 42), "{length:?}");
    }
    for pair in begins.windows(2) {
        let apart = pair[1].since(pair[0]).as_secs_f64();
        assert!((5.0..5.6).contains(&apart), "{apart}");
    }
    assert!(utilization(&mut host, 20) > 0.96, "ProbeRTT costs two percent");
}

#[test]
fn a14_a_path_with_a_bdp_below_one_packet_has_four_in_flight() {
    let link = link(0.1, 20, 1_000.0);
    let mut host = host(link);
    host.run(at(30_000));
    let window = host.algorithm.window().expect("BBR has a window");
    assert!((4.0..=10.0).contains(&window), "{window}");
    assert!(utilization(&mut host, 30) > 0.9);
}

#[test]
fn a15_ten_times_the_bandwidth_is_found_in_one_probe() {
    let mut host = host(link(10.0, 40, 20.0));
    until(&mut host, CRUISE, 5);
    host.link.rate = Rate::from_bps(100_000_000);
    host.run(host.now + Span::from_ms(5_000));
    assert!(utilization(&mut host, 10) > 0.9);
}

#[test]
fn a16_a_tenth_of_the_bandwidth_limits_the_flow_at_once_and_max_bw_after_two_cycles() {
    let mut host = host(link(100.0, 40, 1.0));
    until(&mut host, CRUISE, 5);
    host.link.rate = Rate::from_bps(10_000_000);
    host.run(host.now + Span::from_ms(12_000));
    let believed = host.inner("max_bandwidth_bps") / 10e6;
    assert!((0.97..1.03).contains(&believed), "{believed}");
    let (lost, delivered) = (host.lost, host.delivered);
    assert!(utilization(&mut host, 10) > 0.9);
    assert!((host.lost - lost) * 50 < host.delivered - delivered, "{} lost", host.lost - lost);
}

#[test]
fn a20_probe_rtt_in_startup_returns_to_startup() {
    let mut host = host(link(20.0, 40, 4.0));
    host.demand = Some(Rate::from_bps(3_000_000));
    until(&mut host, PROBE_RTT, 10);
    assert_eq!(next_state(&mut host, 10), STARTUP);
}

#[test]
fn a22_samples_of_an_application_limited_flow_do_not_lower_max_bw() {
    let mut host = host(link(20.0, 40, 4.0));
    until(&mut host, REFILL, 10);
    let before = host.inner("max_bandwidth_bps");
    host.demand = Some(Rate::from_bps(1_000_000));
    assert_eq!(next_state(&mut host, 10), UP);
    host.run(host.now + Span::from_ms(2_000));
    assert!(is(&host, "max_bandwidth_bps", before));
}

#[test]
fn a_flow_keeps_the_queue_short_and_loses_little_in_a_shallow_one() {
    for (buffer, most_lost) in [(4.0, 0.0), (0.25, 0.005)] {
        let mut host = host(link(50.0, 40, buffer));
        host.run(at(3_000));
        let (lost, delivered) = (host.lost, host.delivered);
        assert!(utilization(&mut host, 20) > 0.9);
        let lost = (host.lost - lost) as f64 / (host.delivered - delivered) as f64;
        assert!(lost <= most_lost, "{lost}");
    }
}
