// SPDX-License-Identifier: Apache-2.0
//! The cost of a connection slot: bytes while its user thinks, bytes while a transfer is in progress, and the
//! seconds that a run takes to build.
//!
//! `connections [USERS [ACTIVE]]` counts with 300000 users whose think time exceeds the run, and with 20000 who
//! all fetch at once, each with one packet in flight, or with 32.

use allocation_counter::measure;
use narrows_lab::backend::Progress;
use narrows_lab::model::Model;
use narrows_lab::replication::run;
use narrows_lab::scenario::{LoadOptions, load};
use std::path::Path;
use std::time::Instant;

#[expect(clippy::disallowed_methods, reason = "time is what a bench measures")]
fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let count = |place: usize, usual: u64| words.get(place).copied().unwrap_or(usual);
    let (users, active) = (count(0, 300_000), count(1, 20_000));

    let begin = Instant::now();
    let idle = model(users, "1000000s", "1s", 1);
    let read_s = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let without = peak(&model(1, "1000000s", "1s", 1));
    let per_idle = (peak(&idle) - without) / users as f64;
    println!("= read_s {read_s:.3}\n= build_and_run_s {:.3}", begin.elapsed().as_secs_f64());
    println!("= bytes_per_idle_slot {per_idle:.0}");

    let thinking = peak(&model(active, "1000000s", "2s", 1));
    let fetching = |window: u64| {
        let busy = model(active, "10ms", "2s", window);
        let records = run(&busy, 0, &Progress::new()).expect("the run ends well");
        let in_progress = records.groups[0].value("active_flows");
        assert!(in_progress >= 0.999 * active as f64, "{in_progress} of {active} transfers are in progress");
        (peak(&busy) - thinking) / active as f64
    };
    let (narrow, wide) = (fetching(1), fetching(WINDOW));
    println!("= bytes_per_active_transfer {narrow:.0}");
    println!("= bytes_per_packet_of_window {:.0}", (wide - narrow) / (WINDOW - 1) as f64);
}

/// So many users behind a link that is fast enough for each to have a receiver's window in flight.
fn model(users: u64, think: &str, duration: &str, window: u64) -> Model {
    let text = format!(
        r#"
        duration = "{duration}"
        path = {{ rate = "1Tbps", rtt = "100ms" }}
        record = {{ interval = "{duration}" }}
        [[flows]]
        algorithm = "newreno"
        count = {users}
        receive_window = "{window}pkt"
        size = "100MB"
        source = {{ kind = "users", think = {{ kind = "exponential", mean = "{think}" }} }}
        "#
    );
    load(&text, "connections", Path::new("."), &[], &LoadOptions::default())
        .expect("the scenario is sound")
        .model
}

/// Bytes that a run holds at most at once.
fn peak(model: &Model) -> f64 {
    measure(|| drop(run(model, 0, &Progress::new()))).bytes_max as f64
}

/// Packets in flight if there are many.
const WINDOW: u64 = 32;
