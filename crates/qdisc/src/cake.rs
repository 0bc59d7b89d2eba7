// SPDX-License-Identifier: Apache-2.0
//! CAKE: a queue under COBALT for every flow, each with a place of its own in an eight-way set, served so that hosts and
//! their flows get equal shares.
//!
//! Source: Høiland-Jørgensen, Täht and Morton, "Piece of CAKE: A Comprehensive Queue Management Solution for Home
//! Gateways", LANMAN 2018; details as in Linux's `sch_cake.c`. The law is in [`Cobalt`], free of any queue.
//!
//! ```text
//! queue of a flow    the one of its set of eight that it holds, else an idle one of them, else shared
//! serve              new flows before old; a flow whose state has not come to rest is looked at before, once per packet
//! deficit ≤ 0        deficit += quantum / (bulk flows of its host) and to the end of the old
//! limit exceeded     the head of the longest queue is dropped, which BLUE counts
//! ```
//!
//! A subset: one tin, no shaper of its own (the link's rate is the shaper's), no compensation for framing.

mod cobalt;

use alloc::{boxed::Box, vec, vec::Vec};
pub use cobalt::{Cobalt, Control};

use crate::codel::{INTERVAL, TARGET};
use crate::discipline::independent;
use crate::fair::mix;
use crate::rows::Rows;
use crate::{
    Backlog, Classes, Context, DropReason, Entry, Limit, Order, QueueDiscipline, Settings, droptail,
};
use alloc::collections::VecDeque;
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::{Direction, Packet};

/// Settings of a CAKE queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Acceptable standing queueing delay of a flow; more on a link that takes long for a packet.
    pub target: Span,
    /// Time for which the queueing delay may exceed the target before the first signal. Not zero.
    pub interval: Span,
    /// Whether target, interval and quantum follow from the link's rate, as with the shaper at that rate.
    pub shaped: bool,
    /// The host of each flow; `None` where every flow has a host of its own.
    pub hosts: Option<Classes>,
    /// Whether an acknowledgement replaces earlier ones of its flow.
    pub ack_filter: bool,
    /// Buffer limit of all queues together.
    pub limit: Limit,
    /// Size of a full packet on the wire.
    pub packet: Bytes,
}

/// A queue per flow, each under COBALT, with equal shares for hosts.
#[derive(Clone, Debug)]
pub struct Cake {
    config: Config,
    rows: Rows,
    flows: Box<[Flow]>,
    /// Bulk flows of each host that the configuration names.
    bulk: Vec<u32>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Rows without packets whose law has not come to rest.
    decaying: VecDeque<u32>,
    /// Salt of the hash, drawn with the first arrival.
    salt: Option<u64>,
    /// The law's settings at the rate for which they were last needed.
    control: (Option<Rate>, Control),
}

#[derive(Clone, Debug)]
struct Flow {
    /// Hash of the flow that holds the row.
    tag: u64,
    set: Set,
    /// Bytes it may still send; below zero if the last packet took more than there was.
    deficit: i64,
    law: Cobalt,
    /// Number of the host of the flow; `None` if the discipline has no table of hosts.
    host: Option<u8>,
}

/// The set of the rotation to which a row belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// Nowhere.
    Idle,
    /// Among the new flows.
    Sparse,
    /// Among the old ones, empty when its first turn ended.
    SparseWaiting,
    /// Among the old ones.
    Bulk,
    /// Among the decaying ones.
    Decaying,
}

