// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. The log of events states why windows were reduced, the inner variables what algorithms and queues
//! computed, and neither changes anything else.

use crate::support::{VARIED, scenario};
use narrows_lab::backend::Progress;
use narrows_lab::model::Model;
use narrows_lab::records::{Column, NO_LABEL, Table};
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::sim::RunOptions;
use std::collections::{BTreeMap, BTreeSet};

fn run(text: &str, options: RunOptions, change: impl FnOnce(&mut Model)) -> Replication {
    let mut model = scenario(text).model;
    change(&mut model);
    run_with(&model, 0, &Progress::new(), options).expect("the run ends by itself")
}

fn recorded(text: &str, options: RunOptions) -> Replication {
    run(text, options, |model| (model.record.events, model.record.internals) = (Some(1_000_000), true))
}

fn alone() -> RunOptions {
    RunOptions::default()
}

/// The texts of a column; `""` if there is none.
fn words(table: &Table, name: &str) -> Vec<String> {
    let Some(Column::Label { codes, labels }) = table.column(name) else { panic!("{name} holds no words") };
    let word = |code: &u32| if *code == NO_LABEL { String::new() } else { labels[*code as usize].clone() };
    codes.iter().map(word).collect()
}

/// How often each event happened by each rule.
fn tally(records: &Replication) -> BTreeMap<(String, String), u64> {
    let events = &records.tables["events"];
    let mut tally = BTreeMap::new();
    for key in words(events, "event").into_iter().zip(words(events, "rule")) {
        *tally.entry(key).or_default() += 1;
    }
    tally
}

#[test]
fn nothing_else_depends_on_what_is_recorded_of_the_inside() {
    for (what, text) in VARIED {
        let with = recorded(text, alone());
        assert!(with.tables["internals"].rows() > 0 || !text.contains("bbr1"), "{what}");
        let without = run(text, alone(), |model| model.record.events = None);
        assert_eq!(with.digest(), without.digest(), "{what}");
        assert!(without.tables["events"].columns().is_empty(), "{what}");
        assert!(without.tables["internals"].columns().is_empty(), "{what}");
        let packets = |inside: bool| {
            let records = run(text, alone(), |model| {
                model.record.packets = Some(20_000);
                model.record.internals = inside;
                model.record.events = inside.then_some(100);
            });
            format!("{:?}", records.tables["packets"])
        };
        assert_eq!(packets(true), packets(false), "{what}");
    }
}

#[test]
fn both_tables_are_the_same_however_a_run_is_carried_out() {
    for (what, text) in VARIED {
        for limit in [1_000_000, 50] {
            let tables = |partitions, lookahead| {
                let records =
                    run(text, RunOptions { partitions, lookahead, ..RunOptions::default() }, |model| {
                        (model.record.events, model.record.internals) = (Some(limit), true);
                    });
                format!("{:?} {:?}", records.tables["events"], records.tables["internals"])
            };
            let alone = tables(1, true);
            assert_eq!(tables(2, true), alone, "{what}");
            assert_eq!(tables(1, false), alone, "{what}");
        }
    }
}

/// The log has as many events of each kind as were counted in other ways.
#[test]
fn no_event_is_missing_from_the_log() {
    for (what, text) in VARIED.iter().filter(|(_, text)| !text.contains("warmup")) {
        let records = recorded(text, alone());
        let (events, flows) = (&records.tables["events"], &records.tables["flows"]);
        let (groups, kinds) = (words(events, "group"), words(events, "kind"));
        let numbers = events.whole("flow").expect("it is whole");
        let entries = words(events, "event");
        for (flow, (group, number)) in
            words(flows, "group").iter().zip(flows.whole("flow").expect("it is whole")).enumerate()
        {
            let count = |wanted: &[&str], of_data: bool| {
                let own = (0..entries.len()).filter(|row| groups[*row] == *group && numbers[*row] == *number);
                let own = own.filter(|row| !of_data || ["data", "datagram"].contains(&kinds[*row].as_str()));
                own.filter(|row| wanted.contains(&entries[*row].as_str())).count() as u64
            };
            let counted = |name: &str| flows.real(name).expect("it is real")[flow] as u64;
            assert_eq!(count(&["dropped", "lost"], true), counted("lost_packets"), "{what}: {group}");
            assert_eq!(count(&["marked"], true), counted("marked_packets"), "{what}: {group}");
            assert_eq!(count(&["timeout"], false), counted("timeouts"), "{what}: {group}");
        }
    }
}

#[test]
fn a_log_that_is_full_ends_with_a_whole_moment_and_says_so() {
    let text = VARIED[0].1;
    let (all, few) = (recorded(text, alone()), run(text, alone(), |model| model.record.events = Some(50)));
    let times = |records: &Replication| records.tables["events"].whole("time_ps").expect("whole").to_vec();
    let (all_times, few_times) = (times(&all), times(&few));
    assert!(all_times.is_sorted() && few_times.len() <= 50 && few_times.len() > 30);
    assert_eq!(few_times, all_times[..few_times.len()]);
    assert!(all_times[few_times.len()] > few_times[few_times.len() - 1]);
    let noted = |records: &Replication| records.checks.iter().any(|check| check.name == "event log complete");
    assert!(noted(&few) && !noted(&all));
}

