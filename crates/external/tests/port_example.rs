// SPDX-License-Identifier: Apache-2.0
//! The controller of docs/port.md: it satisfies the contract of all algorithms, and follows the table of its events.

#[path = "../../cc/tests/facts/mod.rs"]
mod facts;
#[path = "examples/aimd.rs"]
mod ported;
#[path = "../../cc/tests/contract/promises.rs"]
mod promises;

use narrows_cc::units::{Bytes, Time};
use narrows_cc::{
    Ack, AckCounting, Algorithm, Cause, CongestionControl, Entry, FirstCut, Idle, Loss, Path, RestartWindow,
    Setup, SlowStartKind, UndoRestores,
};

/// The algorithms under test.
fn subjects() -> impl Iterator<Item = &'static Entry> {
    std::iter::once(&ported::ENTRY)
}

const SETUP: Setup = Setup {
    mss: Bytes::new(1460),
    packet: Bytes::new(1500),
    initial_window: 10.0,
    initial_ssthresh: 20.0,
    first_cut: FirstCut::Rule,
    abe: false,
    restart_window: RestartWindow::Initial,
    undo_restores: UndoRestores::State,
    slow_start: SlowStartKind::Standard,
    ack_counting: AckCounting::Segments,
    quick_start: None,
    saved_path: None,
    paced: false,
    seed: 1,
};

/// Passes an event of the table to an algorithm, as a host does.
fn apply(algorithm: &mut dyn CongestionControl, event: &str, packets: u64) {
    let path = Path {
        now: Time::ZERO,
        mss: SETUP.mss,
        in_flight: 10,
        rtt: None,
        round: 0,
        window_limited: event != "limited",
        next_departure: Time::ZERO,
    };
    let ack = Ack {
        newly_acked: packets,
        advanced: event != "duplicate",
        ce_packets: 0,
        rtt: None,
        one_way: None,
        rate: None,
        feedback: None,
        packets: &[],
    };
    let loss = |cause, new_episode| Loss { cause, new_episode, lost: packets, flight: None, packets: &[] };
    match event {
        "start" => {}
        "ack" | "duplicate" | "limited" => algorithm.on_ack(&ack, &path),
        "loss" => algorithm.on_loss(&loss(Cause::Detected, true), &path),
        "further" => algorithm.on_loss(&loss(Cause::Detected, false), &path),
        "timeout" => algorithm.on_loss(&loss(Cause::Timeout, true), &path),
        "recovered" => algorithm.on_recovered(&path),
        "spurious" => algorithm.on_spurious_loss(&path),
        "idle" => algorithm.on_idle(&Idle { since: Time::ZERO, timeouts: 1 }, &path),
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
