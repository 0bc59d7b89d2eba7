// SPDX-License-Identifier: Apache-2.0
//! DualPI2: two queues behind one link, one for flows that want little delay and take many marks, one for all others,
//! coupled so that both kinds get the same rate.
//!
//! Source: RFC 9332, appendix A; settings, scheduler and treatment of overload as in Linux's `sch_dualpi2.c`.
//!
//! ```text
//! low-latency queue   ECT(1) and CE; all others classic
//! p += α (delay − target) + β (delay − delay_old)        every update; delay: the longer wait of the two heads
//! classic             dropped, or marked if ECT(0), with probability p²
//! low-latency         marked if it waited longer than the step and two or more wait behind it, else with probability k p
//! overload, k p > 1   both dropped with probability p², the low-latency queue's others marked
//! scheduler           low-latency first, but the classic queue has its share of the bytes while both wait
//! ```
//!
//! Nothing is signalled by probability with less than two packets waiting behind. Packets of a flow keep their order
//! within each queue only.
//!
//! If a packet takes longer to transmit than the step, whatever arrives meanwhile waits longer than that. So RFC 9332
//! applies the step only where `lq.len() > Th_len = 1` once the packet has left (appendix A.1, lines 5a to 5d); Linux
//! has such a floor as `min_qlen_step`, but by default none. Here the floor follows the RFC, because without it the
//! rates that the coupling is to make equal are not: beside CUBIC, Prague has a tenth of the rate of a link of 4 Mbps.

use crate::discipline::independent;
use crate::periodic::UpdateTimer;
use crate::pi2::Pi2Law;
use crate::{Backlog, Context, DropReason, Entry, Fifo, Limit, Order, QueueDiscipline, Settings};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Packet};

/// Settings of a DualPI2 queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Target queueing delay.
    pub target: Span,
    /// `Tupdate`: time between updates of the probability. Not zero.
    pub update: Span,
    /// `alpha`: increase of the probability per update and second by which the queueing delay exceeds the target, 1/s.
    pub alpha: f64,
    /// `beta`: increase of the probability per update and second by which the queueing delay has grown, 1/s.
    pub beta: f64,
    /// `k`: marking probability of the low-latency queue divided by `p`, the square root of the classic queue's.
    pub coupling: f64,
    /// Queueing delay above which every low-latency packet is marked.
    pub step: Span,
    /// The step applies only where at least so many low-latency packets wait behind the departing one.
    pub min_qlen_step: u64,
    /// Share of the sent bytes that the classic queue has while both queues hold packets, 0 to 1.
    pub classic_share: f64,
    /// Whether the low-latency queue takes ECT(0), too.
    pub any_ect: bool,
    /// Buffer limit of both queues together.
    pub limit: Limit,
    /// Size of the largest packet on the wire.
    pub mtu: Bytes,
}

/// A classic and a low-latency queue, coupled by one controller (RFC 9332).
#[derive(Clone, Debug)]
pub struct DualPi2 {
    config: Config,
    law: Pi2Law,
    low_latency: Fifo,
    classic: Fifo,
    backlog: Backlog,
    /// Bytes, weighted, that the classic queue is behind its share; the low-latency queue is served up to zero.
    credit: f64,
    updates: UpdateTimer,
}

/// The decision about a departing packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pass,
    Mark,
    Drop,
}

