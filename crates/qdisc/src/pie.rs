// SPDX-License-Identifier: Apache-2.0
//! PIE, proportional integral controller enhanced: signals arrivals at random, with a probability that is moved until
//! packets wait as long as they should.
//!
//! Source: RFC 8033; the time that packets wait as in Linux's `sch_pie.c`: the time of the last packet to leave, zero
//! once none waits. The law is in [`PieLaw`], free of any queue.

mod law;

use alloc::boxed::Box;
pub use law::PieLaw;

use crate::discipline::independent;
use crate::periodic::{MeasuredFifo, UpdateTimer};
use crate::{Backlog, Context, DropReason, Entry, Limit, Order, QueueDiscipline, Settings};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

/// Settings of a PIE queue (RFC 8033 §4, §5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// `QDELAY_REF`: target queueing delay.
    pub target: Span,
    /// `T_UPDATE`: time between updates of the probability. Not zero.
    pub update: Span,
    /// `alpha`: increase of the probability per update and second by which the queueing delay exceeds the target, 1/s.
    pub alpha: f64,
    /// `beta`: increase of the probability per update and second by which the queueing delay has grown, 1/s.
    pub beta: f64,
    /// `MAX_BURST`: time without signals after the queue was empty or short.
    pub burst: Span,
    /// Whether ECN-capable packets are marked instead of dropped while the probability is at most 0.1.
    pub ecn: bool,
    /// Buffer limit.
    pub limit: Limit,
    /// `MEAN_PKTSIZE`: size of a typical packet on the wire. An arrival that finds no more than two of them is not
    /// signalled.
    pub mean_packet: Bytes,
}

/// A FIFO queue under PIE (RFC 8033).
#[derive(Clone, Debug)]
pub struct Pie {
    config: Config,
    law: PieLaw,
    waiting: MeasuredFifo,
    updates: UpdateTimer,
}

impl Pie {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            law: PieLaw::new(config),
            waiting: MeasuredFifo::default(),
            updates: UpdateTimer::new(config.update),
        }
    }
}

impl QueueDiscipline for Pie {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        self.updates.start(context.now);
        let waiting = self.waiting.backlog();
        if !self.config.limit.admits(waiting, packet.size()) {
            self.law.overflowed();
            return context.drop(&packet, DropReason::Overflow);
        }
        if self.law.judge(waiting.bytes, context.uniform) {
            // RFC 8033 §5.1: beyond a tenth, marks are not enough.
            if !self.config.ecn || !packet.ecn.is_capable() || self.law.probability() > MARK_AT_MOST {
                return context.drop(&packet, DropReason::Early);
            }
            context.mark(&mut packet);
        }
        self.waiting.push(packet);
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        self.waiting.pop(context.now)
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn next_wake(&self) -> Option<Time> {
        self.updates.next()
    }

    fn on_wake(&mut self, context: &mut Context<'_>) {
        self.law.update(self.waiting.delay());
        self.updates.restart(context.now);
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("probability", self.law.probability());
    }
}

/// `mark_ecnth`.
const MARK_AT_MOST: f64 = 0.1;

// The parameters of the law, which `fq-pie` has for each of its queues.
pub(crate) const TARGET: Parameter = Parameter {
    name: "target",
    meaning: "target: queueing delay to aim at",
    unit: "",
    source: "RFC 8033 §4.2: QDELAY_REF",
    domain: Domain::Span { default: "15ms", zero: false },
};
pub(crate) const UPDATE: Parameter = Parameter {
    name: "update",
    meaning: "update interval of the probability",
    unit: "",
    source: "RFC 8033 §4.2: T_UPDATE",
    domain: Domain::Span { default: "15ms", zero: false },
};
pub(crate) const ALPHA: Parameter = Parameter {
    name: "alpha",
    meaning: "integral gain: change of the probability per update and second of deviation from the target",
    unit: "",
    source: "RFC 8033 §4.2",
    domain: Domain::Number { default: 0.125, minimum: 0.0, maximum: f64::INFINITY },
};
pub(crate) const BETA: Parameter = Parameter {
    name: "beta",
    meaning: "proportional gain: change of the probability per second of change of the queueing delay",
    unit: "",
    source: "RFC 8033 §4.2",
    domain: Domain::Number { default: 1.25, minimum: 0.0, maximum: f64::INFINITY },
};
pub(crate) const BURST: Parameter = Parameter {
    name: "burst",
    meaning: "burst allowance: no signals for this time after the queue was idle",
    unit: "",
    source: "RFC 8033 §4.4: MAX_BURST",
    domain: Domain::Span { default: "150ms", zero: true },
};

/// The catalogue entry of `pie`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "pie",
        family: "active",
        summary: "proportional integral controller enhanced: random signals, with a probability that a PI controller adjusts to a target delay",
        source: "RFC 8033; the wait as in Linux's sch_pie.c",
        equations: &[
            "every update: p += f(p) (alpha (delay - target) + beta (delay - delay_old))",
            "f = 1/2048, 1/512, 1/128, 1/32, 1/8, 1/2 for p below 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1; else 1 and steps <= 0.02",
            "delay > 250 ms: p += 0.02; delay = delay_old = 0: p = 0.98 p",
            "sum of p since the last signal < 0.85: none; >= 8.5: certain; between: with probability p",
            "none within burst, with delay_old < target / 2 and p < 0.2, or with two packets or fewer waiting",
        ],
        parameters: &[
            Parameter {
                name: "limit",
                meaning: "maximum backlog (buffer size), without the packet in transmission",
                unit: "",
                source: "sch_pie.c",
                domain: Domain::Limit { default: "1000pkt" },
            },
            TARGET,
            UPDATE,
            ALPHA,
            BETA,
            BURST,
            Parameter {
                name: "ecn",
                meaning: "whether ECN-capable packets are marked instead of dropped while p <= 0.1",
                unit: "",
                source: "sch_pie.c",
                domain: Domain::Flag { default: false },
            },
        ],
        variables: &[Variable { name: "probability", unit: "", meaning: "drop probability" }],
        deviations: &[
            "the wait is that of the last packet to leave, zero once none waits, as in Linux; RFC 8033 divides the backlog by \
             an estimate of the rate, or takes timestamps",
            "the law is at work from the first arrival on, as in Linux; RFC 8033 may wait until a third of the limit is used",
            "at a constant p the sum that must reach 0.85 makes the rate of signals p / 1.85, as in RFC 8033 and Linux",
            "a signal at a sum of 8.5 starts the sum again also when it is a mark; Linux forgets it",
            "Linux decays by 63/64 and signals nothing below two packets of the largest size; here 0.98 and two typical ones, \
             as in RFC 8033",
        ],
    },
    marks: true,
    order: Order::All,
    timer: Some("update"),
    complete: independent,
    build: |settings| Box::new(Pie::new(&config(settings))),
};

/// Returns the settings of the law and of its queue.
pub(crate) fn config(settings: &Settings) -> Config {
    Config {
        target: settings.span("target"),
        update: settings.span("update"),
        alpha: settings.number("alpha"),
        beta: settings.number("beta"),
        burst: settings.span("burst"),
        ecn: settings.flag("ecn"),
        limit: settings.limit("limit"),
        mean_packet: settings.packet(),
    }
}

#[cfg(test)]
mod tests;
