//! One run of the simulator from a scenario file to its records, and nothing else: what is counted and profiled.
//!
//! `whole_run FILE [PARTITIONS]` runs the first replication and prints one line: seconds of processor time of the
//! simulation, seconds by the clock on the wall for everything after the file was read, packet-hops, events, and the
//! digest of the records.

use narrows_lab::replication::run_with;
use narrows_lab::run::{Progress, RunOptions};
use narrows_lab::scenario::{LoadOptions, load};
use std::path::Path;
use std::time::Instant;

#[expect(clippy::disallowed_methods, reason = "time is what a bench measures")]
fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let (file, partitions) = match words.as_slice() {
        [] => return,
        [file] => (file, 1),
        [file, partitions] => (file, partitions.parse().expect("PARTITIONS is a whole number")),
        _ => panic!("give FILE [PARTITIONS]"),
    };
    let path = Path::new(file);
    let text = std::fs::read_to_string(path).expect("the scenario file can be read");
    let base = path.parent().unwrap_or(Path::new("."));
    let scenario = load(&text, file, base, &[], &LoadOptions::default()).expect("the scenario is sound");
    let begin = Instant::now();
    let options = RunOptions { partitions, ..RunOptions::default() };
    let records = run_with(&scenario.model, 0, &Progress::new(), options).expect("the run ends well");
    let cost = records.performance;
    println!(
        "cpu_s {} wall_s {} packet_hops {} events {} digest {}",
        cost.cpu_s,
        begin.elapsed().as_secs_f64(),
        cost.packet_hops,
        cost.events,
        records.digest()
    );
}
