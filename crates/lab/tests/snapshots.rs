// SPDX-License-Identifier: Apache-2.0
//! Truth: fingerprint. The events of ten short runs as text, so that a change shows the first event of a run that
//! differs.
//!
//! Each scenario in `snapshots/` has its events beside it, in order and one in each line: starts and ends of flows and
//! transfers, the log of events, and the log of packets if the scenario records it. A change of results is accepted as
//! for fingerprints, with `NARROWS_ACCEPT=1 cargo test -p narrows-lab --test all snapshots`.

use crate::support::run;
use narrows_lab::records::{Column, NO_LABEL, Table};
use narrows_lab::replication::Replication;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn the_events_are_the_ones_on_file() {
    let scenarios = scenarios();
    assert_eq!(scenarios.len(), 10);
    let mut differences = Vec::new();
    for file in scenarios {
        let text = fs::read_to_string(&file).expect("the scenario can be read");
        let now = events(&run(&text, 0));
        let on_file = file.with_extension("txt");
        if std::env::var_os("NARROWS_ACCEPT").is_some() {
            fs::write(&on_file, format!("{}\n", now.join("\n"))).expect("the snapshot can be written");
        }
        assert!((10..MOST_LINES).contains(&now.len()), "{}: {} events", file.display(), now.len());
        let before = fs::read_to_string(&on_file).expect("the snapshot can be read");
        differences.extend(
            difference(&before.lines().collect::<Vec<_>>(), &now)
                .map(|found| format!("{} departs from {}\n{found}", file.display(), on_file.display())),
        );
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n\n"));
}

#[test]
fn a_difference_is_shown_with_the_lines_around_it() {
    let before: Vec<_> = ["1 a", "2 b", "3 c", "4 d", "5 e", "6 f"].to_vec();
    let mut now: Vec<String> = before.iter().map(ToString::to_string).collect();
    assert_eq!(difference(&before, &now), None);
    now[4] = "5 x".into();
    let shown = "  line 2: 2 b\n  line 3: 3 c\n  line 4: 4 d\n- line 5: 5 e\n- line 6: 6 f\n+ line 5: 5 x\n+ line 6: 6 f";
    assert_eq!(difference(&before, &now).as_deref(), Some(shown));
    now.truncate(5);
    assert!(difference(&before, &now).is_some_and(|shown| shown.ends_with("+ line 5: 5 x")));
}

/// The scenarios of the snapshots, in the order of their names.
fn scenarios() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    found.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    found.sort();
    found
}

/// The first line that differs, with the lines around it; `None` if none does.
fn difference(before: &[&str], now: &[String]) -> Option<String> {
    let same = before.iter().zip(now).take_while(|(one, other)| *one == *other).count();
    if same == before.len() && same == now.len() {
        return None;
    }
    let from = same.saturating_sub(CONTEXT);
    let line = |sign: char, place: usize, text: &str| format!("{sign} line {}: {text}", place + 1);
    let mut shown: Vec<String> = (from..same).map(|place| line(' ', place, before[place])).collect();
    let end = same + CONTEXT;
    shown.extend((same..before.len().min(end)).map(|place| line('-', place, before[place])));
    shown.extend((same..now.len().min(end)).map(|place| line('+', place, &now[place])));
    Some(shown.join("\n"))
}

/// What happened in the run, in order, an event in each line.
fn events(run: &Replication) -> Vec<String> {
    let mut found = Vec::new();
    for (name, times) in [("flows", FLOW_TIMES), ("transfers", TRANSFER_TIMES)] {
        let table = &run.tables[name];
        for row in 0..table.rows() {
            for (column, event) in times {
                let time_s = table.real(column).expect("the column is real")[row];
                if !time_s.is_nan() {
                    let text = format!("{event} of {}", described(table, row, NAMED));
                    found.push(((time_s * 1e12).round() as i64, text));
                }
            }
        }
    }
    for name in ["events", "packets"] {
        let table = &run.tables[name];
        let times = table.whole("time_ps").unwrap_or_default();
        found.extend(times.iter().enumerate().map(|(row, time)| (*time, described(table, row, UNTIMED))));
    }
    // Events of one time stay in the order of their log.
    found.sort_by_key(|(time, _)| *time);
    let seconds = |ps: i64| format!("{}.{:012}", ps / 1_000_000_000_000, ps % 1_000_000_000_000);
    found.into_iter().map(|(time, text)| format!("{} {text}", seconds(time))).collect()
}

/// The values of a row under the columns that `shown` selects: texts as they are, others as `name=value`.
fn described(table: &Table, row: usize, shown: fn(&str) -> bool) -> String {
    let columns = table.columns().iter().filter(|(name, _)| shown(name));
    let texts = columns.filter_map(|(name, column)| match column {
        Column::Label { codes, .. } if codes[row] == NO_LABEL => None,
        Column::Label { codes, labels } => Some(labels[codes[row] as usize].clone()),
        Column::Real(values) if values[row].is_nan() => None,
        Column::Real(values) => Some(format!("{name}={}", values[row])),
        Column::Whole(values) => Some(format!("{name}={}", values[row])),
        Column::Flag(values) => values[row].then(|| (*name).to_owned()),
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Columns that say which flow or transfer it is.
const NAMED: fn(&str) -> bool = |name| ["group", "flow", "slot", "bytes"].contains(&name);
const UNTIMED: fn(&str) -> bool = |name| name != "time_ps";
const FLOW_TIMES: &[(&str, &str)] =
    &[("start_s", "start"), ("established_s", "establishment"), ("completed_s", "completion")];
const TRANSFER_TIMES: &[(&str, &str)] =
    &[("start_s", "start"), ("established_s", "establishment"), ("end_s", "end")];
/// Lines of a snapshot, and lines around a difference.
const MOST_LINES: usize = 200;
const CONTEXT: usize = 3;
