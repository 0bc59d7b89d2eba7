//! Theory: what BBR must find on a path whose bandwidth and delay are known.

use crate::host::{Host, Link, MSS};
use crate::{at, build};
use narrows_units::{Rate, Span};

fn link(mbps: u64, ms: u64, buffer_bdp: f64) -> Link {
    let (rate, delay) = (Rate::from_bps(mbps * 1_000_000), Span::from_ms(ms));
    Link { rate, delay, buffer: (bdp(rate, delay) * buffer_bdp) as u64 }
}

fn bdp(rate: Rate, delay: Span) -> f64 {
    rate.as_bytes_per_sec() * delay.as_secs_f64() / MSS.count() as f64
}

/// A path of each size, with shallow and deep buffers.
const PATHS: [(u64, u64, f64); 5] =
    [(20, 40, 1.0), (20, 40, 0.25), (20, 40, 4.0), (5, 200, 1.0), (400, 10, 2.0)];

#[test]
fn the_estimates_are_the_bottleneck_and_the_propagation_within_a_hundredth() {
    for (mbps, ms, buffer) in PATHS {
        let link = link(mbps, ms, buffer);
        let mut host = Host::new(build("bbr1", 1), link);
        // Before the first pause and after it.
        for second in [4, 6, 8, 12, 14, 16, 18] {
            host.run(at(1_000 * second));
            let error = host.inner("bandwidth_bps") / link.rate.as_bps() as f64 - 1.0;
            assert!(error.abs() < 0.01, "{link:?}: bandwidth is {error:+.4} off");
            // The handshake's packets take no time to transmit, data does.
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
        // A probe adds a quarter of the path's content for a round-trip time or two of about eight.
        let standing = rtts / samples / link.delay.as_secs_f64();
        assert!(standing < 1.25, "{link:?}: {standing}");
    }
}

#[test]
fn startup_doubles_every_round_and_needs_three_more_to_be_sure() {
    for (mbps, ms) in [(20, 40), (400, 40), (2_000, 40)] {
        // A buffer that nothing overflows.
        let link = link(mbps, ms, 10.0);
        let mut host = Host::new(build("bbr1", 1), link);
        while host.inner("pacing_gain") > 2.0 {
            host.step();
        }
        let rounds = host.now.since(at(0)).as_secs_f64() / link.delay.as_secs_f64();
        let doublings = libm::log2(bdp(link.rate, link.delay) / 10.0);
        // The rounds in which nothing grows any more are longer by the queue: up to 2.89 times.
        let longest = doublings + 1.0 + 4.0 * 2.89;
        assert!((doublings + 3.0..longest).contains(&rounds), "{rounds} for {doublings} doublings");
    }
}

#[test]
fn the_window_never_lets_more_than_twice_the_path_and_its_budget_out() {
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
fn the_flow_pauses_every_ten_seconds_for_200_ms_and_a_round() {
    let mut host = Host::new(build("bbr1", 1), link(20, 40, 1.0));
    let mut pauses = Vec::new();
    let mut since = None;
    while host.now < at(35_000) {
        host.step();
        let pausing = host.inner("cwnd_gain") < 1.5;
        match since {
            None if pausing => since = Some(host.now),
            Some(begin) if !pausing => {
                pauses.push((begin, host.now - begin));
                since = None;
            }
            _ => {}
        }
    }
    assert_eq!(pauses.len(), 3, "{pauses:?}");
    assert!(pauses[0].0 > at(10_000) && pauses[0].0 < at(10_100), "{pauses:?}");
    for (_, length) in pauses {
        // A round until four are in flight, 200 ms, and the acknowledgement after that.
        assert!(length > Span::from_ms(200) && length < Span::from_ms(200 + 3 * 42), "{length:?}");
    }
}

#[test]
fn a_loss_of_one_in_fifty_does_not_slow_the_flow() {
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