impl DualPi2 {
    /// Creates two empty queues.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            law: Pi2Law::new(config.target, config.alpha, config.beta),
            low_latency: Fifo::default(),
            classic: Fifo::default(),
            backlog: Backlog::default(),
            credit: initial_credit(config),
            updates: UpdateTimer::new(config.update),
        }
    }

    /// RFC 9331 §5.1: the low bit of the ECN field, unless every packet with ECN is to have low latency.
    fn is_low_latency(&self, ecn: Ecn) -> bool {
        matches!(ecn, Ecn::Ect1 | Ecn::Ce) || self.config.any_ect && ecn.is_capable()
    }

    /// The packet whose turn it is, and the credit that its leaving would give.
    fn next(&mut self) -> Option<(Packet, f64)> {
        let share = self.config.classic_share;
        let (low, classic) = (self.low_latency.backlog().packets, self.classic.backlog().packets);
        let (packet, weight) = if low > 0 && (classic == 0 || self.credit <= 0.0) {
            (self.low_latency.pop()?, if classic > 0 { share } else { 0.0 })
        } else {
            (self.classic.pop()?, if low > 0 { share - 1.0 } else { 0.0 })
        };
        self.backlog.remove(packet.size());
        Some((packet, weight * f64::from(packet.size)))
    }

    fn judge(&self, packet: &Packet, context: &mut Context<'_>) -> Verdict {
        let low_latency = self.is_low_latency(packet.ecn);
        let by_chance = self.judge_by_chance(low_latency, packet.ecn, context.uniform);
        let late = context.now.since(packet.arrival) > self.config.step;
        // This packet has left its queue already.
        let stepped = low_latency && late && self.low_latency.backlog().packets >= self.config.min_qlen_step;
        if by_chance == Verdict::Pass && stepped { Verdict::Mark } else { by_chance }
    }

    fn judge_by_chance(&self, low_latency: bool, ecn: Ecn, uniform: &mut dyn FnMut() -> f64) -> Verdict {
        if self.backlog.bytes < self.config.mtu * 2 {
            return Verdict::Pass;
        }
        let p = self.law.probability();
        let coupled = self.config.coupling * p;
        let overload = coupled > 1.0;
        if low_latency && !overload {
            return if uniform() < coupled { Verdict::Mark } else { Verdict::Pass };
        }
        // Two draws give the square.
        let signal = uniform() < p && uniform() < p;
        match (low_latency, signal) {
            (true, false) => Verdict::Mark,
            (false, false) => Verdict::Pass,
            (false, true) if ecn.is_capable() && !overload => Verdict::Mark,
            (_, true) => Verdict::Drop,
        }
    }
}

