// SPDX-License-Identifier: Apache-2.0
//! Truth: theory with tolerance. Controllers of media, by the closed forms of their rest and of what they aim at.

use crate::support::{run, value};
use narrows_card::Catalogue;
use narrows_lab::replication::Replication;

/// Flows of `algorithm` alone on a path with a buffer of 300 ms, each with the `source`.
fn alone(algorithm: &str, source: &str, path: &str, count: u32) -> Replication {
    let text = format!(
        r#"
        duration = "180s"
        warmup = "60s"
        path = {{ {path}, queue = {{ kind = "droptail", limit = "300ms" }} }}
        [[flows]]
        name = "media"
        algorithm = "{algorithm}"
        count = {count}
        source = {{ kind = "{source}" }}
        "#
    );
    run(&text, 0)
}

/// The draft aims at half of the target of 60 ms: the mean queueing delay above which the window falls, which the longest delays
/// come up to. Within 15 %.
#[test]
fn the_longest_delays_of_scream_come_up_to_half_of_its_target() {
    for (rate, rtt) in [("2Mbps", "50ms"), ("2Mbps", "20ms")] {
        let records = alone("scream", "call", &format!(r#"rate = "{rate}", rtt = "{rtt}""#), 1);
        let queue = value(&records, "bottleneck", "queue_delay_p95_s");
        let what = format!(
            "95th percentile of the queueing delay of a call alone, {rate}, {rtt}, against the 30 ms at which its window falls"
        );
        Catalogue::Algorithms.assert_near("scream", &what, queue, 0.03, 0.15);
        assert!(value(&records, "bottleneck", "utilization") > 0.97);
    }
}

/// §4.3 of RFC 8698: at rest `x = PRIO XREF RMAX / r`, with the time that a packet waits as `x`. The sending rate is
/// 1.05 `r` (equation 12). The mean backlog over time lacks half of the packet of 12 ms that is being transmitted when
/// another arrives. Of the packets of two flows the one that finds the other's in service waits longer, and the least
/// of 15 counts: a packet's time at most.
#[test]
fn nada_rests_at_the_queueing_delay_of_its_closed_form() {
    for (count, maximum, tolerance) in [(1, 1.5, 0.02), (1, 3.0, 0.02), (2, 1.5, 0.012 / 0.032)] {
        let algorithm = format!("nada(maximum={}kbps)", 1000.0 * maximum);
        let records = alone(&algorithm, "bulk", r#"rate = "1Mbps", rtt = "50ms""#, count);
        let rate = value(&records, "media", "goodput_bps") / f64::from(count) / 1.05;
        let expected = 0.01 * maximum * 1e6 / rate;
        let queue = value(&records, "bottleneck", "queue_delay_mean_s") + 0.006;
        let what = format!(
            "queueing delay of {count} on 1 Mbps, 50 ms, RMAX {maximum} Mbps, against XREF RMAX / r, r = rate of each / 1.05 (RFC 8698 §4.3)"
        );
        Catalogue::Algorithms.assert_near("nada", &what, queue, expected, tolerance);
    }
}

/// §5.5 of the draft: at over-use the rate falls to 0.85 of what arrives, and it grows until the next.
#[test]
fn gcc_uses_85_to_100_percent_of_a_path_of_its_own() {
    for (rate, rtt) in [("1Mbps", "100ms"), ("2Mbps", "50ms"), ("4Mbps", "50ms")] {
        let records = alone("gcc", "bulk", &format!(r#"rate = "{rate}", rtt = "{rtt}""#), 1);
        let used = value(&records, "bottleneck", "utilization");
        assert!(used > 0.85, "{rate}: {used}");
        let what = format!("share of {rate} that is used, {rtt}, alone (draft: between 0.85 and 1)");
        Catalogue::Algorithms.assert_result("gcc", &what, &format!("{used:.2}"));
    }
}
