// SPDX-License-Identifier: Apache-2.0
//! The table `internals`.

use super::group_names;
use super::series::names;
use crate::table::{NO_LABEL, Writer};
use crate::{InternalOwner, Records, Table};

/// Returns a row for each interval, flow or link, and variable; no columns if inner variables are not recorded.
pub(super) fn table(records: &Records) -> Table {
    if !records.run.internals {
        return Table::absent("internals");
    }
    let first_link = records.connections.len() as u32;
    let mut table = Writer::new("internals", records.internals.rows.iter());
    table.real("time_s", |row| records.interval_ends[row.interval as usize].as_secs_f64());
    table.label("kind", vec!["flow".into(), "link".into()], |row| {
        u32::from(matches!(row.owner, InternalOwner::Link(_)))
    });
    table.label("name", names(records), |row| match row.owner {
        InternalOwner::Flow(flow) => flow,
        InternalOwner::Link(link) => first_link + link,
    });
    table.label("group", group_names(&records.run), |row| match row.owner {
        InternalOwner::Flow(flow) => records.connections[flow as usize].group as u32,
        InternalOwner::Link(_) => NO_LABEL,
    });
    table.label("variable", records.internals.variables.clone(), |row| row.variable);
    table.real("value", |row| row.value);
    table.finish()
}
