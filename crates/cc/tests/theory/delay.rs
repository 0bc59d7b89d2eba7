// SPDX-License-Identifier: Apache-2.0
//! Equilibria of the algorithms that respond to delay or to counts of marks.

use super::binomial::mean;
use super::host::{Host, Link};
use super::{build, compared, mean_from, near};
use narrows_cc::card::Catalogue;
use narrows_units::{Span, Time};

const RTT: Span = Span::from_ms(100);
/// 1000 packets per second; the path holds 101 packets without a queue.
const LINK: Link = Link { service: Span::from_ms(1), delay: RTT, buffer: 1_000_000, per_ack: 1, quick: 0 };

/// Wei et al. 2006 §III: a flow keeps `α` packets in the queue, without losses.
#[test]
fn fast_keeps_alpha_packets_in_the_queue() {
    for (name, alpha) in
        [("fast", 200.0), ("fast(update=round)", 200.0), ("fast(alpha=50,update=round)", 50.0)]
    {
        let mut host = Host::new(build(name, 10.0, 20.0), LINK, |_| false);
        host.run(Time::ZERO + RTT * 500);
        let what = format!("packets in the queue of a single flow of {name}, against alpha = {alpha}");
        compared("fast", &what, host.window() - 101.0, alpha, 0.01);
        assert!(host.cuts.is_empty());
    }
}

/// NIST SP 500-282 §10.1.2.4: below the thresholds `α` falls by a level every 200 s, and the queue with it.
#[test]
fn the_queue_of_a_slow_fast_at_flow_falls_from_200_to_20_to_8_packets() {
    let mut host = Host::new(build("fast-at(update=round)", 10.0, 20.0), LINK, |_| false);
    for (seconds, queued) in [(190, 200.0), (390, 20.0), (590, 8.0)] {
        host.run(Time::ZERO + Span::from_ms(1_000) * seconds);
        let what = format!("packets in the queue of a slow flow after {seconds} s, against alpha = {queued}");
        compared("fast-at", &what, host.window() - 101.0, queued, 0.01);
    }
}

/// No update is based on the effect of the four before it: with a queue short against the BDP the loop is unstable.
#[test]
fn fast_with_five_updates_per_round_trip_and_a_short_queue_oscillates() {
    let mut host = Host::new(build("fast(alpha=50)", 10.0, 20.0), LINK, |_| false);
    host.run(Time::ZERO + RTT * 500);
    let (mut least, mut most) = (f64::MAX, 0.0f64);
    while host.now < Time::ZERO + RTT * 600 {
        host.step();
        least = least.min(host.window());
        most = most.max(host.window());
    }
    assert!(least < 101.0 && most > 200.0 && host.cuts.is_empty(), "from {least} to {most}");
}

/// Brakmo and Peterson 1995: between `α` and `β` packets in the queue.
#[test]
fn vegas_keeps_two_to_four_packets_in_the_queue() {
    for name in ["vegas", "vegas-linux"] {
        let mut host = Host::new(build(name, 10.0, f64::INFINITY), LINK, |_| false);
        host.run(Time::ZERO + RTT * 500);
        let queued = host.window() - 101.0;
        assert!((2.0..=4.0).contains(&queued) && host.cuts.is_empty(), "{name}: {queued}");
        let what = "packets in the queue of a single flow, against alpha to beta, 2 to 4";
        Catalogue::Algorithms.assert_result(name, what, &format!("{queued:.1}"));
        let later = host.run(Time::ZERO + RTT * 600);
        near(later, host.window(), 1e-9);
    }
}

/// Tan et al. 2006 §III: without a queue the window grows by `α W^k` per round trip, except in the two of a recovery and of
/// the first measurement after it.
#[test]
fn the_mean_window_of_compound_without_queue_is_that_of_its_cycle() {
    for loss_interval in [20_000, 200_000] {
        let expected = mean((-0.75, 1.0), (0.125, 0.5), loss_interval);
        let what = format!(
            "mean window without a queue, every {loss_interval}th packet lost, against a cycle of growth by alpha W^k"
        );
        compared("ctcp", &what, mean_from("ctcp", expected, loss_interval, 500, 2_500), expected, 0.08);
    }
}

