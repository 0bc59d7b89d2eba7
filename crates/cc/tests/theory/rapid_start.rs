// SPDX-License-Identifier: Apache-2.0
//! Rapid Start: the growth of its window, and the fluid of its recovery (draft-kazuho-ccwg-rapid-start-02, appendix A).

use super::{Host, Link, near, setup};
use narrows_cc::{Algorithm, CongestionControl, SlowStartKind};
use narrows_units::Span;
use std::cell::Cell;

/// A path that holds any number of packets, all of which are acknowledged one by one after 100 ms.
const PATH: Link =
    Link { service: Span::from_ps(1_000), delay: Span::from_ms(100), buffer: u64::MAX, per_ack: 1, quick: 0 };

fn rapid(name: &str) -> Box<dyn CongestionControl> {
    let setup = setup(10.0, f64::INFINITY).slow_start(SlowStartKind::Rapid);
    Algorithm::parse(name).expect("a known algorithm").build(&setup)
}

#[test]
fn without_a_queue_the_window_triples_in_each_round_trip() {
    let mut host = Host::new(rapid("reno"), PATH, |_| false);
    let mut window = 10.0;
    for round in 1..9 {
        while host.rounds() < round + 1 {
            host.step();
        }
        // The first acknowledgement of the next round has been counted.
        window *= 3.0;
        near(host.window(), window + 2.0, 1e-9);
    }
}

/// The packets that are acknowledged from the first loss until the flow sends again, and the window after the recovery, both over the
/// window before it, if from the 3000th packet on so many of six are lost.
fn recovery(name: &str, lost: u64) -> (f64, f64) {
    let sent = Cell::new(0);
    let mut host = Host::new(rapid(name), PATH, |number| {
        sent.set(number);
        number > 3_000 && number % 6 < lost
    });
    while host.cuts.is_empty() {
        host.step();
    }
    let (before, newest) = (host.cuts[0].from, sent.get());
    let mut steps = 0.0;
    while sent.get() == newest {
        host.step();
        steps += 1.0;
    }
    // Of the packets in flight at the start, all have been acknowledged or declared lost.
    while host.algorithm.reduces_gradually() {
        host.step();
    }
    (steps * (6 - lost) as f64 / 6.0 / before, host.window() / before)
}

#[test]
fn if_two_of_three_packets_are_lost_the_silence_is_as_long_as_after_other_losses() {
    for (name, beta) in [("reno", 0.5), ("cubic", 0.7)] {
        let (silence, _) = recovery(name, 4);
        near(silence, (1.0 - beta) / 3.0, 0.01);
    }
}

#[test]
fn the_window_after_the_recovery_is_beta_of_the_packets_that_arrive_whatever_the_share_of_losses() {
    for (name, beta) in [("reno", 0.5), ("cubic", 0.7)] {
        for lost in 1..=4 {
            let (_, window) = recovery(name, lost);
            near(window, beta * (6 - lost) as f64 / 6.0, 0.01);
        }
    }
}

#[test]
fn the_silence_is_shorter_if_fewer_are_lost() {
    for name in ["reno", "cubic"] {
        let silences = [1, 2, 3, 4].map(|lost| recovery(name, lost).0 * 6.0 / (6 - lost) as f64);
        assert!(silences.is_sorted(), "{name}: {silences:?}");
    }
}
