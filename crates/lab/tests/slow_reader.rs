// SPDX-License-Identifier: Apache-2.0
//! Truth: theory and contract. Applications that read more slowly than the network delivers: what they get, and that a window
//! which closes opens again, whatever the algorithm and whatever is lost (RFC 9293 §3.8.6).

use crate::support::{assert_near, run, value};
use narrows_lab::algorithm;
use narrows_lab::congestion_control::{Algorithm, Transport};

/// A flow alone on a path of 20 Mbps and 50 ms, in which no packet is lost.
fn alone(transport: &str) -> String {
    format!(
        r#"
        duration = "60s"
        warmup = "20s"
        path = {{ rate = "20Mbps", rtt = "50ms", queue = {{ kind = "droptail", limit = "infinite" }} }}
        [[flows]]
        algorithm = "newreno"
        send_delay = "0s"
        {transport}
        "#
    )
}

#[test]
fn goodput_is_the_rate_at_which_the_application_reads() {
    for preset in ["modern", "sack-2012", "ns2", "linux"] {
        for read in [0.3, 2.0, 7.0] {
            let transport =
                format!("preset = \"{preset}\"\nreceive_window = \"60pkt\"\nread_rate = \"{read}Mbps\"");
            let goodput = value(&run(&alone(&transport), 0), "newreno", "goodput_bps");
            assert_near(&format!("{read} Mbps, {preset}"), goodput, read * 1e6, 0.01);
        }
    }
}

/// An application that is faster than the path: a full window is sent in each round trip. It is a segment less than the
/// buffer, as the acknowledgement of a segment leaves before that is read.
#[test]
fn throughput_is_the_window_in_a_round_trip_where_the_application_is_fast() {
    for window in [8.0, 20.0, 40.0] {
        let transport = format!("delayed_ack = 1\nreceive_window = \"{window}pkt\"\nread_rate = \"1Gbps\"");
        let goodput = value(&run(&alone(&transport), 0), "newreno", "goodput_bps");
        // A segment takes 0.6 ms on the path of 20 Mbps, and its acknowledgement 16 µs.
        let round_trip = 0.05 + 1540.0 * 8.0 / 20e6;
        assert_near(&format!("{window} packets"), goodput, (window - 1.0) * 1460.0 * 8.0 / round_trip, 0.02);
    }
}

/// A third of the acknowledgements are lost, and with them updates of the window, answers to probes, and acknowledgements of data.
#[test]
fn a_closed_window_never_ends_a_connection_whatever_the_algorithm() {
    let mut stuck = Vec::new();
    let mut tried = 0;
    for entry in algorithm::listed() {
        let name = entry.card.name;
        let needs = Algorithm::parse(name).expect("a known algorithm").needs();
        if needs.transport != Transport::Reliable {
            continue;
        }
        let queue = needs.router.unwrap_or("droptail");
        for (preset, window, reads) in [
            ("modern", "4pkt", "read_rate = \"1Mbps\"\nread_pause = \"2s..5s\""),
            ("linux", "12pkt", "read_pause = \"500ms..9s\""),
            ("sack-2012", "3pkt", "recovery = \"newreno\"\nread_rate = \"700kbps\""),
        ] {
            let text = format!(
                r#"
                duration = "300s"
                [path]
                rate = "10Mbps"
                rtt = "40ms"
                queue = {{ kind = "{queue}" }}
                reverse = {{ loss = {{ kind = "bernoulli", rate = 0.3 }} }}
                [[flows]]
                name = "a"
                algorithm = "{name}"
                preset = "{preset}"
                receive_window = "{window}"
                size = "200kB"
                {reads}
                "#
            );
            tried += 1;
            let records = run(&text, 0);
            if value(&records, "a", "completed_flows") < 1.0 {
                let received = value(&records, "a", "goodput_bps") * 300.0 / 8.0;
                stuck.push(format!("{name} in preset {preset}: {received} bytes"));
            }
        }
    }
    assert!(tried > 100, "{tried}");
    assert!(stuck.is_empty(), "transfers that do not end: {stuck:?}");
}
