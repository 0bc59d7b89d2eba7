// SPDX-License-Identifier: Apache-2.0
//! CoDel, controlled delay: signals at the head of a queue in which packets have waited too long for too long.
//!
//! Source: RFC 8289; the treatment of marks as in Linux's `codel_impl.h`. The law is in [`CodelLaw`], free of any queue.

mod law;

use alloc::boxed::Box;
pub use law::{CodelLaw, Control};

use crate::discipline::independent;
use crate::{Backlog, Context, DropReason, Entry, Fifo, Limit, Order, QueueDiscipline, Settings};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_wire::Packet;

/// Settings of a CoDel queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Settings of the control law.
    pub control: Control,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// Buffer limit.
    pub limit: Limit,
}

/// A FIFO queue under CoDel (RFC 8289).
#[derive(Clone, Debug)]
pub struct Codel {
    config: Config,
    law: CodelLaw,
    waiting: Fifo,
}

impl Codel {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        Self { config: *config, law: CodelLaw::default(), waiting: Fifo::default() }
    }
}

impl QueueDiscipline for Codel {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        if self.config.limit.admits(self.waiting.backlog(), packet.size()) {
            self.waiting.push(packet);
        } else {
            context.drop(&packet, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        while let Some(packet) = self.waiting.pop() {
            let behind = self.waiting.backlog().bytes;
            let passed = self.law.pass(&self.config.control, packet, behind, self.config.ecn, context);
            if passed.is_some() {
                return passed;
            }
        }
        self.law.emptied();
        None
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("count", f64::from(self.law.count()));
    }
}

/// The catalogue entry of `codel`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "codel",
        family: "active",
        summary: "controlled delay: signals at the head while the sojourn time has exceeded a target for an interval",
        source: "RFC 8289; marks as in Linux's codel_impl.h",
        equations: &[
            "above = sojourn >= target and more than a packet waits behind",
            "first signal: above at every packet for an interval",
            "next: interval / sqrt(count) after the last, count += 1, until not above",
            "again within 16 intervals: count starts at what it grew by last time; else at 1",
        ],
        parameters: &[
            Parameter {
                name: "limit",
                meaning: "maximum backlog (buffer size), without the packet in transmission",
                unit: "",
                source: "sch_codel.c",
                domain: Domain::Limit { default: "1000pkt" },
            },
            TARGET,
            INTERVAL,
            Parameter {
                name: "ecn",
                meaning: "whether ECN-capable packets are marked instead of dropped",
                unit: "",
                source: "codel_impl.h",
                domain: Domain::Flag { default: false },
            },
        ],
        variables: &[Variable {
            name: "count",
            unit: "count",
            meaning: "signals since the dropping state was entered",
        }],
        deviations: &[
            "times are not rounded to 1.024 us and the square root is exact; Linux takes a Newton step of 16 bits",
            "after a mark the packet leaves and the next signal falls due as after a drop, as in Linux; RFC 8289 leaves \
             it open",
        ],
    },
    marks: true,
    order: Order::All,
    timer: None,
    complete: independent,
    build: |settings| Box::new(Codel::new(&config(settings))),
};

/// Returns the settings of a CoDel law.
pub(crate) fn control(settings: &Settings) -> Control {
    Control { target: settings.span("target"), interval: settings.span("interval"), mtu: settings.packet() }
}

fn config(settings: &Settings) -> Config {
    Config { control: control(settings), ecn: settings.flag("ecn"), limit: settings.limit("limit") }
}

pub(crate) const TARGET: Parameter = Parameter {
    name: "target",
    meaning: "target: persistent queueing delay to aim at",
    unit: "",
    source: "RFC 8289: 5 to 10 % of interval",
    domain: Domain::Span { default: "5ms", zero: false },
};

pub(crate) const INTERVAL: Parameter = Parameter {
    name: "interval",
    meaning: "time for which the delay may exceed the target before the first signal; about the largest expected round-trip time",
    unit: "",
    source: "RFC 8289",
    domain: Domain::Span { default: "100ms", zero: false },
};

#[cfg(test)]
mod tests;
