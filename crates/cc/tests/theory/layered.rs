// SPDX-License-Identifier: Apache-2.0
//! LTCP and TCP-Africa: the closed forms of their cycles.

use super::host::{Host, Link};
use super::{build, compared, mean_from, near};
use narrows_units::{Span, Time};

const RTT: Span = Span::from_ms(100);
const LINK: Link = Link { service: Span::ZERO, delay: RTT, buffer: 0, per_ack: 1, quick: 0 };

/// From W_T to W_K in (W_T / 2) (K (K + 1) / 2 - 3) round trips.
#[test]
fn ltcp_grows_from_50_to_8250_and_28000_packets_in_1300_and_2925_round_trips() {
    for (target, layer, expected) in [(8_250.0, 10.0, 1_300.0), (28_000.0, 15.0, 2_925.0)] {
        near(25.0 * (layer * (layer + 1.0) / 2.0 - 3.0), expected, 1e-9);
        let mut host = Host::new(build("ltcp", 50.0, 2.0), LINK, |_| false);
        while host.window() < target {
            host.step();
        }
        let rounds = host.now.since(Time::ZERO).as_secs_f64() / RTT.as_secs_f64();
        let what = format!(
            "round trips from 50 to {target} packets, against 25 (K (K + 1) / 2 - 3) = {expected}, K = {layer}"
        );
        compared("ltcp", &what, rounds, 1.0 + expected, 0.02);
    }
}

/// The mean windows of a deterministic cycle: one loss in `1 / p` packets.
#[test]
fn the_mean_window_of_ltcp_is_that_of_its_cycle() {
    for (loss_interval, expected) in [(1_000, 111.0), (10_000, 429.0), (100_000, 1_922.0)] {
        let what = format!("mean window, every {loss_interval}th packet lost, against that of its cycle");
        let measured = mean_from("ltcp", expected, loss_interval, 2_000, 12_000);
        compared("ltcp", &what, measured, expected, 0.12);
    }
}

/// The round trips and the losses of some cycles over a link that holds `product` packets and a buffer of `buffer`.
fn cycle(name: &str, product: u64, buffer: u64) -> f64 {
    let link = Link { service: Span::from_ps(RTT.as_ps() / product), buffer, ..LINK };
    let mut host = Host::new(build(name, product as f64, 2.0), link, |_| false);
    let mut begun = 0;
    while host.cuts.len() < 9 {
        host.step();
        if host.cuts.len() == 1 && begun == 0 {
            begun = host.rounds();
        }
    }
    (host.rounds() - begun) as f64 / 8.0
}

/// A cycle without bursts: from half of what path and buffer hold by the table to `alpha` packets in the queue, then by one.
fn expected(product: f64, buffer: f64, alpha: f64) -> f64 {
    let table = [495.0, 663.0, 851.0, 1058.0];
    let (mut window, mut rounds) = (f64::midpoint(product, buffer), 0.0);
    while window < product + alpha {
        window += 5.0 + table.iter().filter(|row| window > **row).count() as f64;
        rounds += 1.0;
    }
    rounds + product + buffer - window
}

/// With a buffer below the bandwidth-delay product a part of the cycle is fast, and the slow part lasts B - alpha round trips. A
/// sender that is not paced keeps bursts of some packets, which an alpha of 10 does not take for a queue.
#[test]
fn the_cycle_of_africa_is_that_of_highspeed_tcp_until_the_queue_fills() {
    for buffer in [100, 500] {
        let expected = expected(1000.0, buffer as f64, 10.0);
        let what = format!(
            "round trips of a loss cycle, 1000 packets in the path, {buffer} in the buffer, alpha = 10, against its fluid limit"
        );
        compared("africa", &what, cycle("africa(alpha=10)", 1000, buffer), expected, 0.1);
    }
}

/// A halving leaves a queue of more than alpha packets if the buffer is larger than the path, so that the whole cycle
/// is slow.
#[test]
fn over_a_buffer_larger_than_the_path_africa_is_reno() {
    let cuts = |name: &str| {
        let link = Link { service: Span::from_us(500), buffer: 300, ..LINK };
        let mut host = Host::new(build(name, 200.0, 2.0), link, |_| false);
        while host.cuts.len() < 6 {
            host.step();
        }
        host.cuts.split_off(1)
    };
    for (africa, reno) in cuts("africa").into_iter().zip(cuts("reno")) {
        near(africa.from, reno.from, 1e-5);
        near(africa.to, africa.from / 2.0, 1e-9);
    }
}
