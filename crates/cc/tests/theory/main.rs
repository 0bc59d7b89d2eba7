// SPDX-License-Identifier: Apache-2.0
//! Theory with tolerance: mean windows at a given loss rate, the times of CUBIC, and the convergence of two flows.

mod binomial;
mod delay;
mod heterogeneous;
mod high_speed;
#[path = "../host/mod.rs"]
mod host;
mod layered;
mod marks;
mod rapid_start;

use host::{Host, Link};
use narrows_cc::card::Catalogue;
use narrows_cc::window::linear::Linear;
use narrows_cc::window::{Window, WindowRule};
use narrows_cc::{Algorithm, Cause, CongestionControl, Path, Setup, SlowStartKind};
use narrows_units::{Bytes, Span, Time};

fn build(name: &str, initial_window: f64, initial_ssthresh: f64) -> Box<dyn CongestionControl> {
    Algorithm::parse(name).expect("a known algorithm").build(&setup(initial_window, initial_ssthresh))
}

fn setup(initial_window: f64, initial_ssthresh: f64) -> Setup {
    Setup::new(Bytes::new(1448), 1)
        .packet(Bytes::new(1500))
        .initial_window(initial_window)
        .initial_ssthresh(initial_ssthresh)
}

/// The mean window if every `1/p`-th packet is lost, with a round-trip time of `rtt`.
fn mean_window(name: &str, loss_interval: u64, rtt: Span) -> f64 {
    let link = Link { service: Span::ZERO, delay: rtt, buffer: 0, per_ack: 1, quick: 0 };
    let mut host = Host::new(build(name, 10.0, f64::INFINITY), link, |number| number % loss_interval == 0);
    host.run(Time::ZERO + rtt * 2_000);
    host.run(Time::ZERO + rtt * 52_000)
}

/// The mean window over `rounds` round trips of 100 ms after `warmup` of them, of a flow that starts at `window` packets, if
/// every `1/p`-th packet is lost.
fn mean_from(name: &str, window: f64, loss_interval: u64, warmup: u64, rounds: u64) -> f64 {
    let rtt = Span::from_ms(100);
    let link = Link { service: Span::ZERO, delay: rtt, buffer: 0, per_ack: 1, quick: 0 };
    let mut host = Host::new(build(name, window, 2.0), link, |number| number % loss_interval == 0);
    host.run(Time::ZERO + rtt * warmup);
    host.run(Time::ZERO + rtt * (warmup + rounds))
}

/// As [`near`], and the result stands on the card of the algorithm.
#[track_caller]
fn compared(name: &str, what: &str, measured: f64, expected: f64, tolerance: f64) {
    Catalogue::Algorithms.assert_near(name, what, measured, expected, tolerance);
}

fn near(measured: f64, expected: f64, tolerance: f64) {
    let error = measured / expected - 1.0;
    assert!(error.abs() <= tolerance, "measured {measured}, expected {expected}: {:+.2} %", error * 100.0);
}

/// Mathis, Semke, Mahdavi and Ott 1997: w = sqrt(3 / (2 p)) with an acknowledgement for each packet.
#[test]
fn the_mean_window_of_reno_is_the_square_root_of_1_5_over_p() {
    for loss_interval in [1_000, 10_000] {
        let what = format!(
            "mean window, every {loss_interval}th packet lost, against sqrt(1.5 / p) (Mathis et al. 1997)"
        );
        for name in ["reno", "newreno", "reno-linux"] {
            let measured = mean_window(name, loss_interval, Span::from_ms(100));
            compared(name, &what, measured, (1.5 * loss_interval as f64).sqrt(), 0.05);
        }
    }
}

/// The fluid of a slow start that doubles each round trip: rate `2^t` of the link at `t` round trips after it reaches
/// the link's, and twice the link's from one round trip later on. The data delivered in the 3.5 round trips before the
/// acknowledgement of the data sent at 2.22 is 26 % less than the data sent in the 3.5 before that, and the window is
/// then 5.33 times the path; bins add up to 0.35.
#[test]
fn search_ends_slow_start_at_5_3_times_the_path_over_an_endless_buffer() {
    let link = Link {
        service: Span::from_us(100),
        delay: Span::from_ms(100),
        buffer: 1_000_000,
        per_ack: 1,
        quick: 0,
    };
    let setup = setup(10.0, f64::INFINITY).slow_start(SlowStartKind::Search);
    let algorithm = Algorithm::parse("reno").expect("a known algorithm").build(&setup);
    let mut host = Host::new(algorithm, link, |_| false);
    while host.algorithm.ssthresh().is_some_and(f64::is_infinite) {
        host.step();
    }
    let paths = host.window() / 1_001.0;
    assert!((5.2..5.8).contains(&paths), "{paths} times the path");
}

