// SPDX-License-Identifier: Apache-2.0
//! Converts the packet log to rows of the records.

use crate::recorder::{LogEntry, Place, kind};
use narrows_model::Model;
use narrows_records::{EcnCodepoint, PacketPlace, PacketRow};
use narrows_wire::{Block, Body, Ecn, Packet};

/// Returns the rows of all entries.
pub(super) fn rows(model: &Model, entries: &[LogEntry]) -> Vec<PacketRow> {
    let slots = slots(model);
    let row = |entry: &LogEntry| {
        let packet = &entry.packet;
        let (group, flow) = slots[packet.flow.index()];
        PacketRow {
            at: entry.at,
            place: place(entry.place),
            event: entry.event,
            group,
            flow,
            generation: packet.flow.generation(),
            kind: kind(&packet.body),
            number: packet.number,
            size: packet.size,
            payload: match packet.body {
                Body::Data { payload, .. } | Body::Datagram { payload, .. } => payload,
                _ => 0,
            },
            ecn: match packet.ecn {
                Ecn::NotCapable => EcnCodepoint::NotCapable,
                Ecn::Ect0 => EcnCodepoint::Ect0,
                Ecn::Ect1 => EcnCodepoint::Ect1,
                Ecn::Ce => EcnCodepoint::Ce,
            },
            ecn_echo: packet.ecn_echo,
            retransmission: matches!(packet.body, Body::Data { retransmission: true, .. }),
            sack: [0, 1, 2].map(|place| block(packet, place).map(|block| (block.start, block.end))),
        }
    };
    entries.iter().map(row).collect()
}

/// Returns `place` as in the records.
pub(super) fn place(place: Place) -> PacketPlace {
    match place {
        Place::Sender(_) => PacketPlace::Sender,
        Place::Receiver(_) => PacketPlace::Receiver,
        Place::Link(link) => PacketPlace::Link(link),
    }
}

/// Returns the group of each connection slot, and its number there.
pub(super) fn slots(model: &Model) -> Vec<(u32, u32)> {
    let mut next = vec![0; model.groups.len()];
    let workloads = model.workloads.iter();
    let groups = workloads.flat_map(|each| std::iter::repeat_n(each.group, each.slots as usize));
    let number = |group: usize| {
        next[group] += 1;
        (group as u32, next[group] - 1)
    };
    groups.map(number).collect()
}

fn block(packet: &Packet, place: usize) -> Option<Block> {
    match &packet.body {
        Body::Ack { blocks, .. } => blocks.iter(packet.number).nth(place),
        Body::AckWithFeedback { blocks, .. } | Body::AckWithWindow { blocks, .. } => {
            blocks.iter(packet.number).nth(place)
        }
        Body::AckWithFeedbackAndWindow { blocks, .. } => blocks.iter(packet.number).nth(place),
        _ => None,
    }
}
