// SPDX-License-Identifier: Apache-2.0
//! The scheduler of fair queueing: a row for every hashed flow, served in deficit round robin, new flows first.
//!
//! Source: RFC 8290 §4.1 and §4.2; Shreedhar and Varghese 1995.

use crate::rows::Rows;
use alloc::collections::VecDeque;
use alloc::{boxed::Box, vec};
use narrows_units::Bytes;
use narrows_wire::{Direction, Packet};

/// Rows of packets with their turns.
#[derive(Clone, Debug)]
pub(crate) struct FairQueue {
    /// The packets, by row.
    pub rows: Rows,
    turns: Box<[Turn]>,
    /// Rows of new flows, and of the others, in the order of their turns.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Bytes that each row may send per round.
    quantum: i64,
    /// Salt of the hash, drawn with the first arrival.
    salt: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// Bytes it may still send; below zero if the last packet took more than there was.
    deficit: i64,
    /// Whether the row is in one of the lists.
    listed: bool,
}

impl FairQueue {
    /// Creates `queues` empty rows, at least one, each of which may send `quantum` bytes, which is positive, per round.
    pub fn new(queues: u32, quantum: Bytes) -> Self {
        let mut rows = Rows::default();
        for _ in 0..queues {
            rows.open();
        }
        Self {
            rows,
            turns: vec![Turn::default(); queues as usize].into(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            quantum: quantum.count().cast_signed(),
            salt: None,
        }
    }

    /// Returns the row of the flow of `packet`; `uniform` draws from [0, 1).
    pub fn row_for(&mut self, packet: &Packet, uniform: &mut dyn FnMut() -> f64) -> usize {
        let salt = *self.salt.get_or_insert_with(|| uniform().to_bits());
        let key = u64::from(packet.flow.bits()) * 2 + u64::from(packet.direction() == Direction::Reverse);
        let hash = mix(mix(key).wrapping_add(salt));
        ((u128::from(hash) * self.turns.len() as u128) >> 64) as usize
    }

    /// Adds `packet` to `row`.
    pub fn push(&mut self, row: usize, packet: Packet) {
        self.rows.push(row, packet);
        let turn = &mut self.turns[row];
        if !turn.listed {
            *turn = Turn { listed: true, deficit: self.quantum };
            self.new.push_back(row as u32);
        }
    }

    /// Returns the next packet by turns; `take` takes one from a row, `None` if it has none left.
    pub fn next(&mut self, mut take: impl FnMut(&mut Rows, usize) -> Option<Packet>) -> Option<Packet> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let first = *list.front()?;
            let row = first as usize;
            let turn = &mut self.turns[row];
            if turn.deficit <= 0 {
                turn.deficit += self.quantum;
                list.pop_front();
                self.old.push_back(first);
                continue;
            }
            if let Some(packet) = take(&mut self.rows, row) {
                turn.deficit -= i64::from(packet.size);
                return Some(packet);
            }
            list.pop_front();
            // RFC 8290 §4.2: a flow that was just new cannot become new again before the old ones have had their turns.
            if is_new && !self.old.is_empty() {
                self.old.push_back(first);
            } else {
                turn.listed = false;
            }
        }
    }

    /// Calls `record` with the lengths of both lists.
    pub fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("flows_new", self.new.len() as f64);
        record("flows_old", self.old.len() as f64);
    }
}

/// Returns the splitMix64's finaliser (Steele, Lea and Flood 2014): every bit of the key moves every bit of the hash.
pub(crate) fn mix(mut key: u64) -> u64 {
    key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}