/// Independent losses give up to 1.07 of that (Ott, Kemperman and Mathis 1996: 1.31 in place of 1.22 over the root of p).
#[test]
fn independent_losses_give_reno_the_same_mean_window() {
    let link = Link { service: Span::ZERO, delay: Span::from_ms(100), buffer: 0, per_ack: 1, quick: 0 };
    let mut state = 0x0123_4567_89ab_cdef_u64;
    let one_in_a_thousand = move |_| {
        // Marsaglia's xorshift with 13, 7, 17.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.is_multiple_of(1_000)
    };
    let mut host = Host::new(build("reno", 10.0, 20.0), link, one_in_a_thousand);
    host.run(Time::ZERO + Span::from_ms(100_000));
    let measured = host.run(Time::ZERO + Span::from_ms(10_000_000));
    let what = "mean window, one packet in 1000 lost at random, against sqrt(1.5 / p)";
    for name in ["reno", "newreno"] {
        compared(name, what, measured, 1_500.0f64.sqrt(), 0.06);
    }
}

/// The same sawtooth for any a and b: w = sqrt(a (1 + b) / (2 (1 - b) p)).
#[test]
fn the_mean_window_of_aimd_follows_its_two_parameters() {
    for (name, a, b) in
        [("aimd", 1.0, 0.5), ("aimd(a=1,b=0.8)", 1.0, 0.8), ("aimd(a=0.3125,b=0.875)", 0.3125, 0.875)]
    {
        let measured = mean_window(name, 1_000, Span::from_ms(100));
        let what = format!(
            "mean window of {name}, every 1000th packet lost, against sqrt(a (1 + b) / (2 (1 - b) p))"
        );
        compared("aimd", &what, measured, (a * (1.0 + b) / (2.0 * (1.0 - b)) * 1_000.0f64).sqrt(), 0.05);
    }
}

/// A window that falls from `from` to `to` and grows by one packet per round trip is at `from` again after `from - to` round
/// trips and that of the recovery.
#[test]
fn the_sawtooth_of_reno_halves_and_takes_half_a_window_of_round_trips() {
    let rtt = Span::from_ms(100);
    let link = Link { service: Span::ZERO, delay: rtt, buffer: 0, per_ack: 1, quick: 0 };
    let mut host = Host::new(build("reno", 10.0, f64::INFINITY), link, |number| number % 5_000 == 0);
    host.run(Time::ZERO + rtt * 10_000);
    let steady = &host.cuts[20..];
    for pair in steady.windows(2) {
        near(pair[0].to, pair[0].from / 2.0, 1e-12);
        let rounds = pair[1].at.since(pair[0].at).as_secs_f64() / rtt.as_secs_f64();
        near(rounds, pair[1].from - pair[0].to + 1.0, 0.05);
    }
}

/// RFC 9438 §5.1, eq. 6: w = (C (3 + β) / (4 (1 − β)))^(1/4) (RTT / p)^(3/4).
fn cubic_mean(loss_interval: u64, rtt: Span) -> f64 {
    let factor = 0.4 * (3.0 + 0.7) / (4.0 * (1.0 - 0.7));
    libm::pow(factor, 0.25) * libm::pow(rtt.as_secs_f64() * loss_interval as f64, 0.75)
}

/// The window at a loss is neutrally stable in this model (an error of one cycle returns in the next), so the flow starts
/// with a loss at the theoretical peak, `4 w / (3 + β)`.
fn cubic_from_its_peak(name: &str, loss_interval: u64, rtt: Span) -> f64 {
    let peak = 4.0 / (3.0 + 0.7) * cubic_mean(loss_interval, rtt);
    let link = Link { service: Span::ZERO, delay: rtt, buffer: 0, per_ack: 1, quick: 0 };
    let mut host = Host::new(build(name, peak, 2.0), link, |number| number % loss_interval == 1);
    host.run(Time::ZERO + rtt * 20_000)
}

#[test]
fn the_mean_window_of_cubic_is_that_of_rfc_9438() {
    for (loss_interval, rtt) in [(10_000, 100), (100_000, 100), (100_000, 200)] {
        let what = format!(
            "mean window without fast convergence, every {loss_interval}th packet lost, RTT {rtt} ms, against RFC 9438 eq. 6"
        );
        let rtt = Span::from_ms(rtt);
        let measured = cubic_from_its_peak("cubic(fast_convergence=false)", loss_interval, rtt);
        compared("cubic", &what, measured, cubic_mean(loss_interval, rtt), 0.05);
    }
}

/// With fast convergence any loss below the previous peak lowers `W_max`, which the equation does not consider.
#[test]
fn fast_convergence_costs_a_single_cubic_flow_less_than_a_tenth() {
    for (loss_interval, rtt) in [(10_000, 100), (100_000, 100), (100_000, 200)] {
        let rtt = Span::from_ms(rtt);
        let part = cubic_from_its_peak("cubic", loss_interval, rtt) / cubic_mean(loss_interval, rtt);
        assert!((0.9..1.0).contains(&part), "{part} of the mean window without it");
    }
}

/// RFC 9438 §4.3: in the Reno-friendly region the mean window equals Reno's at the same loss rate.
#[test]
fn cubic_on_a_short_path_has_the_mean_window_of_reno() {
    let measured = mean_window("cubic", 1_000, Span::from_ms(5));
    let what = "mean window, every 1000th packet lost, RTT 5 ms, against sqrt(1.5 / p) (RFC 9438 §4.3)";
    compared("cubic", what, measured, 1_500.0f64.sqrt(), 0.08);
}

