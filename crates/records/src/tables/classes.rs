// SPDX-License-Identifier: Apache-2.0
//! The table `classes`.

use super::{finite_groups, group_names};
use crate::table::Writer;
use crate::{ClassCounts, Records, Table};

/// A group, the index of a pair of classes within it, and their counts.
type Row<'r> = (usize, usize, &'r ClassCounts);

/// Returns a row for each group of finite flows, class of files and class of paths; no columns without such groups.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    let groups = finite_groups(run);
    if groups.is_empty() {
        return Table::absent("classes");
    }
    let with_record = groups.iter().filter_map(|group| Some((*group, records.groups.get(*group)?)));
    let rows: Vec<Row> = with_record
        .flat_map(|(group, record)| {
            record.classes.iter().enumerate().map(move |(pair, class)| (group, pair, class))
        })
        .collect();
    let width = run.path_classes.len().max(1);
    let mut table = Writer::new("classes", rows.iter());
    table.label("group", group_names(run), |row| row.0 as u32);
    table.label("file_class", run.file_classes.clone(), |row| (row.1 / width) as u32);
    table.label("path_class", run.path_classes.clone(), |row| (row.1 % width) as u32);
    table.whole("completed_flows", |row| row.2.completed);
    table.whole("failed_flows", |row| row.2.failed);
    table.whole("bytes", |row| row.2.bytes);
    table.real("flow_goodput_bps", |row| row.2.goodput_bps as f64 / row.2.completed as f64);
    table.real("completion_time_s", |row| row.2.times.mean_s());
    table.real("completion_time_p50_s", |row| row.2.times.quantile_s(0.50));
    table.real("completion_time_p95_s", |row| row.2.times.quantile_s(0.95));
    table.real("completion_time_p99_s", |row| row.2.times.quantile_s(0.99));
    table.finish()
}
