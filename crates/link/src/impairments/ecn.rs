// SPDX-License-Identifier: Apache-2.0
//! A hop that changes the ECN field.
//!
//! Source: the failures of RFC 6040 §4.2 and of RFC 9331 §5; bleaching was measured by Mandalari et al., "Measuring ECN++",
//! IEEE Communications Magazine 56(3), 2018. A mark that this hop sets counts like a mark by the queue.

use super::{Element, Fate};
use crate::EcnChange;
use crate::selected::Selected;
use alloc::collections::VecDeque;
use narrows_engine::Stream;
use narrows_wire::{Ecn, Packet};

#[derive(Debug)]
pub(super) struct Remark {
    pub mode: EcnChange,
    pub share: f64,
    pub selected: Selected,
}

impl Element for Remark {
    fn pass(&mut self, packet: &mut Packet, draws: &mut Stream, _: &mut VecDeque<Packet>) -> Fate {
        let is_drawn = draws.uniform() < self.share;
        if self.selected.takes(packet) && is_drawn {
            if self.mode == EcnChange::Drop && packet.ecn.is_capable() {
                return Fate::Lost("ecn");
            }
            packet.ecn = match (self.mode, packet.ecn) {
                (EcnChange::Bleach, _) => Ecn::NotCapable,
                (EcnChange::ClearCe, Ecn::Ce) | (EcnChange::Ect1ToEct0, Ecn::Ect1) => Ecn::Ect0,
                (EcnChange::SetCe, Ecn::Ect0 | Ecn::Ect1) => Ecn::Ce,
                (_, unchanged) => unchanged,
            };
        }
        Fate::Leaves
    }
}