/// A first loss at 1000 packets, and the window K seconds after the first acknowledgement that follows the recovery.
fn plateau(name: &str, k: f64) -> f64 {
    let rtt = Span::from_ms(100);
    let link = Link { service: Span::ZERO, delay: rtt, buffer: 0, per_ack: 1, quick: 0 };
    let mut host = Host::new(build(name, 1000.0, 2.0), link, |number| number == 1);
    host.run(Time::ZERO + rtt * 2 + Span::from_secs_f64(k));
    assert_eq!(host.cuts.len(), 1);
    host.window()
}

#[test]
fn after_a_loss_at_1000_packets_cubic_is_back_in_9_09_seconds() {
    compared("cubic", "K after a loss at 1000 packets, against 9.09 s", observed("cubic", "k"), 9.09, 0.001);
    let what = "window 9.09 s after a loss at 1000 packets, against 1000 packets";
    compared("cubic", what, plateau("cubic", 9.09), 1000.0, 0.001);
}

#[test]
fn after_a_loss_at_1000_packets_cubic_2008_is_back_in_7_94_seconds() {
    let what = "K after a loss at 1000 packets, against 7.94 s";
    compared("cubic-2008", what, observed("cubic-2008", "k"), 7.94, 0.001);
    let what = "window 7.94 s after a loss at 1000 packets, against 1000 packets";
    compared("cubic-2008", what, plateau("cubic-2008", 7.94), 1000.0, 0.001);
}

#[test]
fn linux_computes_the_same_k_in_its_own_units() {
    let what = "K after a loss at 1000 packets, against 9.09 s";
    compared("cubic-linux", what, observed("cubic-linux", "k"), 9.09, 0.005);
}

/// An internal variable just after a loss at 1000 packets.
fn observed(name: &str, variable: &str) -> f64 {
    let link = Link { service: Span::ZERO, delay: Span::from_ms(100), buffer: 0, per_ack: 1, quick: 0 };
    let mut host = Host::new(build(name, 1000.0, 2.0), link, |number| number == 1);
    host.run(Time::ZERO + Span::from_ms(250));
    let mut value = f64::NAN;
    host.algorithm.observe(&mut |name, inner| {
        if name == variable {
            value = inner;
        }
    });
    value
}

/// Two flows with different windows. In each round both grow, or both decrease if their sum exceeds `capacity` (Akella et
/// al. 2002 §5.1). Returns the windows after each decrease.
fn two_flows(rule: &Linear, capacity: f64, cuts: usize) -> Vec<(f64, f64)> {
    let mut flows = [(rule.clone(), 20.0), (rule.clone(), 60.0)];
    let mut after = Vec::new();
    let mut path = Path::new(Time::ZERO, Bytes::new(1448));
    while after.len() < cuts {
        path.round += 1;
        if flows[0].1 + flows[1].1 <= capacity {
            for (rule, size) in &mut flows {
                *size += rule.increase(&Window { size: *size, ssthresh: 2.0 }, *size, &path);
            }
        } else {
            for (rule, size) in &mut flows {
                *size =
                    rule.decrease(&Window { size: *size, ssthresh: 2.0 }, Cause::Detected, &path).max(1.0);
            }
            after.push((flows[0].1, flows[1].1));
        }
    }
    after
}

#[test]
fn two_flows_of_aimd_aimad_and_maimd_converge() {
    for (name, rule) in [
        ("aimd", Linear::new((1.0, 1.0), (0.0, 0.8))),
        ("aimad", Linear::new((1.0, 1.0), (-1.0, 0.9))),
        ("maimd", Linear::new((1.0, 1.1), (0.0, 0.8))),
    ] {
        let after = two_flows(&rule, 200.0, 500);
        let (one, other) = after[499];
        compared(
            name,
            "windows of two flows after 500 common losses, one against the other",
            one,
            other,
            0.01,
        );
    }
}

#[test]
fn two_flows_of_aiad_keep_their_difference() {
    for (one, other) in two_flows(&Linear::new((1.0, 1.0), (-3.0, 1.0)), 200.0, 500) {
        let what = "difference of the windows of two flows with common losses, against that at first";
        compared("aiad", what, other - one, 40.0, 1e-9);
    }
}

#[test]
fn two_flows_of_mimd_keep_their_ratio() {
    for (one, other) in two_flows(&Linear::new((0.0, 1.125), (0.0, 0.8)), 200.0, 500) {
        let what = "ratio of the windows of two flows with common losses, against that at first";
        compared("mimd", what, other / one, 3.0, 1e-9);
    }
}

#[test]
fn two_flows_of_miad_diverge_until_one_has_all() {
    let after = two_flows(&Linear::new((0.0, 1.125), (-3.0, 1.0)), 200.0, 500);
    let (one, other) = after[499];
    assert!(one < 2.0 && other > 150.0, "{one} and {other}");
    let what = "windows of two flows after 500 common losses, of which one has all (Chiu and Jain 1989)";
    Catalogue::Algorithms.assert_result("miad", what, &format!("{one:.0} and {other:.0} packets"));
}
