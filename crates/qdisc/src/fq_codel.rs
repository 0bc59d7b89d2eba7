// SPDX-License-Identifier: Apache-2.0
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

use crate::codel::{self, CodelLaw, Control, INTERVAL, TARGET};
use crate::discipline::independent;
use crate::fair::FairQueue;
use crate::{Backlog, Context, DropReason, Entry, Limit, Order, QueueDiscipline, Settings};
use alloc::{boxed::Box, vec};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::Bytes;
use narrows_wire::Packet;

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
    fair: FairQueue,
    /// CoDel's state of each row.
    laws: Box<[CodelLaw]>,
}

impl FqCodel {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            fair: FairQueue::new(config.queues, config.quantum),
            laws: vec![CodelLaw::default(); config.queues as usize].into(),
        }
    }

    /// RFC 8290 §4.1: the flow that takes the most room makes some.
    fn make_room(&mut self, context: &mut Context<'_>) {
        let rows = &mut self.fair.rows;
        let longest = rows.longest().expect("more than the limit waits");
        let half = rows.backlog_of(longest).bytes.count() / 2;
        let (mut packets, mut bytes) = (0, 0);
        while packets == 0 || (packets < OVERFLOW_BATCH && bytes < half) {
            let packet = rows.pop(longest).expect("less than half its bytes is gone");
            packets += 1;
            bytes += packet.size().count();
            context.drop(&packet, DropReason::Overflow);
        }
        self.laws[longest].overflowed(packets);
    }
}

impl QueueDiscipline for FqCodel {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        let row = self.fair.row_for(&packet, context.uniform);
        self.fair.push(row, packet);
        while !self.config.limit.holds(self.fair.rows.backlog()) {
            self.make_room(context);
        }
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let Self { config, fair, laws } = self;
        fair.next(|rows, row| {
            let law = &mut laws[row];
            while let Some(packet) = rows.pop(row) {
                let behind = rows.backlog().bytes;
                let passed = law.pass(&config.control, packet, behind, config.ecn, context);
                if passed.is_some() {
                    return passed;
                }
            }
            law.emptied();
            None
        })
    }

    fn backlog(&self) -> Backlog {
        self.fair.rows.backlog()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.fair.observe(record);
    }
}

/// Packets that overflow drops at most before it looks again (`sch_fq_codel.c`).
const OVERFLOW_BATCH: u32 = 64;

/// The catalogue entry of `fq-codel`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "fq-codel",
        family: "fair",
        summary: "flow queueing with CoDel: per-flow queues in deficit round robin, new flows first",
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
                meaning: "maximum backlog of all queues together, without the packet in transmission",
                unit: "",
                source: "RFC 8290 §5.2.3",
                domain: Domain::Limit { default: "10240pkt" },
            },
            TARGET,
            INTERVAL,
            Parameter {
                name: "quantum",
                meaning: "quantum: bytes added to the deficit of a flow in each round",
                unit: "",
                source: "RFC 8290 §5.2.4: the MTU; 1514 bytes on Ethernet",
                domain: Domain::Size { default: "1pkt" },
            },
            Parameter {
                name: "flows",
                meaning: "number of queues into which flows are hashed",
                unit: "",
                source: "RFC 8290 §5.2.5",
                domain: Domain::Integer { default: 1024, minimum: 1, maximum: 65_536 },
            },
            Parameter {
                name: "ecn",
                meaning: "whether ECN-capable packets are marked instead of dropped",
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
    order: Order::Flow,
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
