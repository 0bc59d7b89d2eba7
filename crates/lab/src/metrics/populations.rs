//! Measures of a group whose transfers come and go, and the tables of such groups.

use super::Measures;
use super::groups::{available_bps, buffer_share, delay_measures};
use crate::model::{Classes, Model};
use crate::records::{
    Census, ClassTally, Column, PopulationSample, Recorded, RecordedPopulation, Table, Tally, TransferRow,
};
use narrows_units::Time;

/// Whether a group has the counted measure `name`: one whose transfers come and go, or one whose flows stay.
pub(crate) fn is_counted_of(name: &str, coming: bool) -> bool {
    !(if coming { OF_FLOWS_THAT_STAY } else { OF_TRANSFERS }).contains(&name)
}

const OF_FLOWS_THAT_STAY: &[&str] = &[
    "jain",
    "range_fairness",
    "min_max",
    "product",
    "power",
    "cwnd_peak_packets",
    "reduction_interval_s",
    "slowdown",
];

const OF_TRANSFERS: &[&str] = &[
    "started_flows",
    "failed_flows",
    "abandoned_flows",
    "refused_flows",
    "connecting_flows",
    "active_flows",
    "flow_goodput_bps",
    "completion_time_p50_s",
    "completion_time_p95_s",
    "completion_time_p99_s",
];

/// All measures of `group` over the `window_s` seconds after the warm-up.
pub(crate) fn measures(model: &Model, recorded: &Recorded, group: usize, window_s: f64) -> Measures {
    let populations = || recorded.populations.iter().filter(move |each| each.group == group);
    let all = total(populations().map(|each| &each.end)).tally
        - total(populations().map(|each| &each.at_measure)).tally;
    let lost: u64 = populations().map(|each| each.lost).sum();
    let marked: u64 = populations().map(|each| each.marked).sum();
    let mut classes = ClassTally::default();
    recorded.classes[group].iter().for_each(|class| classes.merge(class));
    let per_second = |count: u64| count as f64 / window_s;
    let sent = all.packets_sent as f64;
    let goodput = per_second(all.bytes_delivered * 8);
    let measured = census(model, recorded, |number| recorded.populations[number].group == group);
    let mut values = vec![
        ("goodput_bps", goodput),
        ("goodput_fraction", goodput / available_bps(model, recorded, group, window_s)),
        ("throughput_bps", per_second(all.bytes_sent * 8)),
        ("loss_rate", lost as f64 / sent),
        ("mark_rate", marked as f64 / sent),
        ("retransmission_rate", all.retransmissions as f64 / sent),
        ("timeouts", all.timeouts as f64),
        ("loss_events", all.loss_events as f64),
        ("loss_event_rate", all.loss_events as f64 / sent),
        ("buffer_share", buffer_share(model, recorded, group)),
        ("ack_compression", all.close_acks as f64 / all.ack_gaps as f64),
        ("rtt_mean_s", all.rtt_ns as f64 * 1e-9 / all.rtt_samples as f64),
    ];
    values.extend(delay_measures(recorded, group));
    values.extend([
        ("cwnd_mean_packets", all.window_us as f64 / all.window_time_us as f64),
        ("reductions", all.reductions as f64),
        ("started_flows", all.started as f64),
        ("completed_flows", all.completed as f64),
        ("failed_flows", all.failed as f64),
        ("abandoned_flows", all.abandoned as f64),
        ("refused_flows", all.turned_away as f64),
        ("connecting_flows", measured.0),
        ("active_flows", measured.1),
        ("flow_goodput_bps", classes.goodput_bps as f64 / classes.completed as f64),
        ("completion_time_s", classes.times.mean_s()),
        ("completion_time_p50_s", classes.times.quantile_s(0.50)),
        ("completion_time_p95_s", classes.times.quantile_s(0.95)),
        ("completion_time_p99_s", classes.times.quantile_s(0.99)),
    ]);
    let seats =
        model.populations.iter().filter(|each| each.group == group).map(|each| each.seats as usize).sum();
    Measures { name: model.groups[group].name.clone(), flows: Some(seats), values }
}

