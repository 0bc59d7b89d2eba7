// SPDX-License-Identifier: Apache-2.0
//! Contract: what holds for every algorithm of the catalogue under any history of facts.

#[path = "../facts/mod.rs"]
mod facts;
mod promises;
mod stages;
mod table;

use narrows_cc::Entry;
use narrows_cc::catalogue::entries;

/// The algorithms under test.
fn subjects() -> impl Iterator<Item = &'static Entry> {
    entries().iter()
}
