//! RIO, RED with In and Out: one first-in-first-out queue in which packets of the favoured flows, In, are signalled by
//! a gentler RED, and are dropped only when nobody else is left to make room.
//!
//! Source: Clark and Fang, "Explicit Allocation of Best-Effort Packet Delivery Service", 1998; defaults of ns-2.35.
//!
//! ```text
//! In    RED with avg_in    over the In packets that wait, moved by In arrivals
//! Out   RED with avg_total over all packets that wait, moved by all arrivals
//! ```
//!
//! Deviations: ns-2 moves avg_total by In arrivals only, a mistake known to its authors. An In packet that finds the
//! queue full pushes out the youngest Out packet, so that favoured flows see no loss that others could have taken.

use crate::red::{self, Idle, RedLaw, Unit, Verdict};
use crate::{Backlog, Classes, Context, DropReason, Limit, QueueDiscipline};
use narrows_units::Bytes;
use narrows_wire::Packet;
use std::collections::VecDeque;

/// How the probability of a signal grows with an average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// `min_th`: below this average no packet is signalled.
    pub min: f64,
    /// `max_th`: at this average `max_p` is reached. Not below `min`.
    pub max: f64,
    /// `max_p`: probability of a signal just below `max`, 0 to 1.
    pub max_p: f64,
}

/// Settings of a RIO queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Class 0 is In, every other Out.
    pub classes: Classes,
    /// Unit of the averages and thresholds.
    pub unit: Unit,
    /// For In packets, against the average of In packets.
    pub inside: Ramp,
    /// For Out packets, against the average of all.
    pub outside: Ramp,
    /// As in [`red::Config`].
    pub weight: f64,
    /// As in [`red::Config`].
    pub gentle: bool,
    /// As in [`red::Config`].
    pub wait: bool,
    /// As in [`red::Config`].
    pub ecn: bool,
    /// The most that may wait.
    pub limit: Limit,
    /// As in [`red::Config`].
    pub mean_packet: Bytes,
}

/// A FIFO queue under two REDs.
#[derive(Clone, Debug)]
pub struct Rio {
    config: Config,
    inside: Precedence,
    outside: Precedence,
    backlog: Backlog,
    idle: Idle,
    /// Idle time, in packets, that the In average has not been told of.
    idle_inside: u64,
    /// Packets that have joined: what keeps the order between the precedences.
    joined: u64,
}

/// One precedence: its law, and its packets with their places in the whole queue.
#[derive(Clone, Debug)]
struct Precedence {
    law: RedLaw,
    waiting: VecDeque<(u64, Packet)>,
    backlog: Backlog,
}

impl Rio {
    /// An empty queue in front of an idle link.
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

    /// What the law of its precedence says of an arrival.
    fn judge(&mut self, inside: bool, size: Bytes, context: &mut Context<'_>) -> Verdict {
        let idle = self.idle.end(self.config.mean_packet, context);
        self.outside.law.update(self.length(self.backlog), idle);
        self.idle_inside += idle;
        if inside {
            let length = self.length(self.inside.backlog);
            self.inside.law.update(length, std::mem::take(&mut self.idle_inside));
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

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("average_in", self.inside.law.average());
        tell("average_total", self.outside.law.average());
    }
}

#[cfg(test)]
mod tests;
