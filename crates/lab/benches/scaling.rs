// SPDX-License-Identifier: Apache-2.0
//! How many processors can share one run: counted, not timed, so that it holds for more processors than this machine has.
//!
//! `scaling FILE [KEY=VALUE ...]` runs the first replication with its network cut into 1, 2, 4, ... 64 partitions, all in one
//! thread, and counts packet-hops and exchanged packets of each partition in each window. A window takes as long as the
//! partition with the most work; a packet that crosses costs `CROSSING` of a hop at either end, as measured with two processors
//! (docs/performance.md), and all partitions wait for each other as long as `BARRIER` hops take.

use narrows_lab::scenario::{LoadOptions, load};
use narrows_lab::sim::{Work, shares};
use std::path::Path;

fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let Some((file, overrides)) = words.split_first() else { return };
    let path = Path::new(file);
    let text = std::fs::read_to_string(path).expect("the scenario file can be read");
    let base = path.parent().unwrap_or(Path::new("."));
    let scenario =
        load(&text, file, base, overrides, &LoadOptions::default()).expect("the scenario is sound");
    println!("partitions  windows  hops  of them exchanged  largest share  times as fast");
    let mut alone = None;
    for count in [1, 2, 4, 8, 16, 32, 64] {
        let windows = shares(&scenario.model, 0, count).expect("the run ends well");
        let partitions = windows.first().map_or(0, Vec::len);
        let sum = |of: fn(&Work) -> u64| windows.iter().flatten().map(of).sum::<u64>();
        let hops = sum(|work| work.hops);
        let longest: f64 = windows.iter().map(|window| duration(window)).sum();
        let alone = *alone.get_or_insert(hops);
        let busiest =
            (0..partitions).map(|number| windows.iter().map(|window| window[number].hops).sum::<u64>());
        println!(
            "{partitions:>10}  {:>7}  {hops}  {:.1} %  {:.3}  {:.2}",
            windows.len(),
            100.0 * sum(|work| work.sent) as f64 / hops as f64,
            busiest.max().unwrap_or(0) as f64 / hops as f64,
            alone as f64 / longest,
        );
        if partitions < count {
            return;
        }
    }
}

/// Hops that a window takes.
fn duration(window: &[Work]) -> f64 {
    let own = |work: &Work| work.hops as f64 + CROSSING * (work.sent + work.received) as f64;
    let longest = window.iter().map(own).fold(0.0, f64::max);
    longest + if window.len() > 1 { BARRIER } else { 0.0 }
}

/// Hops that a packet costs at either end of an exchange.
const CROSSING: f64 = 0.1;
/// Hops in the time of one wait for all other partitions, some ten microseconds.
const BARRIER: f64 = 300.0;
