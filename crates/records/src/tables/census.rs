// SPDX-License-Identifier: Apache-2.0
//! The table `census`.

use super::{finite_groups, group_names};
use crate::table::Writer;
use crate::{GroupCounts, GroupSample, Records, Table};
use narrows_units::Time;

/// A group over one interval.
pub(super) struct Row {
    pub end: Time,
    pub group: usize,
    /// Counts of the interval.
    pub counts: GroupCounts,
    at_end: GroupSample,
    pub seconds: f64,
}

impl Row {
    /// Returns the bits of data packets sent per second.
    pub fn throughput_bps(&self) -> f64 {
        (self.counts.bytes_sent * 8) as f64 / self.seconds
    }

    /// Returns the payload received, bits per second.
    pub fn goodput_bps(&self) -> f64 {
        (self.counts.bytes_received * 8) as f64 / self.seconds
    }

    /// Returns the mean round-trip sample, seconds; not a number without one.
    pub fn rtt_s(&self) -> f64 {
        self.counts.rtt_ns as f64 * 1e-9 / self.counts.rtt_samples as f64
    }
}

/// Returns a row for each interval and group of finite flows; no columns without such groups.
pub(super) fn table(records: &Records) -> Table {
    let groups = finite_groups(&records.run);
    if groups.is_empty() {
        return Table::absent("census");
    }
    let rows = rows(records, &groups);
    let mut table = Writer::new("census", rows.iter());
    table.real("time_s", |row| row.end.as_secs_f64());
    table.label("group", group_names(&records.run), |row| row.group as u32);
    table.whole("connecting_flows", |row| row.at_end.connecting);
    table.whole("active_flows", |row| row.at_end.active);
    table.whole("started_flows", |row| row.counts.started);
    table.whole("refused_flows", |row| row.counts.refused);
    table.whole("established_flows", |row| row.counts.established);
    table.whole("completed_flows", |row| row.counts.completed);
    table.whole("failed_flows", |row| row.counts.failed);
    table.whole("abandoned_flows", |row| row.counts.abandoned);
    table.whole("sent_packets", |row| row.counts.packets_sent);
    table.whole("retransmissions", |row| row.counts.retransmissions);
    table.whole("timeouts", |row| row.counts.timeouts);
    table.whole("reductions", |row| row.counts.reductions);
    table.real("throughput_bps", Row::throughput_bps);
    table.real("goodput_bps", Row::goodput_bps);
    table.real("rtt_s", Row::rtt_s);
    table.finish()
}

/// Returns a row for each interval and each of `groups`.
pub(super) fn rows(records: &Records, groups: &[usize]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut start = Time::ZERO;
    for (interval, end) in records.interval_ends.iter().enumerate() {
        for &group in groups {
            let series = records.groups.get(group).map_or(&[][..], |record| &record.series);
            let Some(at_end) = series.get(interval) else { continue };
            let before =
                interval.checked_sub(1).map_or_else(GroupCounts::default, |last| series[last].counts);
            let seconds = (*end - start).as_secs_f64();
            rows.push(Row { end: *end, group, counts: at_end.counts - before, at_end: *at_end, seconds });
        }
        start = *end;
    }
    rows
}
