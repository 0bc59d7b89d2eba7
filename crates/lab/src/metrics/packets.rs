//! The table of the packet log.

use crate::model::Model;
use crate::records::{Column, Happening, PacketRow, Place, Recorded, Table};
use narrows_wire::{Block, Body, Ecn, Packet};

/// A row for each entry of the packet log; no columns where packets are not logged.
pub(crate) fn packets_table(model: &Model, recorded: &Recorded) -> Table {
    let mut table = Table::default();
    if model.record.packets.is_none() {
        return table;
    }
    let rows = &recorded.packets;
    let seats = seats(model);
    let whole = |of: &dyn Fn(&PacketRow) -> u64| {
        Column::Whole(rows.iter().map(|row| of(row).cast_signed()).collect())
    };
    let label = |labels: Vec<String>, of: &dyn Fn(&PacketRow) -> u32| Column::Label {
        codes: rows.iter().map(of).collect(),
        labels,
    };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let seat = |row: &PacketRow| seats[row.packet.flow.seat()];
    table.push("time_ps", whole(&|row| row.at.as_ps()));
    let mut places: Vec<String> = ENDPOINTS.iter().map(|end| (*end).to_owned()).collect();
    places.extend(model.links.iter().map(|link| link.name.clone()));
    let place = |row: &PacketRow| match row.place {
        Place::Sender(_) => 0,
        Place::Receiver(_) => 1,
        Place::Link(link) => ENDPOINTS.len() as u32 + link,
    };
    table.push("place", label(places, &place));
    table.push("event", label(words(HAPPENINGS), &|row| happening(row.what)));
    let groups = model.groups.iter().map(|group| group.name.clone()).collect();
    table.push("group", label(groups, &|row| seat(row).0));
    table.push("flow", whole(&|row| u64::from(seat(row).1)));
    table.push("turn", whole(&|row| u64::from(row.packet.flow.turn())));
    table.push("kind", label(words(KINDS), &|row| kind(&row.packet.body)));
    table.push("number", whole(&|row| row.packet.number));
    table.push("size_bytes", whole(&|row| u64::from(row.packet.size)));
    table.push("payload_bytes", whole(&|row| u64::from(payload(&row.packet.body))));
    table.push("ecn", label(words(CODEPOINTS), &|row| codepoint(row.packet.ecn)));
    let flag = |of: fn(&Packet) -> bool| Column::Flag(rows.iter().map(|row| of(&row.packet)).collect());
    table.push("ecn_echo", flag(|packet| packet.ecn_echo));
    table.push(
        "retransmission",
        flag(|packet| matches!(packet.body, Body::Data { retransmission: true, .. })),
    );
    for (place, (start, end)) in SACK.iter().enumerate() {
        let edge = |of: fn(&Block) -> u64| {
            let value =
                |row: &PacketRow| block(&row.packet, place).map_or(f64::NAN, |block| of(&block) as f64);
            Column::Real(rows.iter().map(value).collect())
        };
        table.push(start, edge(|block| block.start));
        table.push(end, edge(|block| block.end));
    }
    table
}

/// The group of each seat, and its number there.
fn seats(model: &Model) -> Vec<(u32, u32)> {
    let mut next = vec![0; model.groups.len()];
    let populations = model.populations.iter();
    let of_populations = populations.flat_map(|each| std::iter::repeat_n(each.group, each.seats as usize));
    let groups = model.flows.iter().map(|flow| flow.group).chain(of_populations);
    let number = |group: usize| {
        next[group] += 1;
        (group as u32, next[group] - 1)
    };
    groups.map(number).collect()
}

fn happening(what: Happening) -> u32 {
    match what {
        Happening::Sent => 0,
        Happening::Received => 1,
        Happening::Enqueued => 2,
        Happening::Dropped => 3,
        Happening::Marked => 4,
        Happening::Departed => 5,
        Happening::Lost => 6,
    }
}

fn kind(body: &Body) -> u32 {
    match body {
        Body::Syn { .. } => 0,
        Body::SynAck { .. } => 1,
        Body::Established => 2,
        Body::Data { .. } => 3,
        Body::Ack { .. } | Body::Answer { .. } => 4,
        Body::Datagram { .. } => 5,
        Body::Echo { .. } => 6,
        Body::Report(_) => 7,
    }
}

fn payload(body: &Body) -> u16 {
    match body {
        Body::Data { payload, .. } | Body::Datagram { payload, .. } => *payload,
        _ => 0,
    }
}

fn codepoint(ecn: Ecn) -> u32 {
    match ecn {
        Ecn::NotCapable => 0,
        Ecn::Ect0 => 1,
        Ecn::Ect1 => 2,
        Ecn::Ce => 3,
    }
}

fn block(packet: &Packet, place: usize) -> Option<Block> {
    match &packet.body {
        Body::Ack { blocks, .. } => blocks.iter(packet.number).nth(place),
        Body::Answer { blocks, .. } => blocks.iter(packet.number).nth(place),
        _ => None,
    }
}

/// Places that are no links.
const ENDPOINTS: &[&str] = &["sender", "receiver"];
const HAPPENINGS: &[&str] = &["sent", "received", "enqueued", "dropped", "marked", "departed", "lost"];
const KINDS: &[&str] = &["syn", "syn-ack", "established", "data", "ack", "datagram", "echo", "report"];
const CODEPOINTS: &[&str] = &["not-ect", "ect0", "ect1", "ce"];
/// Segments are numbered from 0; a block ends before its end.
const SACK: &[(&str, &str)] =
    &[("sack1_start", "sack1_end"), ("sack2_start", "sack2_end"), ("sack3_start", "sack3_end")];
