// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. Recorded connections: what each side writes and when, by hand, and however the network is cut.

use crate::support::{run, run_as, scenario, value};
use narrows_lab::algorithm::Control;
use narrows_lab::backend::{Progress, RunError};
use narrows_lab::congestion_control::Algorithm;
use narrows_lab::model::Model;
use narrows_lab::records::{Column, Table};
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::scenario::{LoadOptions, load};
use narrows_lab::sim::RunOptions;
use std::path::Path;

/// A byte takes a microsecond on the bottleneck and a tenth of one on each access link, which has an eighth of the
/// round trip's remainder beside the bottleneck's 16 ms there and 16 ms back.
fn quiet(source: &str, more: &str) -> String {
    format!(
        r#"
        duration = "3s"
        path = {{ rate = "8Mbps", access_rate = "80Mbps", rtt = "40ms", delay = "16ms" }}
        transport = {{ delayed_ack = 1, send_delay = "0s" }}
        [[flows]]
        name = "recorded"
        algorithm = "newreno"
        source = {{ kind = "vectors", vectors = "tests/data/exchange.cvec"{source} }}
        {more}
        "#
    )
}

fn reals<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    let found = table.columns().iter().find_map(|(this, column)| match column {
        Column::Real(values) if *this == name => Some(values.as_slice()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no column {name}"))
}

fn wholes<'a>(table: &'a Table, name: &str) -> &'a [i64] {
    let found = table.columns().iter().find_map(|(this, column)| match column {
        Column::Whole(values) if *this == name => Some(values.as_slice()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no column {name}"))
}

/// Start, opening and end of each transfer, microseconds, and its bytes; in the order of their ends.
fn transfers(records: &Replication) -> Vec<[i64; 4]> {
    let us = |name| reals(&records.tables["transfers"], name).iter().map(|at| (at * 1e6).round() as i64);
    let bytes = wholes(&records.tables["transfers"], "bytes").iter().copied();
    us("start_s")
        .zip(us("established_s"))
        .zip(us("end_s"))
        .zip(bytes)
        .map(|(((a, b), c), d)| [a, b, c, d])
        .collect()
}

/// A packet of s bytes needs 20 ms and 1.2 s microseconds if nothing is before it: the SYN leaves at 1000, its answer
/// is there at 41096. The request of 340 bytes on the wire follows the ACK of the handshake: it leaves at 41100 and is
/// there, having waited for the ACK at the bottleneck until 43140, at 61514. Ten milliseconds later the answer leaves,
/// packets of 1500, 1500 and 120 bytes; the last is there at 94826, behind the others, and 5 ms later the second
/// request leaves, which is there at 119994. Its ACK goes before the second answer, at the bottleneck until 122038,
/// which is there at 140093 and acknowledged at 160141. The ACK of the second request has arrived at 140042.
#[test]
fn a_sequential_connection_goes_as_computed_by_hand() {
    let records = run(&quiet("", ""), 0);
    let expected = [[1_000, 41_096, 140_042, 400], [71_514, 71_514, 160_141, 3_010]];
    assert_eq!(transfers(&records)[..2], expected);
}

/// Both sides send a SYN at half a second, over a round trip of 60 ms, and are answered at 560096. The acceptor's packet of
/// 740 bytes is through the bottleneck, behind its ACK of the handshake, at 567914, there at 590988 and acknowledged at
/// 621036. Of the initiator, 200 bytes are sent at 560096 and acknowledged at 620452, and 5000 are written at 600000, packets
/// of 1500, 1500, 1500 and 660 bytes. The acceptor's window of 3000 bytes lets two packets be outstanding: one leaves at
/// 600000 and is acknowledged at 661848, one at 620452 (682300), one at 661848 (723696), the last at 682300 (743140). Without
/// the window all leave at 600000: the last is through the bottleneck at 612310 and acknowledged at 665424.
#[test]
fn the_sides_of_a_concurrent_connection_do_not_wait_for_each_other() {
    let ends = |source| transfers(&run(&quiet(source, ""), 0))[2..].to_vec();
    assert_eq!(ends(""), [[500_000, 560_096, 621_036, 700], [500_000, 560_096, 743_140, 5_200]]);
    let free = ends(r#", window = "group""#);
    assert_eq!(free, [[500_000, 560_096, 621_036, 700], [500_000, 560_096, 665_424, 5_200]]);
}

#[test]
fn every_byte_of_both_sides_is_delivered() {
    let records = run(&quiet("", ""), 0);
    let bytes = value(&records, "recorded", "goodput_bps") * 3.0 / 8.0;
    assert!((bytes - f64::from(300 + 100 + 3_000 + 10 + 200 + 5_000 + 700)).abs() < 1e-6, "{bytes}");
    assert_eq!(value(&records, "recorded", "started_flows") as u32, 4);
    assert_eq!(value(&records, "recorded", "completed_flows") as u32, 4);
}

#[test]
fn a_share_keeps_some_connections_and_the_group_may_give_the_round_trip() {
    let records = run(&quiet(r#", share = 0.5, rtt = "group""#, r#"rtt = "80ms""#), 0);
    let rows = transfers(&records);
    // SYN and SYN-ACK.
    assert_eq!(
        rows.iter().map(|row| (row[0], row[1], row[3])).collect::<Vec<_>>(),
        [(500_000, 580_096, 700), (500_000, 580_096, 5_200)]
    );
}

/// Behind a flow that keeps the bottleneck full, with losses.
#[test]
fn connections_are_the_same_however_the_network_is_cut() {
    let busy = quiet(
        "",
        r#"
        [[flows]]
        algorithm = "cubic"
        count = 3
        [[flows]]
        algorithm = "cubic"
        name = "back"
        direction = "reverse"
        "#,
    );
    let digest = |partitions, lookahead| {
        run_as(&busy, 0, RunOptions { partitions, lookahead, ..RunOptions::default() }).digest()
    };
    let whole = digest(1, true);
    assert_eq!(whole, digest(2, true));
    assert_eq!(whole, digest(1, false));
}

#[test]
fn the_resolved_scenario_runs_the_same_and_faults_say_what_is_wrong() {
    let text = quiet(", share = 0.5", r#"start = "10ms""#);
    let load = |text: &str| load(text, "test.toml", Path::new("."), &[], &LoadOptions::default());
    let first = load(&text).expect("it is sound");
    let again = load(&first.resolved).expect("what was resolved is sound");
    assert_eq!(first.digest, again.digest);
    assert_eq!(first.files.len(), 1);
    let faults = [
        (quiet("", r#"size = "1MB""#), "what is recorded has its size"),
        (quiet("", "count = 2"), "only users are counted"),
        (quiet("", r#"start = "2999ms""#), "none of its connections starts before 3"),
        (text.replace("newreno", "tfrc"), "datagrams may be lost"),
        (text.replace("exchange.cvec", "no.cvec"), "No such file"),
        (
            text.replace("tests/data/exchange.cvec", "Cargo.toml"),
            "line 1: a line before the first connection",
        ),
    ];
    for (text, said) in faults {
        let found = load(&text).err().unwrap_or_default();
        assert!(found.iter().any(|fault| fault.render().contains(said)), "{said}: {found:?}");
    }
}

/// The answer that a side writes is held by its send delay like all other data, with lookahead and without.
#[test]
fn a_send_delay_holds_what_a_side_writes() {
    let text = quiet("", "").replace("send_delay = \"0s\"", "send_delay = \"2ms\"");
    let records = run(&text, 0);
    let in_order = run_as(&text, 0, RunOptions { lookahead: false, ..RunOptions::default() });
    assert_eq!(records.digest(), in_order.digest());
    // Two packets of the request, the answer and its acknowledgements wait for 2 ms each at most.
    let (without, with) = (transfers(&run(&quiet("", ""), 0)), transfers(&records));
    assert!((without[0][2]..without[0][2] + 10_000).contains(&with[0][2]), "{with:?}");
}

/// Of models that were changed after they were loaded, too.
#[test]
fn a_model_whose_sides_do_not_fit_has_no_run() {
    type Break = fn(&mut Model);
    let broken: [(&str, Break); 3] = [
        ("workload 0 has no partner, and both sides of its connections write", |model| {
            model.workloads[0].partner = None;
        }),
        ("workload 0 has the partner 1, which has another random stream", |model| {
            model.workloads[1].stream = 1;
        }),
        ("workload 0 waits for data, and its algorithm sends datagrams", |model| {
            let algorithm = Algorithm::parse("tfrc").expect("the catalogue has it");
            model.groups[0].algorithm = Control::Listed(algorithm);
        }),
    ];
    for (fault, wrong) in broken {
        let mut model = scenario(&quiet("", "")).model;
        wrong(&mut model);
        let ended = run_with(&model, 0, &Progress::new(), RunOptions::default());
        assert_eq!(ended.err(), Some(RunError::Backend(fault.to_owned())));
    }
}
