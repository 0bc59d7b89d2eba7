// SPDX-License-Identifier: Apache-2.0
//! The high-speed rules: response functions and times of growth.

use super::host::{Host, Link};
use super::{build, compared, mean_from, near};
use narrows_units::{Span, Time};

const RTT: Span = Span::from_ms(100);
const LINK: Link = Link { service: Span::ZERO, delay: RTT, buffer: 0, per_ack: 1, quick: 0 };

/// RFC 3649 §5: w = 0.12 / p^0.835; HSTCP-LP on a path without a queue, on which it yields to no flow.
#[test]
fn the_mean_window_of_hstcp_is_the_response_function_of_the_rfc() {
    for name in ["hstcp", "hstcp-lp"] {
        for loss_interval in [10_000, 100_000] {
            let expected = 0.12 * libm::pow(loss_interval as f64, 0.835);
            let measured = mean_from(name, expected, loss_interval, 2_000, 12_000);
            let what = format!(
                "mean window, every {loss_interval}th packet lost, against 0.12 / p^0.835 (RFC 3649 §5)"
            );
            compared(name, &what, measured, expected, 0.1);
        }
    }
}

/// A loss in `N` packets costs `beta / w` of the `N / w` packets gained until it, and a round trip without growth.
#[test]
fn aild_grows_by_one_less_beta_p_in_a_round_trip_whatever_its_window() {
    let (interval, beta) = (2_000.0, 500.0);
    let mut host = Host::new(build("aild(beta=500)", 40.0, 2.0), LINK, |number| number % 2_000 == 0);
    host.run(Time::ZERO + RTT * 400);
    let window = host.window();
    host.run(Time::ZERO + RTT * 800);
    let growth = (host.window() - window) / 400.0;
    let mean = f64::midpoint(host.window(), window);
    let expected = 1.0 - beta / interval - mean / interval;
    compared(
        "aild",
        "growth in a round trip, every 2000th packet lost, beta = 500, against 1 - beta p - w p",
        growth,
        expected,
        0.05,
    );
}

/// Between 222 and 347 packets each acknowledgement adds 4 / w, and a loss takes 98 of 256: that is AIMD with these.
#[test]
fn within_a_row_of_its_table_highspeed_of_linux_is_aimd() {
    let (a, b) = (4.0, 98.0 / 256.0);
    let expected = libm::sqrt(10_000.0 * a * (2.0 - b) / (2.0 * b));
    let measured = mean_from("highspeed-linux", expected, 10_000, 2_000, 12_000);
    let what = "mean window, every 10000th packet lost, against sqrt(a (2 - b) / (2 b p)), a = 4, b = 98/256";
    compared("highspeed-linux", what, measured, expected, 0.03);
}

/// ln 2 / ln 1.01 round trips.
#[test]
fn scalable_doubles_in_69_7_round_trips() {
    let mut host = Host::new(build("scalable", 1000.0, 2.0), LINK, |_| false);
    while host.window() < 2000.0 {
        host.step();
    }
    let rounds = host.now.since(Time::ZERO).as_secs_f64() / RTT.as_secs_f64();
    compared("scalable", "round trips to double, against ln 2 / ln 1.01 = 69.7", rounds, 1.0 + 69.66, 0.02);
}

/// A cycle takes ln(8 / 7) / ln 1.01 round trips and that of the recovery for any window (Kelly 2003 §2), so that the
/// window is proportional to the loss interval.
#[test]
fn the_mean_window_of_scalable_is_proportional_to_the_loss_interval() {
    for name in ["scalable", "scalable-linux"] {
        for loss_interval in [2_000, 20_000] {
            let expected = loss_interval as f64 / (1.0 + libm::log(8.0 / 7.0) / libm::log(1.01));
            let what = format!(
                "mean window, every {loss_interval}th packet lost, against 1 / (p (1 + ln(8/7) / ln 1.01)) (Kelly 2003 §2)"
            );
            let measured = mean_from(name, expected, loss_interval, 500, 3_000);
            compared(name, &what, measured, expected, 0.03);
        }
    }
}

/// Within a round trip: from 800 packets by 16 per round trip up to 936, then a quarter of the distance to 1000: 136 / 16 + 4 ln(64 / 4).
#[test]
fn after_a_loss_at_1000_packets_bic_is_within_4_of_it_in_20_round_trips() {
    let mut host = Host::new(build("bic", 1000.0, 2.0), LINK, |number| number == 1);
    host.step();
    let recovered = Time::ZERO + RTT * 2;
    while host.window() < 996.0 {
        host.step();
    }
    let rounds = host.now.since(recovered).as_secs_f64() / RTT.as_secs_f64();
    let what = "round trips from a loss at 1000 packets to 996, against 136 / 16 + 4 ln 16 = 19.6";
    compared("bic", what, rounds, 136.0 / 16.0 + 4.0 * libm::log(16.0), 0.05);
}

/// As the rule of BIC, in whole packets: from 799 by 16 per round trip up to 933, then a quarter of the distance, rounded down,
/// as long as that is 2 or more; all times Linux's mean of packets per acknowledgement, 31/16 where each is acknowledged.
#[test]
fn after_a_loss_at_1000_packets_bic_of_linux_is_within_8_of_it_in_9_round_trips() {
    let search: f64 = (9..=67_u32).map(|distance| 1.0 / f64::from(distance / 4)).sum();
    let expected = (134.0 / 16.0 + search) / (31.0 / 16.0);
    let mut host = Host::new(build("bic-linux", 1000.0, 2.0), LINK, |number| number == 1);
    host.step();
    // The packets of the first round after the reduction leave one round trip after the loss.
    let reduced = Time::ZERO + RTT;
    while host.window() < 992.0 {
        host.step();
    }
    let rounds = host.now.since(reduced).as_secs_f64() / RTT.as_secs_f64();
    let what = "round trips from a loss at 1000 packets to 992, against those of its steps in whole packets";
    compared("bic-linux", what, rounds, expected, 0.05);
}

