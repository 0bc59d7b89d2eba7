//! FQ-CoDel: a queue under CoDel for every flow, served in rounds of equal bytes, new flows first.
//!
//! Source: RFC 8290; the batch that overflow drops as in Linux's `sch_fq_codel.c`.
//!
//! ```text
//! queue of a flow    hash(flow, leg, salt) of `queues`
//! serve              new flows before old; deficit ≤ 0: deficit += quantum and to the end of the old
//! emptied            a new flow goes to the end of the old, an old one leaves
//! limit exceeded     the longest queue loses half its bytes or 64 packets from its head, whichever comes first
//! ```
//!
//! Deviations: the salt of the hash is drawn with the first arrival, and the longest queue is found in constant time and
//! to 64 bytes. As in Linux, CoDel's "more than a packet waits behind" counts the packets of all flows.

use crate::codel::{self, CodelLaw, Control, INTERVAL, TARGET};
use crate::discipline::independent;
use crate::rows::Rows;
use crate::{Backlog, Context, DropReason, Entry, Limit, QueueDiscipline, Settings};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::Bytes;
use narrows_wire::{Direction, Packet};
use std::collections::VecDeque;

/// Settings of an FQ-CoDel queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Settings of the control law of each queue.
    pub control: Control,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// Bytes that each flow may send per round. Not zero.
    pub quantum: Bytes,
    /// Number of queues to which flows are hashed. Not zero.
    pub queues: u32,
    /// Buffer limit of all queues together.
    pub limit: Limit,
}

/// A queue per hashed flow, each under CoDel, served in deficit round robin with new flows first (RFC 8290).
#[derive(Clone, Debug)]
pub struct FqCodel {
    config: Config,
    rows: Rows,
    /// By row.
    turns: Box<[Turn]>,
    /// Rows of new flows, and of the others, in the order of their turns.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Drawn with the first arrival.
    salt: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct Turn {
    law: CodelLaw,
    /// Bytes it may still send; below zero if the last packet took more than there was.
    deficit: i64,
    /// It is in one of the lists.
    listed: bool,
}

impl FqCodel {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        let mut rows = Rows::default();
        for _ in 0..config.queues {
            rows.open();
        }
        Self {
            config: *config,
            rows,
            turns: vec![Turn::default(); config.queues as usize].into(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            salt: None,
        }
    }

    /// The row of `packet`'s flow.
    fn row_for(&mut self, packet: &Packet, context: &mut Context<'_>) -> usize {
        let salt = *self.salt.get_or_insert_with(|| (context.uniform)().to_bits());
        let key = u64::from(packet.flow.bits()) * 2 + u64::from(packet.direction() == Direction::Reverse);
        let hash = mix(mix(key).wrapping_add(salt));
        ((u128::from(hash) * u128::from(self.config.queues)) >> 64) as usize
    }

    /// RFC 8290 §4.1: the flow that takes the most room makes some.
    fn make_room(&mut self, context: &mut Context<'_>) {
        let longest = self.rows.longest().expect("more than the limit waits");
        let half = self.rows.backlog_of(longest).bytes.count() / 2;
        let (mut packets, mut bytes) = (0, 0);
        while packets == 0 || (packets < OVERFLOW_BATCH && bytes < half) {
            let packet = self.rows.pop(longest).expect("less than half its bytes is gone");
            packets += 1;
            bytes += packet.size().count();
            context.drop(&packet, DropReason::Overflow);
        }
        self.turns[longest].law.overflowed(packets);
    }

