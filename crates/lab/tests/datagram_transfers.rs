// SPDX-License-Identifier: Apache-2.0
//! Truth: closed form, contract. A finite transfer of datagrams ends when its packets have arrived, whatever sends them.

use crate::support::{run, run_as, value};
use narrows_lab::congestion_control::{Algorithm, Transport, catalogue};
use narrows_lab::replication::Replication;
use narrows_lab::sim::RunOptions;

/// The algorithms that send datagrams.
fn algorithms() -> Vec<String> {
    // If there is no default, a rate that the path carries.
    let named = |name: &str| match name {
        "constant" => "constant(rate=1Mbps)".to_owned(),
        _ => name.to_owned(),
    };
    let all = catalogue::entries().iter().map(|entry| named(entry.card.name));
    let of_datagrams = |name: &String| {
        let algorithm = Algorithm::parse(name).expect("the catalogue has it");
        matches!(algorithm.needs().transport, Transport::Datagram(_))
    };
    let found: Vec<String> = all.filter(of_datagrams).collect();
    assert!(found.len() >= 3, "{found:?}");
    found
}

/// One flow named `flow`, with more keys, on a path with an access rate of ten times its own.
fn one(algorithm: &str, flow: &str, path: &str) -> String {
    format!(
        r#"
        duration = "30s"
        transport = {{ send_delay = "0s" }}
        path = {{ rate = "10Mbps", access_rate = "100Mbps", rtt = "20ms"{path} }}
        [[flows]]
        name = "flow"
        algorithm = "{algorithm}"
        {flow}
        "#
    )
}

fn reals<'a>(records: &'a Replication, table: &str, column: &str) -> &'a [f64] {
    records.tables[table].real(column).expect("a column")
}

fn wholes<'a>(records: &'a Replication, table: &str, column: &str) -> &'a [i64] {
    records.tables[table].whole(column).expect("a column")
}

