// SPDX-License-Identifier: Apache-2.0
//! Truth: the rule by which a run is cut, at both its bounds; the account of the work of partitions is complete.

use narrows_lab::backend::Progress;
use narrows_lab::replication::run_with;
use narrows_lab::scenario::{LoadOptions, load};
use narrows_lab::sim::{RunOptions, shares};
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

#[test]
fn partitions_share_the_work_of_the_run() {
    let text = r#"
        duration = "2s"
        path = { rate = "100Mbps", rtt = "40ms" }
        [[flows]]
        algorithm = "newreno"
        count = 20
        "#;
    let loaded =
        load(text, "test", Path::new("."), &[], &LoadOptions::default()).expect("the scenario is sound");
    let hops = run_with(&loaded.model, 0, &Progress::new(), RunOptions::default())
        .expect("the run ends well")
        .performance
        .packet_hops;
    for count in [1, 2, 5] {
        let windows = shares(&loaded.model, 0, count).expect("the run ends well");
        let all = || windows.iter().flatten();
        assert_eq!(all().map(|work| work.hops).sum::<u64>(), hops, "{count} partitions");
        assert_eq!(all().map(|work| work.sent).sum::<u64>(), all().map(|work| work.received).sum::<u64>());
        assert_eq!(all().any(|work| work.sent > 0), count > 1);
    }
}
