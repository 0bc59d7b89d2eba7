// SPDX-License-Identifier: Apache-2.0
//! The table `distributions`.

use super::{group_names, link_names};
use crate::table::Writer;
use crate::{Histogram, Records, Table};

/// Returns a row for each non-empty bucket: of the round-trip samples, then the one-way delays of each group; then of
/// the waits at each link.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    let of_groups = records.groups.iter().enumerate();
    let of_groups =
        of_groups.flat_map(|(group, record)| [(group, 0, &record.rtts), (group, 1, &record.delays)]);
    let of_links = records.links.iter().enumerate();
    let of_links = of_links.map(|(link, record)| (run.groups.len() + link, 2, &record.waits));
    let buckets = |(owner, quantity, histogram): (usize, u32, &'_ Histogram)| {
        let buckets: Vec<_> = histogram.buckets().collect();
        buckets.into_iter().map(move |(value_s, packets)| (owner as u32, quantity, value_s, packets))
    };
    let rows: Vec<(u32, u32, f64, u64)> = of_groups.chain(of_links).flat_map(buckets).collect();
    let mut table = Writer::new("distributions", rows.iter());
    table.label("owner", group_names(run).into_iter().chain(link_names(run)).collect(), |row| row.0);
    table.label("quantity", QUANTITIES.map(String::from).to_vec(), |row| row.1);
    table.real("value_s", |row| row.2);
    table.whole("packets", |row| row.3);
    table.finish()
}

const QUANTITIES: [&str; 3] = ["rtt_s", "delay_s", "queue_delay_s"];
