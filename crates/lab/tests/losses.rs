// SPDX-License-Identifier: Apache-2.0
//! Truth: theory and contract. MetricValues of losses, shared buffers and acknowledgements, with known true values.

use crate::support::{assert_near, run, run_as, value};
use narrows_lab::replication::Replication;
use narrows_lab::sim::RunOptions;

const SLOTTED: &str = r#"
    duration = "8s"
    warmup = "1s"
    [path]
    rate = "10Mbps"
    rtt = "40ms"
    queue = { kind = "droptail", limit = "20pkt" }
    reverse = { queue = { kind = "droptail", limit = "20pkt" } }
    [[flows]]
    name = "stays"
    algorithm = "cubic"
    count = 2
    [[flows]]
    name = "comes"
    algorithm = "newreno"
    size = { kind = "exponential", mean = "60kB" }
    source = { kind = "poisson", interval = "100ms", concurrent = 50 }
    [[flows]]
    name = "back"
    algorithm = "newreno"
    direction = "reverse"
"#;

#[test]
fn what_is_measured_does_not_depend_on_how_the_network_is_cut() {
    let seen = |partitions| {
        let records = run_as(SLOTTED, 0, RunOptions { partitions, ..RunOptions::default() });
        format!("{:?} {:?}", records.groups, records.links)
    };
    assert_eq!(seen(2), seen(1));
}

#[test]
fn groups_share_what_waits() {
    let records = run(SLOTTED, 0);
    let share = |group| value(&records, group, "buffer_share");
    // The other direction has a bottleneck of its own, in which acknowledgements wait too.
    assert_near("shares of all that wait", share("stays") + share("comes"), 1.0, 0.05);
    assert!(share("stays") > 0.1 && share("comes") > 0.1);
    assert!(share("back") > 0.5 && share("back") < 1.0);
}

/// Of packets of one size in one queue everybody's wait as long, so shares equal the shares of the data sent.
#[test]
fn shares_of_a_common_queue_are_shares_of_its_rate() {
    let text = r#"
        duration = "30s"
        warmup = "5s"
        path = { rate = "4Mbps", rtt = "40ms", queue = { kind = "red", min = "5pkt", max = "40pkt", limit = "100pkt" } }
        [[flows]]
        name = "much"
        algorithm = "constant(rate=3Mbps)"
        [[flows]]
        name = "little"
        algorithm = "constant(rate=2Mbps)"
    "#;
    let records = run(text, 0);
    let goodput = |group| value(&records, group, "goodput_bps");
    let expected = goodput("much") / (goodput("much") + goodput("little"));
    assert_near("share", value(&records, "much", "buffer_share"), expected, 0.01);
}

/// Losses far apart are an event each, and each halves the window once.
#[test]
fn lonely_losses_are_an_event_each() {
    let text = r#"
        duration = "200s"
        warmup = "20s"
        path = { rate = "10Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "1000pkt" }, loss = { kind = "bernoulli", rate = "0.02%" } }
        [[flows]]
        algorithm = "newreno"
    "#;
    let records = run(text, 0);
    let of_flow = |measure| value(&records, "newreno", measure);
    let sent = of_flow("throughput_bps") * 180.0 / 12_000.0;
    let lost = of_flow("loss_rate") * sent;
    let events = of_flow("loss_events");
    // A window is some 90 packets, so two of a hundred losses have company.
    assert!(lost > 15.0 && events <= lost && events >= 0.9 * lost, "{events} events, {lost} losses");
    assert!((of_flow("reductions") - events).abs() < 0.5);
    assert_near("rate", of_flow("loss_event_rate"), events / sent, 1e-9);
    // The queue itself lost nothing.
    assert!(value(&records, "bottleneck", "loss_episodes").abs() < 0.5);
    assert!(value(&records, "bottleneck", "loss_synchronisation").is_nan());
}

/// Losses of one overflow are one event or a few, never more than there were, and a flow that is alone loses whenever one
/// loses.
#[test]
fn a_single_flow_is_synchronised_with_itself() {
    let text = r#"
        duration = "100s"
        warmup = "20s"
        path = { rate = "10Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "1bdp" } }
        [[flows]]
        algorithm = "newreno"
    "#;
    let records = run(text, 0);
    let (events, lost) =
        (value(&records, "newreno", "loss_events"), value(&records, "bottleneck", "dropped_packets"));
    assert!(events > 10.0 && events <= lost, "{events} events, {lost} losses");
    assert_near("alone", value(&records, "bottleneck", "loss_synchronisation"), 1.0, 1e-12);
    assert_near("share", value(&records, "newreno", "buffer_share"), 1.0, 1e-12);
}

/// Flows that lose one by one are not synchronised; n flows lose between 1/n and all together.
#[test]
fn synchronisation_lies_between_one_flow_and_all() {
    let records = run(
        r#"
        duration = "30s"
        warmup = "5s"
        path = { rate = "20Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "1bdp" } }
        [[flows]]
        algorithm = "newreno"
        count = 8
        start = "0s..1s"
        "#,
        0,
    );
    let synchronised = value(&records, "bottleneck", "loss_synchronisation");
    assert!((0.125..=1.0).contains(&synchronised), "{synchronised}");
}

/// Zhang, Shenker and Clark (SIGCOMM 1991): acknowledgements that queue behind data of the other direction leave the
/// queue at its own pace; if no queue delays them they keep the spacing that the bottleneck gave their data.
#[test]
fn two_way_traffic_compresses_acknowledgements_and_one_way_traffic_does_not() {
    let compressed = |back: &str| {
        let text = format!(
            r#"
            duration = "20s"
            warmup = "5s"
            path = {{ rate = "10Mbps", rtt = "40ms", queue = {{ kind = "droptail", limit = "1bdp" }}, reverse = {{ queue = {{ kind = "droptail", limit = "1bdp" }} }} }}
            [[flows]]
            name = "there"
            algorithm = "newreno"
            delayed_ack = 1
            {back}
            "#
        );
        let records: Replication = run(&text, 0);
        value(&records, "there", "ack_compression")
    };
    let back = "[[flows]]\nname = \"back\"\nalgorithm = \"newreno\"\ndirection = \"reverse\"\n";
    assert!(compressed("") < 0.01, "{}", compressed(""));
    assert!(compressed(back) > 0.2, "{}", compressed(back));
}
