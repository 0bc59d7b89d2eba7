// SPDX-License-Identifier: Apache-2.0
//! Truth: theory. What Nagle's algorithm and delayed acknowledgements together cost short transfers (RFC 1122 §4.2.3.4).

use crate::support::{assert_near, run, value};

/// The time in seconds that transfers of `size` take on a path of which only the round trip of 100 ms counts.
fn completion(size: &str, nagle: bool, delayed_ack: u32) -> f64 {
    let text = format!(
        r#"
        duration = "30s"
        path = {{ rate = "10Gbps", rtt = "100ms", queue = {{ kind = "droptail", limit = "infinite" }} }}
        [[flows]]
        name = "users"
        algorithm = "newreno"
        size = "{size}"
        nagle = {nagle}
        delayed_ack = {delayed_ack}
        send_delay = "0s"
        source = {{ kind = "users", think = "1s" }}
        "#
    );
    value(&run(&text, 0), "users", "completion_time_s")
}

/// A transfer takes a round trip for the handshake and one for its data. Its last segment, if it is not full, waits for a round
/// trip more, and for the receiver, which delays the acknowledgement of a single segment by 40 ms.
#[test]
fn an_odd_number_of_full_segments_and_a_rest_cost_a_round_trip_and_a_delayed_acknowledgement() {
    for (size, nagle, delayed_ack, expected) in [
        ("2000B", false, 2, 0.2),
        ("2000B", true, 1, 0.3),
        ("2000B", true, 2, 0.34),
        ("3500B", true, 2, 0.3),
        ("2920B", true, 2, 0.2),
        ("100B", true, 2, 0.2),
    ] {
        let what = format!("{size}, Nagle {nagle}, an ACK per {delayed_ack}");
        assert_near(&what, completion(size, nagle, delayed_ack), expected, 0.001);
    }
}

/// Bytes on the path of an application that writes 100 bytes each 10 ms, headers of 40 bytes included, bits per second.
fn stream(transport: &str) -> [f64; 2] {
    let text = format!(
        r#"
        duration = "60s"
        warmup = "10s"
        path = {{ rate = "10Gbps", rtt = "100ms", queue = {{ kind = "droptail", limit = "infinite" }} }}
        [[flows]]
        name = "keys"
        algorithm = "newreno"
        send_delay = "0s"
        source = {{ kind = "writes", interval = "10ms", size = "100B", whole_packets = false }}
        {transport}
        "#
    );
    let records = run(&text, 0);
    ["goodput_bps", "throughput_bps"].map(|name| value(&records, "keys", name))
}

/// RFC 896: without it a header is sent for each write; with it for each round trip, and for each delayed acknowledgement.
#[test]
fn small_writes_cost_a_header_each_without_nagle_and_one_per_acknowledgement_with_it() {
    let header = 40.0 * 8.0;
    for (transport, segments_per_second) in [
        ("nagle = false", 100.0),
        ("nagle = true\ndelayed_ack = 1", 1.0 / 0.1),
        ("nagle = true\ndelayed_ack = 2", 1.0 / 0.14),
    ] {
        let [goodput, throughput] = stream(transport);
        assert_near(transport, goodput, 80e3, 0.01);
        assert_near(transport, throughput, 80e3 + segments_per_second * header, 0.01);
    }
}

/// Data that a window holds back is sent in full segments, so that an application which writes more than the path
/// carries has all of it.
#[test]
fn a_stream_of_small_writes_fills_a_path() {
    let text = r#"
        duration = "40s"
        warmup = "10s"
        path = { rate = "4Mbps", rtt = "40ms" }
        # One reduction leaves the queue of one bandwidth-delay product just empty, a second one the path.
        transport = { lost_retransmission_reduces = false }
        [[flows]]
        name = "stream"
        algorithm = "newreno"
        source = { kind = "writes", interval = "100us", size = "100B", whole_packets = false }
        "#;
    let payload = 1460.0 / 1500.0;
    assert_near("goodput", value(&run(text, 0), "stream", "goodput_bps"), 4e6 * payload, 0.02);
}
