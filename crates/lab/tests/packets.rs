// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. The packet log records what happened to every packet, and changes nothing.

use crate::support::{VARIED, scenario};
use narrows_lab::backend::Progress;
use narrows_lab::model::{Model, Origin, RateModel, Trace};
use narrows_lab::records::Check;
use narrows_lab::records::{Column, Table};
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::sim::RunOptions;
use narrows_lab::units::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

fn logged(text: &str, limit: Option<u64>, partitions: usize) -> Replication {
    logged_of(scenario(text).model, limit, partitions)
}

fn logged_of(mut model: Model, limit: Option<u64>, partitions: usize) -> Replication {
    model.record.packets = limit;
    let options = RunOptions { partitions, ..RunOptions::default() };
    run_with(&model, 0, &Progress::new(), options).expect("the run ends by itself")
}

fn column<'a>(table: &'a Table, name: &str) -> &'a Column {
    let found = table.columns().iter().find(|(this, _)| *this == name);
    found.map_or_else(|| panic!("no column {name}"), |(_, column)| column)
}

fn whole<'a>(table: &'a Table, name: &str) -> &'a [i64] {
    let Column::Whole(values) = column(table, name) else { panic!("{name} holds no whole numbers") };
    values
}

fn words(table: &Table, name: &str) -> Vec<String> {
    let Column::Label { codes, labels } = column(table, name) else { panic!("{name} holds no words") };
    codes.iter().map(|code| labels[*code as usize].clone()).collect()
}

/// How often each event happened at senders and receivers together, and at each link.
fn tally(packets: &Table) -> BTreeMap<(String, String), u64> {
    let mut tally = BTreeMap::new();
    for key in words(packets, "place").into_iter().zip(words(packets, "event")) {
        *tally.entry(key).or_default() += 1;
    }
    tally
}

const LONG: Option<u64> = Some(10_000_000);

