// SPDX-License-Identifier: Apache-2.0
//! Truth: theory and contract. Networks of several bottlenecks, links that fail and routes that change.

use crate::support::{assert_near, measures, run, scenario, value};
use narrows_lab::replication::Replication;
use std::fmt::Write;

/// A parking lot of three hops of 10 Mbps with `queue`, a flow of `algorithm` over all of them and others over one each.
fn parking_lot(queue: &str, algorithm: &str, others: [u32; 3]) -> Replication {
    let mut text = format!(
        "duration = \"60s\"\nwarmup = \"10s\"\n[network]\nrtt = \"60ms\"\n\
         generator = {{ kind = \"parking-lot\", hops = 3, rate = \"10Mbps\", delay = \"5ms\", queue = {queue} }}\n\
         [[flows]]\nname = \"long\"\nalgorithm = \"{algorithm}\"\nfrom = \"R0\"\nto = \"R3\"\nrtt = \"60ms\"\n"
    );
    for (hop, count) in others.into_iter().enumerate() {
        let _ = write!(
            text,
            "[[flows]]\nname = \"hop {hop}\"\nalgorithm = \"{algorithm}\"\ncount = {count}\nfrom = \"R{hop}\"\nto = \"R{}\"\nrtt = \"60ms\"\n",
            hop + 1
        );
    }
    run(&text, 0)
}

/// Of a packet this is payload.
const PAYLOAD: f64 = 1460.0 / 1500.0;