impl Cake {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        let mut rows = Rows::default();
        (0..QUEUES).for_each(|_| {
            rows.open();
        });
        let idle = Flow { tag: 0, set: Set::Idle, deficit: 0, law: Cobalt::default(), host: None };
        let hosts = config.hosts.as_ref().map_or(0, |hosts| usize::from(hosts.worst()) + 1);
        Self {
            config: config.clone(),
            rows,
            flows: vec![idle; QUEUES].into(),
            bulk: vec![0; hosts],
            new: VecDeque::new(),
            old: VecDeque::new(),
            decaying: VecDeque::new(),
            salt: None,
            control: (None, Control::default()),
        }
    }

    /// The row of the flow of `packet`, which it holds from now on.
    fn row_for(&mut self, packet: &Packet, uniform: &mut dyn FnMut() -> f64) -> usize {
        let salt = *self.salt.get_or_insert_with(|| uniform().to_bits());
        let key = u64::from(packet.flow.bits()) * 2 + u64::from(packet.direction() == Direction::Reverse);
        // Never 0, the tag of a row that no flow has held.
        let tag = mix(mix(key).wrapping_add(salt)) | 1 << 63;
        let first = (tag % QUEUES as u64) as usize;
        if self.flows[first].tag == tag {
            return first;
        }
        let set = first - first % WAYS;
        let mut ways = (0..WAYS).map(|way| set + (first + way) % WAYS);
        let held = ways.clone().find(|row| self.flows[*row].tag == tag);
        let row = held.or_else(|| ways.find(|row| self.flows[*row].set == Set::Idle)).unwrap_or(first);
        let was_bulk = self.flows[row].set == Set::Bulk;
        if self.flows[row].tag != tag {
            if was_bulk {
                self.count_bulk(row, false);
            }
            self.flows[row].tag = tag;
            self.flows[row].host = self.config.hosts.as_ref().map(|hosts| hosts.of(packet.flow));
            if was_bulk {
                self.count_bulk(row, true);
            }
        }
        row
    }

    /// Adds the flow of `row` to the bulk flows of its host, or takes it away.
    fn count_bulk(&mut self, row: usize, joins: bool) {
        if let Some(host) = self.flows[row].host {
            let bulk = &mut self.bulk[usize::from(host)];
            *bulk = if joins { *bulk + 1 } else { *bulk - 1 };
        }
    }

    fn set(&mut self, row: usize, set: Set) {
        match (self.flows[row].set == Set::Bulk, set == Set::Bulk) {
            (false, true) => self.count_bulk(row, true),
            (true, false) => self.count_bulk(row, false),
            _ => {}
        }
        self.flows[row].set = set;
    }

    /// Bytes that the flow of `row` may send in its turn.
    fn quantum(&self, row: usize, context: &mut Context<'_>) -> i64 {
        let full = self.config.packet.count();
        let quantum = if self.config.shaped {
            let by_rate = context.rate.as_bps() / 8 / QUANTA_PER_SECOND;
            by_rate.min(full).max(SMALLEST_QUANTUM.min(full))
        } else {
            full
        };
        let load = self.flows[row].host.map_or(1, |host| self.bulk[usize::from(host)].max(1));
        if load == 1 {
            return quantum.cast_signed();
        }
        // Fractions of a byte at random, so that they do not add up to an advantage.
        let share = quantum as f64 / f64::from(load) + (context.uniform)();
        (share as i64).max(1)
    }

    /// The law's settings at `rate`, which are computed again when the rate has changed.
    fn control(&mut self, rate: Rate) -> Control {
        if self.control.0 != Some(rate) {
            self.control = (Some(rate), self.control_at(rate));
        }
        self.control.1
    }

    /// The law's settings at `rate`.
    fn control_at(&self, rate: Rate) -> Control {
        let Config { target, interval, shaped, packet, .. } = self.config;
        if !shaped || rate == Rate::ZERO {
            return Control { target, interval, four_packets: Span::ZERO };
        }
        let full = rate.time_for(packet);
        let raised = target.max(full.scaled(1.5));
        let interval = (interval + raised.saturating_sub(target)).max(raised * 2);
        Control { target: raised, interval, four_packets: full * 4 }
    }

    /// The packets of the row at the head of `list`, in turn, until one passes.
    fn take(&mut self, row: usize, control: &Control, context: &mut Context<'_>) -> Option<Packet> {
        loop {
            let mut packet = self.rows.pop(row)?;
            let sojourn = context.now.since(packet.arrival);
            let signals = self.flows[row].law.judge(control, sojourn, context.now, context.uniform);
            let capable = packet.ecn.is_capable();
            let is_last = self.rows.backlog_of(row).packets == 0;
            if !is_last && (signals.blue || (signals.codel && !capable)) {
                context.drop(&packet, DropReason::Early);
                continue;
            }
            if signals.codel && capable {
                context.mark(&mut packet);
            }
            return Some(packet);
        }
    }
}

