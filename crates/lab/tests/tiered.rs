// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. Transfers between the edges of a tiered Internet.

use crate::support::scenario;
use narrows_lab::backend::Progress;
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::sim::RunOptions;

const SMALL: &str = r#"
    duration = "6s"
    warmup = "1s"
    [network]
    rtt = "250ms"
    generator = { kind = "tiered", backbone = "west", rate = "200Mbps", direct = 2, fast = 4, normal = 8, buffers = "rtt/sqrt(n)", transfers = 300 }
    hosts = { rate = "20Mbps", fast = "30%", delay = "1ms" }
    [[flows]]
    name = "a"
    algorithm = "cubic"
    count = 150
    between = "edges"
    size = { kind = "mixture", parts = [{ class = "page", share = 0.9, of = { kind = "pareto", mean = "40kB", shape = 1.5 } }, { class = "film", share = 0.1, of = "500kB" }] }
    source = { kind = "users", think = { kind = "exponential", mean = "1s" }, surges = [{ from = "2s", until = "4s", factor = 3, at = ["N"] }] }
    [[flows]]
    name = "b"
    algorithm = "newreno"
    between = "edges"
    size = "30kB"
    source = { kind = "poisson", interval = "20ms", concurrent = 500 }
    [[flows]]
    name = "long"
    algorithm = "htcp"
    from = "D0"
    to = "D1"
"#;

/// Users with short think times, before queues so long that timeouts are spurious: packets that a transfer has sent
/// twice still arrive when the next of its slot, behind another router, has started.
const HASTY: &str = r#"
    duration = "6s"
    [network]
    rtt = "250ms"
    generator = { kind = "tiered", backbone = "west", rate = "40Mbps", direct = 2, fast = 4, normal = 8 }
    hosts = { rate = "20Mbps", fast = "30%", delay = "20ms" }
    [[flows]]
    name = "a"
    algorithm = "cubic"
    count = 150
    between = "edges"
    size = "30kB"
    source = { kind = "users", think = { kind = "exponential", mean = "10ms" } }
"#;

fn run(text: &str, partitions: usize) -> Replication {
    let options = RunOptions { partitions, ..RunOptions::default() };
    run_with(&scenario(text).model, 0, &Progress::new(), options).expect("the run ends by itself")
}

#[test]
fn the_records_do_not_depend_on_how_the_network_is_cut() {
    for text in [SMALL, HASTY] {
        let whole = run(text, 1);
        for partitions in [2, 3] {
            assert_eq!(run(text, partitions).digest(), whole.digest(), "{partitions} partitions");
        }
    }
}

#[test]
fn the_resolved_scenario_has_the_same_records() {
    assert_eq!(run(&scenario(SMALL).resolved, 1).digest(), run(SMALL, 1).digest());
}