/// Means over the intervals after the warm-up of transfers that were opening a connection, and of those with an open one,
/// of populations of `which` numbers.
pub(super) fn census(model: &Model, recorded: &Recorded, which: impl Fn(usize) -> bool) -> (f64, f64) {
    let from = Time::ZERO + model.warmup;
    let (mut connecting, mut active, mut count) = (0, 0, 0_u32);
    for (interval, _) in recorded.times.iter().enumerate().filter(|(_, at)| **at > from) {
        let own = recorded.populations.iter().enumerate().filter(|(number, _)| which(*number));
        let now = total(own.map(|(_, each)| &each.series[interval])).census;
        connecting += now.connecting;
        active += now.active;
        count += 1;
    }
    (connecting as f64 / f64::from(count), active as f64 / f64::from(count))
}

fn interval_total(recorded: &Recorded, group: usize, interval: usize) -> PopulationSample {
    let of_group = |each: &&RecordedPopulation| each.group == group;
    total(recorded.populations.iter().filter(of_group).map(|each| &each.series[interval]))
}

fn total<'a>(samples: impl Iterator<Item = &'a PopulationSample>) -> PopulationSample {
    samples.fold(PopulationSample::default(), |mut sum, each| {
        sum.tally += each.tally;
        sum.census.connecting += each.census.connecting;
        sum.census.active += each.census.active;
        sum
    })
}

/// A group over one interval.
struct Row {
    at: Time,
    group: usize,
    since: Tally,
    census: Census,
    seconds: f64,
}

/// A row for each interval and group whose transfers come and go; no columns where there is no such group.
pub(crate) fn census_table(model: &Model, recorded: &Recorded) -> Table {
    let groups: Vec<usize> = (0..model.groups.len())
        .filter(|group| model.populations.iter().any(|population| population.group == *group))
        .collect();
    let mut table = Table::default();
    if groups.is_empty() {
        return table;
    }
    let mut rows = Vec::new();
    let mut before = vec![PopulationSample::default(); groups.len()];
    for (interval, at) in recorded.times.iter().enumerate() {
        let began = if interval == 0 { Time::ZERO } else { recorded.times[interval - 1] };
        for (place, group) in groups.iter().enumerate() {
            let now = interval_total(recorded, *group, interval);
            let since = now.tally - std::mem::replace(&mut before[place], now).tally;
            rows.push(Row {
                at: *at,
                group: *group,
                since,
                census: now.census,
                seconds: (*at - began).as_secs_f64(),
            });
        }
    }
    let labels = model.groups.iter().map(|group| group.name.clone()).collect();
    table.push("time_s", Column::Real(rows.iter().map(|row| row.at.as_secs_f64()).collect()));
    table.push("group", Column::Label { codes: rows.iter().map(|row| row.group as u32).collect(), labels });
    let whole =
        |of: &dyn Fn(&Row) -> u64| Column::Whole(rows.iter().map(|row| of(row).cast_signed()).collect());
    table.push("connecting_flows", whole(&|row| row.census.connecting));
    table.push("active_flows", whole(&|row| row.census.active));
    table.push("started_flows", whole(&|row| row.since.started));
    table.push("refused_flows", whole(&|row| row.since.turned_away));
    table.push("established_flows", whole(&|row| row.since.established));
    table.push("completed_flows", whole(&|row| row.since.completed));
    table.push("failed_flows", whole(&|row| row.since.failed));
    table.push("abandoned_flows", whole(&|row| row.since.abandoned));
    table.push("sent_packets", whole(&|row| row.since.packets_sent));
    table.push("retransmissions", whole(&|row| row.since.retransmissions));
    table.push("timeouts", whole(&|row| row.since.timeouts));
    table.push("reductions", whole(&|row| row.since.reductions));
    let real = |of: &dyn Fn(&Row) -> f64| Column::Real(rows.iter().map(of).collect());
    table.push("throughput_bps", real(&|row| (row.since.bytes_sent * 8) as f64 / row.seconds));
    table.push("goodput_bps", real(&|row| (row.since.bytes_delivered * 8) as f64 / row.seconds));
    table.push("rtt_s", real(&|row| row.since.rtt_ns as f64 * 1e-9 / row.since.rtt_samples as f64));
    table
}

