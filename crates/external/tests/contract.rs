// SPDX-License-Identifier: Apache-2.0
//! Contract: what holds for every algorithm under any history of facts, for algorithms in crates of their own.

#[path = "../../cc/tests/facts/mod.rs"]
mod facts;
#[path = "../../cc/tests/contract/promises.rs"]
mod promises;

use narrows_cc::Entry;

/// The algorithms under test.
fn subjects() -> impl Iterator<Item = &'static Entry> {
    narrows_external::entries().iter().copied()
}