impl QueueDiscipline for DualPi2 {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        self.updates.start(context.now);
        if !self.config.limit.admits(self.backlog, packet.size()) {
            return context.drop(&packet, DropReason::Overflow);
        }
        self.backlog.add(packet.size());
        if self.is_low_latency(packet.ecn) {
            self.low_latency.push(packet);
        } else {
            self.classic.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        while let Some((mut packet, credit)) = self.next() {
            match self.judge(&packet, context) {
                Verdict::Drop => {
                    context.drop(&packet, DropReason::Early);
                    continue;
                }
                Verdict::Mark => context.mark(&mut packet),
                Verdict::Pass => {}
            }
            self.credit += credit;
            return Some(packet);
        }
        self.credit = initial_credit(&self.config);
        None
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn next_wake(&self) -> Option<Time> {
        self.updates.next()
    }

    fn on_wake(&mut self, context: &mut Context<'_>) {
        let wait = |queue: &Fifo| queue.head().map_or(Span::ZERO, |packet| context.now.since(packet.arrival));
        self.law.update(wait(&self.low_latency).max(wait(&self.classic)));
        self.updates.restart(context.now);
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("probability", self.law.probability());
        record("low_latency_packets", self.low_latency.backlog().packets as f64);
        record("classic_packets", self.classic.backlog().packets as f64);
    }
}

/// The queue with the larger share starts.
fn initial_credit(config: &Config) -> f64 {
    config.mtu.count() as f64 * (2.0 * config.classic_share - 1.0)
}

/// The catalogue entry of `dualpi2`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "dualpi2",
        family: "active",
        summary: "dual-queue coupled AQM: a low-latency (L4S) and a classic queue, coupled for equal rates",
        source: "RFC 9332 appendix A; settings, scheduler and overload as in Linux's sch_dualpi2.c",
        equations: &[
            "ECT(1) and CE: low-latency queue; all others: classic",
            "every update: p += alpha (delay - target) + beta (delay - delay_old), delay the longer wait of the two heads",
            "classic: dropped, or marked if ECT(0), with probability p^2",
            "low-latency: marked if it waited longer than step and min_qlen_step or more wait behind it, else with \
             probability coupling p",
            "coupling p > 1: both dropped with probability p^2, low-latency packets marked otherwise",
            "while both wait the classic queue has classic_share of the bytes",
        ],
        parameters: &[
            Parameter {
                name: "limit",
                meaning: "maximum backlog of both queues together, without the packet in transmission",
                unit: "",
                source: "sch_dualpi2.c",
                domain: Domain::Limit { default: "10000pkt" },
            },
            Parameter {
                name: "target",
                meaning: "target: queueing delay to aim at in the classic queue",
                unit: "",
                source: "RFC 9332 appendix A.1; sch_dualpi2.c",
                domain: Domain::Span { default: "15ms", zero: false },
            },
            Parameter {
                name: "update",
                meaning: "update interval of the probability",
                unit: "",
                source: "sch_dualpi2.c",
                domain: Domain::Span { default: "16ms", zero: false },
            },
            Parameter {
                name: "alpha",
                meaning: "integral gain: change of the probability per update and second of deviation from the target",
                unit: "",
                source: "sch_dualpi2.c, 41/256; RFC 9332 appendix A.1: 0.1 update / RTT_max^2 at 100 ms",
                domain: Domain::Number { default: 0.16, minimum: 0.0, maximum: f64::INFINITY },
            },
            Parameter {
                name: "beta",
                meaning: "proportional gain: change of the probability per second of change of the queueing delay",
                unit: "",
                source: "sch_dualpi2.c, 819/256; RFC 9332 appendix A.1: 0.3 / RTT_max is 3",
                domain: Domain::Number { default: 3.2, minimum: 0.0, maximum: f64::INFINITY },
            },
            Parameter {
                name: "coupling",
                meaning: "coupling factor k: marking probability of low-latency packets over the square root of that of classic signals",
                unit: "",
                source: "RFC 9332 §2.1; sch_dualpi2.c",
                domain: Domain::Number { default: 2.0, minimum: 0.0, maximum: f64::INFINITY },
            },
            Parameter {
                name: "step",
                meaning: "marking threshold of the low-latency queue: sojourn time from which every packet is marked",
                unit: "",
                source: "sch_dualpi2.c",
                domain: Domain::Span { default: "1ms", zero: false },
            },
            Parameter {
                name: "min_qlen_step",
                meaning: "minimum backlog of the low-latency queue for marks by the threshold, without the departing packet; \
                          0 for none",
                unit: "packets",
                source: "RFC 9332 appendix A.1: more than Th_len, one packet; sch_dualpi2.c: 0",
                domain: Domain::Integer { default: 2, minimum: 0, maximum: 1_000_000 },
            },
            Parameter {
                name: "classic_share",
                meaning: "share of the classic queue in the scheduler while both queues have packets",
                unit: "",
                source: "sch_dualpi2.c",
                domain: Domain::Fraction { default: 0.1, zero: false },
            },
            Parameter {
                name: "low_latency",
                meaning: "which packets enter the low-latency queue: `ect1`, ECT(1) and CE, or `ect`, every packet with ECN",
                unit: "",
                source: "RFC 9332 §2.1, RFC 9331 §5.1; sch_dualpi2.c, ecn_mask",
                domain: Domain::Choice { default: "ect1", allowed: &["ect1", "ect"] },
            },
        ],
        variables: &[
            Variable { name: "probability", unit: "", meaning: "p', the output of the PI controller" },
            Variable {
                name: "low_latency_packets",
                unit: "packets",
                meaning: "backlog of the low-latency queue",
            },
            Variable { name: "classic_packets", unit: "packets", meaning: "backlog of the classic queue" },
        ],
        deviations: &[
            "a step at 1 ms where RFC 9332 has a ramp from 0.8 to 1.2 ms, as in Linux",
            "signals are drawn independently, as in Linux; RFC 9332 counts up to them",
            "the step marks only with two low-latency packets behind, as in RFC 9332; Linux's min_qlen_step is 0 by \
             default, and counts when a packet arrives, not when it leaves",
            "p in full precision; Linux rounds alpha, beta and p to 32 bits",
            "only ECN chooses the queue; Linux has filters, too",
        ],
    },
    marks: true,
    order: Order::Queue,
    timer: Some("update"),
    complete: independent,
    build: |settings| Box::new(DualPi2::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config {
        target: settings.span("target"),
        update: settings.span("update"),
        alpha: settings.number("alpha"),
        beta: settings.number("beta"),
        coupling: settings.number("coupling"),
        step: settings.span("step"),
        min_qlen_step: settings.whole("min_qlen_step"),
        classic_share: settings.number("classic_share"),
        any_ect: settings.word("low_latency") == "ect",
        limit: settings.limit("limit"),
        mtu: settings.packet(),
    }
}

#[cfg(test)]
mod tests;