/// A row for each group and pair of classes of files and ways.
pub(crate) fn classes_table(model: &Model, recorded: &Recorded) -> Table {
    let mut table = Table::default();
    if model.populations.is_empty() {
        return table;
    }
    let classes = Classes::of(&model.populations);
    let with_some = |group: &usize| model.populations.iter().any(|population| population.group == *group);
    let rows: Vec<(usize, usize, &ClassTally)> = (0..model.groups.len())
        .filter(with_some)
        .flat_map(|group| {
            recorded.classes[group].iter().enumerate().map(move |(pair, class)| (group, pair, class))
        })
        .collect();
    let groups = model.groups.iter().map(|group| group.name.clone()).collect();
    let codes = |of: fn(usize, usize) -> usize, width: usize| {
        rows.iter().map(|row| of(row.1, width) as u32).collect::<Vec<_>>()
    };
    let width = classes.ways.len();
    table.push(
        "group",
        Column::Label { codes: rows.iter().map(|row| row.0 as u32).collect(), labels: groups },
    );
    table.push(
        "file_class",
        Column::Label { codes: codes(|pair, width| pair / width, width), labels: classes.files },
    );
    table.push(
        "path_class",
        Column::Label { codes: codes(|pair, width| pair % width, width), labels: classes.ways },
    );
    let whole =
        |of: fn(&ClassTally) -> u64| Column::Whole(rows.iter().map(|row| of(row.2).cast_signed()).collect());
    table.push("completed_flows", whole(|class| class.completed));
    table.push("failed_flows", whole(|class| class.failed));
    table.push("bytes", whole(|class| class.bytes));
    let real = |of: fn(&ClassTally) -> f64| Column::Real(rows.iter().map(|row| of(row.2)).collect());
    table.push("flow_goodput_bps", real(|class| class.goodput_bps as f64 / class.completed as f64));
    table.push("completion_time_s", real(|class| class.times.mean_s()));
    table.push("completion_time_p50_s", real(|class| class.times.quantile_s(0.50)));
    table.push("completion_time_p95_s", real(|class| class.times.quantile_s(0.95)));
    table.push("completion_time_p99_s", real(|class| class.times.quantile_s(0.99)));
    table
}

/// A row for each transfer that ended and is kept.
pub(crate) fn transfers_table(model: &Model, recorded: &Recorded) -> Table {
    let mut table = Table::default();
    if model.populations.is_empty() {
        return table;
    }
    let rows = &recorded.transfers;
    let classes = Classes::of(&model.populations);
    let files: Vec<Vec<u32>> = model.populations.iter().map(|each| classes.of_files(each)).collect();
    let ways: Vec<Vec<u32>> = model.populations.iter().map(|each| classes.of_ways(each)).collect();
    let width = classes.ways.len() as u32;
    let label = |codes: Vec<u32>, labels: Vec<String>| Column::Label { codes, labels };
    let groups = rows.iter().map(|row| model.populations[row.population as usize].group as u32).collect();
    table.push("group", label(groups, model.groups.iter().map(|group| group.name.clone()).collect()));
    let file = |row: &TransferRow| files[row.population as usize][row.file as usize] / width;
    table.push("file_class", label(rows.iter().map(file).collect(), classes.files));
    let way = |row: &TransferRow| ways[row.population as usize][row.way as usize];
    table.push("path_class", label(rows.iter().map(way).collect(), classes.ways));
    let whole =
        |of: fn(&TransferRow) -> u64| Column::Whole(rows.iter().map(|row| of(row).cast_signed()).collect());
    let real = |of: fn(&TransferRow) -> f64| Column::Real(rows.iter().map(of).collect());
    table.push("seat", whole(|row| u64::from(row.seat)));
    table.push("bytes", whole(|row| row.size));
    table.push("start_s", real(|row| row.started.as_secs_f64()));
    table.push("established_s", real(|row| row.established.map_or(f64::NAN, Time::as_secs_f64)));
    table.push("end_s", real(|row| row.ended.as_secs_f64()));
    table.push("completed", Column::Flag(rows.iter().map(|row| row.completed).collect()));
    table.push("sent_packets", whole(|row| row.packets_sent));
    table.push("retransmissions", whole(|row| row.retransmissions));
    table.push("timeouts", whole(|row| row.timeouts));
    table
}
