// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. A recorded link starts at a place of its recording that is a draw of the replication, or as written.

use crate::support::{self, scenario, value};
use narrows_lab::backend::Progress;
use narrows_lab::model::{Origin, RateModel, Trace};
use narrows_lab::records::Table;
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::sim::RunOptions;
use narrows_lab::units::Span;
use std::sync::Arc;

/// Ten seconds, of which the second half has four times the opportunities of the first.
fn recording(start: Option<Span>) -> RateModel {
    let slow = (0..5000).step_by(4);
    let opportunities: Vec<_> = slow.chain(5000..=10_000).map(Span::from_ms).collect();
    let period = opportunities[opportunities.len() - 1];
    RateModel::Trace(Arc::new(Trace {
        name: "half and half".into(),
        digest: String::new(),
        opportunities,
        period,
        start,
        origin: Origin::Recorded,
    }))
}

/// Both directions of the path are recordings; replication `replication` of a run of `algorithm`.
fn run(algorithm: &str, replication: u32, starts: [Option<Span>; 2], partitions: usize) -> Replication {
    let text = format!(
        "duration = \"4s\"\npath = {{ rate = \"10Mbps\", rtt = \"40ms\" }}\nflows = [{{ algorithm = \"{algorithm}\" }}]"
    );
    let mut model = scenario(&text).model;
    for (link, start) in starts.into_iter().enumerate() {
        model.links[link].rate = recording(start);
    }
    let options = RunOptions { partitions, ..RunOptions::default() };
    run_with(&model, replication, &Progress::new(), options).expect("the run ends by itself")
}

fn starts(recordings: &Table) -> Vec<f64> {
    recordings.real("start_s").expect("a recorded link has a start").to_vec()
}

#[test]
fn a_random_start_is_another_for_each_replication_and_one_for_all_links_and_algorithms() {
    let mut seen = Vec::new();
    for replication in 0..5 {
        let [cubic, reno] = ["cubic", "newreno"].map(|name| run(name, replication, [None, None], 1));
        let [of_cubic, of_reno] = [&cubic, &reno].map(|run| starts(&run.tables["recordings"]));
        assert_eq!(of_cubic, of_reno);
        assert_eq!(of_cubic.len(), 2);
        assert!(of_cubic[0].to_bits() == of_cubic[1].to_bits() && (0.0..10.0).contains(&of_cubic[0]));
        assert_eq!(
            cubic.digest(),
            run("cubic", replication, [None, None], 2).digest(),
            "one or two partitions"
        );
        seen.push(of_cubic[0]);
    }
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    assert_eq!(seen.len(), 5, "{seen:?}");
}

#[test]
fn a_run_from_a_drawn_start_is_that_from_the_same_start_as_written() {
    let drawn = run("cubic", 3, [None, None], 1);
    let start = Span::from_secs_f64(starts(&drawn.tables["recordings"])[0]);
    assert_eq!(drawn.digest(), run("cubic", 3, [Some(start); 2], 1).digest());
}

#[test]
fn what_is_offered_is_what_was_recorded_from_there_on() {
    for (start_s, rate_bps) in [(0, 3e6), (5, 12e6), (3, 7.5e6), (8, 7.5e6)] {
        let run = run("cubic", 0, [Some(Span::from_ms(1000 * start_s)); 2], 1);
        let rows = run.tables["series"].real("capacity_bps").expect("links have a capacity");
        let offered: Vec<_> = rows.iter().filter(|value| !value.is_nan()).collect();
        let mean = offered.iter().copied().sum::<f64>() / offered.len() as f64;
        assert!((mean / rate_bps - 1.0).abs() < 0.01, "from {start_s} s: {mean}");
        assert!(value(&run, "bottleneck", "utilization") <= 1.0);
    }
}

#[test]
fn a_run_without_a_recording_has_no_table_of_recordings() {
    let plain = support::run(
        "duration = \"1s\"\npath = { rate = \"10Mbps\", rtt = \"40ms\" }\nflows = [{ algorithm = \"cubic\" }]",
        0,
    );
    assert!(plain.tables["recordings"].columns().is_empty());
}
