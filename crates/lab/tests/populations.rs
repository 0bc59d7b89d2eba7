// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. Transfers that start and end during a run, many of them in one slot after the other.

use crate::support::scenario;
use narrows_lab::algorithm::Control;
use narrows_lab::backend::Progress;
use narrows_lab::card::Owner;
use narrows_lab::congestion_control::Algorithm;
use narrows_lab::model::{Access, Demand, HostModel, Model, PathModel, UserModel, Workload, arranged};
use narrows_lab::records::{Column, Table};
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::sim::RunOptions;
use narrows_lab::traffic::{Arrivals, Distribution, Sizes, Spans};
use narrows_units::{Rate, Span, Time};

const BASE: &str = r#"
    duration = "10s"
    warmup = "1s"
    path = { rate = "20Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "20pkt" } }
    [[flows]]
    algorithm = "cubic"
    count = 2
    start = "0s..1s"
"#;

/// The scenario with a second and a third workload, there and back.
fn with(demand: &Demand, access: &Access, slots: u32) -> Model {
    let mut model = scenario(BASE).model;
    let workload = |forward, reverse| Workload {
        demand: demand.clone(),
        slots,
        individual: false,
        size: Some(Sizes(Distribution::pareto_of_mean(30_000.0, 1.3, Some(1e7)).expect("it has a mean"))),
        paths: vec![PathModel { weight: 1.0, forward, reverse, class: "".into() }],
        access: access.clone(),
        ..model.workloads[0].clone()
    };
    let more = [workload(0, 1), workload(1, 0)];
    model.workloads.extend(more);
    model.workloads = arranged(model.workloads);
    model.record.transfers = 1000;
    model
}

fn poisson() -> Model {
    let access = Access::RoundTrip {
        rtt: Spans(Distribution::Uniform { minimum: 0.04, maximum: 0.2 }),
        rate: Rate::from_bps(100_000_000),
    };
    with(&Demand::Open(Arrivals::Poisson([(Time::ZERO, 40.0)].into())), &access, 100)
}

fn users() -> Model {
    let think = Distribution::Exponential { mean: 0.5 };
    let host = HostModel {
        normal: Rate::from_bps(10_000_000),
        fast: Rate::from_bps(100_000_000),
        fast_share: 0.3,
        delay: Span::from_ms(2),
    };
    let users = UserModel { think, from: Span::ZERO, until: Span::MAX, patience: None, barrier: false };
    with(&Demand::Users(users), &Access::Hosts { source: host, receiver: host }, 50)
}

fn run(model: &Model, partitions: usize) -> Replication {
    let options = RunOptions { partitions, ..RunOptions::default() };
    run_with(model, 0, &Progress::new(), options).expect("the run ends by itself")
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [i64] {
    let found = table.columns().iter().find_map(|(this, column)| match column {
        Column::Whole(values) if *this == name => Some(values.as_slice()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no column {name}"))
}

#[test]
fn transfers_are_the_same_however_the_network_is_cut() {
    for model in [poisson(), users()] {
        let whole = run(&model, 1);
        assert!(whole.tables["transfers"].rows() > 100, "{}", whole.tables["transfers"].rows());
        assert_eq!(run(&model, 2).digest(), whole.digest());
    }
}

#[test]
fn every_transfer_that_started_is_complete_or_in_progress() {
    for model in [poisson(), users()] {
        let records = run(&model, 1);
        let sum = |name| column(&records.tables["census"], name).iter().sum::<i64>();
        let last = |name| *column(&records.tables["census"], name).last().expect("there are intervals");
        let in_progress = last("connecting_flows") + last("active_flows");
        let over = sum("completed_flows") + sum("failed_flows") + sum("abandoned_flows");
        assert_eq!(sum("started_flows"), over + in_progress);
        assert!(over > 100, "{over}");
    }
}

/// Two directions of 40 arrivals a second for ten seconds, within four standard deviations.
#[test]
fn open_arrivals_come_whatever_becomes_of_those_before() {
    let records = run(&poisson(), 1);
    let sum = |name| column(&records.tables["census"], name).iter().sum::<i64>();
    let arrived = (sum("started_flows") + sum("refused_flows")) as f64;
    assert!((arrived - 800.0).abs() < 4.0 * 800.0_f64.sqrt(), "{arrived}");
}

#[test]
fn a_transfer_that_finds_every_slot_taken_is_rejected() {
    let mut model = poisson();
    model.workloads[1..].iter_mut().for_each(|workload| workload.slots = 2);
    let records = run(&model, 1);
    let most = column(&records.tables["census"], "active_flows").iter().max();
    // Two slots in each direction, beside the two flows that stay.
    assert!(most <= Some(&6), "{most:?}");
    assert!(column(&records.tables["census"], "refused_flows").iter().sum::<i64>() > 100);
}

#[test]
fn a_user_has_one_transfer_at_a_time_and_thinks_between_them() {
    let records = run(&users(), 1);
    let slots = column(&records.tables["transfers"], "slot");
    let starts = records.tables["transfers"].real("start_s").expect("a column");
    let ends = records.tables["transfers"].real("end_s").expect("a column");
    let mut think_times = Vec::new();
    // The first two slots belong to the flows that stay.
    for slot in 2..102 {
        let mut own: Vec<_> =
            (0..slots.len()).filter(|row| slots[*row] == slot).map(|row| (starts[row], ends[row])).collect();
        own.sort_by(|a, b| a.0.total_cmp(&b.0));
        think_times.extend(own.windows(2).map(|pair| pair[1].0 - pair[0].1));
    }
    assert!(think_times.iter().all(|time| *time >= 0.0));
    // Exponential of mean 0.5 s, cut short by the end of the run: within five standard errors of it.
    let (count, mean) =
        (think_times.len() as f64, think_times.iter().sum::<f64>() / think_times.len() as f64);
    assert!((mean - 0.5).abs() < 5.0 * 0.5 / count.sqrt(), "{mean} over {count}");
}

/// What arrives, when and how much of it, is the same whatever controls congestion.
#[test]
fn two_algorithms_meet_the_same_transfers() {
    let met = |algorithm: &str| {
        let mut model = poisson();
        model.groups[0].algorithm =
            Control::Listed(Algorithm::parse(algorithm).expect("the catalogue has it"));
        let records = run(&model, 1);
        let starts = records.tables["transfers"]
            .real("start_s")
            .expect("a column")
            .iter()
            .map(|start| start.to_bits());
        let mut all: Vec<_> = starts.zip(column(&records.tables["transfers"], "bytes").to_vec()).collect();
        all.sort_unstable();
        all
    };
    let (cubic, reno) = (met("cubic"), met("newreno"));
    let common = cubic.iter().filter(|each| reno.binary_search(each).is_ok()).count();
    // Those in progress at the end differ.
    assert!(common as f64 > 0.95 * cubic.len() as f64, "{common} of {}", cubic.len());
}

/// Each kind of group has every metric of groups in the catalogue, or the other kind does.
#[test]
fn what_a_group_can_be_asked_for_is_what_it_has() {
    const GROUPS: &str = r#"
        duration = "3s"
        path = { rate = "20Mbps", rtt = "40ms" }
        [[flows]]
        name = "stays"
        algorithm = "cubic"
        size = "1MB"
        [[flows]]
        name = "comes"
        algorithm = "cubic"
        size = { kind = "exponential", mean = "30kB" }
        source = { kind = "poisson", interval = "100ms" }
    "#;
    let records = run(&scenario(GROUPS).model, 1);
    for metric in narrows_lab::metrics::catalogue().iter().filter(|metric| metric.of == Owner::Group) {
        for group in &records.groups {
            let text = format!(
                "{GROUPS}\n[[expect]]\nmeasure = \"{}\"\ngroup = \"{}\"\nat_least = 0",
                metric.name, group.name
            );
            let options = narrows_lab::scenario::LoadOptions::default();
            let asked =
                narrows_lab::scenario::load(&text, "test.toml", std::path::Path::new("."), &[], &options);
            let has = group.values.iter().any(|(name, _)| *name == metric.name);
            assert_eq!(asked.is_ok(), has, "{} of {}", metric.name, group.name);
        }
    }
}

#[test]
fn impatient_users_leave() {
    let mut model = users();
    for workload in &mut model.workloads[1..] {
        let Demand::Users(UserModel { patience, .. }) = &mut workload.demand else {
            unreachable!("they are users")
        };
        *patience = Some(Distribution::Constant(0.3));
    }
    let records = run(&model, 1);
    let ends = records.tables["transfers"].real("end_s").expect("a column");
    let starts = records.tables["transfers"].real("start_s").expect("a column");
    assert!(starts.iter().zip(ends).all(|(start, end)| end - start <= 0.3 + 1e-9));
    assert!(column(&records.tables["census"], "abandoned_flows").iter().sum::<i64>() > 20);
}