impl QueueDiscipline for Cake {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        let row = self.row_for(&packet, context.uniform);
        if self.config.ack_filter {
            let replaced = |waiting: &Packet| droptail::is_redundant(waiting, &packet);
            while let Some(replaced) = self.rows.remove(row, replaced) {
                context.drop(&replaced, DropReason::Early);
            }
        }
        self.rows.push(row, packet);
        match self.flows[row].set {
            Set::Idle | Set::Decaying => {
                if self.flows[row].set == Set::Decaying {
                    let listed = self.decaying.iter().position(|other| *other as usize == row);
                    listed.and_then(|place| self.decaying.remove(place));
                }
                self.set(row, Set::Sparse);
                self.new.push_back(row as u32);
                self.flows[row].deficit = self.quantum(row, context);
            }
            Set::SparseWaiting => self.set(row, Set::Bulk),
            Set::Sparse | Set::Bulk => {}
        }
        while !self.config.limit.holds(self.rows.backlog()) {
            let longest = self.rows.longest().expect("more than the limit waits");
            let packet = self.rows.pop(longest).expect("the longest is not empty");
            let control = self.control(context.rate);
            self.flows[longest].law.overflowed(&control, context.now);
            context.drop(&packet, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let control = self.control(context.rate);
        let mut first = true;
        while self.rows.backlog().packets > 0 {
            let list = if core::mem::take(&mut first) && !self.decaying.is_empty() {
                &mut self.decaying
            } else if !self.new.is_empty() {
                &mut self.new
            } else if !self.old.is_empty() {
                &mut self.old
            } else {
                &mut self.decaying
            };
            let turn = *list.front()?;
            let row = turn as usize;
            if self.flows[row].deficit <= 0 {
                list.pop_front();
                if self.flows[row].set == Set::Sparse {
                    let waits = self.rows.backlog_of(row).packets > 0;
                    self.set(row, if waits { Set::Bulk } else { Set::SparseWaiting });
                }
                let quantum = self.quantum(row, context);
                self.flows[row].deficit += quantum;
                self.old.push_back(turn);
                continue;
            }
            if let Some(packet) = self.take(row, &control, context) {
                self.flows[row].deficit -= i64::from(packet.size);
                return Some(packet);
            }
            let list = match self.flows[row].set {
                Set::Sparse => &mut self.new,
                Set::Decaying => &mut self.decaying,
                _ => &mut self.old,
            };
            list.pop_front();
            let law = &mut self.flows[row].law;
            law.emptied(&control, context.now);
            if law.is_active(context.now) {
                self.decaying.push_back(turn);
                self.set(row, Set::Decaying);
            } else {
                self.set(row, Set::Idle);
            }
        }
        None
    }

    fn backlog(&self) -> Backlog {
        self.rows.backlog()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("flows_new", self.new.len() as f64);
        record("flows_old", self.old.len() as f64);
        let rows = self.new.iter().chain(&self.old).chain(&self.decaying);
        let blue = rows.map(|row| self.flows[*row as usize].law.probability());
        record("probability_max", blue.fold(0.0, f64::max));
    }
}

/// `CAKE_QUEUES`.
const QUEUES: usize = 1024;
/// `CAKE_SET_WAYS`.
const WAYS: usize = 8;
/// Turns per second of a flow alone (`cake_set_rate`).
const QUANTA_PER_SECOND: u64 = 4096;
/// Bytes (`cake_set_rate`).
const SMALLEST_QUANTUM: u64 = 300;

/// The catalogue entry of `cake`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "cake",
        family: "fair",
        summary: "flow queueing with COBALT (CoDel and BLUE), fair between hosts and between the flows of a host",
        source: "Høiland-Jørgensen, Täht and Morton, LANMAN 2018; Linux's sch_cake.c",
        equations: &[
            "queue of a flow = the one it holds in its set of 8 of 1024, else an idle one of the set, else a shared one",
            "new flows before old; deficit <= 0: deficit += quantum / bulk flows of its host and to the end of the old",
            "CoDel: over target for interval: a signal, the next interval / sqrt(count) later; count falls while not over",
            "BLUE: p += 1/256 on overflow, -= 1/4096 when found empty; every packet is dropped with probability p",
            "limit exceeded: the head of the longest queue is dropped",
        ],
        parameters: &[
            Parameter {
                name: "limit",
                meaning: "maximum backlog of all queues together, without the packet in transmission",
                unit: "",
                source: "sch_cake.c",
                domain: Domain::Limit { default: "10240pkt" },
            },
            TARGET,
            INTERVAL,
            Parameter {
                name: "bandwidth",
                meaning: "bandwidth parameter. link: target, interval and quantum are derived from the rate of the link, as with \
                          the shaper at that rate; unlimited: as without a shaper",
                unit: "",
                source: "section III-A",
                domain: Domain::Choice { default: "unlimited", allowed: &["unlimited", "link"] },
            },
            Parameter {
                name: "hosts",
                meaning: "host isolation: number of the host of each group of flows, as in { ann = 0, bob = 1 }; groups that \
                          are not named share the next number; without this table every flow has a host of its own",
                unit: "",
                source: "section III-B: host isolation",
                domain: Domain::Classes { worst: 254, required: false },
            },
            Parameter {
                name: "ack_filter",
                meaning: "ACK filtering: a pure acknowledgement replaces earlier ones of its flow in the queue",
                unit: "",
                source: "section III-D",
                domain: Domain::Flag { default: false },
            },
        ],
        variables: &[
            Variable { name: "flows_new", unit: "count", meaning: "queues in the list of new flows" },
            Variable { name: "flows_old", unit: "count", meaning: "queues in the list of old flows" },
            Variable {
                name: "probability_max",
                unit: "",
                meaning: "largest drop probability of BLUE in a queue",
            },
        ],
        deviations: &[
            "a subset: one tin, as with besteffort; no classes of DiffServ, no ingress mode, no compensation for framing \
             (overhead is the link's), no shaper with its own clock",
            "hosts: the end of a connection that the table names is a host; the other end of every flow is a host of its own",
            "ack_filter does what Linux's ack-filter-aggressive does, but keeps acknowledgements with SACK blocks or ECE",
            "the limit counts packets or bytes on the wire; Linux counts memory, and derives it from rate and interval",
            "the first signal to a flow comes after an interval, as the comments of sch_cake.c say; there its reciprocal root \
             starts at zero, and the first one comes at once",
            "square roots are exact; Linux takes a Newton step of 32 bits from a count of 16 on",
        ],
    },
    marks: true,
    order: Order::Flow,
    timer: None,
    complete: independent,
    build: |settings| Box::new(Cake::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config {
        target: settings.span("target"),
        interval: settings.span("interval"),
        shaped: settings.word("bandwidth") == "link",
        hosts: settings.named_classes("hosts"),
        ack_filter: settings.flag("ack_filter"),
        limit: settings.limit("limit"),
        packet: settings.packet(),
    }
}

#[cfg(test)]
mod tests;
