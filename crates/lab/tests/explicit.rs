// SPDX-License-Identifier: Apache-2.0
//! Truth: theory with tolerance. Flows that ask the routers.

use crate::support::{assert_near, run, value};
use narrows_card::Catalogue;

/// XCP allocates α of the spare rate in each round trip, so a link that one flow fills has lost 1/α round trips of its
/// time from the first packet on, however long the feedback takes: Σ α (C − y) = C. Within 5 % for the values of
/// α at which the delayed feedback does not overshoot (α ≤ 1/4).
#[test]
fn an_idle_link_is_filled_as_fast_as_alpha_says() {
    for alpha in [0.05, 0.1, 0.2] {
        let text = format!(
            r#"
            duration = "10s"
            path = {{ rate = "100Mbps", rtt = "60ms", packet = "1000B", queue = {{ kind = "xcp", alpha = {alpha}, beta = 0, gamma = 0 }} }}
            transport = {{ preset = "ns2" }}
            [[flows]]
            algorithm = "xcp"
            "#
        );
        let records = run(&text, 0);
        // The handshake takes a round trip; the first packet then crosses its access link of 0.1 times the round trip.
        let lost = (1.0 - value(&records, "bottleneck", "utilization")) * 10.0 - 0.06 * 1.05;
        let round_trip = value(&records, "xcp", "rtt_mean_s");
        let row = format!("round trips to fill an idle link, alpha = {alpha}, against 1 / alpha");
        for catalogue in [Catalogue::Algorithms, Catalogue::Queues] {
            catalogue.assert_near("xcp", &row, lost / round_trip, 1.0 / alpha, 0.05);
        }
    }
}

/// Katabi, Handley and Rohrs 2002: flows of different round trips share alike, and with a buffer of the
/// bandwidth-delay product nothing is lost.
#[test]
fn xcp_flows_share_alike_whatever_their_round_trips_and_lose_nothing() {
    let text = r#"
        duration = "60s"
        warmup = "30s"
        path = { rate = "100Mbps", rtt = "40ms", queue = { kind = "xcp", limit = "200ms" } }
        [[flows]]
        name = "near"
        algorithm = "xcp"
        [[flows]]
        name = "far"
        algorithm = "xcp"
        rtt = "200ms"
    "#;
    let records = run(text, 0);
    let (near, far) = (value(&records, "near", "goodput_bps"), value(&records, "far", "goodput_bps"));
    shares_alike("xcp", "goodput of a flow with an RTT of 40 ms, against one with 200 ms", near, far);
    assert!(value(&records, "bottleneck", "dropped_packets") == 0.0);
    assert!(value(&records, "bottleneck", "utilization") > 0.998);
    let queue = value(&records, "bottleneck", "queue_mean_packets");
    assert!(queue < 10.0, "{queue} packets wait, of a product of 333 to 1667");
}

/// The router takes from established flows and gives to new ones: the difference of two flows falls by γ in a control
/// interval, so after 3 s, 37 round trips, a flow that joined a full link is within `0.9³⁷ = 2 %` of the other.
#[test]
fn an_xcp_flow_that_comes_late_gets_its_share() {
    let text = r#"
        duration = "20s"
        warmup = "13s"
        path = { rate = "100Mbps", rtt = "80ms", queue = { kind = "xcp" } }
        [[flows]]
        name = "early"
        algorithm = "xcp"
        [[flows]]
        name = "late"
        algorithm = "xcp"
        start = "10s"
    "#;
    let records = run(text, 0);
    let (early, late) = (value(&records, "early", "goodput_bps"), value(&records, "late", "goodput_bps"));
    shares_alike("xcp", "goodput of a flow, against one that started later", early, late);
}

/// Welzl, Abfalterer and Gjessing, "XCP vs. CUBIC with Quick-Start" III.D: the capacity given to two flows at once
/// leaves in bursts that a small buffer cannot hold; both time out, start again with one packet, and so on. The cause
/// is the bursts: paced flows keep the link full over the same buffer.
#[test]
fn xcp_collapses_over_a_small_buffer_unless_its_packets_are_paced() {
    let run = |pacing: bool| {
        let text = format!(
            r#"
            duration = "30s"
            path = {{ rate = "200Mbps", rtt = "60ms", delay = "10ms", queue = {{ kind = "xcp", limit = "0.1bdp" }} }}
            transport = {{ preset = "ns2", recovery = "reno", pacing = {pacing} }}
            [[flows]]
            algorithm = "xcp"
            count = 2
            "#
        );
        run(&text, 0)
    };
    let (bursts, paced) = (run(false), run(true));
    assert!(value(&bursts, "xcp", "timeouts") >= 10.0);
    assert!(value(&bursts, "xcp", "goodput_fraction") < 0.5);
    assert!(value(&paced, "xcp", "goodput_fraction") > 0.95);
}

