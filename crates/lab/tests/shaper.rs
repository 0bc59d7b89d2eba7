// SPDX-License-Identifier: Apache-2.0
//! Truth: theory. A link behind a token bucket: its burst, its rate, and the time that its queue holds.
//! Contract: a shaper whose rate follows round-trip times keeps the queue of a line of varying rate short.

use crate::support::{assert_near, run, scenario, value};
use narrows_lab::backend::Progress;
use narrows_lab::scenario::{LoadOptions, load};
use narrows_lab::sim::{RunOptions, simulate};
use narrows_units::Time;
use std::path::Path;

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

/// An upload through a shaper at 20 Mbps and a line behind it whose rate is 40 Mbps and 10 Mbps in turns; `autorate` stands
/// behind the other keys of the shaper, and `probe` has the keys of the flows that probe.
fn upload(autorate: &str, probe: &str) -> String {
    format!(
        r#"
        duration = "60s"
        warmup = "10s"
        [network]
        rtt = "40ms"
        [[network.links]]
        from = "home"
        to = "modem"
        delay = "1ms"
        rate = {{ kind = "token-bucket", rate = "20Mbps", burst = "9kB", peak = "1Gbps"{autorate} }}
        queue = {{ kind = "fq-codel" }}
        reverse = {{ rate = "1Gbps" }}
        [[network.links]]
        from = "modem"
        to = "server"
        delay = "15ms"
        rate = {{ kind = "square", high = "40Mbps", low = "10Mbps", period = "20s" }}
        queue = {{ kind = "droptail", limit = "500ms" }}
        reverse = {{ rate = "100Mbps" }}
        [[flows]]
        name = "upload"
        algorithm = "cubic"
        from = "home"
        to = "server"
        [[flows]]
        name = "ping"
        {probe}
        count = 6
        stagger = "50ms"
        from = "home"
        to = "server"
        "#
    )
}

const PING: &str = r#"
        algorithm = "newreno"
        delayed_ack = 1
        nagle = false
        source = { kind = "writes", interval = "300ms", size = "64B", whole_packets = false }
"#;

/// The target is 30 ms. While the line has 10 Mbps, a shaper at 20 Mbps does not protect its queue.
#[test]
fn a_rate_that_follows_round_trips_keeps_the_delay_of_a_varying_line_near_the_target() {
    let p95 = |autorate: &str| {
        let records = run(&upload(autorate, PING), 0);
        (value(&records, "modem-server", "queue_delay_p95_s"), value(&records, "modem-server", "utilization"))
    };
    let (follows, used) = p95(", autorate = { probes = \"ping\" }");
    let (stays, used_by_other) = p95("");
    assert!(follows < 0.045, "{follows}");
    assert!(stays > 0.1, "{stays}");
    // It costs rate: the shaper is slow to learn that the line has more.
    assert!(used > 0.4 && used < used_by_other, "{used} {used_by_other}");
}

/// The set rate is the capacity of the link in the series. While the line has 10 Mbps, it goes from 9 Mbps, 0.9 of what is achieved,
/// to what delays probes by 30 ms: at 5 % a second this takes less than 2 s after 10 Mbps.
#[test]
fn the_set_rate_is_the_capacity_of_the_shaper_in_the_series() {
    let text = upload(", autorate = { probes = \"ping\", minimum = \"9Mbps\" }", PING);
    let records =
        simulate(&scenario(&text).model, 0, &Progress::new(), RunOptions::default()).expect("it ends");
    let link = |name: &str| records.run.links.iter().position(|link| link.name == name).expect("it is there");
    let samples = &records.links[link("home-modem")].series;
    let capacity = |at: f64| {
        let interval = records.interval_ends.iter().position(|end| end.since(Time::ZERO).as_secs_f64() > at);
        samples[interval.expect("it is in the run")].capacity_bps
    };
    for low in [19.0, 39.0, 59.0] {
        assert!((9e6..12e6).contains(&capacity(low)), "{low} s: {}", capacity(low));
    }
    for high in [9.0, 29.0, 49.0] {
        assert!(capacity(high) > 1.2 * capacity(high + 10.0), "{high} s: {}", capacity(high));
    }
}

/// Senders of datagrams that nothing acknowledges measure no round trips.
#[test]
fn flows_without_round_trips_are_no_probes() {
    let silent = "source = { kind = \"cbr\", rate = \"10kbps\" }";
    let read = |text: &str| load(text, "test.toml", Path::new("."), &[], &LoadOptions::default());
    let faults = read(&upload(", autorate = { probes = \"ping\" }", silent)).expect_err("it is refused");
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    let words = fault.render();
    assert!(words.contains("flows.1.algorithm") && words.contains("its sender measures none"), "{words}");
    assert!(read(&upload("", silent)).is_ok());
}