/// Shreedhar and Varghese 1995: a deficit round robin gives greedy flows the same share of its link. A flow that asks
/// for 9 Mbps at each of three links gets 10/2 of the first and 10/3 of the second, which is less than its share of the
/// third; others have the rest.
#[test]
fn fair_queues_share_each_link_of_a_parking_lot_equally() {
    let records = parking_lot(r#"{ kind = "drr" }"#, "constant(rate=9Mbps)", [1, 2, 1]);
    let mbps = |name: &str| value(&records, name, "goodput_bps") / 1e6 / PAYLOAD;
    assert_near("over three hops", mbps("long"), 10.0 / 3.0, 0.01);
    assert_near("over the first", mbps("hop 0"), 5.0, 0.01);
    assert_near("both over the second", mbps("hop 1"), 20.0 / 3.0, 0.01);
    assert_near("over the third", mbps("hop 2"), 20.0 / 3.0, 0.01);
}

/// Kelly, Maulloo and Tan 1998: if each hop has one other flow, max-min fairness gives the long one half of a link and
/// proportional fairness a quarter. TCP over FIFO queues maximises -1/(rate · RTT²), which gives it 1/(1 + √3) of a
/// link if all round trips are equal (Massoulié and Roberts 2002), and synchronised losses only less.
#[test]
fn a_long_tcp_flow_gets_less_than_a_fair_share_of_a_parking_lot() {
    let records = parking_lot(r#"{ kind = "red", min = "10pkt", limit = "100pkt" }"#, "reno", [1, 1, 1]);
    let share = |name: &str| value(&records, name, "goodput_bps") / 10e6 / PAYLOAD;
    let long = share("long");
    assert!((0.15..0.40).contains(&long), "{long}");
    for hop in 0..3 {
        let name = format!("hop {hop}");
        assert!(share(&name) > 1.3 * long, "{name}: {} beside {long}", share(&name));
        assert!(value(&records, &format!("R{hop}-R{}", hop + 1), "utilization") > 0.9, "{name}");
    }
}

/// Packets sent at a constant rate while the only link is down are lost, all of it and nothing else, and the time
/// counts neither for its utilisation nor for what it offered.
#[test]
fn a_failed_link_loses_what_comes_until_it_is_restored() {
    let text = r#"
        duration = "10s"
        [network]
        rtt = "40ms"
        events = [{ at = "4s", fail = "A-B" }, { at = "6s", restore = "A-B" }]
        links = [{ from = "A", to = "B", rate = "10Mbps", delay = "10ms" }]
        [[flows]]
        algorithm = "constant(rate=5Mbps)"
    header = "0B"
        from = "A"
        to = "B"
    "#;
    let records = run(text, 0);
    assert_near("goodput", value(&records, "constant", "goodput_bps"), 4e6, 0.01);
    assert_near("loss", value(&records, "constant", "loss_rate"), 0.2, 0.01);
    assert_near("utilisation", value(&records, "A-B", "utilization"), 0.5, 0.01);
    assert_near("dropped", value(&records, "A-B", "dropped_packets"), 2.0 * 5e6 / 12_000.0, 0.01);
}

const RING: &str = r#"
    duration = "12s"
    [network]
    rtt = "60ms"
    convergence = "500ms"
    generator = { kind = "ring", links = 3, rate = "10Mbps", delay = "10ms" }
    events = [{ at = "4s", fail = "R0-R1" }, { at = "8s", restore = "R0-R1" }]
    [[flows]]
    algorithm = "constant(rate=5Mbps)"
    header = "0B"
    from = "R0"
    to = "R1"
"#;

/// Data takes the other route round a ring when its link fails, after the convergence time, and returns when it is restored.
#[test]
fn data_goes_round_a_failed_link() {
    let records = run(RING, 0);
    // From 4.5 s to 8.5 s; the half second in which hosts did not know is lost.
    assert_near("over R2", value(&records, "R2-R1", "utilization"), 0.5 * 4.0 / 12.0, 0.01);
    assert_near("over the link", value(&records, "R0-R1", "utilization"), 0.5 * 7.5 / 8.0, 0.01);
    assert_near("lost", value(&records, "constant", "loss_rate"), 0.5 / 12.0, 0.02);
}

/// A link that data goes round half of the time does not bound the group's goodput, nor is it the capacity that the
/// group had.
#[test]
fn what_goes_round_a_failed_link_is_not_measured_by_that_link() {
    let text = r#"
        duration = "20s"
        [network]
        rtt = "20ms"
        links = [
            { from = "A", to = "B", rate = "20Mbps", delay = "5ms" },
            { from = "A", to = "C", rate = "40Mbps", delay = "20ms" },
            { from = "C", to = "B", rate = "40Mbps", delay = "20ms" },
        ]
        events = [{ at = "5s", fail = "A-B" }]
        [[flows]]
        algorithm = "constant(rate=15Mbps)"
        from = "A"
        to = "B"
    "#;
    let fails = run(text, 0);
    // The link offers 20 Mbps for a quarter of the time.
    assert!(value(&fails, "constant", "goodput_bps") > 13e6);
    assert!(value(&fails, "constant", "goodput_fraction").is_nan());
    let group = measures(&fails, "constant");
    let place =
        group.values.iter().position(|(name, _)| *name == "goodput_bps").expect("a metric of every group");
    assert!(group.most[place].is_infinite(), "{}", group.most[place]);
    let stays = run(&text.replace(r#"events = [{ at = "5s", fail = "A-B" }]"#, ""), 0);
    assert_near("the fraction", value(&stays, "constant", "goodput_fraction"), 0.75, 0.01);
}

/// A change of delay changes the round trip from then on, and no packet overtakes another when the link becomes shorter.
#[test]
fn a_shorter_link_never_reorders() {
    let text = r#"
        duration = "6s"
        warmup = "3s"
        [network]
        rtt = "60ms"
        events = [{ at = "2s", set = "A-B", delay = "2ms" }]
        links = [{ from = "A", to = "B", rate = "20Mbps", delay = "50ms" }]
        [[flows]]
        algorithm = "reno"
        from = "A"
        to = "B"
        receive_window = "8pkt"
        delayed_ack = 1
        send_delay = "0s"
    "#;
    let records = run(text, 0);
    assert_eq!(value(&records, "reno", "retransmission_rate").to_bits(), 0.0_f64.to_bits());
    let rtt = value(&records, "reno", "rtt_mean_s");
    assert!((0.004..0.009).contains(&rtt), "{rtt}");
}

#[test]
#[ignore = "needs GraphML files: NARROWS_TOPOLOGIES must name a folder of them"]
fn a_file_of_the_topology_zoo_is_routed_whole() {
    let folder =
        std::env::var_os("NARROWS_TOPOLOGIES").expect("NARROWS_TOPOLOGIES names a folder of GraphML files");
    for entry in std::fs::read_dir(folder).expect("it is a folder") {
        let file = entry.expect("a folder entry is readable").path();
        let network = format!(
            "duration = \"1s\"\n[network]\nrtt = \"40ms\"\ngraph = {{ file = '{}', rate = \"10Gbps\", delay = \"5ms\" }}\n",
            file.display()
        );
        let flows = |from: &str, to: &str| {
            format!(
                "{network}[[flows]]\nalgorithm = \"cubic\"\nfrom = \"{from}\"\nto = \"{to}\"\nsize = \"1MB\"\n"
            )
        };
        let options = narrows_lab::scenario::LoadOptions::default();
        let unknown = flows("nowhere", "nowhere");
        let faults =
            narrows_lab::scenario::load(&unknown, "test.toml", std::path::Path::new("."), &[], &options);
        let allowed = faults.map(|_| ()).expect_err("there is no such router")[0].allowed.clone();
        let names: Vec<&str> = allowed.split(", ").collect();
        assert!(names.len() > 10, "{}: {allowed}", file.display());
        let resolved = scenario(&flows(names[0], names[names.len() / 2]));
        assert!(run(&resolved.resolved, 0).groups[0].value("goodput_bps") > 0.0, "{}", file.display());
    }
}
