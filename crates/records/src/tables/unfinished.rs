// SPDX-License-Identifier: Apache-2.0
//! The table `unfinished`.

use super::{finite_groups, group_names};
use crate::table::Writer;
use crate::{Records, Table};

/// Returns a row for each finite flow that had not ended, up to the limit; no columns if all flows are endless.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    if finite_groups(run).is_empty() {
        return Table::absent("unfinished");
    }
    let mut table = Writer::new("unfinished", records.unfinished.iter());
    table.label("group", group_names(run), |row| row.group as u32);
    table.label("file_class", run.file_classes.clone(), |row| row.file_class);
    table.label("path_class", run.path_classes.clone(), |row| row.path_class);
    table.whole("slot", |row| u64::from(row.slot));
    table.whole("bytes", |row| row.size);
    table.whole("acked_bytes", |row| row.acked);
    table.real("start_s", |row| row.started.as_secs_f64());
    table.finish()
}
