// SPDX-License-Identifier: Apache-2.0
//! Truth: closed forms. Rounds of transfers that start together and wait for the last.

use crate::support::{assert_near, run_as, value};
use narrows_lab::sim::RunOptions;

const DURATION_S: f64 = 10.0;

/// `count` senders answer with ten full packets each over 100 Mbit/s and 1 ms, and 10 ms after the last one again.
fn rounds(count: u32, barrier: bool) -> String {
    format!(
        r#"
        duration = "{DURATION_S}s"
        [path]
        rate = "100Mbps"
        rtt = "1ms"
        access_rate = "100Gbps"
        queue = {{ kind = "droptail", limit = "infinite" }}
        [transport]
        preset = "ns2"
        initial_window = "10pkt"
        [[flows]]
        name = "servers"
        algorithm = "newreno"
        count = {count}
        size = "15kB"
        source = {{ kind = "users", think = "10ms", barrier = {barrier} }}
        "#
    )
}

/// A round takes a round trip for the handshakes, one for the data, and the time for all packets on the bottleneck.
#[test]
fn rounds_have_their_length() {
    for count in [1, 4, 16] {
        let records = run_as(&rounds(count, true), 0, RunOptions::default());
        let packets = f64::from(count) * 10.0;
        // SYNs and the reverse direction take 3.2 µs for each packet of 40 bytes.
        let round = 0.01 + 2.0 * 1e-3 + packets * 1500.0 * 8.0 / 100e6;
        let started = value(&records, "servers", "started_flows");
        assert_near(&format!("{count} servers"), started / f64::from(count), DURATION_S / round, 0.02);
        assert!(started % f64::from(count) == 0.0, "all start together: {started}");
    }
}

#[test]
fn without_a_barrier_no_transfer_waits_for_others() {
    let started =
        |barrier| value(&run_as(&rounds(16, barrier), 0, RunOptions::default()), "servers", "started_flows");
    assert!(started(false) > 1.1 * started(true), "{} {}", started(false), started(true));
}

#[test]
fn rounds_are_the_same_in_partitions() {
    let seen = |partitions, lookahead| {
        let options = RunOptions { partitions, lookahead, ..RunOptions::default() };
        let records = run_as(&rounds(8, true), 0, options);
        format!("{:?} {:?}", records.groups, records.links)
    };
    assert_eq!(seen(1, true), seen(2, true));
    assert_eq!(seen(1, true), seen(1, false));
}
