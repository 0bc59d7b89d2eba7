// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. Whatever fills records is a backend: its runs have every table, metric and check, and settings that
//! it does not support are refused at their lines.

use narrows_lab::backend::{Backend, Progress, RunError, Support};
use narrows_lab::model::{Demand, Model, Refusal};
use narrows_lab::records::{
    GroupCounts, GroupDescription, GroupRecord, GroupSample, Records, RunDescription,
};
use narrows_lab::replication::run_on;
use narrows_lab::scenario::{LoadOptions, load};
use narrows_units::{Span, Time};
use std::path::Path;
use std::sync::Arc;

/// Delivers a megabyte in the second after the warm-up, whatever the model; it cannot have applications above senders, nor
/// delay what they send.
#[derive(Debug)]
struct Steady;

impl Support for Steady {
    fn name(&self) -> &'static str {
        "steady"
    }

    fn refusals(&self, model: &Model) -> Vec<Refusal> {
        let refused = |(number, workload): (usize, &narrows_lab::model::Workload)| {
            let random = !matches!(workload.demand, Demand::Fixed { .. });
            let refusal = |key: &'static str, reason: &str| {
                Refusal::of_group(number, key, reason.to_owned(), "what is there from the start")
            };
            [
                random.then(|| refusal("source.kind", "connections that start during a run")),
                (workload.send_delay > Span::ZERO).then(|| refusal("send_delay", "packets leave at once")),
            ]
        };
        model.workloads.iter().enumerate().flat_map(refused).flatten().collect()
    }
}

impl Backend for Steady {
    fn run(&self, model: &Model, _: u32, _: usize, _: &Progress) -> Result<Records, RunError> {
        let second = |counts: u64| GroupSample {
            counts: GroupCounts { bytes_received: counts, ..GroupCounts::default() },
            ..GroupSample::default()
        };
        let group = |group: &narrows_lab::model::GroupModel| GroupDescription {
            name: group.name.clone(),
            algorithm: group.algorithm.to_string(),
            ..GroupDescription::default()
        };
        let record = |_: &_| GroupRecord {
            at_end: second(1_000_000).counts,
            series: vec![second(0), second(1_000_000)],
            ..GroupRecord::default()
        };
        Ok(Records {
            run: RunDescription {
                duration: model.duration,
                warmup: model.warmup,
                groups: model.groups.iter().map(group).collect(),
                ..RunDescription::default()
            },
            groups: model.groups.iter().map(record).collect(),
            interval_ends: [1000, 2000].map(|ms| Time::ZERO + Span::from_ms(ms)).to_vec(),
            ..Records::default()
        })
    }
}

const PLAIN: &str = r#"duration = "2s"
warmup = "1s"
path = { rate = "10Mbps", rtt = "40ms" }
[transport]
send_delay = "0s"
[[flows]]
name = "first"
algorithm = "cubic"
"#;

fn options() -> LoadOptions {
    LoadOptions { backend: Some(Arc::new(Steady)), ..LoadOptions::default() }
}

#[test]
fn a_second_backend_has_every_table_metric_and_check() {
    let model = load(PLAIN, "plain.toml", Path::new("."), &[], &options()).expect("nothing is refused").model;
    let replication = run_on(&Steady, &model, 0, 1, &Progress::new()).expect("it cannot fail");
    assert!((replication.groups[0].value("goodput_bps") - 8e6).abs() < 1e-6);
    assert!(replication.groups[0].value("rtt_mean_s").is_nan(), "it has no round-trip samples");
    assert_eq!(replication.tables.iter().count(), narrows_lab::records::schema::tables().len());
    assert!(!replication.checks.is_empty());
    assert_eq!(replication.digest().len(), 64);
}

#[test]
fn what_a_backend_cannot_honour_is_refused_where_it_is_written() {
    let more = format!(
        "{PLAIN}send_delay = \"1ms\"\n[[flows]]\nalgorithm = \"reno\"\nsize = \"1MB\"\nsource = {{ kind = \"poisson\", interval = \"1s\" }}\n"
    );
    let faults = load(&more, "more.toml", Path::new("."), &[], &options()).expect_err("two keys are refused");
    let found: Vec<_> = faults.iter().map(|fault| (fault.line, fault.path.as_str())).collect();
    assert_eq!(found, [(Some(9), "flows.0.send_delay"), (Some(13), "flows.1.source.kind")]);
    assert_eq!(faults[0].given.as_deref(), Some("\"1ms\""));
    assert!(faults[0].message.contains("steady") && faults[0].message.contains("packets leave at once"));
}

#[test]
fn a_group_without_flows_does_not_shift_the_lines_of_those_behind_it() {
    let none = "[[flows]]\nalgorithm = \"reno\"\ncount = 0\n";
    let more = PLAIN.replace("[[flows]]\n", &format!("{none}[[flows]]\n")) + "send_delay = \"1ms\"\n";
    let faults = load(&more, "more.toml", Path::new("."), &[], &options()).expect_err("it is refused");
    let found: Vec<_> = faults.iter().map(|fault| (fault.line, fault.path.as_str())).collect();
    assert_eq!(found, [(Some(12), "flows.1.send_delay")]);
}

#[test]
fn what_is_refused_for_a_default_is_reported_at_its_section() {
    let without = PLAIN.replace("[transport]\nsend_delay = \"0s\"\n", "");
    let faults =
        load(&without, "w.toml", Path::new("."), &[], &options()).expect_err("the default is refused");
    assert_eq!((faults[0].line, faults[0].path.as_str()), (Some(4), "flows.0.send_delay"));
    assert_eq!(faults[0].given, None);
}