/// Between losses the window grows by the integral of alpha: for `t` seconds in round trips of `r`, `(t + 5 (t - 1)² +
/// (t - 1)³ / 12) / r`. A single `t` is exact to a round trip, so the sums of many are compared. The acknowledgements
/// of a round trip belong to the window before it, up to 5 % fewer than its own.
#[test]
fn the_increase_of_htcp_between_losses_is_the_integral_of_alpha() {
    let name = "htcp(rtt_scaling=false,adaptive_backoff=false)";
    let mut host = Host::new(build(name, 100.0, 2.0), LINK, |number| number % 20_011 == 0);
    host.run(Time::ZERO + RTT * 3_000);
    let (mut gained, mut expected) = (0.0, 0.0);
    for pair in host.cuts[5..].windows(2) {
        near(pair[0].to, pair[0].from / 2.0, 1e-9);
        let t = pair[1].at.since(pair[0].at + RTT).as_secs_f64();
        let beyond = t - 1.0;
        expected += (t + 5.0 * beyond * beyond + beyond * beyond * beyond / 12.0) / RTT.as_secs_f64();
        gained += pair[1].from - pair[0].to;
    }
    let what = "growth of the window between losses, against the integral of alpha";
    compared("htcp", what, gained, expected, 0.06);
}

/// Linux scales alpha by `2 (1 - beta)`, with the beta of the loss, and by the round trip, where 100 ms are one. A packet is added by
/// the acknowledgement after the first with which those counted reach `w / alpha`: by one of `w / alpha + 3 / 2` in the mean.
#[test]
fn the_increase_of_htcp_of_linux_between_losses_is_the_integral_of_alpha_over_whole_acknowledgements() {
    let mut host = Host::new(build("htcp-linux", 100.0, 2.0), LINK, |number| number % 20_011 == 0);
    host.run(Time::ZERO + RTT * 3_000);
    let (mut gained, mut expected, step) = (0.0, 0.0, 0.01);
    for pair in host.cuts[5..].windows(2) {
        let end = pair[1].at.since(pair[0].at + RTT).as_secs_f64();
        let (mut window, mut t) = (pair[0].to, 0.0);
        while t < end {
            let beyond = f64::max(t - 1.0, 0.0);
            let alpha =
                2.0 * (1.0 - pair[0].to / pair[0].from) * (1.0 + 10.0 * beyond + beyond * beyond / 4.0);
            window += step / RTT.as_secs_f64() * window / (window / alpha + 1.5);
            t += step;
        }
        expected += window - pair[0].to;
        gained += pair[1].from - pair[0].to;
    }
    let what = "growth of the window between losses, against the integral of alpha, an acknowledgement and a half more for each packet";
    compared("htcp-linux", what, gained, expected, 0.06);
}

/// A link of 1000 packets per second and 100 ms holds 101 packets without a queue.
#[test]
fn westwood_decreases_to_the_bdp_of_the_path() {
    let link = Link { service: Span::from_ms(1), buffer: 80, ..LINK };
    let mut host = Host::new(build("westwood", 10.0, 60.0), link, |_| false);
    host.run(Time::ZERO + RTT * 3_000);
    for cut in &host.cuts[2..] {
        let what = "window after each reduction, 1000 packets/s and 100 ms, against the 101 packets that fill the path";
        compared("westwood", what, cut.to, 101.0, 0.02);
    }
}

/// From 8000 packets by 160 per second; the cubic function alone would be at 9698 after 8 s.
#[test]
fn after_a_loss_at_10000_packets_cubic_of_2005_grows_by_160_packets_a_second() {
    let mut host = Host::new(build("cubic-2005", 10_000.0, 2.0), LINK, |number| number == 1);
    host.run(Time::ZERO + RTT * 2 + Span::from_ms(8_000));
    let what = "growth in 8 s after a loss at 10000 packets, against 16 packets in 100 ms";
    compared("cubic-2005", what, host.window() - 8_000.0, 8.0 * 160.0, 0.02);
}

/// Half of the window during the recovery, and what fills the path after it.
#[test]
fn westwood_of_linux_has_the_bdp_of_the_path_after_a_recovery() {
    let link = Link { service: Span::from_ms(1), buffer: 80, ..LINK };
    let mut host = Host::new(build("westwood-linux", 10.0, 60.0), link, |_| false);
    let (mut cuts, mut after) = (0, Vec::new());
    while host.now < Time::ZERO + RTT * 3_000 {
        host.step();
        if let Some(cut) = host.cuts.get(cuts).filter(|cut| (cut.to - host.window()).abs() > 1.0) {
            near(cut.to, cut.from / 2.0, 0.01);
            after.push(host.window());
            cuts += 1;
        }
    }
    let mean = after[2..].iter().sum::<f64>() / (after.len() - 2) as f64;
    let what =
        "mean window after a recovery, 1000 packets/s and 100 ms, against the 101 packets that fill the path";
    compared("westwood-linux", what, mean, 101.0, 0.03);
}
