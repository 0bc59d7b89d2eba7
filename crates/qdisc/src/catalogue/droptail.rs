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
    validation: Some(
        "ns-2.35, one to ten SACK and NewReno flows, 0.1 and 1 BDP: loss rate within 3.5 %, utilisation within 0.003, mean queue within 1.1 packets; the recorded Linux kernel over 1 and 4 BDP: queueing delay within 0.3 %",
    ),
};
