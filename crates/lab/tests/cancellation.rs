// SPDX-License-Identifier: Apache-2.0
//! Contract: a run ends when it is cancelled, whatever it is doing, and before it needs more memory than it may have. A test
//! here that does not end has failed.

use crate::support::scenario;
use narrows_lab::backend::{Overfull, Progress, RunError};
use narrows_lab::replication::run_with;
use narrows_lab::sim::RunOptions;

/// Scenarios that take hours, each for another reason.
const LONG: &[(&str, &str)] = &[
    (
        "many packets in each event of a link",
        r#"
        duration = "60s"
        path = { rate = "100Tbps", rtt = "40ms" }
        flows = [{ algorithm = "cubic" }]
        "#,
    ),
    (
        "many packets in each event of a host",
        r#"
        duration = "1000s"
        path = { rate = "100Tbps", rtt = "40ms", queue = { kind = "droptail", limit = "10pkt" } }
        record = { interval = "1000s" }
        flows = [{ algorithm = "constant(rate=50Tbps)" }]
        "#,
    ),
    (
        "many events at almost one time",
        r#"
        duration = "60s"
        path = { rate = "100Gbps", rtt = "1ns" }
        flows = [{ algorithm = "cubic", count = 100, size = "1kB", source = { kind = "users", think = "1ps" } }]
        "#,
    ),
    (
        "many wakes of a queue",
        r#"
        duration = "1000s"
        path = { rate = "10Gbps", rtt = "40ms", queue = { kind = "pie", update = "20us" } }
        flows = [{ algorithm = "cubic" }]
        "#,
    ),
];

#[test]
fn a_run_ends_when_it_is_cancelled() {
    for (what, text) in LONG {
        for (partitions, lookahead) in [(1, true), (2, true), (1, false)] {
            let options = RunOptions { partitions, lookahead, ..RunOptions::default() };
            let (progress, model) = (Progress::new(), scenario(text).model);
            let result = std::thread::scope(|scope| {
                let run = scope.spawn(|| run_with(&model, 0, &progress, options));
                std::thread::sleep(std::time::Duration::from_millis(100));
                progress.cancel();
                run.join().expect("a cancelled run does not panic")
            });
            assert_eq!(result.err(), Some(RunError::Interrupted), "{what}, {options:?}");
        }
    }
}

#[test]
fn a_run_ends_where_too_many_packets_wait() {
    let text = r#"
        duration = "60s"
        path = { rate = "10Mbps", rtt = "40ms" }
        flows = [{ algorithm = "constant(rate=1000Tbps)" }]
    "#;
    let logged = format!("{text}\nrecord = {{ packets = true, packet_limit = 10 }}");
    for text in [text, &logged] {
        for partitions in [1, 2] {
            let options = RunOptions { partitions, most_packets: 100_000, ..RunOptions::default() };
            match run_with(&scenario(text).model, 0, &Progress::new(), options) {
                Err(RunError::Overfull(Overfull { most, busiest, .. })) => {
                    assert_eq!(most, 100_000);
                    let (algorithm, group) = busiest.expect("a sender");
                    assert!(algorithm.starts_with("constant(rate="), "{algorithm}");
                    assert_eq!(group, "constant");
                }
                other => panic!("{partitions} partitions: {:?}", other.map(|_| "it ended")),
            }
        }
    }
}