/// Dukkipati et al. 2005: at rest every flow sends at `R = C / n`, whatever its round trip, and the queue is empty.
#[test]
fn rcp_flows_share_alike_whatever_their_round_trips() {
    let text = r#"
        duration = "60s"
        warmup = "30s"
        path = { rate = "100Mbps", rtt = "40ms", queue = { kind = "rcp", limit = "200ms" } }
        [[flows]]
        name = "near"
        algorithm = "rcp"
        count = 3
        [[flows]]
        name = "far"
        algorithm = "rcp"
        rtt = "200ms"
    "#;
    let records = run(text, 0);
    let (near, far) = (value(&records, "near", "goodput_bps") / 3.0, value(&records, "far", "goodput_bps"));
    shares_alike("rcp", "goodput of a flow with an RTT of 40 ms, against one with 200 ms", near, far);
    assert!(value(&records, "bottleneck", "dropped_packets") == 0.0);
    let utilization = value(&records, "bottleneck", "utilization");
    assert!(utilization > 0.98, "{utilization}");
    for catalogue in [Catalogue::Algorithms, Catalogue::Queues] {
        catalogue.assert_near(
            "rcp",
            "rate of the link, four flows, against its capacity",
            utilization,
            1.0,
            0.02,
        );
    }
}

/// RFC 4782 §4.4: 85 % of 1 Gbps over 60 ms are 4250 packets of 1500 bytes. With ssthresh they stay, and one packet a
/// round trip is added; the link is used to 85 % and a little more from the second round trip on.
#[test]
fn an_approval_of_85_percent_is_used_at_once_and_loses_nothing() {
    let text = r#"
        duration = "3s"
        warmup = "0.2s"
        [path]
        rate = "1Gbps"
        rtt = "60ms"
        queue = { kind = "quick-start", encoding = "exact", limit = "833pkt" }
        [transport]
        preset = "ns2"
        quick_start = "1Gbps"
        quick_start_ssthresh = true
        [[flows]]
        algorithm = "newreno"
    "#;
    let records = run(text, 0);
    // 47 round trips of 2.8 s add 47 packets by the end.
    let window = value(&records, "newreno", "cwnd_mean_packets");
    let row = "window after an approval of 85 % of 1 Gbps over 60 ms, against 4250 packets and one per round trip (RFC 4782 §4.4)";
    Catalogue::Queues.assert_near("quick-start", row, window, 4250.0 + 23.5, 0.002);
    assert_near("rate", value(&records, "bottleneck", "rate_bps"), 0.855e9, 0.005);
    assert!(value(&records, "bottleneck", "dropped_packets") == 0.0);
    let queue = value(&records, "bottleneck", "queue_peak_packets");
    assert!(queue <= 2.0, "paced packets do not wait, but {queue} did");
}

/// The first to ask gets what there is; a flow that asks within two intervals of 0.2 s starts up by itself, and so does a flow
/// on a path whose queue knows no requests.
#[test]
fn a_refused_flow_starts_slowly() {
    let text = |queue: &str| {
        format!(
            r#"
            duration = "0.3s"
            path = {{ rate = "1Gbps", rtt = "60ms", queue = {queue} }}
            transport = {{ preset = "ns2", quick_start = "1Gbps", quick_start_ssthresh = true }}
            [[flows]]
            name = "first"
            algorithm = "newreno"
            [[flows]]
            name = "second"
            algorithm = "newreno"
            start = "10ms"
            "#
        )
    };
    let records = run(&text(r#"{ kind = "quick-start", encoding = "exact" }"#), 0);
    // Half a round trip after the handshake the first is received at 850 Mbps, for 70 % of the time.
    assert_near("first", value(&records, "first", "goodput_bps"), 0.7 * 850e6, 0.02);
    let second = value(&records, "second", "goodput_bps");
    let alone = value(&run(&text(r#"{ kind = "droptail" }"#), 0), "second", "goodput_bps");
    assert!((second - alone).abs() < 1.0 && second < 2e6, "{second} and {alone}");
}

/// RFC 4782 §4.3: one router on the route that does not take part spoils the request, however much room it has; a queue of
/// `quick-start` at both approves it, rounded to the 65.5 Mbps that four bits can write.
#[test]
fn every_router_on_the_route_must_take_part() {
    let goodput = |second: &str| {
        let text = format!(
            r#"
            duration = "0.3s"
            [network]
            rtt = "60ms"
            packet = "1500B"
            [[network.links]]
            from = "A"
            to = "B"
            rate = "100Mbps"
            delay = "10ms"
            queue = {{ kind = "quick-start", encoding = "exact" }}
            [[network.links]]
            from = "B"
            to = "C"
            rate = "1Gbps"
            delay = "10ms"
            queue = {{ kind = "{second}" }}
            [[flows]]
            algorithm = "newreno"
            preset = "ns2"
            from = "A"
            to = "C"
            rtt = "60ms"
            quick_start = "100Mbps"
            quick_start_ssthresh = true
            "#
        );
        value(&run(&text, 0), "newreno", "goodput_bps")
    };
    let (approved, refused) = (goodput("quick-start"), goodput("droptail"));
    assert!(approved > 0.6 * 65.536e6 && refused < 2e6, "{approved} and {refused}");
}

/// Jain's index of two is 0.999 if they differ by 6 %; here they differ by 2 % at most.
#[track_caller]
fn shares_alike(name: &str, row: &str, one: f64, other: f64) {
    for catalogue in [Catalogue::Algorithms, Catalogue::Queues] {
        catalogue.assert_near(name, row, one, other, 0.02);
    }
}
