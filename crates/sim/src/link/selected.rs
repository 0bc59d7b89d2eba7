// SPDX-License-Identifier: Apache-2.0
//! Counts the packets of a link, and says which of them are chosen by their numbers.

use narrows_model::{Counted, Selection};
use narrows_wire::{Body, Packet};

/// The packets of one link that a [`Selection`] chooses.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    selection: Selection,
    /// Packets so far of those that are counted.
    counted: u64,
}

impl Selected {
    /// Creates the selection before the first packet.
    pub fn new(selection: Selection) -> Self {
        Self { selection, counted: 0 }
    }

    /// Whether `packet`, the next of the link, is chosen.
    pub fn takes(&mut self, packet: &Packet) -> bool {
        if !counts(self.selection.of, packet) {
            return false;
        }
        self.counted += 1;
        self.selection.numbers.as_ref().is_none_or(|numbers| numbers.binary_search(&self.counted).is_ok())
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
