//! Algorithms in crates of their own: each depends on `narrows-cc` alone and exports an [`Entry`], and this is their list.
//!
//! The laboratory looks here beside the catalogue, so what is listed can be run, compared, shown and documented as
//! any other, and the contract of all algorithms is tested over it.

use narrows_cc::catalogue::Entry;

/// Every algorithm in a crate of its own.
pub fn entries() -> &'static [&'static Entry] {
    GUESTS
}

static GUESTS: &[&Entry] = &[
    // `narrows new algorithm NAME --rust` adds a line below this one.
];
