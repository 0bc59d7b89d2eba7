// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. The tables have the columns of the schema and the values of the records.

use crate::support::{at_ms, records};
use narrows_records::schema::{ColumnKind, tables as schemas};
use narrows_records::{Column, NO_LABEL, PacketPlace, Records, Table, Tables};

/// The label of a column in `row`.
fn label<'t>(table: &'t Table, column: &str, row: usize) -> Option<&'t str> {
    match table.column(column) {
        Some(Column::Label { codes, labels }) if codes[row] != NO_LABEL => Some(&labels[codes[row] as usize]),
        _ => None,
    }
}

#[track_caller]
fn assert_real(table: &Table, row: usize, expected: &[(&str, f64)]) {
    for (name, expected) in expected {
        let got = table.real(name).expect("a real column")[row];
        let same = (got - expected).abs() <= 1e-12 * expected.abs() || got.is_nan() && expected.is_nan();
        assert!(same, "{name}: {got} for {expected}");
    }
}

#[track_caller]
fn assert_whole(table: &Table, row: usize, expected: &[(&str, i64)]) {
    for (name, expected) in expected {
        assert_eq!(table.whole(name).expect("a whole column")[row], *expected, "{name}");
    }
}

#[test]
fn every_table_has_the_columns_of_its_schema_and_no_others() {
    let tables = Tables::of(&records());
    assert_eq!(
        tables.iter().map(Table::name).collect::<Vec<_>>(),
        schemas().iter().map(|each| each.name).collect::<Vec<_>>()
    );
    for (table, schema) in tables.iter().zip(schemas()) {
        let columns: Vec<_> = table.columns().iter().map(|(name, column)| (*name, column.kind())).collect();
        let expected: Vec<_> = schema.columns.iter().map(|column| (column.name, column.kind)).collect();
        assert_eq!(columns, expected, "{}", table.name());
        assert!(table.rows() > 0 && table.columns().iter().all(|(_, column)| column.len() == table.rows()));
    }
}

