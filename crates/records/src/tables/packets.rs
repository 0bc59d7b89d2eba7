// SPDX-License-Identifier: Apache-2.0
//! The table `packets`.

use super::{group_names, link_names};
use crate::table::Writer;
use crate::{PacketPlace, PacketRow, Records, RunDescription, Table};

/// Returns a row for each entry of the packet log; no columns if packets are not logged.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    if run.packet_limit.is_none() {
        return Table::absent("packets");
    }
    let mut table = Writer::new("packets", records.packets.rows.iter());
    table.whole("time_ps", |row| row.at.as_ps());
    table.label("place", places(run), |row| place(row.place));
    table.label("event", words(EVENTS), |row| row.event as u32);
    table.label("group", group_names(run), |row| row.group);
    table.whole("flow", |row| u64::from(row.flow));
    table.whole("turn", |row| u64::from(row.generation));
    table.label("kind", words(KINDS), |row| row.kind as u32);
    table.whole("number", |row| row.number);
    table.whole("size_bytes", |row| u64::from(row.size));
    table.whole("payload_bytes", |row| u64::from(row.payload));
    table.label("ecn", words(CODEPOINTS), |row| row.ecn as u32);
    table.flag("ecn_echo", |row| row.ecn_echo);
    table.flag("retransmission", |row| row.retransmission);
    for (index, (start, end)) in SACK.iter().enumerate() {
        let edge = |of: fn((u64, u64)) -> u64| {
            move |row: &PacketRow| row.sack[index].map_or(f64::NAN, |block| of(block) as f64)
        };
        table.real(start, edge(|block| block.0));
        table.real(end, edge(|block| block.1));
    }
    table.finish()
}

/// Returns the names of all places: the endpoints, then the links.
pub(super) fn places(run: &RunDescription) -> Vec<String> {
    words(ENDPOINTS).into_iter().chain(link_names(run)).collect()
}

pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns the index of `place` into [`places`].
pub(super) fn place(place: PacketPlace) -> u32 {
    match place {
        PacketPlace::Sender => 0,
        PacketPlace::Receiver => 1,
        PacketPlace::Link(link) => ENDPOINTS.len() as u32 + link,
    }
}

/// Places that are no links.
const ENDPOINTS: &[&str] = &["sender", "receiver"];
/// Names of [`PacketEvent`](crate::PacketEvent), in its order.
const EVENTS: &[&str] = &["sent", "received", "enqueued", "dropped", "marked", "departed", "lost"];
/// Names of [`PacketKind`](crate::PacketKind), in its order.
pub(super) const KINDS: &[&str] =
    &["syn", "syn-ack", "established", "data", "ack", "datagram", "echo", "report", "window-probe"];
/// Names of [`EcnCodepoint`](crate::EcnCodepoint), in its order.
const CODEPOINTS: &[&str] = &["not-ect", "ect0", "ect1", "ce"];
/// Segments are numbered from 0; a block ends before its end.
const SACK: &[(&str, &str)] =
    &[("sack1_start", "sack1_end"), ("sack2_start", "sack2_end"), ("sack3_start", "sack3_end")];
