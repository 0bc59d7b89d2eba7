// SPDX-License-Identifier: Apache-2.0
//! DRR, deficit round robin: every flow has a queue of its own, and each round every queue with packets may send as
//! many bytes more.
//!
//! Source: Shreedhar and Varghese, "Efficient Fair Queueing using Deficit Round Robin", 1995; dropping from the head of
//! the longest queue as in ns-2.35.
//!
//! ```text
//! at each visit   deficit += quantum; send while size of head ≤ deficit, deficit −= size
//! when emptied    deficit = 0
//! |sent_i − sent_j| ≤ quantum + 2 size_max        over any time in which both flows wait
//! ```
//!
//! A packet costs constant time if the quantum is at least its size, and in proportion to their ratio otherwise.

use crate::discipline::independent;
use crate::parameters::LIMIT;
use crate::rows::Rows;
use crate::{Backlog, Context, DropReason, Entry, Limit, Order, QueueDiscipline, Settings};
use alloc::collections::VecDeque;
use alloc::{boxed::Box, vec::Vec};
use narrows_card::{Card, Domain, Parameter};
use narrows_units::Bytes;
use narrows_wire::{Direction, Packet};

/// The packet of the longest queue that is dropped if the buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The packet at the head: the sender detects the loss earliest.
    Head,
    /// The packet at the tail.
    Tail,
}

/// Settings of a DRR queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Bytes that each flow may send per round. Not zero.
    pub quantum: Bytes,
    /// Buffer limit of all flows together.
    pub limit: Limit,
    /// End of the longest queue at which packets are dropped if the limit is exceeded.
    pub drop: End,
}

/// A queue per flow and direction, served in deficit round robin (Shreedhar and Varghese 1995).
#[derive(Clone, Debug)]
pub struct Drr {
    config: Config,
    rows: Rows,
    /// State of the flow that holds each row.
    holders: Vec<Holder>,
    /// Row of each leg of each flow; `NONE` for one that holds none.
    row_of: Vec<u32>,
    /// Rows that no flow holds.
    idle: Vec<u32>,
    /// Rows in the order of their turns. A row that drops have emptied stays until its turn.
    round: VecDeque<u32>,
    /// The first of the round has had its quantum.
    on_turn: bool,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    /// Index into `row_of`.
    key: usize,
    /// Bytes it may still send in this round.
    deficit: Bytes,
}

impl Drr {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            rows: Rows::default(),
            holders: Vec::new(),
            row_of: Vec::new(),
            idle: Vec::new(),
            round: VecDeque::new(),
            on_turn: false,
        }
    }

    /// The row of `packet`'s flow, which joins the round if it holds none.
    fn row_for(&mut self, packet: &Packet) -> usize {
        let key = packet.flow.index() * 2 + usize::from(packet.direction() == Direction::Reverse);
        if key >= self.row_of.len() {
            self.row_of.resize(key + 1, NONE);
        }
        if self.row_of[key] != NONE {
            return self.row_of[key] as usize;
        }
        let holder = Holder { key, deficit: Bytes::ZERO };
        let row = if let Some(row) = self.idle.pop() {
            self.holders[row as usize] = holder;
            row as usize
        } else {
            self.holders.push(holder);
            self.rows.open()
        };
        self.row_of[key] = row as u32;
        self.round.push_back(row as u32);
        row
    }

    /// The first of the round, now empty, leaves it.
    fn retire(&mut self, row: usize) {
        self.round.pop_front();
        self.on_turn = false;
        self.row_of[self.holders[row].key] = NONE;
        self.idle.push(row as u32);
    }
}

impl QueueDiscipline for Drr {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        let row = self.row_for(&packet);
        self.rows.push(row, packet);
        while !self.config.limit.holds(self.rows.backlog()) {
            let longest = self.rows.longest().expect("more than the limit waits");
            let dropped = match self.config.drop {
                End::Head => self.rows.pop(longest),
                End::Tail => self.rows.pop_tail(longest),
            };
            context.drop(&dropped.expect("the longest row holds a packet"), DropReason::Overflow);
            if self.rows.backlog_of(longest).packets == 0 {
                self.holders[longest].deficit = Bytes::ZERO;
            }
        }
    }

    fn dequeue(&mut self, _context: &mut Context<'_>) -> Option<Packet> {
        while let Some(&first) = self.round.front() {
            let row = first as usize;
            let Some(size) = self.rows.head_size(row) else {
                self.retire(row);
                continue;
            };
            let deficit = &mut self.holders[row].deficit;
            if !self.on_turn {
                *deficit += self.config.quantum;
                self.on_turn = true;
            }
            if size <= *deficit {
                *deficit -= size;
                let packet = self.rows.pop(row);
                if self.rows.backlog_of(row).packets == 0 {
                    self.retire(row);
                }
                return packet;
            }
            self.round.pop_front();
            self.round.push_back(first);
            self.on_turn = false;
        }
        None
    }

    fn backlog(&self) -> Backlog {
        self.rows.backlog()
    }
}

/// No row.
const NONE: u32 = u32::MAX;

/// The catalogue entry of `drr`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "drr",
        family: "fair",
        summary: "deficit round robin: per-flow queues, each served by a quantum of bytes per round",
        source: "Shreedhar and Varghese 1995; dropping as in ns-2.35",
        equations: &[
            "each visit: deficit += quantum; send while size <= deficit, deficit -= size; emptied: deficit = 0",
            "|sent_i - sent_j| <= quantum + 2 size_max while both flows wait",
            "limit exceeded: drop from the longest queue, at its head or tail",
        ],
        parameters: &[
            LIMIT,
            Parameter {
                name: "quantum",
                meaning: "quantum: bytes added to the deficit of a flow in each round",
                unit: "",
                source: "Shreedhar and Varghese 1995: at least the largest packet, so that a packet costs constant time",
                domain: Domain::Size { default: "1pkt" },
            },
            Parameter {
                name: "drop",
                meaning: "packet of the longest queue that is dropped when the limit is exceeded: \"head\", the oldest, or \"tail\", the newest",
                unit: "",
                source: "ns-2.35",
                domain: Domain::Choice { default: "head", allowed: &["head", "tail"] },
            },
        ],
        variables: &[],
        deviations: &[
            "each leg of each flow has a queue of its own; the paper and ns-2 hash flows into buckets",
            "the longest queue is found to 64 bytes; of equals it is the one that grew last, in ns-2 the one whose \
             turn is next",
        ],
    },
    marks: false,
    order: Order::Flow,
    timer: None,
    complete: independent,
    build: |settings| Box::new(Drr::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config {
        quantum: settings.size("quantum"),
        limit: settings.limit("limit"),
        drop: if settings.word("drop") == "tail" { End::Tail } else { End::Head },
    }
}

#[cfg(test)]
mod tests;
