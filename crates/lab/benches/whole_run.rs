// SPDX-License-Identifier: Apache-2.0
//! One run of the simulator from a scenario file to its records, and nothing else: the part that is counted, profiled
//! and compared with other simulators.
//!
//! `whole_run FILE [PARTITIONS [KEY=VALUE ...]]` runs the first replication, with keys set as by `--set`, and prints
//! one `= name value` in each line: processor time of the simulation, time by the clock on the wall of all that
//! followed the reading of the file, the work done, the peak of memory, and the digest of the records.

#[path = "../tests/support/libraries.rs"]
mod libraries;

use libraries::Libraries;
use narrows_lab::backend::Progress;
use narrows_lab::replication::run_with;
use narrows_lab::scenario::{LoadOptions, load};
use narrows_lab::sim::RunOptions;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

#[expect(clippy::disallowed_methods, reason = "time is what a bench measures")]
fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let Some((file, words)) = words.split_first() else { return };
    let (partitions, overrides) = match words.split_first() {
        None => (1, words),
        Some((count, rest)) => (count.parse().expect("PARTITIONS is a whole number"), rest),
    };
    let path = Path::new(file);
    let text = std::fs::read_to_string(path).expect("the scenario file can be read");
    let base = path.parent().unwrap_or(Path::new("."));
    let options = LoadOptions { loader: Some(Arc::new(Libraries)), ..LoadOptions::default() };
    let scenario = load(&text, file, base, overrides, &options).expect("the scenario is sound");
    let before = memory_kib("VmRSS:");
    let begin = Instant::now();
    let options = RunOptions { partitions, ..RunOptions::default() };
    let records = run_with(&scenario.model, 0, &Progress::new(), options).expect("the run ends well");
    let wall_s = begin.elapsed().as_secs_f64();
    let cost = records.performance;
    println!("= cpu_s {}\n= wall_s {wall_s}", cost.cpu_s);
    println!("= packet_hops {}\n= events {}", cost.packet_hops, cost.events);
    let measures = &records.links[0].values;
    let measure =
        |name: &str| measures.iter().find(|(each, _)| *each == name).map_or(f64::NAN, |(_, value)| *value);
    let bits = measure("rate_bps") * (scenario.model.duration - scenario.model.warmup).as_secs_f64();
    println!("= bottleneck_packets {:.0}", bits / PACKET_BITS);
    println!("= utilization {}\n= loss_rate {}", measure("utilization"), measure("loss_rate"));
    println!("= memory_kib {}", memory_kib("VmHWM:").saturating_sub(before));
    println!("= digest {}", records.digest());
}

/// One line of what Linux says of this process; 0 elsewhere.
fn memory_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Of the packets of the speed points.
const PACKET_BITS: f64 = 12_000.0;
