// SPDX-License-Identifier: Apache-2.0
//! Truth: the rule above, at both its bounds.

use narrows_lab::scenario::{LoadOptions, load};
use narrows_lab::sim::RunOptions;
use std::path::Path;

fn partitions(rate: &str, rtt: &str, threads: usize) -> usize {
    let text = format!(
        r#"
        duration = "20s"
        path = {{ rate = "{rate}", rtt = "{rtt}" }}
        [[flows]]
        algorithm = "newreno"
        count = 20
        "#
    );
    let loaded = load(&text, "test", Path::new("."), &[], &LoadOptions::default());
    RunOptions::with_threads(&loaded.expect("the scenario is sound").model, threads).partitions
}

#[test]
fn a_large_run_is_cut_and_others_are_left_whole() {
    assert_eq!(partitions("10Gbps", "50ms", 2), 2);
    assert_eq!(partitions("10Gbps", "50ms", 1), 1, "there is one thread");
    assert_eq!(partitions("10Mbps", "50ms", 2), 1, "it has few packets");
    assert_eq!(partitions("1Gbps", "50ms", 2), 1, "it has few in a window");
    assert_eq!(partitions("10Gbps", "10us", 2), 1, "the threads would meet too often");
}
