// SPDX-License-Identifier: Apache-2.0
//! Thinning of acknowledgements: a share of those that carry no data is dropped.
//!
//! Source: RFC 3449 §5.2.2 (ACK decimation), with a random choice.

use super::{Element, Fate};
use alloc::collections::VecDeque;
use narrows_engine::Stream;
use narrows_wire::Packet;

#[derive(Debug)]
pub(super) struct AckThinning {
    pub share: f64,
}

impl Element for AckThinning {
    fn pass(&mut self, packet: &mut Packet, draws: &mut Stream, _: &mut VecDeque<Packet>) -> Fate {
        if packet.is_ack() && draws.uniform() < self.share {
            Fate::Lost("ack-thinning")
        } else {
            Fate::Leaves
        }
    }
}
