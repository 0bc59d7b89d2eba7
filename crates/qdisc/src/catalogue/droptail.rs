//! The card of DropTail.

use super::{Entry, LIMIT};

pub(super) const CARD: Entry = Entry {
    name: "droptail",
    family: "passive",
    summary: "first in, first out; an arrival that finds no room is dropped",
    source: "the Internet's default; RFC 7567 §2 tells what it costs",
    equations: &["drop the arrival if waiting + arrival > limit"],
    parameters: &[LIMIT],
    deviations: &["a limit of L packets holds L waiting packets; ns-2 holds L - 1"],
    validation: None,
};
