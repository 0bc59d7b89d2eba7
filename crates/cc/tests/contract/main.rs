//! Contract: what every algorithm of the catalogue keeps to under any history of facts.

#[path = "../facts/mod.rs"]
mod facts;
mod promises;

use narrows_cc::catalogue::{Entry, entries};

/// The algorithms put to the test.
fn subjects() -> impl Iterator<Item = &'static Entry> {
    entries().iter()
}