/// Populations too: requests that start and end beside a long-lived flow.
const SLOTTED: &str = r#"
    duration = "4s"
    warmup = "1s"
    path = { rate = "10Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "10pkt" } }
    [[flows]]
    algorithm = "cubic"
    [[flows]]
    name = "requests"
    algorithm = "newreno"
    size = { kind = "exponential", mean = "30kB" }
    source = { kind = "poisson", interval = "50ms", concurrent = 50 }
"#;

#[test]
fn the_records_are_the_same_with_packets_logged_and_without() {
    for (what, text) in VARIED.iter().chain(&[("slots", SLOTTED)]) {
        let (without, with) = (logged(text, None, 1), logged(text, LONG, 1));
        assert_eq!(with.digest(), without.digest(), "{what}");
        assert!(with.tables["packets"].rows() > 1000 && without.tables["packets"].rows() == 0, "{what}");
        assert_eq!(logged(text, Some(10), 1).digest(), without.digest(), "{what}");
    }
}

#[test]
fn the_log_is_the_same_however_the_network_is_cut() {
    for (what, text) in VARIED.iter().chain(&[("slots", SLOTTED)]) {
        for limit in [LONG, Some(1000)] {
            let (one, two) = (logged(text, limit, 1), logged(text, limit, 2));
            let (one, two) = (&one.tables["packets"], &two.tables["packets"]);
            assert_eq!(format!("{:?}", one.columns()), format!("{:?}", two.columns()), "{what}");
        }
    }
}

/// The log has as many entries of each kind as were counted elsewhere.
#[test]
fn no_packet_is_missing_from_the_log() {
    for (what, text) in VARIED.iter().chain(&[("slots", SLOTTED)]) {
        let mut model = scenario(text).model;
        // A packet that its sender delays is counted at once and logged when it leaves, which may be after the end.
        model.workloads.iter_mut().for_each(|workload| workload.send_delay = Span::ZERO);
        let records = logged_of(model, LONG, 1);
        let tally = tally(&records.tables["packets"]);
        let of = |place: &str, event: &str| tally.get(&(place.into(), event.into())).copied().unwrap_or(0);
        let names = words(&records.tables["series"], "name");
        for link in records.links.iter().map(|link| link.name.as_str()) {
            let counted = |column: &str| {
                let values = records.tables["series"].real(column).expect("links have it");
                let own = names.iter().zip(values).filter(|(name, _)| *name == link);
                own.map(|(_, value)| *value as u64).sum::<u64>()
            };
            assert_eq!(of(link, "enqueued"), counted("arrived_packets"), "{what}: {link}");
            assert_eq!(of(link, "marked"), counted("marked_packets"), "{what}: {link}");
            let gone = of(link, "dropped") + of(link, "lost");
            assert_eq!(gone, counted("dropped_packets"), "{what}: {link}");
        }
        assert!(of("sender", "received") <= of("receiver", "sent"), "{what}: {tally:?}");
        assert!(of("receiver", "received") <= of("sender", "sent"), "{what}: {tally:?}");
        if !text.contains("warmup") {
            let sent: f64 = records.tables["flows"].real("sent_packets").expect("a column").iter().sum();
            assert_eq!(data_sent(&records.tables["packets"]), sent as usize, "{what}");
        }
    }
}

fn data_sent(packets: &Table) -> usize {
    let kinds = words(packets, "kind").into_iter().zip(words(packets, "event"));
    kinds.filter(|(kind, event)| (kind == "data" || kind == "datagram") && event == "sent").count()
}

#[test]
fn the_log_goes_forward_in_time_and_ends_where_it_is_full() {
    let (all, few) = (logged(SLOTTED, LONG, 1), logged(SLOTTED, Some(500), 1));
    let (all_times, times) =
        (whole(&all.tables["packets"], "time_ps"), whole(&few.tables["packets"], "time_ps"));
    assert!(all_times.is_sorted());
    assert!(times.len() <= 500 && times.len() > 490, "{}", times.len());
    assert_eq!(times, &all_times[..times.len()]);
    // Whole moments: the next entry is later than the last.
    assert!(all_times[times.len()] > times[times.len() - 1]);
    let complete = |records: &Replication| {
        let is_it = |check: &&Check| check.name == "packet log complete";
        records.checks.iter().find(is_it).and_then(|check| check.ok)
    };
    assert_eq!((complete(&all), complete(&few)), (Some(true), Some(false)));
    assert_eq!(complete(&logged(SLOTTED, None, 1)), None);
}

/// If a packet takes less than a picosecond, or meets an opportunity of a recorded link at its very time, it leaves
/// when it arrives.
#[test]
fn packets_that_leave_when_they_arrive_are_logged_and_kept() {
    let fast = r#"
        duration = "20ms"
        path = { rate = "400Tbps", rtt = "1ms" }
        flows = [{ algorithm = "cubic", size = "1MB" }]
    "#;
    let access = r#"
        duration = "200ms"
        path = { rate = "10Mbps", rtt = "2ms", access_rate = "1000Tbps" }
        transport = { send_delay = "0s" }
        flows = [{ algorithm = "cubic" }]
    "#;
    let opportunities: Vec<_> = (1..=5).map(Span::from_ms).collect();
    let recorded = RateModel::Trace(Arc::new(Trace {
        name: "each millisecond".into(),
        digest: String::new(),
        period: opportunities[opportunities.len() - 1],
        start: Some(Span::ZERO),
        origin: Origin::Recorded,
        opportunities,
    }));
    for (text, rate) in [(fast, None), (access, None), (access, Some(recorded))] {
        let mut model = scenario(text).model;
        if let Some(rate) = rate {
            model.links[0].rate = rate;
            model.links[0].delay = Span::from_ms(1);
        }
        let [plain, logged] = [None, LONG].map(|packets| {
            model.record.packets = packets;
            run_with(&model, 0, &Progress::new(), RunOptions::default()).expect("packets are conserved")
        });
        assert_eq!(plain.digest(), logged.digest(), "{text}");
        assert!(tally(&logged.tables["packets"]).len() > 2);
    }
}
