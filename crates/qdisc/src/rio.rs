// SPDX-License-Identifier: Apache-2.0
//! RIO, RED with In and Out: one first-in-first-out queue in which packets of the favoured flows, In, are signalled by
//! a gentler RED, and are dropped only when no Out packet is left to make room.
//!
//! Source: Clark and Fang, "Explicit Allocation of Best-Effort Packet Delivery Service", 1998; defaults of ns-2.35.
//!
//! ```text
//! In    RED with avg_in    over the In packets that wait, moved by In arrivals
//! Out   RED with avg_total over all packets that wait, moved by all arrivals
//! ```

use crate::parameters::LIMIT;
use crate::red::{self, Idle, RedLaw, Verdict};
use crate::{
    Backlog, Classes, Conflict, Context, DropReason, Entry, Limit, Order, QueueDiscipline, Settings, Unit,
};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use narrows_card::{Card, Default, Domain, Parameter, Variable};
use narrows_units::Bytes;
use narrows_wire::Packet;

/// The marking probability as a function of an average queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// `min_th`: average queue below which no packet is signalled, in the unit of the configuration.
    pub min: f64,
    /// `max_th`: average queue at which the probability reaches `max_p`, in the same unit. Not below `min`.
    pub max: f64,
    /// `max_p`: probability of a signal just below `max`, 0 to 1.
    pub max_p: f64,
}

/// Settings of a RIO queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Class of each flow: class 0 is In, every other Out.
    pub classes: Classes,
    /// Unit of the averages and thresholds.
    pub unit: Unit,
    /// Probability for In packets, by the average number of In packets.
    pub inside: Ramp,
    /// Probability for Out packets, by the average number of all packets.
    pub outside: Ramp,
    /// `w_q`: weight of the newest queue length in both averages, 0 to 1.
    pub weight: f64,
    /// As [`red::Config::gentle`].
    pub gentle: bool,
    /// As [`red::Config::wait`].
    pub wait: bool,
    /// As [`red::Config::ecn`].
    pub ecn: bool,
    /// Buffer limit of both precedences together.
    pub limit: Limit,
    /// As [`red::Config::mean_packet`].
    pub mean_packet: Bytes,
}

/// A FIFO queue with one RED for In and one for Out packets (Clark and Fang 1998).
#[derive(Clone, Debug)]
pub struct Rio {
    config: Config,
    inside: Precedence,
    outside: Precedence,
    backlog: Backlog,
    idle: Idle,
    /// Idle time, in packets, that has not entered the In average.
    idle_inside: u64,
    /// Packets that have joined: what keeps the order between the precedences.
    joined: u64,
}

/// The state of one precedence: its law, and its packets with their positions in the whole queue.
#[derive(Clone, Debug)]
struct Precedence {
    law: RedLaw,
    waiting: VecDeque<(u64, Packet)>,
    backlog: Backlog,
}

impl Rio {
    /// Creates an empty queue in front of an idle link.
    pub fn new(config: &Config) -> Self {
        let precedence = |ramp: Ramp| Precedence {
            law: RedLaw::new(&red::Config {
                unit: config.unit,
                min: ramp.min,
                max: ramp.max,
                max_p: ramp.max_p,
                weight: config.weight,
                gentle: config.gentle,
                wait: config.wait,
                ecn: config.ecn,
                adaptive: false,
                limit: config.limit,
                mean_packet: config.mean_packet,
            }),
            waiting: VecDeque::new(),
            backlog: Backlog::default(),
        };
        Self {
            inside: precedence(config.inside),
            outside: precedence(config.outside),
            backlog: Backlog::default(),
            idle: Idle::from_the_start(),
            idle_inside: 0,
            joined: 0,
            config: config.clone(),
        }
    }

    fn length(&self, waiting: Backlog) -> f64 {
        match self.config.unit {
            Unit::Packets => waiting.packets as f64,
            Unit::Bytes => waiting.bytes.count() as f64,
        }
    }

