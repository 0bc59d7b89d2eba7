// SPDX-License-Identifier: Apache-2.0
//! Truth: closed form. The waiting time of a window that exceeds the path at the access link that is the bottleneck.

use crate::support::{assert_near, run, value};
use narrows_lab::replication::Replication;

/// A window of 200 packets over access links of 10 Mbps and a bottleneck of `rate`.
fn records(rate: &str) -> Replication {
    let text = format!(
        r#"
        duration = "20s"
        warmup = "10s"
        path = {{ rate = {rate}, rtt = "40ms", packet = "1000B", access_rate = "10Mbps", queue = {{ kind = "droptail" }} }}
        transport = {{ preset = "ns2", receive_window = "200pkt", header = "0B" }}
        [[flows]]
        name = "own"
        algorithm = "newreno"
        "#
    );
    run(&text, 0)
}

/// The round trip of a window W takes W S, with S the time of a packet on the access link. Of it all is waiting there
/// but the propagation, the packet's time on three links and the acknowledgement's. By Little's law W - (the rest) / S
/// packets wait.
fn assert_waits_at_access_links(records: &Replication) {
    let own = |name| value(records, "own", name);
    let (slow, fast) = (1000.0 * 8.0 / 10e6, 1000.0 * 8.0 / 100e6);
    let rest = 0.040 + (2.0 * slow + fast) * (1.0 + 40.0 / 1000.0);
    assert_near("utilization", own("access_utilization"), 1.0, 1e-3);
    assert_near("delay", own("access_queue_delay_mean_s"), 200.0 * slow - rest, 2e-3);
    assert_near("queue", own("access_queue_mean_packets"), 200.0 - rest / slow, 2e-3);
    assert!(value(records, "bottleneck", "queue_delay_mean_s") < 1e-6);
    let series = records.tables["series"].real("access_queue_delay_s").expect("a column");
    let last = series.iter().rfind(|delay| !delay.is_nan()).expect("a value");
    assert_near("series", *last, 200.0 * slow - rest, 2e-3);
}

#[test]
fn a_window_waits_at_the_access_link_of_its_sender() {
    assert_waits_at_access_links(&records(r#""100Mbps""#));
}

/// While the bottleneck is slow the window waits there; then all of it moves to the receiver's access link, before which it stays,
/// since the sender's is no faster.
#[test]
fn a_window_waits_at_the_access_link_of_its_receiver() {
    let rate = r#"{ kind = "steps", rates = ["2Mbps", "100Mbps"], times = ["0s", "5s"] }"#;
    assert_waits_at_access_links(&records(rate));
}

/// Access links are ten times as fast as the bottleneck if the scenario gives no rate: the packet that waits there is
/// the second of two packets that an acknowledgement releases at most.
#[test]
fn hardly_a_packet_waits_at_access_links_that_are_not_the_bottleneck() {
    let text = r#"
        duration = "20s"
        warmup = "5s"
        path = { rate = "10Mbps", rtt = "40ms" }
        [[flows]]
        name = "own"
        algorithm = "cubic"
    "#;
    let records = run(text, 0);
    let (waits, behind) = (
        value(&records, "own", "access_queue_delay_mean_s"),
        value(&records, "bottleneck", "queue_delay_mean_s"),
    );
    assert!(waits < 1e-4 && behind > 100.0 * waits, "{waits} s and {behind} s");
}
