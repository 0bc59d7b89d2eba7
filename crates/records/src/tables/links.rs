// SPDX-License-Identifier: Apache-2.0
//! The table `links`.

use super::link_names;
use crate::table::Writer;
use crate::{Records, Table, metrics};

/// Returns a row for each recorded link: its metrics.
pub(super) fn table(records: &Records) -> Table {
    let links = metrics::link_metrics(records);
    let mut table = Writer::new("links", 0..links.len());
    table.label("link", link_names(&records.run), |link| link as u32);
    for (index, card) in metrics::of_links().enumerate() {
        table.real(card.name, |link| links[link].values[index].1);
    }
    table.finish()
}
