// SPDX-License-Identifier: Apache-2.0
//! The list of all disciplines.

use crate::{
    Entry, adpm, cake, codel, decbit, droptail, drr, dualpi2, fq, fq_codel, fq_pie, maxnet, pi2, pie,
    priority, quick_start, rcp, red, rio, source_quench, step, vcp, xcp,
};

/// Returns the entries of all disciplines, in the order in which lists show them.
pub fn entries() -> &'static [&'static Entry] {
    ENTRIES
}

/// Returns the entry of the discipline `name`; `None` if there is no such discipline.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().copied().find(|entry| entry.card.name == name)
}

static ENTRIES: &[&Entry] = &[
    &droptail::ENTRY,
    &red::ENTRY,
    &drr::ENTRY,
    &fq::ENTRY,
    &priority::ENTRY,
    &rio::ENTRY,
    &step::ENTRY,
    &codel::ENTRY,
    &fq_codel::ENTRY,
    &pie::ENTRY,
    &fq_pie::ENTRY,
    &cake::ENTRY,
    &pi2::ENTRY,
    &dualpi2::ENTRY,
    &xcp::ENTRY,
    &rcp::ENTRY,
    &vcp::ENTRY,
    &adpm::ENTRY,
    &maxnet::ENTRY,
    &decbit::ENTRY,
    &source_quench::ENTRY,
    &quick_start::ENTRY,
];
