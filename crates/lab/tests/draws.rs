// SPDX-License-Identifier: Apache-2.0
//! Contract: each flow draws for itself from the distributions of its group, in each replication.

use crate::support::{run, scenario, value};
use narrows_lab::backend::Progress;
use narrows_lab::model::Access;
use narrows_lab::replication::Replication;
use narrows_lab::sim::{RunOptions, simulate};
use narrows_units::Span;

const DRAWN: &str = r#"
    duration = "20s"
    path = { rate = "100Mbps", rtt = "40ms", delay = "10ms", queue = { kind = "droptail", limit = "1000pkt" } }
    [[flows]]
    name = "drawn"
    algorithm = "newreno"
    count = 100
    start = "0s..10s"
    size = { kind = "pareto", mean = "60KB", shape = 1.5, maximum = "3MB" }
    rtt = { kind = "uniform", minimum = "10ms", maximum = "100ms" }
"#;

fn delivered(records: &Replication) -> f64 {
    value(records, "drawn", "goodput_bps") * 20.0 / 8.0
}

#[test]
fn each_flow_transfers_what_it_drew_and_both_its_ends_know_how_much() {
    let model = scenario(DRAWN).model;
    let sizes = model.workloads[0].size.clone().expect("the transfers are finite");
    for replication in 0..2 {
        let draw = |flow| {
            let name = format!("flow {flow} size");
            sizes.sample(&mut narrows_engine::Stream::new(model.seed, replication, &name)).count()
        };
        let drawn: Vec<u64> = (0..100).map(draw).collect();
        assert!(drawn.iter().all(|size| *size <= 3_000_000) && drawn.iter().any(|size| *size != drawn[0]));
        let records = run(DRAWN, replication);
        assert!((value(&records, "drawn", "completed_flows") - 100.0).abs() < 1e-9);
        assert!((delivered(&records) - drawn.iter().sum::<u64>() as f64).abs() < 1.0);
    }
}

#[test]
fn each_flow_has_the_round_trip_it_drew_but_never_less_than_the_bottleneck_takes() {
    let model = scenario(DRAWN).model;
    let rtts = |replication| {
        let records = simulate(&model, replication, &Progress::new(), RunOptions::default());
        let connections = records.expect("the run ends by itself").connections;
        connections.into_iter().map(|connection| connection.rtt).collect::<Vec<_>>()
    };
    let (first, second) = (rtts(0), rtts(1));
    assert_ne!(first, second);
    let Access::RoundTrip { rtt: drawn, .. } = &model.workloads[0].access else {
        panic!("round trips are drawn")
    };
    for (flow, rtt) in first.iter().enumerate() {
        let drawn =
            drawn.sample(&mut narrows_engine::Stream::new(model.seed, 0, &format!("flow {flow} rtt")));
        assert_eq!(*rtt, drawn.max(Span::from_ms(20)), "flow {flow}");
    }
    assert!(first.contains(&Span::from_ms(20)), "one in nine draws is below twice the bottleneck's delay");
}