/// Alizadeh et al. 2010 §3.3: alpha = sqrt(2 / W) with W the window at which marking starts, `C · RTT + K`; the queue
/// of one flow varies by half of `sqrt(2 W)` packets and never empties.
#[test]
fn alpha_of_dctcp_is_the_root_of_two_over_the_window() {
    let mut host = Host::new(build("dctcp", 10.0, f64::INFINITY), LINK, |_| false);
    host.mark_above = 40;
    host.run(Time::ZERO + RTT * 1_000);
    let (mut sum, mut samples, mut least, mut most) = (0.0, 0.0, f64::MAX, 0.0f64);
    while host.now < Time::ZERO + RTT * 2_000 {
        host.step();
        host.algorithm.observe(&mut |_, alpha| sum += alpha);
        samples += 1.0;
        least = least.min(host.window());
        most = most.max(host.window());
    }
    let full = 101.0 + 40.0;
    let what =
        "alpha of a single flow, K = 40 packets, against sqrt(2 / (C RTT + K)) (Alizadeh et al. 2010 §3.3)";
    compared("dctcp", what, sum / samples, libm::sqrt(2.0 / full), 0.2);
    assert!(least > 101.0 && most < full + 3.0, "from {least} to {most}");
}

/// RFC 6817 §2.4.2: the window is constant if the queueing delay equals the target.
#[test]
fn ledbat_keeps_its_target_of_queueing_delay() {
    for (name, target) in [("ledbat", 100.0), ("ledbat(target=0.025)", 25.0)] {
        let mut host = Host::new(build(name, 10.0, f64::INFINITY), LINK, |_| false);
        host.run(Time::ZERO + RTT * 600);
        let what =
            format!("milliseconds in the queue of a single flow of {name}, against its target of {target}");
        compared("ledbat", &what, host.window() - 101.0, target, 0.05);
        assert!(host.cuts.is_empty());
    }
}

/// Draft §4.3: above the target it decreases by GAIN - W (q / T - 1) per round trip, which is 0 where q = T (1 + GAIN / W); and a
/// tenth of the time belongs to slowdowns (§4.4).
#[test]
fn ledbat_plus_plus_keeps_its_target_between_slowdowns() {
    let mut host = Host::new(build("ledbat-pp", 10.0, f64::INFINITY), LINK, |_| false);
    host.run(Time::ZERO + RTT * 1_000);
    let (mut at_target, mut low, mut steps) = (0_u32, 0_u32, 0_u32);
    let mut most = 0.0_f64;
    while host.now < Time::ZERO + RTT * 5_000 {
        host.step();
        let window = host.window();
        most = most.max(window);
        steps += 1;
        at_target += u32::from((window - 161.0).abs() < 3.0);
        low += u32::from(window < 100.0);
    }
    assert!(at_target > steps / 2, "{at_target} of {steps}, {low} below the path, at most {most}");
    compared(
        "ledbat-pp",
        "greatest queueing delay of a single flow, milliseconds, against its target of 60",
        most - 101.0,
        60.0,
        0.05,
    );
}

/// Arun and Balakrishnan 2018 §3: alone and with a window large against `1 / δ` the queue swings between nothing and `2.5 / δ` packets
/// in a cycle of five round trips.
#[test]
fn the_queue_of_copa_swings_up_to_2_5_over_delta_packets_in_five_round_trips() {
    for delta in [0.1, 0.05] {
        let link = Link { service: Span::from_us(100), ..LINK };
        let mut host =
            Host::new(build(&format!("copa(delta={delta})"), 10.0, f64::INFINITY), link, |_| false);
        host.run(Time::ZERO + RTT * 200);
        let mean = host.run(Time::ZERO + RTT * 1_200);
        let (mut least, mut most) = (f64::MAX, 0.0f64);
        let (begin, mut cycles, mut above) = (host.rounds(), 0_u32, false);
        while host.now < Time::ZERO + RTT * 2_000 {
            host.step();
            let window = host.window();
            (least, most) = (least.min(window), most.max(window));
            cycles += u32::from(window > mean && !above);
            above = window > mean;
        }
        let what = format!(
            "mean queue of a flow alone, 1000 packets in the path, delta = {delta}, against 1.25 / delta"
        );
        compared("copa", &what, mean - 1001.0, 1.25 / delta, 0.08);
        let what = format!(
            "swing of the queue of a flow alone, 1000 packets in the path, delta = {delta}, against 2.5 / delta"
        );
        compared("copa", &what, most - least, 2.5 / delta, 0.12);
        let what = format!(
            "round trips of a cycle of the queue of a flow alone, 1000 packets in the path, delta = {delta}, against 5"
        );
        compared("copa", &what, (host.rounds() - begin) as f64 / f64::from(cycles), 5.0, 0.12);
        assert!(least - 1001.0 < 2.0, "the queue is not empty once in a cycle: {least}");
    }
}
