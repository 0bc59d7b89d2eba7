// SPDX-License-Identifier: Apache-2.0
//! Truth: definition. A metric and the events of one name have one count, for every algorithm.

use crate::support::{scenario, value};
use narrows_lab::algorithm;
use narrows_lab::backend::Progress;
use narrows_lab::records::Column;
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::sim::RunOptions;

/// What changes windows: full buffers, marks, random losses and a failure, idle times.
const PATHS: &[(&str, &str, &str)] = &[
    ("full buffers", r#"rate = "10Mbps", queue = { kind = "droptail", limit = "20pkt" }"#, ""),
    (
        "marks",
        r#"rate = "10Mbps", queue = { kind = "step", threshold = "8pkt", limit = "100pkt" }"#,
        "ecn = true\n",
    ),
    (
        "losses and an outage",
        r#"rate = { kind = "steps", rates = ["10Mbps", "0bps", "10Mbps"], times = ["0s", "5s", "7s"] }, loss = { kind = "bernoulli", rate = "1%" }"#,
        "",
    ),
    (
        "idle times",
        r#"rate = "10Mbps", queue = { kind = "droptail", limit = "20pkt" }"#,
        "source = { kind = \"onoff\", on = \"1s\", off = \"2s\", rate = \"15Mbps\" }\n",
    ),
];

fn logged(text: &str) -> Replication {
    let mut model = scenario(text).model;
    model.record.events = Some(1_000_000);
    run_with(&model, 0, &Progress::new(), RunOptions::default()).expect("the run ends by itself")
}

/// The number of events `event` after the end of the warm-up, at `place` or anywhere; `with_rule` counts those that have one.
fn events(records: &Replication, event: &str, place: Option<&str>, with_rule: bool) -> f64 {
    let table = &records.tables["events"];
    let words = |name: &str| match table.column(name) {
        Some(Column::Label { codes, labels }) => {
            codes.iter().map(|code| labels.get(*code as usize).map_or("", String::as_str)).collect::<Vec<_>>()
        }
        _ => panic!("{name} holds no words"),
    };
    let (kinds, places, rules) = (words("event"), words("place"), words("rule"));
    let times = table.whole("time_ps").expect("it is whole");
    let measured = |row: &usize| times[*row] > records.warmup.as_ps().cast_signed();
    let wanted = |row: &usize| {
        kinds[*row] == event
            && place.is_none_or(|place| places[*row] == place)
            && (with_rule || rules[*row].is_empty())
    };
    (0..times.len()).filter(measured).filter(wanted).count() as f64
}

#[test]
fn metrics_and_events_of_one_name_agree_for_every_algorithm() {
    let (mut apart, mut reductions, mut timeouts) = (Vec::new(), 0.0, 0.0);
    for entry in algorithm::listed() {
        let name = entry.card.name;
        for (what, path, flow) in PATHS {
            let datagrams = (entry.needs)(&entry.card.defaults()).transport.to_string() != "reliable";
            if datagrams && flow.contains("source") {
                continue;
            }
            let text = format!(
                "duration = \"12s\"\nwarmup = \"2s\"\npath = {{ rtt = \"40ms\", {path} }}\n\
                 [[flows]]\nname = \"a\"\nalgorithm = \"{name}\"\ncount = 2\n{flow}"
            );
            let records = logged(&text);
            let mut compare = |metric: &str, counted: f64, logged: f64| {
                if (counted - logged).abs() > 0.5 {
                    apart.push(format!("{name}, {what}: {metric} is {counted}, and {logged} events"));
                }
            };
            let of_group = |metric| value(&records, "a", metric);
            let logged = events(&records, "reduction", None, true);
            reductions += logged;
            compare("reductions", of_group("reductions"), logged);
            let expired = events(&records, "timeout", None, false);
            timeouts += expired;
            compare("timeouts", of_group("timeouts"), expired);
            for (metric, event) in [("dropped_packets", "dropped"), ("marked_packets", "marked")] {
                let counted = ["bottleneck", "bottleneck reverse"].map(|link| value(&records, link, metric));
                let logged = ["bottleneck", "bottleneck reverse"]
                    .map(|link| events(&records, event, Some(link), true));
                compare(metric, counted.iter().sum(), logged.iter().sum());
            }
            // Means of nothing are none, and every window before a reduction belongs to one.
            let before = of_group("cwnd_before_reduction_packets");
            if before.is_nan() != (of_group("reductions") < 0.5) {
                apart.push(format!("{name}, {what}: {before} packets before {logged} reductions"));
            }
        }
    }
    assert!(apart.is_empty(), "{}", apart.join("\n"));
    assert!(reductions > 1000.0 && timeouts > 100.0, "{reductions} reductions, {timeouts} timeouts");
}

/// Every event `reduction` is one: the window is smaller after it.
#[test]
fn a_reduction_lowers_the_window() {
    let mut higher = Vec::new();
    for entry in algorithm::listed() {
        let name = entry.card.name;
        let text = format!(
            "duration = \"12s\"\nwarmup = \"2s\"\npath = {{ rate = \"10Mbps\", rtt = \"40ms\", loss = {{ kind = \"bernoulli\", rate = \"1%\" }} }}\n\
             [[flows]]\nname = \"a\"\nalgorithm = \"{name}\"\n"
        );
        let records = logged(&text);
        let table = &records.tables["events"];
        let Some(Column::Label { codes, labels }) = table.column("event") else { panic!("no words") };
        let (before, after) =
            (table.real("cwnd_before_packets").expect("real"), table.real("cwnd_packets").expect("real"));
        let reduction = |row: &usize| labels[codes[*row] as usize] == "reduction";
        let kept = (0..codes.len()).filter(reduction).filter(|row| after[*row] >= before[*row]).count();
        if kept > 0 {
            higher.push(format!("{name}: {kept}"));
        }
    }
    assert!(higher.is_empty(), "reductions without a smaller window: {higher:?}");
}
