// SPDX-License-Identifier: Apache-2.0
//! The table `recordings`.

use super::link_names;
use crate::table::Writer;
use crate::{Records, Table};

/// Returns a row for each link whose rate is a recording; no columns without one.
pub(super) fn table(records: &Records) -> Table {
    let starts = || (0..).zip(&records.links).filter_map(|(link, each)| Some((link, each.recording_start?)));
    if starts().next().is_none() {
        return Table::absent("recordings");
    }
    let mut table = Writer::new("recordings", starts());
    table.label("link", link_names(&records.run), |(link, _)| link);
    table.real("start_s", |(_, start)| start.as_secs_f64());
    table.finish()
}
