// SPDX-License-Identifier: Apache-2.0
//! The table `connections`.

use super::group_names;
use crate::table::Writer;
use crate::{Ends, NO_LABEL, Records, Table, TupleRecord};
use std::slice::Iter;

/// Returns a row for each 5-tuple; no columns if programs sent nothing in real time.
pub(super) fn table(records: &Records) -> Table {
    if records.tuples.is_empty() {
        return Table::absent("connections");
    }
    let mut table = Writer::new("connections", records.tuples.iter());
    table.label("group", group_names(&records.run), |row| row.group);
    table.whole("flow", |row| u64::from(row.flow));
    end(&mut table, "protocol", &records.tuples, |ends| &ends.protocol);
    end(&mut table, "source", &records.tuples, |ends| &ends.source);
    end(&mut table, "destination", &records.tuples, |ends| &ends.destination);
    table.whole("sent_packets", |row| row.packets);
    table.whole("sent_bytes", |row| row.bytes);
    table.whole("dropped_packets", |row| row.dropped);
    table.whole("marked_packets", |row| row.marked);
    table.real("first_s", |row| row.sent.0.as_secs_f64());
    table.real("last_s", |row| row.sent.1.as_secs_f64());
    table.real("delay_mean_s", |row| row.delay_mean_s);
    table.real("delay_p95_s", |row| row.delay_p95_s);
    table.finish()
}

/// Adds the column `name` with what distinguishes each 5-tuple.
fn end(
    table: &mut Writer<Iter<'_, TupleRecord>>,
    name: &'static str,
    rows: &[TupleRecord],
    of: impl Fn(&Ends) -> &String,
) {
    let mut known: Vec<String> = rows.iter().filter_map(|row| row.ends.as_ref()).map(&of).cloned().collect();
    known.sort_unstable();
    known.dedup();
    table.label(name, known.clone(), |row| {
        let place = row.ends.as_ref().and_then(|ends| known.binary_search(of(ends)).ok());
        place.map_or(NO_LABEL, |place| place as u32)
    });
}