    /// The decision of the law of its precedence on an arrival.
    fn judge(&mut self, inside: bool, size: Bytes, context: &mut Context<'_>) -> Verdict {
        let idle = self.idle.end(self.config.mean_packet, context);
        self.outside.law.update(self.length(self.backlog), idle);
        self.idle_inside += idle;
        if inside {
            let length = self.length(self.inside.backlog);
            self.inside.law.update(length, core::mem::take(&mut self.idle_inside));
            self.inside.law.judge(self.inside.backlog.packets, size, context.uniform)
        } else {
            self.outside.law.judge(self.backlog.packets, size, context.uniform)
        }
    }

    /// Pushes out Out packets, the youngest first, until an In packet of `size` has room, if that can be.
    fn make_room(&mut self, size: Bytes, context: &mut Context<'_>) {
        if !self.config.limit.admits(self.inside.backlog, size) {
            return;
        }
        while !self.config.limit.admits(self.backlog, size) {
            let Some((_, packet)) = self.outside.waiting.pop_back() else { break };
            self.outside.backlog.remove(packet.size());
            self.backlog.remove(packet.size());
            self.outside.law.overflowed();
            context.drop(&packet, DropReason::Overflow);
        }
    }
}

impl QueueDiscipline for Rio {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        let inside = self.config.classes.of(packet.flow) == 0;
        let verdict = self.judge(inside, packet.size(), context);
        let mark = verdict == Verdict::Signal && self.config.ecn && packet.ecn.is_capable();
        let joins = verdict == Verdict::Pass || mark;
        if inside && joins {
            self.make_room(packet.size(), context);
        }
        let admitted = self.config.limit.admits(self.backlog, packet.size());
        let precedence = if inside { &mut self.inside } else { &mut self.outside };
        if !admitted {
            precedence.law.overflowed();
            return context.drop(&packet, DropReason::Overflow);
        }
        if !joins {
            return context.drop(&packet, DropReason::Early);
        }
        if mark {
            context.mark(&mut packet);
        }
        precedence.backlog.add(packet.size());
        precedence.waiting.push_back((self.joined, packet));
        self.backlog.add(packet.size());
        self.joined += 1;
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let place =
            |precedence: &Precedence| precedence.waiting.front().map_or(u64::MAX, |(place, _)| *place);
        let first =
            if place(&self.inside) < place(&self.outside) { &mut self.inside } else { &mut self.outside };
        let Some((_, packet)) = first.waiting.pop_front() else {
            self.idle.begin(context.now);
            return None;
        };
        first.backlog.remove(packet.size());
        self.backlog.remove(packet.size());
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("average_in", self.inside.law.average());
        record("average_total", self.outside.law.average());
    }
}

