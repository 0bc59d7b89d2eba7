// SPDX-License-Identifier: Apache-2.0
//! The controller of docs/port.md: it satisfies the contract of all algorithms, and follows the table of its events.

#[path = "../../cc/tests/facts/mod.rs"]
mod facts;
#[path = "examples/aimd.rs"]
mod ported;
#[path = "../../cc/tests/contract/promises.rs"]
mod promises;

use narrows_cc::units::{Bytes, Time};
use narrows_cc::{Ack, Algorithm, Cause, CongestionControl, Entry, Idle, Loss, Path, Setup};

/// The algorithms under test.
fn subjects() -> impl Iterator<Item = &'static Entry> {
    std::iter::once(&ported::ENTRY)
}

const SETUP: Setup = Setup::new(Bytes::new(1460), 1).initial_ssthresh(20.0);

/// Passes an event of the table to an algorithm, as a host does.
fn apply(algorithm: &mut dyn CongestionControl, event: &str, packets: u64) {
    let path = Path::new(Time::ZERO, SETUP.mss).in_flight(10).window_limited(event != "limited");
    let ack = Ack::new(packets).advanced(event != "duplicate");
    let loss = |cause, new_episode| Loss::new(cause, packets).new_episode(new_episode);
    match event {
        "start" => {}
        "ack" | "duplicate" | "limited" => algorithm.on_ack(&ack, &path),
        "loss" => algorithm.on_loss(&loss(Cause::Detected, true), &path),
        "further" => algorithm.on_loss(&loss(Cause::Detected, false), &path),
        "timeout" => algorithm.on_loss(&loss(Cause::Timeout, true), &path),
        "recovered" => algorithm.on_recovered(&path),
        "spurious" => algorithm.on_spurious_loss(&path),
        "idle" => algorithm.on_idle(&Idle::new(Time::ZERO, 1), &path),
        _ => panic!("no event {event}"),
    }
}

#[test]
fn each_event_leaves_the_window_and_ssthresh_of_the_table() {
    let mut algorithm =
        Algorithm::among([&ported::ENTRY], "ported", Vec::new()).expect("its own name").build(&SETUP);
    for line in include_str!("examples/aimd.tsv").lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |place: usize| fields[place].parse::<f64>().expect("a number");
        apply(&mut *algorithm, fields[0], fields[1].parse().unwrap_or(0));
        assert_eq!(algorithm.window(), Some(number(2)), "{line}");
        assert_eq!(algorithm.ssthresh(), Some(number(3)), "{line}");
    }
}
