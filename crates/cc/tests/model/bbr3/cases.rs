//! Theory: the example cases of draft-ietf-ccwg-bbr-06, appendix A, over a path that is known.

use crate::host::{Host, Link, MSS};
use crate::{at, build};
use narrows_units::{Rate, Span};

/// The states as records tell them.
const STARTUP: u8 = 0;
const DRAIN: u8 = 1;
const DOWN: u8 = 2;
const CRUISE: u8 = 3;
const REFILL: u8 = 4;
const UP: u8 = 5;
const PROBE_RTT: u8 = 6;

fn link(mbps: f64, ms: u64, buffer_bdp: f64) -> Link {
    let (rate, delay) = (Rate::from_bps_f64(mbps * 1e6), Span::from_ms(ms));
    let bdp = rate.as_bytes_per_sec() * delay.as_secs_f64() / MSS.count() as f64;
    Link { rate, delay, buffer: (bdp * buffer_bdp) as u64 }
}

fn host(link: Link) -> Host {
    Host::new(build("bbr3", 1), link)
}

/// What the flow is doing.
fn doing(host: &Host) -> u8 {
    host.inner("state") as u8
}

/// Whether an inner variable is `expected`.
fn is(host: &Host, name: &str, expected: f64) -> bool {
    (host.inner(name) - expected).abs() < 1e-9
}

/// Runs until the flow is in `state`, at most to `end` seconds.
#[track_caller]
fn until(host: &mut Host, state: u8, end: u64) {
    while doing(host) != state {
        assert!(host.now < at(1_000 * end), "state {state} is not reached by {end} s");
        host.step();
    }
}

/// Runs until the flow leaves the state it is in, and returns the next.
#[track_caller]
fn next_state(host: &mut Host, end: u64) -> u8 {
    let state = doing(host);
    while doing(host) == state {
        assert!(host.now < at(1_000 * end), "state {state} is not left by {end} s");
        host.step();
    }
    doing(host)
}

/// Part of the link that is used from now on for `seconds`.
fn used(host: &mut Host, seconds: u64) -> f64 {
    let (from, before) = (host.now, host.delivered);
    host.run(from + Span::from_ms(1_000 * seconds));
    let bits = (host.delivered - before) as f64 * MSS.bits() as f64;
    bits / host.now.since(from).as_secs_f64() / host.link.rate.as_bps() as f64
}

#[test]
fn a1_a3_startup_ends_on_a_plateau_and_drain_on_what_is_in_flight() {
    for (mbps, ms) in [(20.0, 40), (400.0, 10), (5.0, 200), (0.5, 100)] {
        let link = link(mbps, ms, 20.0);
        let mut host = host(link);
        assert_eq!(next_state(&mut host, 20), DRAIN, "{link:?}");
        let error = host.inner("max_bandwidth_bps") / link.rate.as_bps() as f64 - 1.0;
        assert!(error.abs() < 0.02, "{link:?}: bandwidth is {error:+.4} off");
        assert!(is(&host, "pacing_gain", 0.5));
        // Where the queue is gone already, Down is over with the same acknowledgement.
        assert!(next_state(&mut host, 30) >= DOWN, "{link:?}");
        assert_eq!(host.lost, 0);
    }
}

#[test]
fn a2_a7_an_application_that_limits_never_ends_startup_and_losses_do() {
    let mut host = host(link(200.0, 40, 4.0));
    host.demand = Some(Rate::from_bps(100_000_000));
    host.run(at(4_000));
    assert_eq!(doing(&host), STARTUP);
    host.lossy = Some(20);
    assert!((DRAIN..=DOWN).contains(&next_state(&mut host, 6)));
}

#[test]
fn a5_a8_a_probe_ends_on_a_plateau_and_down_on_what_is_in_flight() {
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
fn a6_a21_losses_end_a_probe_and_bound_what_is_in_flight() {
    // A quarter of the path's content overflows in each probe.
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
    // Path and buffer hold 80 packets, and 2 % may be lost.
    assert!(!bounds.is_empty());
    assert!(bounds.iter().all(|bound| (60.0..90.0).contains(bound)), "{bounds:?}");
    assert!(used(&mut host, 10) > 0.85);
}

#[test]
fn a10_the_flow_pauses_every_five_seconds_for_200_ms_and_a_round() {
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
    assert!(used(&mut host, 20) > 0.96, "a pause costs two parts in a hundred");
}

#[test]
fn a14_a_path_that_holds_less_than_a_packet_has_four_in_flight() {
    let link = link(0.1, 20, 1_000.0);
    let mut host = host(link);
    host.run(at(30_000));
    let window = host.algorithm.window().expect("BBR has a window");
    assert!((4.0..=10.0).contains(&window), "{window}");
    assert!(used(&mut host, 30) > 0.9);
}

#[test]
fn a15_ten_times_the_bandwidth_is_found_in_one_probe() {
    let mut host = host(link(10.0, 40, 20.0));
    until(&mut host, CRUISE, 5);
    host.link.rate = Rate::from_bps(100_000_000);
    host.run(host.now + Span::from_ms(5_000));
    assert!(used(&mut host, 10) > 0.9);
}

#[test]
fn a16_a_tenth_of_the_bandwidth_is_sent_by_at_once_and_believed_after_two_cycles() {
    let mut host = host(link(100.0, 40, 1.0));
    until(&mut host, CRUISE, 5);
    host.link.rate = Rate::from_bps(10_000_000);
    host.run(host.now + Span::from_ms(12_000));
    let believed = host.inner("max_bandwidth_bps") / 10e6;
    assert!((0.97..1.03).contains(&believed), "{believed}");
    let (lost, delivered) = (host.lost, host.delivered);
    assert!(used(&mut host, 10) > 0.9);
    assert!((host.lost - lost) * 50 < host.delivered - delivered, "{} lost", host.lost - lost);
}

#[test]
fn a20_a_pause_in_startup_goes_back_to_startup() {
    let mut host = host(link(20.0, 40, 4.0));
    host.demand = Some(Rate::from_bps(3_000_000));
    until(&mut host, PROBE_RTT, 10);
    assert_eq!(next_state(&mut host, 10), STARTUP);
}

#[test]
fn a22_what_an_application_sends_little_of_is_not_believed() {
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
        assert!(used(&mut host, 20) > 0.9);
        let lost = (host.lost - lost) as f64 / (host.delivered - delivered) as f64;
        assert!(lost <= most_lost, "{lost}");
    }
}
