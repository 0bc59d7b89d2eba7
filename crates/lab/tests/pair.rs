// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. One connection is one connection, whatever started it: the same transfer once as a flow with a size and
//! once as a recorded arrival has the same value in every metric, check, table and series.

use crate::support::{self, run_as};
use narrows_lab::records::{Column, Table};
use narrows_lab::replication::{Replication, run};
use narrows_lab::scenario::{LoadOptions, load};

/// A scenario whose only group is `group`, with the file of recorded arrivals that it names.
fn scenario(common: &str, group: &str) -> String {
    format!(
        r#"
        duration = "5s"
        {common}
        [[flows]]
        name = "transfer"
        algorithm = "newreno"
        {group}
        "#
    )
}

/// Runs `text` in a folder that has `arrivals`.
fn replicate(text: &str, arrivals: &str) -> Replication {
    let folder = std::env::temp_dir().join(format!(
        "narrows-pair-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&folder).expect("a folder for the arrivals");
    std::fs::write(folder.join("arrivals.txt"), arrivals).expect("room for the arrivals");
    let loaded = load(text, "pair.toml", &folder, &[], &LoadOptions::default());
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    let model = loaded.expect("the scenario is sound").model;
    run(&model, 0, &narrows_lab::backend::Progress::new()).expect("the run ends by itself")
}

/// Everything that is shown of a run, as text.
fn shown(replication: &Replication) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for values in replication.groups.iter().chain(&replication.links) {
        all.push((format!("{} flows", values.name), format!("{:?}", values.flows)));
        all.extend(
            values.values.iter().map(|(name, value)| (format!("{} {name}", values.name), value.to_string())),
        );
    }
    all.extend(
        replication
            .checks
            .iter()
            .map(|check| (check.name.to_owned(), format!("{:?} {}", check.ok, check.detail))),
    );
    let columns = |table: &Table| {
        let name = table.name();
        let text = |column: &Column| format!("{column:?}");
        table
            .columns()
            .iter()
            .map(|(column, values)| (format!("{name}.{column}"), text(values)))
            .collect::<Vec<_>>()
    };
    all.extend(replication.tables.iter().flat_map(columns));
    all
}

#[track_caller]
fn assert_same(one: &Replication, other: &Replication) {
    let (one, other) = (shown(one), shown(other));
    assert!(one.len() > 100, "the whole catalogue is compared");
    let different: Vec<_> = one.iter().zip(&other).filter(|(one, other)| one != other).collect();
    assert!(different.is_empty(), "{different:#?}");
    assert_eq!(one.len(), other.len());
}

const PATH: &str = r#"path = { rate = "10Mbps", rtt = "40ms" }"#;
const FLOW: &str = r#"size = "500kB""#;
const ARRIVAL: &str = r#"source = { kind = "arrivals", arrivals = "arrivals.txt" }"#;

#[test]
fn a_flow_with_a_size_and_a_recorded_arrival_are_the_same_transfer() {
    let common = format!("{PATH}\ntransport = {{ send_delay = \"0s\" }}");
    let one = replicate(&scenario(&common, FLOW), "");
    let other = replicate(&scenario(&common, ARRIVAL), "0.0 500000\n");
    assert!((one.groups[0].value("completed_flows") - 1.0).abs() < 1e-9);
    assert_same(&one, &other);
}

#[test]
fn so_are_several_that_start_later_and_some_of_which_never_end_or_start() {
    let common = format!("{PATH}\nwarmup = \"1s\"\ntransport = {{ send_delay = \"0s\" }}");
    let flows = scenario(&common, "size = \"500kB\"\ncount = 3\nstart = \"0.5s\"");
    let one = replicate(&flows, "");
    let other = replicate(&scenario(&common, ARRIVAL), "0.5 500000\n0.5 500000\n0.5 500000\n");
    assert_same(&one, &other);
    let late = |group: &str, arrivals| replicate(&scenario(&common, group), arrivals);
    assert_same(&late("size = \"50MB\"\nstart = \"4s\"", ""), &late(ARRIVAL, "4.0 50000000\n"));
}

#[test]
fn and_beside_other_flows_over_a_queue_that_marks() {
    let common = r#"
        path = { rate = "10Mbps", rtt = "40ms", queue = { kind = "red", ecn = true, min = "5pkt", max = "15pkt", limit = "60pkt" } }
        transport = { send_delay = "0s", ecn = true }
        [[flows]]
        name = "beside"
        algorithm = "cubic"
        count = 2
    "#;
    let one = replicate(&scenario(common, FLOW), "");
    let other = replicate(&scenario(common, ARRIVAL), "0.0 500000\n");
    assert_same(&one, &other);
}

/// Where connections are too many to be recorded one by one, the metrics and checks of their group are the same.
#[test]
fn a_group_has_the_same_metrics_whether_its_connections_are_recorded_one_by_one_or_together() {
    let text = r#"
        duration = "5s"
        warmup = "1s"
        path = { rate = "10Mbps", rtt = "40ms" }
        [[flows]]
        algorithm = "newreno"
        count = 2
        size = "1500kB"
        [[flows]]
        name = "late"
        algorithm = "cubic"
        size = "20MB"
        start = "2s"
    "#;
    let mut model = support::scenario(text).model;
    let run = |model: &narrows_lab::model::Model| {
        run(model, 0, &narrows_lab::backend::Progress::new()).expect("the run ends by itself")
    };
    let one = run(&model);
    model.workloads.iter_mut().for_each(|workload| workload.individual = false);
    let other = run(&model);
    let (one, other) = ([&one.groups, &one.links], [&other.groups, &other.links]);
    for (one, other) in one.iter().flat_map(|all| all.iter()).zip(other.iter().flat_map(|all| all.iter())) {
        for ((name, one), (_, other)) in one.values.iter().zip(&other.values) {
            assert_eq!(one.to_string(), other.to_string(), "{name}");
        }
    }
}

/// A send delay concerns every workload.
#[test]
fn a_send_delay_is_felt_by_transfers_that_come_and_go() {
    let text = |delay: &str| {
        format!(
            r#"
            duration = "5s"
            path = {{ rate = "10Mbps", rtt = "40ms" }}
            transport = {{ send_delay = "{delay}" }}
            [[flows]]
            algorithm = "newreno"
            count = 3
            size = "50kB"
            source = {{ kind = "users", think = {{ kind = "exponential", mean = "200ms" }} }}
            "#
        )
    };
    let digest = |delay: &str| run_as(&text(delay), 0, narrows_lab::sim::RunOptions::default()).digest();
    assert_ne!(digest("0s"), digest("30ms"));
}
