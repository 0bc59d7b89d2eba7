// SPDX-License-Identifier: Apache-2.0
//! Truth: theory with tolerance. VCP, BMCC and MaxNet over their routers.

use crate::support::{run, value};
use narrows_card::Catalogue;
use narrows_lab::replication::Replication;

/// A flow of `algorithm` alone from 20 packets on, over 200 ms that hold 600 packets of 1000 bytes at 24 Mbps.
fn alone(algorithm: &str, queue: &str, duration: &str, warmup: &str) -> Replication {
    let text = format!(
        r#"
        duration = "{duration}"
        warmup = "{warmup}"
        path = {{ rate = "24Mbps", rtt = "200ms", packet = "1000B", queue = {{ kind = "{queue}" }} }}
        transport = {{ preset = "ns2", initial_window = "20pkt" }}
        [[flows]]
        algorithm = "{algorithm}"
        "#
    );
    run(&text, 0)
}

/// Xia et al. 2005: a factor of 1.0625 in each interval of 200 ms while the load is low; a round trip passes before the first
/// packet and one before the first acknowledgement.
#[test]
fn vcp_grows_by_a_sixteenth_in_each_interval() {
    let records = alone("vcp", "vcp", "8.2s", "8s");
    // 20 · 1.0625^38.5.
    let expected = 206.4;
    let row = "window after 8.1 s at low load, from 20 packets, against 20 1.0625^(7.7 s / 0.2 s)";
    let window = value(&records, "vcp", "cwnd_mean_packets");
    Catalogue::Algorithms.assert_near("vcp", row, window, expected, 0.06);
}

/// While VCP takes 11 s from 20 packets to four fifths of 600, BMCC has them after some intervals, since its factor
/// follows the load.
#[test]
fn bmcc_fills_an_idle_link_in_a_fraction_of_the_time_of_vcp() {
    let used = |algorithm, queue| value(&alone(algorithm, queue, "5s", "3s"), "bottleneck", "utilization");
    let (bmcc, vcp) = (used("bmcc", "adpm"), used("vcp", "vcp"));
    assert!(bmcc > 0.75 && vcp < 0.2, "{bmcc} and {vcp}");
}

/// Xia et al. 2005: scaled by the round trip, flows of 80 and 200 ms share alike, nothing is lost, and the queue is short.
#[test]
fn vcp_flows_share_alike_whatever_their_round_trips_and_lose_nothing() {
    let records = run(&beside("vcp", "vcp"), 0);
    let (near, far) = (value(&records, "near", "goodput_bps"), value(&records, "far", "goodput_bps"));
    let row = "goodput of a flow with an RTT of 80 ms, against one with 200 ms";
    Catalogue::Algorithms.assert_near("vcp", row, near, far, 0.05);
    assert!(value(&records, "bottleneck", "dropped_packets") == 0.0);
    let (used, queue) =
        (value(&records, "bottleneck", "utilization"), value(&records, "bottleneck", "queue_mean_packets"));
    assert!(used > 0.88 && queue < 20.0, "{used} and {queue}");
}

/// Wydrowski et al. 2003: flows with one bottleneck see one price, and their sum is the target.
#[test]
fn maxnet_flows_share_alike_whatever_their_round_trips_at_the_target() {
    let records = run(&beside("maxnet", "maxnet"), 0);
    let (near, far) = (value(&records, "near", "goodput_bps"), value(&records, "far", "goodput_bps"));
    let row = "goodput of a flow with an RTT of 80 ms, against one with 200 ms";
    Catalogue::Algorithms.assert_near("maxnet", row, near, far, 0.01);
    let used = value(&records, "bottleneck", "utilization");
    let row = "rate of the link at rest, against its target of 0.95";
    for catalogue in [Catalogue::Algorithms, Catalogue::Queues] {
        catalogue.assert_near("maxnet", row, used, 0.95, 0.01);
    }
}

/// Two flows of `algorithm` with different round trips, measured once they are at rest.
fn beside(algorithm: &str, queue: &str) -> String {
    format!(
        r#"
        duration = "400s"
        warmup = "300s"
        path = {{ rate = "20Mbps", rtt = "80ms", packet = "500B", queue = {{ kind = "{queue}", limit = "200ms" }} }}
        [[flows]]
        name = "near"
        algorithm = "{algorithm}"
        [[flows]]
        name = "far"
        algorithm = "{algorithm}"
        rtt = "200ms"
        "#
    )
}

/// A flow alone over a path of P packets and a threshold of K: the packet that is quenched finds K + 1 waiting and one
/// in transmission, and the window grows by one more until the quench returns, W = P + K + 4. From one packet it
/// doubles to W / 2 = 82 in 6.36 round trips, then grows by one in each round trip, which takes as long as P packets,
/// or w if the queue is not empty.
#[test]
fn a_quenched_flow_starts_from_one_packet_and_reaches_half_of_its_window_in_a_logarithm_of_round_trips() {
    let text = r#"
        duration = "240s"
        warmup = "40s"
        path = { rate = "12Mbps", rtt = "100ms", access_rate = "100Gbps", queue = { kind = "source-quench", threshold = "60pkt", limit = "infinite" } }
        transport = { preset = "ns2" }
        [[flows]]
        algorithm = "source-quench"
    "#;
    let records = run(text, 0);
    let (path, peak) = (100.0_f64, 164.0_f64);
    let packets = peak / 2.0 + 3.0 / 8.0 * peak * peak;
    let times = peak + path * 6.36 + (path - peak / 2.0) * path + (peak * peak - path * path) / 2.0;
    let row = "utilization, one flow, 100 packets on the path, quenched beyond 60 waiting";
    let used = value(&records, "bottleneck", "utilization");
    Catalogue::Algorithms.assert_near("source-quench", row, used, packets / times, 0.02);
    Catalogue::Queues.assert_near("source-quench", row, used, packets / times, 0.02);
    assert!(value(&records, "bottleneck", "dropped_packets") == 0.0);
}