    /// The next packet of `row` that CoDel lets pass.
    fn pass(&mut self, row: usize, context: &mut Context<'_>) -> Option<Packet> {
        let law = &mut self.turns[row].law;
        while let Some(packet) = self.rows.pop(row) {
            let behind = self.rows.backlog().bytes;
            let passed = law.pass(&self.config.control, packet, behind, self.config.ecn, context);
            if passed.is_some() {
                return passed;
            }
        }
        law.emptied();
        None
    }
}

impl QueueDiscipline for FqCodel {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        let row = self.row_for(&packet, context);
        self.rows.push(row, packet);
        let turn = &mut self.turns[row];
        if !turn.listed {
            turn.listed = true;
            turn.deficit = self.config.quantum.count().cast_signed();
            self.new.push_back(row as u32);
        }
        while !self.config.limit.holds(self.rows.backlog()) {
            self.make_room(context);
        }
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let first = *list.front()?;
            let row = first as usize;
            if self.turns[row].deficit <= 0 {
                self.turns[row].deficit += self.config.quantum.count().cast_signed();
                list.pop_front();
                self.old.push_back(first);
                continue;
            }
            if let Some(packet) = self.pass(row, context) {
                self.turns[row].deficit -= i64::from(packet.size);
                return Some(packet);
            }
            let list = if is_new { &mut self.new } else { &mut self.old };
            list.pop_front();
            // RFC 8290 §4.2: a flow that was just new cannot become new again before the old ones have had their turns.
            if is_new && !self.old.is_empty() {
                self.old.push_back(first);
            } else {
                self.turns[row].listed = false;
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.rows.backlog()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("flows_new", self.new.len() as f64);
        record("flows_old", self.old.len() as f64);
    }
}

/// SplitMix64's finaliser (Steele, Lea and Flood 2014): every bit of the key moves every bit of the hash.
fn mix(mut key: u64) -> u64 {
    key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}

/// Packets that overflow drops at most before it looks again (`sch_fq_codel.c`).
const OVERFLOW_BATCH: u32 = 64;

/// The catalogue entry of `fq-codel`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "fq-codel",
        family: "fair",
        summary: "a queue under CoDel for every flow, served in rounds of equal bytes, new flows first",
        source: "RFC 8290; overflow as in Linux's sch_fq_codel.c",
        equations: &[
            "queue of a flow = hash(flow, leg, salt) of flows",
            "new flows before old; deficit <= 0: deficit += quantum and to the end of the old; deficit -= size sent",
            "emptied: a new flow goes to the end of the old, an old one leaves",
            "limit exceeded: the longest queue loses half its bytes or 64 packets from its head",
            "each queue: as codel",
        ],
        parameters: &[
            Parameter {
                name: "limit",
                meaning: "the most that may wait in all queues, not counting the packet in transmission",
                unit: "",
                source: "RFC 8290 §5.2.3",
                domain: Domain::Limit { default: "10240pkt" },
            },
            TARGET,
            INTERVAL,
            Parameter {
                name: "quantum",
                meaning: "bytes that each flow may send in its turn",
                unit: "",
                source: "RFC 8290 §5.2.4: the MTU; 1514 bytes on Ethernet",
                domain: Domain::Size { default: "1pkt" },
            },
            Parameter {
                name: "flows",
                meaning: "queues that flows are hashed into",
                unit: "",
                source: "RFC 8290 §5.2.5",
                domain: Domain::Integer { default: 1024, minimum: 1, maximum: 65_536 },
            },
            Parameter {
                name: "ecn",
                meaning: "mark ECN-capable packets instead of dropping them",
                unit: "",
                source: "RFC 8290 §5.2.6",
                domain: Domain::Flag { default: true },
            },
        ],
        variables: &[
            Variable { name: "flows_new", unit: "count", meaning: "queues in the list of new flows" },
            Variable { name: "flows_old", unit: "count", meaning: "queues in the list of old flows" },
        ],
        deviations: &[
            "the hash's salt is drawn from the queue's random numbers with the first arrival, so collisions differ \
             between seeds",
            "the longest queue is found in constant time, to 64 bytes; Linux looks at all",
            "CoDel's \"more than a packet waits behind\" counts the packets of all flows, as in Linux",
            "Linux limits memory too, 32 MB; here limit is all",
        ],
    },
    marks: true,
    timer: None,
    complete: independent,
    build: |settings| Box::new(FqCodel::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config {
        control: codel::control(settings),
        ecn: settings.flag("ecn"),
        quantum: settings.size("quantum"),
        queues: settings.whole("flows") as u32,
        limit: settings.limit("limit"),
    }
}

#[cfg(test)]
mod tests;
