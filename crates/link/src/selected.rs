// SPDX-License-Identifier: Apache-2.0
//! Counts the packets of a link, and says which of them are chosen by their numbers.

use crate::{Counted, Selection};
use alloc::collections::BTreeMap;
use narrows_wire::{Body, Packet};

/// The packets of one link that a [`Selection`] chooses.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    selection: Selection,
    /// Packets so far of those that are counted, by connection where each is counted apart.
    counted: BTreeMap<u32, u64>,
}

impl Selected {
    /// Creates the selection before the first packet.
    pub fn new(selection: Selection) -> Self {
        Self { selection, counted: BTreeMap::new() }
    }

    /// Whether `packet`, the next of the link, is chosen.
    pub fn takes(&mut self, packet: &Packet) -> bool {
        let Selection { of, slots, per_flow, numbers } = &self.selection;
        let slot = packet.flow.index() as u32;
        if !counts(*of, packet) || slots.as_ref().is_some_and(|slots| !slots.contains(&slot)) {
            return false;
        }
        let counted = self.counted.entry(if *per_flow { packet.flow.bits() } else { 0 }).or_default();
        *counted += 1;
        numbers.as_ref().is_none_or(|numbers| numbers.binary_search(counted).is_ok())
    }
}

fn counts(of: Counted, packet: &Packet) -> bool {
    match of {
        Counted::All => true,
        Counted::Data => matches!(packet.body, Body::Data { .. } | Body::Datagram { .. }),
        Counted::Retransmissions => matches!(packet.body, Body::Data { retransmission: true, .. }),
        Counted::Acks => packet.is_ack(),
    }
}
