//! Contract: what every algorithm keeps to under any history of facts, for those in crates of their own.

#[path = "../../cc/tests/facts/mod.rs"]
mod facts;
#[path = "../../cc/tests/contract/promises.rs"]
mod promises;

use narrows_cc::catalogue::Entry;

/// The algorithms put to the test.
fn subjects() -> impl Iterator<Item = &'static Entry> {
    narrows_guests::entries().iter().copied()
}
