// SPDX-License-Identifier: Apache-2.0
//! The list of algorithms in crates of their own. Each crate depends on `narrows-cc` alone and exports an [`Entry`].
//!
//! `narrows-model` chains this list to the catalogue, so these algorithms are run, compared and documented like the
//! algorithms of the catalogue, and the contract tests cover them.

use narrows_cc::Entry;

/// Returns the entry of every algorithm in a crate of its own, in the order in which they were added.
pub fn entries() -> &'static [&'static Entry] {
    ENTRIES
}

static ENTRIES: &[&Entry] = &[
    // `narrows new algorithm NAME --rust` adds a line below this one.
];
