// SPDX-License-Identifier: Apache-2.0
//! Truth: theory. A link behind a token bucket: its burst, its rate, and the time that its queue holds.

use crate::support::{assert_near, run, scenario, value};
use narrows_lab::backend::Progress;
use narrows_lab::sim::{RunOptions, simulate};

/// A transfer of datagrams that arrives at 100 Mbps leaves in the time that its bytes beyond the burst take at the rate of the
/// bucket, which fills while the burst leaves.
#[test]
fn what_exceeds_the_burst_takes_its_time_at_the_rate() {
    for (burst, seconds) in [(30_000.0, 0.056), (60_000.0, 0.032), (300_000.0, 0.008)] {
        let text = format!(
            r#"
            duration = "5s"
            [path]
            rate = {{ kind = "token-bucket", rate = "10Mbps", burst = "{burst}B", peak = "1Gbps" }}
            rtt = "10ms"
            queue = {{ kind = "droptail", limit = "infinite" }}
            access_rate = "100Gbps"
            [transport]
            send_delay = "0s"
            [[flows]]
            algorithm = "constant(rate=97333kbps)"
            size = "97333B"
            start = "1s"
            "#
        );
        let records =
            simulate(&scenario(&text).model, 0, &Progress::new(), RunOptions::default()).expect("it ends");
        let [transfer] = &records.transfers[..] else { panic!("one transfer") };
        let took = (transfer.ended - transfer.started).as_secs_f64() - 0.005;
        // 100 kB on the wire; the last packet arrives at 8 ms, and all tokens earned since count.
        let expected = ((100_000.0 - burst) * 8.0 / 10e6_f64).max(0.008);
        assert!((expected - seconds).abs() < 1e-9);
        assert_near(&format!("burst of {burst}"), took, expected, 0.01);
    }
}

/// A bulk flow fills the link at its mean rate and no more, and never waits longer than the limit of its queue.
#[test]
fn a_bulk_flow_gets_the_rate_and_waits_at_most_as_long_as_the_queue_holds() {
    for queue in ["{ kind = \"droptail\", limit = \"50ms\" }", "{ kind = \"fq-codel\" }"] {
        let text = format!(
            r#"
            duration = "30s"
            warmup = "5s"
            [path]
            rate = {{ kind = "token-bucket", rate = "20Mbps", burst = "64KB", peak = "1Gbps" }}
            rtt = "40ms"
            queue = {queue}
            [[flows]]
            algorithm = "cubic"
            "#
        );
        let records = run(&text, 0);
        let used = value(&records, "bottleneck", "utilization");
        assert!((0.97..=1.0).contains(&used), "{queue}: {used}");
        let most = value(&records, "bottleneck", "queue_delay_p99_s");
        assert!(most < 0.0515, "{queue}: {most}");
    }
}
