// SPDX-License-Identifier: Apache-2.0
//! The table `groups`.

use super::group_names;
use crate::table::Writer;
use crate::{Records, Table, metrics};

/// Returns a row for each group: its metrics.
pub(super) fn table(records: &Records) -> Table {
    let groups = metrics::group_metrics(records);
    let mut table = Writer::new("groups", 0..groups.len());
    table.label("group", group_names(&records.run), |group| group as u32);
    for (index, card) in metrics::of_groups().enumerate() {
        table.real(card.name, |group| groups[group].values[index].1);
    }
    table.finish()
}
