// SPDX-License-Identifier: Apache-2.0
//! Theory: the estimates and the window on a path with known bandwidth and delay.

use crate::host::{Host, Link, MSS};
use crate::{at, build};
use narrows_cc::card::Catalogue;
use narrows_units::{Rate, Span};

fn link(mbps: u64, ms: u64, buffer_bdp: f64) -> Link {
    let (rate, delay) = (Rate::from_bps(mbps * 1_000_000), Span::from_ms(ms));
    Link { rate, delay, buffer: (bdp(rate, delay) * buffer_bdp) as u64 }
}

fn bdp(rate: Rate, delay: Span) -> f64 {
    rate.as_bytes_per_sec() * delay.as_secs_f64() / MSS.count() as f64
}

/// Rate in Mbps, delay in ms and buffer in BDP of each path.
const PATHS: [(u64, u64, f64); 5] =
    [(20, 40, 1.0), (20, 40, 0.25), (20, 40, 4.0), (5, 200, 1.0), (400, 10, 2.0)];

#[test]
fn the_estimates_are_bottleneck_rate_and_propagation_delay_within_a_hundredth() {
    for (mbps, ms, buffer) in PATHS {
        let link = link(mbps, ms, buffer);
        let mut host = Host::new(build("bbr1", 1), link);
        // Before the first ProbeRTT and after it.
        for second in [4, 6, 8, 12, 14, 16, 18] {
            host.run(at(1_000 * second));
            let estimate = host.inner("bandwidth_bps");
            let error = estimate / link.rate.as_bps() as f64 - 1.0;
            assert!(error.abs() < 0.01, "{link:?}: bandwidth is {error:+.4} off");
            if second == 18 {
                let what = format!(
                    "bandwidth estimate after 18 s, {mbps} Mbps, {ms} ms, {buffer} BDP, against the link's rate"
                );
                Catalogue::Algorithms.assert_near("bbr1", &what, estimate, link.rate.as_bps() as f64, 0.01);
            }
            // Packets of the handshake have no serialization time, data packets do.
            let delay = link.delay.as_secs_f64();
            let most = delay + link.rate.time_for(MSS).as_secs_f64() + 0.01 * delay;
            let found = host.inner("min_rtt_s");
            assert!((delay..most).contains(&found), "{link:?}: {found}");
        }
    }
}

#[test]
fn the_pipe_stays_full_and_its_queue_short() {
    for (mbps, ms, buffer) in PATHS {
        let link = link(mbps, ms, buffer);
        let mut host = Host::new(build("bbr1", 2), link);
        host.run(at(4_000));
        let (from, before) = (host.now, host.delivered);
        let (mut rtts, mut samples) = (0.0, 0.0);
        while host.now < at(9_000) {
            host.step();
            rtts += host.latest_rtt().as_secs_f64();
            samples += 1.0;
        }
        let seconds = host.now.since(from).as_secs_f64();
        let used = (host.delivered - before) as f64 * MSS.bits() as f64 / seconds / link.rate.as_bps() as f64;
        assert!(used > 0.98, "{link:?}: {used}");
        // A probe adds a quarter of the BDP for one or two round-trip times of about eight.
        let standing = rtts / samples / link.delay.as_secs_f64();
        assert!(standing < 1.25, "{link:?}: {standing}");
    }
}

#[test]
fn startup_takes_the_doublings_of_the_bdp_and_three_rounds() {
    for (mbps, ms) in [(20, 40), (400, 40), (2_000, 40)] {
        // A buffer that does not overflow.
        let link = link(mbps, ms, 10.0);
        let mut host = Host::new(build("bbr1", 1), link);
        while host.inner("pacing_gain") > 2.0 {
            host.step();
        }
        let rounds = host.now.since(at(0)).as_secs_f64() / link.delay.as_secs_f64();
        let doublings = libm::log2(bdp(link.rate, link.delay) / 10.0);
        // The rounds without growth are longer by the queueing delay: up to 2.89 times.
        let longest = doublings + 1.0 + 4.0 * 2.89;
        assert!((doublings + 3.0..longest).contains(&rounds), "{rounds} for {doublings} doublings");
    }
}

#[test]
fn the_window_is_at_most_twice_the_bdp_plus_its_budget() {
    let link = link(20, 40, 4.0);
    let mut host = Host::new(build("bbr1", 3), link);
    host.run(at(2_000));
    let most = 2.0 * bdp(link.rate, link.delay) + 1.0 + 6.0 + 2.0 + 2.0;
    while host.now < at(9_000) {
        host.step();
        let extra = host.inner("extra_acked");
        let window = host.algorithm.window().expect("BBR has a window");
        assert!(window <= most + extra, "{window} with {extra} for aggregation");
    }
}

#[test]
fn probe_rtt_comes_every_ten_seconds_for_200_ms_and_a_round() {
    let mut host = Host::new(build("bbr1", 1), link(20, 40, 1.0));
    let mut episodes = Vec::new();
    let mut since = None;
    while host.now < at(35_000) {
        host.step();
        let in_probe_rtt = host.inner("cwnd_gain") < 1.5;
        match since {
            None if in_probe_rtt => since = Some(host.now),
            Some(begin) if !in_probe_rtt => {
                episodes.push((begin, host.now - begin));
                since = None;
            }
            _ => {}
        }
    }
    assert_eq!(episodes.len(), 3, "{episodes:?}");
    assert!(episodes[0].0 > at(10_000) && episodes[0].0 < at(10_100), "{episodes:?}");
    for (_, length) in episodes {
        // A round until four are in flight, 200 ms, and the acknowledgement after that.
        assert!(length > Span::from_ms(200) && length < Span::from_ms(200 + 3 * 42), "{length:?}");
    }
}

#[test]
fn a_loss_rate_of_two_percent_does_not_slow_the_flow() {
    // A buffer of three packets overflows with every probe.
    let mut host = Host::new(build("bbr1", 1), Link { buffer: 3, ..link(20, 40, 1.0) });
    host.run(at(3_000));
    let (lost, delivered) = (host.lost, host.delivered);
    host.run(at(9_000));
    let (lost, delivered) = (host.lost - lost, host.delivered - delivered);
    assert!(lost * 100 > delivered, "{lost} lost of {delivered}");
    let used = delivered as f64 * MSS.bits() as f64 / 6.0 / 20e6;
    assert!(used > 0.95, "{used}");
}
