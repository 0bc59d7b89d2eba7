// SPDX-License-Identifier: Apache-2.0
//! The table `transfers`.

use super::{finite_groups, group_names};
use crate::table::Writer;
use crate::{Records, Table};
use narrows_units::Time;

/// Returns a row for each finite flow that ended, up to the limit; no columns if all flows are endless.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    if finite_groups(run).is_empty() {
        return Table::absent("transfers");
    }
    let mut table = Writer::new("transfers", records.transfers.iter());
    table.label("group", group_names(run), |row| row.group as u32);
    table.label("file_class", run.file_classes.clone(), |row| row.file_class);
    table.label("path_class", run.path_classes.clone(), |row| row.path_class);
    table.whole("slot", |row| u64::from(row.slot));
    table.whole("bytes", |row| row.size);
    table.real("start_s", |row| row.started.as_secs_f64());
    table.real("established_s", |row| row.established.map_or(f64::NAN, Time::as_secs_f64));
    table.real("end_s", |row| row.ended.as_secs_f64());
    table.flag("completed", |row| row.completed);
    table.whole("sent_packets", |row| row.packets_sent);
    table.whole("retransmissions", |row| row.retransmissions);
    table.whole("timeouts", |row| row.timeouts);
    table.finish()
}
