// SPDX-License-Identifier: Apache-2.0
//! The rules for random losses, long round-trip times and short queues: cycles without a queue, where losses are periodic,
//! and queues of a single flow.

use super::host::{Host, Link};
use super::{build, compared, mean_from, mean_window, near};
use narrows_cc::card::Catalogue;
use narrows_units::{Span, Time};

/// The mean window of a cycle: in `n` round trips the window `w` grows from `b w` by `a` each, and in the one of the recovery
/// it stays at `b w`, while `1 / p` packets leave: `1 / p = n w (1 + b) / 2 + b w` with `n = (1 - b) w / a`.
fn cycle(a: f64, b: f64, loss_interval: u64) -> f64 {
    let (square, linear) = ((1.0 - b * b) / (2.0 * a), b);
    let packets = loss_interval as f64;
    let top = (libm::sqrt(linear * linear + 4.0 * square * packets) - linear) / (2.0 * square);
    packets / ((1.0 - b) * top / a + 1.0)
}

/// Without a queue `d_a = 0`, so that `α = 10` and `β = 1/8`.
#[test]
fn the_mean_window_of_illinois_without_queue_is_that_of_aimd_with_its_extremes() {
    for loss_interval in [20_000, 200_000] {
        let expected = cycle(10.0, 0.875, loss_interval);
        let what = format!(
            "mean window without a queue, every {loss_interval}th packet lost, against the cycle of AIMD with 10 and 7/8"
        );
        compared(
            "illinois",
            &what,
            mean_from("illinois", expected, loss_interval, 500, 3_000),
            expected,
            0.05,
        );
    }
}

/// Without a queue `N = 0`: Reno's increase, and a decrease by a fifth.
#[test]
fn the_mean_window_of_veno_without_queue_is_that_of_aimd_with_four_fifths() {
    for loss_interval in [1_000, 10_000] {
        let what = format!(
            "mean window without a queue, every {loss_interval}th packet lost, against the cycle of AIMD with 1 and 4/5"
        );
        let expected = cycle(1.0, 0.8, loss_interval);
        compared("veno", &what, mean_window("veno", loss_interval, Span::from_ms(100)), expected, 0.05);
    }
}

/// Caini and Firrincieli 2004: the same rate, so a window `ρ` times as large, whatever the round-trip time is. The round trip
/// of the recovery, in which a window does not grow, is longer on a longer path.
#[test]
fn the_rate_of_hybla_is_that_of_reno_at_25_ms() {
    for (milliseconds, rho) in [(25, 1.0), (50, 2.0), (100, 4.0), (200, 8.0)] {
        let rtt = Span::from_ms(milliseconds);
        let link = Link { service: Span::ZERO, delay: rtt, buffer: 0, per_ack: 1, quick: 0 };
        let expected = libm::sqrt(1.5 * 200_000.0) * rho;
        let mut host = Host::new(build("hybla", expected, 2.0), link, |number| number % 200_000 == 0);
        host.run(Time::ZERO + rtt * 500);
        let rate = host.run(Time::ZERO + rtt * 4_000) / rtt.as_secs_f64();
        let what = format!(
            "rate at {milliseconds} ms, every 200000th packet lost, against that of Reno at 25 ms, sqrt(1.5 / p) / 25 ms"
        );
        compared("hybla", &what, rate, expected / rtt.as_secs_f64(), 0.05);
    }
}

/// Without a queue all rounds are fast, so that the rule is Scalable's: a cycle takes ln(8 / 7) / ln 1.01 round trips
/// and the round trip of the recovery (Kelly 2003 §2).
#[test]
fn the_mean_window_of_yeah_without_queue_is_that_of_scalable() {
    for loss_interval in [4_000, 20_000] {
        let expected = loss_interval as f64 / (1.0 + libm::log(8.0 / 7.0) / libm::log(1.01));
        let what = format!(
            "mean window without a queue, every {loss_interval}th packet lost, against 1 / (p (1 + ln(8/7) / ln 1.01)) (Kelly 2003 §2)"
        );
        compared("yeah", &what, mean_from("yeah", expected, loss_interval, 500, 3_000), expected, 0.03);
    }
}

/// A path of 1000 packets per second that holds 101 packets without a queue.
const SLOW: Link =
    Link { service: Span::from_ms(1), delay: Span::from_ms(100), buffer: 400, per_ack: 1, quick: 0 };

/// A path that holds 501 packets: once no Reno flow is taken to compete, the queue is emptied as soon as it is longer than
/// `Q_max`.
#[test]
fn yeah_lets_the_queue_of_a_single_flow_grow_to_80_packets() {
    let long = Link { delay: Span::from_ms(500), ..SLOW };
    let mut host = Host::new(build("yeah(zeta=0)", 10.0, 400.0), long, |_| false);
    host.run(Time::ZERO + Span::from_ms(50_000));
    let (mut before, mut peaks) = (host.window(), Vec::new());
    while host.now < Time::ZERO + Span::from_ms(350_000) {
        host.step();
        if host.window() < before - 10.0 {
            near(host.window(), 501.0, 0.01);
            peaks.push(before - 501.0);
        }
        before = host.window();
    }
    assert!(host.cuts.is_empty() && peaks.len() > 5, "{peaks:?}");
    let peak = peaks.iter().sum::<f64>() / peaks.len() as f64;
    compared("yeah", "packets in the queue at which a single flow empties it, against 80", peak, 80.0, 0.05);
}

/// A flow alone, whose largest delay is the delay of the full buffer, halves its window when 15 % of the buffer are in
/// use.
#[test]
fn lp_halves_its_window_when_15_percent_of_the_buffer_are_in_use() {
    let mut host = Host::new(build("lp", 10.0, f64::INFINITY), SLOW, |_| false);
    host.run(Time::ZERO + Span::from_ms(60_000));
    let (mut before, mut peaks) = (host.window(), Vec::new());
    while host.now < Time::ZERO + Span::from_ms(260_000) {
        host.step();
        if host.window() < before * 0.75 {
            near(host.window(), before / 2.0, 1e-9);
            peaks.push(before);
        }
        before = host.window();
    }
    assert!(peaks.len() > 5, "{peaks:?}");
    let peak = peaks.iter().sum::<f64>() / peaks.len() as f64;
    let what = "window at an early indication of a single flow, against the path and 15 % of its buffer";
    compared("lp", what, peak, 101.0 + 0.15 * 400.0, 0.05);
}

/// A flow alone grows up to `pad - pad_buffer` packets in the queue and is decreased above `pad`. The queue never empties, so
/// that each replacement of the minimum would take it for a part of the path.
#[test]
fn nv_keeps_eight_to_ten_packets_in_the_queue() {
    let mut host = Host::new(build("nv(reset=1000000)", 10.0, 60.0), SLOW, |_| false);
    host.run(Time::ZERO + Span::from_ms(60_000));
    let mean = host.run(Time::ZERO + Span::from_ms(120_000)) - 101.0;
    assert!((7.0..=11.0).contains(&mean) && host.cuts.is_empty(), "{mean}");
    let what = "packets in the queue of a single flow, against pad less pad_buffer to pad, 8 to 10";
    Catalogue::Algorithms.assert_result("nv", what, &format!("{mean:.1}"));
}
