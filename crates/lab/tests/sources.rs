// SPDX-License-Identifier: Apache-2.0
//! Theory: a flow carries exactly the data that its application writes, if nothing holds it back.

use crate::support::{assert_near, run, value};
use narrows_lab::replication::Replication;
use narrows_lab::scenario::{LoadOptions, load};
use std::path::Path;

/// A run of ten seconds over a path of 10 Mbps, with one more group.
fn beside(group: &str) -> String {
    format!(
        r#"
        duration = "10s"
        path = {{ rate = "10Mbps", rtt = "40ms", packet = "1000B", queue = {{ kind = "droptail", limit = "50pkt" }} }}
        transport = {{ header = "40B" }}
        {group}
    "#
    )
}

fn throughput(records: &Replication, group: &str) -> f64 {
    value(records, group, "throughput_bps")
}

#[test]
fn a_constant_rate_is_kept_to_the_packet() {
    let records = run(&beside("[[flows]]\nsource = { kind = \"cbr\", rate = \"3Mbps\" }"), 0);
    // A packet each 8/3 ms, of which 3750 are made in ten seconds; the last at the very end.
    assert!((throughput(&records, "cbr") - 3e6).abs() <= 800.0, "{}", throughput(&records, "cbr"));
    assert!(value(&records, "bottleneck", "queue_delay_p95_s") < 1e-9, "evenly spaced packets never wait");
}

#[test]
fn a_rate_that_changes_is_followed_and_nothing_pauses_it() {
    let steps = r#"{ kind = "steps", rates = ["4Mbps", "0bps", "8Mbps"], times = ["0s", "2s", "7.0005s"] }"#;
    let records = run(&beside(&format!("[[flows]]\nsource = {{ kind = \"cbr\", rate = {steps} }}")), 0);
    let bits = 4e6 * 2.0 + 8e6 * 2.9995;
    assert!((throughput(&records, "cbr") * 10.0 - bits).abs() <= 8000.0);
}

#[test]
fn a_source_leaves_to_others_what_it_says() {
    let text = beside(
        r#"
        [[flows]]
        source = { kind = "cbr", leaves = { kind = "square", high = "6Mbps", low = "2Mbps", period = "2s" } }
        [[flows]]
        algorithm = "newreno"
        recovery = "sack"
        receive_window = "60pkt"
    "#,
    );
    let records = run(&text, 0);
    assert!((value(&records, "cbr", "throughput_bps") - 6e6).abs() <= 800.0);
    // The other may use 4 Mbps on average.
    let other = throughput(&records, "newreno");
    assert!((2.5e6..4.2e6).contains(&other), "{other}");
}

#[test]
fn as_many_sources_send_as_leave_others_their_shares() {
    let text = beside(
        r#"
        [[flows]]
        name = "cross"
        count = 9
        rtt = { kind = "uniform", minimum = "30ms", maximum = "50ms" }
        source = { kind = "cbr", leaves = { kind = "square", high = "5Mbps", low = "2Mbps", period = "2s" }, sharing = 2 }
        [[flows]]
        name = "other"
        algorithm = "newreno"
        recovery = "sack"
        count = 2
    "#,
    )
    .replace("droptail", "drr");
    let records = run(&text, 0);
    // 2 (10 - 5) / 5 = 2 sources at 1.05 · 10 / 4 Mbps, then 2 (10 - 2) / 2 = 8 at 1.05 · 10 / 10 Mbps; a packet more or
    // less for each source and change.
    assert_near("cross", throughput(&records, "cross"), f64::midpoint(2.0 * 2.625e6, 8.0 * 1.05e6), 0.01);
    assert_near("other", throughput(&records, "other"), 3.5e6, 0.1);
}

#[test]
fn sources_that_share_draw_what_one_that_takes_it_all_would() {
    let source = |count, sharing, replication| {
        let group = format!(
            "[[flows]]\ncount = {count}\nsource = {{ kind = \"cbr\", leaves = {{ kind = \"uniform\", minimum = \"1Mbps\", \
             maximum = \"9Mbps\", interval = \"10s\" }}{sharing} }}"
        );
        throughput(&run(&beside(&group), replication), "cbr")
    };
    for replication in 0..3 {
        // 50 (10 - B) / B sources are many, so that rounding their number does not matter.
        let shared = source(450, ", sharing = 50", replication);
        assert_near("together", shared, 1.05 * source(1, "", replication), 0.02);
    }
}

#[test]
fn an_on_off_source_is_on_for_its_share_of_the_time() {
    let group = r#"
        [[flows]]
        count = 40
        source = { kind = "onoff", rate = "100kbps", on = { kind = "exponential", mean = "50ms" }, off = { kind = "exponential", mean = "150ms" } }
    "#;
    let records = run(&beside(group), 0);
    // Each source has some fifty cycles; the share of one has a standard deviation of about 0.25·0.75·sqrt(2/50).
    let share = throughput(&records, "onoff") / (40.0 * 100e3);
    assert!((share - 0.25).abs() < 4.0 * 0.0375 / 40_f64.sqrt(), "{share}");
}

#[test]
fn writes_are_carried_whole_by_any_congestion_control() {
    for algorithm in ["newreno", "cubic", "rap"] {
        let group = format!(
            "[[flows]]\nname = \"chatty\"\nalgorithm = \"{algorithm}\"\n\
             source = {{ kind = \"writes\", interval = \"1s\", size = \"48kB\" }}"
        );
        let records = run(&beside(&group), 0);
        // At 0, 1, …, 9 seconds fifty packets with a payload of 960 bytes.
        assert_near(
            algorithm,
            value(&records, "chatty", "goodput_bps") * 10.0,
            10.0 * 50.0 * 960.0 * 8.0,
            1e-9,
        );
    }
}

#[test]
fn what_sends_at_a_rate_of_its_own_is_not_put_to_the_test() {
    let text =
        beside("[[flows]]\nsource = { kind = \"cbr\", rate = \"1Mbps\" }\n[[flows]]\nalgorithm = \"cubic\"");
    let options = LoadOptions { subject: Some("newreno".into()), ..LoadOptions::default() };
    let scenario = load(&text, "test.toml", Path::new("."), &[], &options).expect("it loads");
    let tested: Vec<_> = scenario.model.groups.iter().map(|group| (&*group.name, group.subject)).collect();
    assert_eq!(tested, [("cbr", false), ("cubic", true)]);
}

/// Sommers and Barford 2004: traffic drawn from flow records has their mean load. Of 19 650 arrivals with the
/// deviations of the file (1.75 of the mean size, 0.96 of the mean time) within four standard errors, 5.7 %.
#[test]
fn transfers_drawn_from_flow_records_have_the_mean_load_of_the_records() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/flows.csv");
    let text = format!(
        r#"
        duration = "1000s"
        path = {{ rate = "100Mbps", rtt = "10ms" }}
        [[flows]]
        name = "users"
        algorithm = "newreno"
        source = {{ kind = "flow-records", records = "{file}" }}
        "#
    );
    let records = run(&text, 0);
    // The means of the file: 13 422 bytes every 50.885 ms.
    assert_near("load", value(&records, "users", "goodput_bps"), 13_422.15 * 8.0 / 0.050_884_9, 0.057);
    assert_eq!(records.digest(), run(&text, 0).digest());
    assert_ne!(records.digest(), run(&text, 1).digest());
}