/// A path of 10 Mbps and 40 ms with a short queue, and one flow.
fn short(duration: u32, path: &str, flow: &str) -> String {
    format!(
        "duration = \"{duration}s\"\npath = {{ rate = \"10Mbps\", rtt = \"40ms\", {path} }}\n[[flows]]\n{flow}\n"
    )
}

/// A path of one link that changes, and one flow.
fn changing(events: &str, flow: &str) -> String {
    format!(
        r#"
        duration = "12s"
        [network]
        rtt = "60ms"
        events = [{events}]
        links = [{{ from = "A", to = "B", rate = "10Mbps", delay = "20ms" }}]
        [[flows]]
        from = "A"
        to = "B"
        {flow}
        "#
    )
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn every_rule_appears_in_some_run() {
    let few = "queue = { kind = \"droptail\", limit = \"15pkt\" }";
    let early = "queue = { kind = \"red\", ecn = true, min = \"5pkt\", max = \"15pkt\", limit = \"60pkt\" }";
    let step = "queue = { kind = \"step\", threshold = \"10pkt\" }";
    let deep = "queue = { kind = \"droptail\", limit = \"40bdp\" }";
    let random = "loss = { kind = \"bernoulli\", rate = \"2%\" }";
    let often = "loss = { kind = \"bernoulli\", rate = \"10%\" }";
    let fails = "{ at = \"1s\", fail = \"A-B\" }, { at = \"4s\", restore = \"A-B\" }";
    let begins = "{ at = \"0.01s\", fail = \"A-B\" }, { at = \"3s\", restore = \"A-B\" }";
    let delayed = "{ at = \"2s\", set = \"A-B\", delay = \"400ms\" }";
    let cases: Vec<(String, &[(&str, &str)])> = vec![
        (
            short(20, few, "algorithm = \"newreno\"\nrecovery = \"reno\""),
            &[
                ("dropped", "overflow"),
                ("declared-lost", "duplicate-acks"),
                ("reduction", "duplicate-acks"),
                ("recovery-start", "duplicate-acks"),
                ("recovery-end", ""),
                ("declared-lost", "timeout"),
                ("timeout", ""),
                ("state", ""),
            ],
        ),
        (
            short(20, few, "algorithm = \"newreno\"\nrecovery = \"newreno\""),
            &[("declared-lost", "partial-ack"), ("reduction", "duplicate-acks")],
        ),
        (
            short(20, random, "algorithm = \"cubic\"\nrecovery = \"sack\""),
            &[
                ("lost", "random"),
                ("declared-lost", "sack"),
                ("reduction", "sack"),
                ("recovery-start", "sack"),
            ],
        ),
        (
            short(20, random, "algorithm = \"cubic\"\nrecovery = \"rack\""),
            &[("declared-lost", "rack"), ("reduction", "rack"), ("recovery-start", "rack")],
        ),
        (
            short(
                60,
                often,
                "algorithm = \"cubic\"\nrecovery = \"rack\"\nsource = { kind = \"onoff\", on = \"200ms\", off = \"400ms\", rate = \"1Mbps\" }",
            ),
            &[("probe", ""), ("reduction", "probe"), ("recovery-start", "probe")],
        ),
        (short(20, early, "algorithm = \"newreno\""), &[("dropped", "early")]),
        (
            short(20, early, "algorithm = \"newreno\"\necn = true"),
            &[("marked", ""), ("reduction", "mark"), ("recovery-start", "mark")],
        ),
        (short(20, step, "algorithm = \"dctcp\"\necn = true"), &[("marked", ""), ("reduction", "algorithm")]),
        (
            short(20, random, "algorithm = \"rap\""),
            &[("declared-lost", "later-echoes"), ("reduction", "later-echoes")],
        ),
        (short(20, random, "algorithm = \"tfrc\""), &[("reduction", "report")]),
        (changing(fails, "algorithm = \"rap\""), &[("timeout", ""), ("declared-lost", "timeout")]),
        (
            changing(fails, "algorithm = \"newreno\""),
            &[
                ("dropped", "link-failure"),
                ("lost", "link-failure"),
                ("timeout", ""),
                ("reduction", "timeout"),
                ("recovery-start", "timeout"),
            ],
        ),
        (changing(begins, "algorithm = \"newreno\""), &[("timeout", "syn-timeout")]),
        (
            changing(
                delayed,
                "algorithm = \"newreno\"\nundo = \"dsack+timestamps\"\nreceive_window = \"8pkt\"",
            ),
            &[("undo", "timestamps")],
        ),
        (
            changing(
                delayed,
                "algorithm = \"newreno\"\nundo = \"dsack\"\nfrto = \"none\"\nreceive_window = \"2pkt\"",
            ),
            &[("undo", "duplicate-sacks")],
        ),
        (
            changing(delayed, "algorithm = \"newreno\"\nundo = \"none\"\nreceive_window = \"20pkt\""),
            &[("undo", "f-rto")],
        ),
        (
            short(
                20,
                few,
                "algorithm = \"newreno\"\nsource = { kind = \"onoff\", on = \"3s\", off = \"3s\", rate = \"8Mbps\" }",
            ),
            &[("idle-restart", "")],
        ),
        (
            short(20, few, "algorithm = \"newreno\"\nreceive_window = \"9pkt\"\nread_pause = \"1s..4s\""),
            &[("window-closed", ""), ("window-probe", ""), ("window-opened", "")],
        ),
        (short(5, deep, "algorithm = \"cubic\"\nslow_start = \"hystart\""), &[("state", "hystart")]),
        (short(5, deep, "algorithm = \"cubic\"\nslow_start = \"hystart++\""), &[("state", "hystart++")]),
        (short(5, deep, "algorithm = \"cubic\"\nslow_start = \"search\""), &[("state", "search")]),
    ];
    let mut missing = Vec::new();
    for (text, expected) in cases {
        let seen = tally(&recorded(&text, alone()));
        let absent =
            expected.iter().filter(|(event, rule)| !seen.contains_key(&((*event).into(), (*rule).into())));
        missing.extend(absent.map(|(event, rule)| format!("{event} by {rule} in {text}: {seen:?}")));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The states of `algorithm`, alone on a path with a queue of `limit`.
fn states(limit: &str, algorithm: &str) -> BTreeSet<String> {
    let text = short(30, &format!("queue = {{ kind = \"droptail\", limit = \"{limit}\" }}"), algorithm);
    words(&recorded(&text, alone()).tables["events"], "state").into_iter().collect()
}

#[test]
fn states_have_the_names_of_their_sources() {
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(
        states("1bdp", "algorithm = \"bbr1\""),
        of(&["", "startup", "drain", "probe-bw", "probe-rtt"])
    );
    assert_eq!(
        states("1bdp", "algorithm = \"bbr3\""),
        of(&[
            "",
            "startup",
            "drain",
            "probe-bw-down",
            "probe-bw-cruise",
            "probe-bw-refill",
            "probe-bw-up",
            "probe-rtt"
        ])
    );
    assert_eq!(
        states("8bdp", "algorithm = \"cubic\"\nslow_start = \"hystart++\""),
        of(&["", "slow-start", "conservative-slow-start", "congestion-avoidance"])
    );
}

/// A reduction of NewReno halves the window, and says from and to what.
#[test]
fn a_reduction_gives_the_windows_before_and_after() {
    let text = short(
        20,
        "loss = { kind = \"bernoulli\", rate = \"0.5%\" }",
        "algorithm = \"newreno\"\nrecovery = \"sack\"",
    );
    let records = recorded(&text, alone());
    let events = &records.tables["events"];
    let column = |name: &str| events.real(name).expect("it is real");
    let (before, after) = (column("cwnd_before_packets"), column("cwnd_packets"));
    let (kinds, rules) = (words(events, "event"), words(events, "rule"));
    let cuts: Vec<usize> =
        (0..kinds.len()).filter(|row| kinds[*row] == "reduction" && rules[*row] == "sack").collect();
    assert!(cuts.len() > 10, "{}", cuts.len());
    for &row in &cuts {
        assert_eq!(after[row].to_bits(), (before[row] / 2.0).max(2.0).to_bits(), "row {row}");
        assert_eq!(column("ssthresh_packets")[row].to_bits(), after[row].to_bits(), "row {row}");
    }
    assert!(column("ssthresh_before_packets")[cuts[0]].is_nan(), "no threshold is set before the first loss");
}

/// The last samples of CUBIC and of PIE, at the end of each interval and within their bounds.
#[test]
fn inner_variables_are_sampled_at_the_end_of_every_interval() {
    let text = short(5, "queue = { kind = \"pie\" }", "algorithm = \"bbr3\"\ncount = 2\nstart = \"1s\"");
    let internals = &recorded(&text, alone()).tables["internals"];
    let (names, variables) = (words(internals, "name"), words(internals, "variable"));
    let (times, values) = (internals.real("time_s").expect("real"), internals.real("value").expect("real"));
    let of = |name: &str, variable: &str| -> Vec<(f64, f64)> {
        let rows = (0..names.len()).filter(|row| names[*row] == name && variables[*row] == variable);
        rows.map(|row| (times[row], values[row])).collect()
    };
    let probability = of("bottleneck", "probability");
    assert_eq!(probability.len(), 50);
    assert!(probability.iter().all(|(_, value)| (0.0..=1.0).contains(value)));
    for flow in ["bbr3[0]", "bbr3[1]"] {
        let bandwidth = of(flow, "bandwidth_bps");
        assert!(bandwidth.len() >= 38 && bandwidth.iter().all(|(at, _)| *at > 1.0), "{}", bandwidth.len());
        assert!((1e6..1e7).contains(&bandwidth[bandwidth.len() - 1].1));
    }
    let rtts = of("bbr3[0]", "min_rtt_s");
    assert!(rtts.iter().all(|(_, rtt)| (0.04..0.3).contains(rtt)), "{rtts:?}");
}