/// The catalogue entry of `rio`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "rio",
        family: "active",
        summary: "RED with In and Out: In packets have higher thresholds, and are dropped only when no Out packet is left",
        source: "Clark and Fang 1998; defaults of ns-2.35",
        equations: &[
            "In: RED with avg_in over waiting In packets, moved by In arrivals",
            "Out: RED with avg_total over all waiting packets, moved by every arrival",
            "full and the arrival is In: push out the youngest Out packets",
        ],
        parameters: &[
            LIMIT,
            Parameter {
                name: "in",
                meaning: "groups of flows whose packets are In, as in [\"voice\"]; all others are Out, and acknowledgements \
                          are classified as their flow",
                unit: "",
                source: "with none it is RED with Out's settings",
                domain: Domain::Groups,
            },
            Parameter {
                name: "in_min",
                meaning: "minimum threshold of In packets: average number of queued In packets below which none is signalled",
                unit: "",
                source: "in_thresh_ in ns-2.35",
                domain: Domain::Length { default: Default::Value("15pkt"), whole: false },
            },
            Parameter {
                name: "in_max",
                meaning: "maximum threshold of In packets: average number of queued In packets at which the probability is in_max_p",
                unit: "",
                source: "in_maxthresh_ in ns-2.35",
                domain: Domain::Length { default: Default::Value("30pkt"), whole: false },
            },
            Parameter {
                name: "in_max_p",
                meaning: "signal probability of In packets at their maximum threshold",
                unit: "",
                source: "in_linterm_ 50 in ns-2.35",
                domain: Domain::Fraction { default: 0.02, zero: false },
            },
            Parameter {
                name: "out_min",
                meaning: "minimum threshold of Out packets: average number of all queued packets below which none is signalled",
                unit: "",
                source: "out_thresh_ in ns-2.35",
                domain: Domain::Length { default: Default::Value("5pkt"), whole: false },
            },
            Parameter {
                name: "out_max",
                meaning: "maximum threshold of Out packets: average number of all queued packets at which the probability is out_max_p",
                unit: "",
                source: "out_maxthresh_ in ns-2.35",
                domain: Domain::Length { default: Default::Value("15pkt"), whole: false },
            },
            Parameter {
                name: "out_max_p",
                meaning: "signal probability of Out packets at their maximum threshold",
                unit: "",
                source: "out_linterm_ 5 in ns-2.35",
                domain: Domain::Fraction { default: 0.2, zero: false },
            },
            Parameter {
                name: "weight",
                meaning: "weight of the newest queue length in both moving averages",
                unit: "",
                source: "ns-2.35",
                domain: Domain::Fraction { default: 0.002, zero: false },
            },
            Parameter {
                name: "gentle",
                meaning: "whether the probabilities increase to 1 between max and twice max, as in red",
                unit: "",
                source: "ns-2.35",
                domain: Domain::Flag { default: false },
            },
            Parameter {
                name: "wait",
                meaning: "whether a minimum number of packets passes between two signals, as in red",
                unit: "",
                source: "ns-2.35",
                domain: Domain::Flag { default: true },
            },
            Parameter {
                name: "ecn",
                meaning: "whether ECN-capable packets are marked instead of dropped, as in red",
                unit: "",
                source: "ns-2.35",
                domain: Domain::Flag { default: false },
            },
        ],
        variables: &[
            Variable {
                name: "average_in",
                unit: "as the thresholds",
                meaning: "moving average of the number of queued In packets",
            },
            Variable {
                name: "average_total",
                unit: "as the thresholds",
                meaning: "moving average of the number of queued packets",
            },
        ],
        deviations: &[
            "ns-2 moves avg_total by In arrivals only, an error that its source notes; here every arrival moves it, \
             as in the paper",
            "out_max_p is what ns-2.35 sets in out_linterm_ and never reads: its Out packets meet linterm_ 10, 0.1",
            "an In packet that finds the queue full pushes out the youngest Out packet; ns-2 drops the arrival",
            "the card of red applies to both laws",
        ],
    },
    marks: true,
    order: Order::All,
    timer: None,
    complete,
    build: |settings| Box::new(Rio::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    let ramp = |min, max, max_p| Ramp {
        min: settings.threshold(min).value,
        max: settings.threshold(max).value,
        max_p: settings.number(max_p),
    };
    Config {
        classes: settings.classes("in"),
        unit: settings.threshold("in_min").unit,
        inside: ramp("in_min", "in_max", "in_max_p"),
        outside: ramp("out_min", "out_max", "out_max_p"),
        weight: settings.number("weight"),
        gentle: settings.flag("gentle"),
        wait: settings.flag("wait"),
        ecn: settings.flag("ecn"),
        limit: settings.limit("limit"),
        mean_packet: settings.packet(),
    }
}

fn complete(settings: &mut Settings) -> Result<(), Conflict> {
    red::in_order(settings, &[("in_min", "in_max"), ("out_min", "out_max")])
}

#[cfg(test)]
mod tests;