#[test]
fn the_schema_says_what_every_column_is() {
    for table in schemas() {
        assert!(!table.row.is_empty());
        let mut names: Vec<_> = table.columns.iter().map(|column| column.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        for column in &table.columns {
            assert!(!column.meaning.is_empty(), "{}.{}", table.name, column.name);
            for (ending, unit) in
                [("_s", "s"), ("_bps", "bps"), ("_packets", "packets"), ("_bytes", "B"), ("_ps", "ps")]
            {
                assert!(
                    !column.name.ends_with(ending) || column.unit == unit,
                    "{}.{}",
                    table.name,
                    column.name
                );
            }
            assert!(
                column.kind != ColumnKind::Label || column.unit.is_empty(),
                "{}.{}",
                table.name,
                column.name
            );
        }
    }
}

#[test]
fn a_flow_has_its_counts_after_the_warm_up() {
    let mut records = records();
    records.connections[1].completed = Some(at_ms(5100));
    records.connections[1].ideal_completion_s = 2.5;
    records.connections[1].reductions = 1;
    let flows = &Tables::of(&records)["flows"];
    assert_eq!(
        (label(flows, "group", 1), label(flows, "algorithm", 1)),
        (Some("stays"), Some("aimd(a=1,b=0.8)"))
    );
    assert_whole(flows, 1, &[("flow", 1)]);
    assert_real(
        flows,
        0,
        &[
            ("start_s", 0.1),
            ("established_s", 0.14),
            ("completed_s", f64::NAN),
            ("goodput_bps", 1e6),
            ("throughput_bps", 0.6e6),
            ("loss_rate", 0.01),
            ("mark_rate", 0.02),
            ("retransmission_rate", 0.05),
            ("sent_packets", 500.0),
            ("timeouts", 1.0),
            ("loss_event_rate", 0.02),
            ("ack_compression", 0.25),
            ("rtt_mean_s", 0.03),
            ("cwnd_mean_packets", 10.0),
            ("cwnd_peak_packets", 22.0),
            ("cwnd_before_reduction_packets", 15.0),
            ("reduction_interval_s", 2.0),
            ("reductions", 4.0),
            ("completion_time_s", f64::NAN),
            ("slowdown", f64::NAN),
        ],
    );
    let completed = [
        ("completed_s", 5.1),
        ("completion_time_s", 5.0),
        ("slowdown", 2.0),
        ("reduction_interval_s", f64::NAN),
    ];
    assert_real(flows, 1, &completed);
}

#[test]
fn the_series_have_a_row_for_each_flow_and_link_of_an_interval() {
    let mut records = records();
    let series = &Tables::of(&records)["series"];
    assert_eq!(series.rows(), 6 * 3);
    let row = 4;
    assert_eq!((label(series, "kind", row), label(series, "name", row)), (Some("flow"), Some("stays[1]")));
    assert_real(series, row, &[("time_s", 4.0), ("throughput_bps", 1.0), ("rate_bps", f64::NAN)]);
    let row = 5;
    assert_eq!((label(series, "name", row), label(series, "group", row)), (Some("bottleneck"), None));
    assert_real(series, row, &[("rate_bps", 1e6), ("cwnd_packets", f64::NAN), ("queue_delay_s", f64::NAN)]);

    records.connections.iter_mut().for_each(|connection| connection.series.clear());
    let series = &Tables::of(&records)["series"];
    assert_eq!((series.rows(), label(series, "name", 0)), (6, Some("bottleneck")));
}

#[test]
fn distributions_are_of_groups_then_of_links() {
    let distributions = &Tables::of(&records())["distributions"];
    let rows: Vec<_> = (0..distributions.rows())
        .map(|row| {
            (label(distributions, "owner", row).unwrap(), label(distributions, "quantity", row).unwrap())
        })
        .collect();
    let group =
        |name| [(name, "rtt_s"), (name, "rtt_s"), (name, "rtt_s"), (name, "delay_s"), (name, "delay_s")];
    let links = [("bottleneck", "queue_delay_s"); 2];
    assert_eq!(rows, [&group("stays")[..], &group("comes"), &links].concat());
    assert!((distributions.real("value_s").unwrap()[11] / 0.015 - 1.0).abs() < 0.004);
    assert_whole(distributions, 11, &[("packets", 1)]);
}

#[test]
fn the_census_counts_intervals_of_finite_groups() {
    let census = &Tables::of(&records())["census"];
    assert_eq!((census.rows(), label(census, "group", 0)), (6, Some("comes")));
    assert_whole(census, 0, &[("started_flows", 0), ("active_flows", 2), ("connecting_flows", 1)]);
    assert_whole(
        census,
        3,
        &[("started_flows", 4), ("active_flows", 5), ("connecting_flows", 0), ("sent_packets", 1000)],
    );
    let rates = [("time_s", 8.0), ("throughput_bps", 6e6), ("goodput_bps", 5e6), ("rtt_s", 0.05)];
    assert_real(census, 3, &rates);
}

#[test]
fn classes_and_transfers_are_labelled_by_file_and_path() {
    let tables = Tables::of(&records());
    let classes = &tables["classes"];
    let pair = |row| (label(classes, "file_class", row).unwrap(), label(classes, "path_class", row).unwrap());
    assert_eq!(
        (0..4).map(pair).collect::<Vec<_>>(),
        [("web", "near"), ("web", "far"), ("film", "near"), ("film", "far")]
    );
    assert_whole(classes, 0, &[("completed_flows", 1), ("failed_flows", 1), ("bytes", 1_000_000)]);
    assert_real(classes, 0, &[("flow_goodput_bps", 16e6), ("completion_time_s", 0.5)]);
    assert_real(classes, 2, &[("flow_goodput_bps", f64::NAN), ("completion_time_p99_s", f64::NAN)]);
    let transfers = &tables["transfers"];
    assert_eq!(
        (label(transfers, "group", 0), label(transfers, "path_class", 0)),
        (Some("comes"), Some("far"))
    );
    assert_whole(transfers, 0, &[("slot", 3), ("bytes", 1_000_000), ("sent_packets", 700), ("timeouts", 1)]);
    assert_real(transfers, 1, &[("start_s", 3.0), ("established_s", f64::NAN), ("end_s", 4.0)]);
    let unfinished = &tables["unfinished"];
    assert_eq!(label(unfinished, "group", 0), Some("comes"));
    assert_whole(unfinished, 0, &[("slot", 5), ("bytes", 2_000_000), ("acked_bytes", 300_000)]);
    assert_real(unfinished, 0, &[("start_s", 5.0)]);
}

#[test]
fn an_entry_of_the_packet_log_keeps_its_words() {
    let mut records = records();
    let logged = records.packets.rows[0];
    records.packets.rows.extend([
        narrows_records::PacketRow { place: PacketPlace::Sender, ..logged },
        narrows_records::PacketRow { place: PacketPlace::Receiver, ..logged },
    ]);
    let packets = &Tables::of(&records)["packets"];
    let words =
        |row| ["place", "event", "group", "kind", "ecn"].map(|column| label(packets, column, row).unwrap());
    assert_eq!(words(0), ["bottleneck", "marked", "comes", "ack", "ce"]);
    assert_eq!((words(1)[0], words(2)[0]), ("sender", "receiver"));
    assert_whole(
        packets,
        0,
        &[("time_ps", 3_000_000_000_000), ("flow", 3), ("turn", 7), ("number", 12), ("size_bytes", 52)],
    );
    assert_real(packets, 0, &[("sack1_start", 14.0), ("sack1_end", 16.0), ("sack2_start", f64::NAN)]);
}

#[test]
fn an_event_has_a_packet_at_a_link_and_windows_at_the_sender() {
    let events = &Tables::of(&records())["events"];
    let columns = ["place", "event", "rule", "group", "kind", "state_before", "state"];
    let words = |row| columns.map(|column| label(events, column, row));
    assert_eq!(
        words(0),
        [Some("bottleneck"), Some("dropped"), Some("overflow"), Some("stays"), Some("data"), None, None]
    );
    let states = [Some("slow-start"), Some("congestion-avoidance")];
    assert_eq!(words(1)[..5], [Some("sender"), Some("reduction"), Some("sack"), Some("stays"), None]);
    assert_eq!(words(1)[5..], states);
    assert_whole(events, 1, &[("time_ps", 3_040_000_000_000), ("flow", 0), ("turn", 0)]);
    assert_real(events, 0, &[("number", 12.0), ("cwnd_before_packets", f64::NAN)]);
    assert_real(events, 1, &[("number", f64::NAN), ("cwnd_before_packets", 20.0), ("cwnd_packets", 10.0)]);
    assert_real(events, 1, &[("ssthresh_before_packets", f64::NAN), ("ssthresh_packets", 10.0)]);
}

#[test]
fn a_client_has_what_its_user_perceives_and_what_happened_to_its_data() {
    let tables = Tables::of(&records());
    let clients = &tables["clients"];
    assert_whole(
        clients,
        0,
        &[("client", 0), ("captured_frames", 50), ("skipped_frames", 10), ("late_frames", 5)],
    );
    assert_real(
        clients,
        0,
        &[("time_s", 2.0), ("frame_delay_max_s", 0.3), ("bitrate_bps", 2e6), ("permitted_bps", 3e6)],
    );
    // The bit rate stays; what is counted, and the state at the end, do not.
    assert_whole(clients, 1, &[("captured_frames", 0), ("loaded_pages", 2)]);
    assert_real(clients, 1, &[("bitrate_bps", 2e6), ("permitted_bps", f64::NAN), ("page_load_time_s", 2.5)]);
    let events = &tables["client_events"];
    let words = |row| ["place", "event", "rule", "group"].map(|column| label(events, column, row));
    assert_eq!(words(0), [Some("sender"), Some("reduction"), Some("sack"), Some("comes")]);
    assert_eq!(words(1), [Some("receiver"), Some("page"), None, Some("comes")]);
    assert_real(
        events,
        0,
        &[("cwnd_before_packets", 20.0), ("cwnd_packets", 10.0), ("duration_s", f64::NAN)],
    );
    assert_real(
        events,
        1,
        &[("duration_s", 2.5), ("object_s", 2.0), ("object_waited_s", 0.5), ("object_bytes", 3e4)],
    );
    assert_real(events, 1, &[("slot", f64::NAN), ("object_level", 1.0), ("object", 2.0)]);
    // The same counts as in the census, which a group of finite flows has.
    let (census, all) = (&tables["census"], &tables["applications"]);
    assert_eq!(
        (all.whole("sent_packets"), all.real("goodput_bps")),
        (census.whole("sent_packets"), census.real("goodput_bps"))
    );
}

#[test]
fn an_inner_variable_is_of_a_flow_or_a_link() {
    let internals = &Tables::of(&records())["internals"];
    let words = |row| ["kind", "name", "group", "variable"].map(|column| label(internals, column, row));
    assert_eq!(words(0), [Some("flow"), Some("stays[1]"), Some("stays"), Some("alpha")]);
    assert_eq!(words(1), [Some("link"), Some("bottleneck"), None, Some("probability")]);
    assert_real(internals, 0, &[("time_s", 2.0), ("value", 0.5)]);
}

#[test]
fn a_connection_of_programs_has_its_ends_and_all_others_have_none() {
    let connections = &Tables::of(&records())["connections"];
    let words =
        |row| ["group", "protocol", "source", "destination"].map(|column| label(connections, column, row));
    assert_eq!(words(0), [Some("stays"), Some("tcp"), Some("10.0.0.1:40000"), Some("10.0.0.2:5201")]);
    assert_eq!(words(1), [Some("stays"), None, None, None]);
    assert_whole(connections, 0, &[("flow", 1), ("sent_packets", 4), ("sent_bytes", 6000)]);
    assert_whole(connections, 0, &[("dropped_packets", 2), ("marked_packets", 1)]);
    let times = [("first_s", 1.0), ("last_s", 3.0), ("delay_mean_s", 0.02), ("delay_p95_s", 0.03)];
    assert_real(connections, 0, &times);
}

#[test]
fn tables_of_what_did_not_occur_have_no_columns() {
    let mut records = records();
    records.run.groups[1].finite = false;
    records.run.packet_limit = None;
    records.run.event_limit = None;
    records.run.client_event_limit = None;
    records.run.groups[1].application = false;
    records.run.internals = false;
    records.tuples.clear();
    let tables = Tables::of(&records);
    for name in [
        "census",
        "classes",
        "transfers",
        "unfinished",
        "internals",
        "events",
        "packets",
        "applications",
        "clients",
        "client_events",
        "connections",
    ] {
        assert!(tables[name].columns().is_empty(), "{name}");
    }
}

/// A backend that fills little: a table that is described and not recorded has no rows.
#[test]
fn records_that_hold_nothing_have_tables_without_rows() {
    let described = Records { run: records().run, ..Records::default() };
    for records in [Records::default(), described] {
        for table in &Tables::of(&records) {
            let described = match table.name() {
                "groups" => records.run.groups.len(),
                "links" => records.run.links.len(),
                _ => 0,
            };
            assert_eq!(table.rows(), described, "{}", table.name());
        }
    }
}

#[test]
#[should_panic(expected = "no table is called slots")]
fn there_are_no_other_tables() {
    let _ = &Tables::of(&records())["slots"];
}
