// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. What is recorded of clients of applications over time: of every kind of application, nothing that changes
//! a result, the same in one partition and in several, and sums that are the counts of the group.

use crate::support::{run_as, scenario, value};
use narrows_lab::backend::Progress;
use narrows_lab::records::{Column, Table};
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::sim::RunOptions;

/// Sources of all kinds of applications, what their series must count, and events that they must have beside a download.
const KINDS: &[(&str, &str, &[&str])] = &[
    (r#"kind = "call""#, "captured_frames", &["late-frame", "skipped-frame"]),
    (r#"kind = "game""#, "captured_frames", &["late-frame", "skipped-frame"]),
    (
        r#"kind = "web", think = "100ms", levels = [{ size = "30kB" }, { count = 6, size = "20kB" }]"#,
        "loaded_pages",
        &["page"],
    ),
    (
        r#"kind = "video", ladder = ["200kbps", "400kbps"], segment = "1s", buffer = "8s""#,
        "played_s",
        &["startup", "switch"],
    ),
    (
        r#"kind = "responsiveness", interval = "200ms""#,
        "probe_time_s",
        &["probe-tcp", "probe-loaded", "dropped", "reduction"],
    ),
];

/// One client beside a download, for 5 s, of which 0 s are warm-up.
fn text(source: &str) -> String {
    format!(
        r#"
        duration = "5s"
        warmup = "0s"
        path = {{ rate = "4Mbps", rtt = "40ms", queue = {{ kind = "droptail", limit = "500ms" }} }}
        [[flows]]
        name = "client"
        algorithm = "cubic"
        count = 2
        source = {{ {source} }}
        [[flows]]
        name = "download"
        algorithm = "cubic"
        start = "1s"
        "#
    )
}

fn words(table: &Table, name: &str) -> Vec<String> {
    let Some(Column::Label { codes, labels }) = table.column(name) else { panic!("{name} holds no words") };
    codes.iter().filter_map(|code| labels.get(*code as usize).cloned()).collect()
}

fn sum(records: &Replication, column: &str) -> f64 {
    match records.tables["clients"].column(column) {
        Some(Column::Real(values)) => values.iter().filter(|value| value.is_finite()).sum(),
        Some(Column::Whole(values)) => values.iter().sum::<i64>() as f64,
        _ => panic!("no column {column}"),
    }
}

#[test]
fn every_kind_of_application_has_series_and_events_and_no_result_depends_on_them() {
    for (source, counted, wanted) in KINDS {
        let text = text(source);
        let records = run_as(&text, 0, RunOptions::default());
        let clients = &records.tables["clients"];
        assert_eq!(clients.rows(), 50 * 2, "{source}: two clients, 50 intervals");
        assert!(sum(&records, counted) > 0.0, "{source}: {counted}");
        for known in ["permitted_bps", "cwnd_packets", "srtt_s"] {
            assert!(
                clients.real(known).is_some_and(|values| values.iter().any(|it| *it > 0.0)),
                "{source}: {known}"
            );
        }
        let found = words(&records.tables["client_events"], "event");
        for event in wanted.iter().chain(&["state"]) {
            assert!(found.iter().any(|each| each == event), "{source}: no {event}");
        }
        let goodput = records.tables["applications"].real("goodput_bps").expect("the column");
        let mean = goodput.iter().sum::<f64>() / goodput.len() as f64;
        assert!((mean / value(&records, "client", "goodput_bps") - 1.0).abs() < 1e-9, "{source}");

        let mut without = scenario(&text);
        (without.model.record.clients, without.model.record.client_events) = (0, None);
        let plain =
            run_with(&without.model, 0, &Progress::new(), RunOptions::default()).expect("it ends by itself");
        assert!(plain.tables["clients"].columns().is_empty(), "{source}");
        assert!(plain.tables["client_events"].columns().is_empty(), "{source}");
        assert_eq!(plain.digest(), records.digest(), "{source}");
        let shown = |records: &Replication, name: &str| format!("{:?}", records.tables[name]);
        assert_eq!(shown(&plain, "events"), shown(&records, "events"), "{source}");

        let cut = run_as(&text, 0, RunOptions { partitions: 2, ..RunOptions::default() });
        for name in ["clients", "client_events", "applications"] {
            assert_eq!(shown(&cut, name), shown(&records, name), "{source}: {name} in two partitions");
        }
    }
}