/// 1040 bytes on the wire take 83.2 us on each access link and 832 us on the bottleneck, and half the round trip.
#[test]
fn a_transfer_of_one_packet_takes_what_its_packet_takes() {
    for algorithm in algorithms() {
        let records = run(&one(&algorithm, r#"size = "1kB""#, ""), 0);
        let expected = 0.010 + 1040.0 * 8.0 * (1.0 / 10e6 + 2.0 / 100e6);
        for (table, column) in
            [("flows", "completed_s"), ("flows", "completion_time_s"), ("transfers", "end_s")]
        {
            let got = reals(&records, table, column)[0];
            assert!((got - expected).abs() < 1e-9, "{algorithm}: {column} is {got}, not {expected}");
        }
        assert_eq!(value(&records, "flow", "completed_flows") as u32, 1, "{algorithm}");
        // The idle path of the definition has no access links.
        let slowdown = value(&records, "flow", "slowdown");
        assert!((slowdown - expected / 0.010_832).abs() < 1e-6, "{algorithm}: {slowdown}");
    }
}

#[test]
fn no_transfer_ends_before_its_last_packet_can_have_arrived() {
    for algorithm in algorithms() {
        for size in ["1B", "1kB", "20kB"] {
            let flow = format!("size = \"{size}\"\nsource = {{ kind = \"poisson\", interval = \"100ms\" }}");
            let records = run(&one(&algorithm, &flow, ""), 0);
            let times =
                reals(&records, "transfers", "start_s").iter().zip(reals(&records, "transfers", "end_s"));
            assert!(times.len() > 200, "{algorithm}: {}", times.len());
            let shortest = times.map(|(start, end)| end - start).fold(f64::INFINITY, f64::min);
            assert!(shortest > 0.010, "{algorithm}, {size}: {shortest} s");
            assert!(value(&records, "flow", "slowdown") >= 1.0, "{algorithm}, {size}");
        }
    }
}

/// Ten packets, one every 11.68 ms: the last is lost, and the transfer was complete when the ninth arrived.
#[test]
fn a_transfer_that_loses_its_last_packet_ends_with_the_last_arrival() {
    let lost = r#", loss = { kind = "periodic", every = "10pkt" }"#;
    let records = run(&one("constant(rate=1Mbps)", r#"size = "14600B""#, lost), 0);
    let packet = 0.010 + 12_000.0 * (1.0 / 10e6 + 2.0 / 100e6);
    let expected = 8.0 * 0.01168 + packet;
    let got = reals(&records, "flows", "completion_time_s")[0];
    assert!((got - expected).abs() < 1e-6, "{got}, not {expected}");
    assert_eq!(wholes(&records, "transfers", "bytes"), [9 * 1460]);
    // That no more comes is known a second and twice the delay of a packet after the last was due.
    let completed = wholes(&records, "census", "completed_flows");
    let known = completed.iter().position(|count| *count > 0).expect("it is complete");
    let at = reals(&records, "census", "time_s")[known];
    assert!((1.1..1.5).contains(&at), "{at}");
}

#[test]
fn a_transfer_of_which_nothing_arrives_has_failed() {
    let records = run(
        &one("constant(rate=1Mbps)", r#"size = "3kB""#, r#", loss = { kind = "bernoulli", rate = 1 }"#),
        0,
    );
    assert_eq!(value(&records, "flow", "completed_flows") as u32, 0);
    assert_eq!(value(&records, "flow", "failed_flows") as u32, 1);
    assert!(reals(&records, "flows", "completed_s")[0].is_nan());
}

/// Twice the rate of the link for 8 s: the last packet waits for as long, and all that the queue holds arrives.
#[test]
fn what_waits_in_a_long_queue_is_waited_for() {
    let path = r#", queue = { kind = "droptail", limit = "infinite" }"#;
    let records = run(&one("constant(rate=20Mbps)", r#"size = "20MB""#, path), 0);
    let packets = 20e6_f64 / 1460.0;
    let expected = 8.0 * (20e6 + packets.ceil() * 40.0) / 10e6;
    let got = reals(&records, "flows", "completion_time_s")[0];
    assert!((got - expected).abs() < 0.02, "{got}, not {expected}");
    assert_eq!(wholes(&records, "transfers", "bytes"), [20_000_000]);
    assert!(value(&records, "flow", "flow_goodput_bps") < 10e6);
}

/// Each packet is a transfer, behind a queue of three seconds that another flow has built up.
#[test]
fn a_single_packet_behind_a_long_queue_is_waited_for() {
    let flow = r#"
        size = "1kB"
        start = "5s"
        [[flows]]
        name = "before"
        algorithm = "constant(rate=20Mbps)"
        size = "8MB"
        start = "1.8s"
    "#;
    let records = run(&one("tfrc", flow, r#", queue = { kind = "droptail", limit = "infinite" }"#), 0);
    assert_eq!(value(&records, "flow", "completed_flows") as u32, 1);
    let time = value(&records, "flow", "completion_time_s");
    assert!((3.0..4.0).contains(&time), "{time}");
}

/// Transfers of four packets of which many are lost, the last ones among them.
#[test]
fn every_transfer_that_started_is_over_or_in_progress_however_the_network_is_cut() {
    let flow = r#"
        size = "5kB"
        source = { kind = "poisson", interval = "50ms" }
        [record]
        interval = "100ms"
    "#;
    for algorithm in algorithms() {
        let text = one(&algorithm, flow, r#", delay = "5ms", loss = { kind = "bernoulli", rate = "30%" }"#);
        let records = run(&text, 0);
        let sum = |name| wholes(&records, "census", name);
        let mut in_progress = 0;
        for interval in 0..sum("started_flows").len() {
            in_progress += sum("started_flows")[interval];
            in_progress -= sum("completed_flows")[interval] + sum("failed_flows")[interval];
            assert_eq!(sum("active_flows")[interval], in_progress, "{algorithm}: interval {interval}");
        }
        let ended = |name| sum(name).iter().sum::<i64>();
        assert!(ended("completed_flows") > 300, "{algorithm}: {}", ended("completed_flows"));
        for (partitions, lookahead) in [(1, false), (2, true), (2, false)] {
            let other = run_as(&text, 0, RunOptions { partitions, lookahead, ..RunOptions::default() });
            assert_eq!(other.digest(), records.digest(), "{algorithm}: {partitions} {lookahead}");
        }
    }
}
