// SPDX-License-Identifier: Apache-2.0
//! The table `applications`.

use super::census::{Row, rows};
use super::{application_groups, group_names};
use crate::table::Writer;
use crate::{Records, Table};

/// Returns a row for each interval and group with an application; no columns without such groups.
pub(super) fn table(records: &Records) -> Table {
    let groups = application_groups(&records.run);
    if groups.is_empty() {
        return Table::absent("applications");
    }
    let rows = rows(records, &groups);
    let mut table = Writer::new("applications", rows.iter());
    table.real("time_s", |row| row.end.as_secs_f64());
    table.label("group", group_names(&records.run), |row| row.group as u32);
    table.whole("sent_packets", |row| row.counts.packets_sent);
    table.whole("retransmissions", |row| row.counts.retransmissions);
    table.whole("reductions", |row| row.counts.reductions);
    table.real("throughput_bps", Row::throughput_bps);
    table.real("goodput_bps", Row::goodput_bps);
    table.real("rtt_s", Row::rtt_s);
    table.finish()
}
