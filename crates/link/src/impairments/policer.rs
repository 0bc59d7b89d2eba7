// SPDX-License-Identifier: Apache-2.0
//! A policer: a token bucket that drops what does not conform.
//!
//! Source: RFC 2475 §2.3.3.4 (droppers); the bucket of RFC 2697 §3 with one colour. A packet conforms if the bucket holds
//! tokens for all of it, which it then takes. The account is exact: tokens are counted in bits times 10¹².

use super::{Element, Fate};
use alloc::collections::VecDeque;
use narrows_engine::Stream;
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::Packet;

#[derive(Debug)]
pub(super) struct Policer {
    rate: Rate,
    depth: u128,
    tokens: u128,
    /// Time of the last packet.
    last: Time,
}

impl Policer {
    pub fn new(rate: Rate, burst: Bytes) -> Self {
        let depth = tokens_of(burst);
        Self { rate, depth, tokens: depth, last: Time::ZERO }
    }
}

impl Element for Policer {
    fn pass(&mut self, packet: &mut Packet, _: &mut Stream, _: &mut VecDeque<Packet>) -> Fate {
        let span = packet.arrival.since(self.last);
        self.last = packet.arrival;
        let earned = u128::from(self.rate.as_bps()) * u128::from(span.as_ps());
        self.tokens = self.depth.min(self.tokens + earned);
        match self.tokens.checked_sub(tokens_of(packet.size())) {
            Some(left) => {
                self.tokens = left;
                Fate::Leaves
            }
            None => Fate::Lost("policer"),
        }
    }
}

fn tokens_of(size: Bytes) -> u128 {
    u128::from(size.bits()) * 1_000_000_000_000
}
