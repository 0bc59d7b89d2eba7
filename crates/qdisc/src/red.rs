// SPDX-License-Identifier: Apache-2.0
//! RED, random early detection: signals congestion at random before the queue is full, the more often the longer it has
//! been on average.
//!
//! Source: Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993; the gentle slope, the
//! waiting between signals and the treatment of idle time as in ns-2.35; `max_p` that adapts itself: Floyd, Gummadi and
//! Shenker, "Adaptive RED", 2001. The law is in [`RedLaw`], free of any queue.

mod idle;
mod law;

use alloc::{borrow::ToOwned, boxed::Box, format, vec::Vec};
pub(crate) use idle::Idle;
pub use law::{RedLaw, Verdict};

use crate::parameters::LIMIT;
use crate::{
    Backlog, Conflict, Context, DropReason, Entry, Fifo, Limit, Order, QueueDiscipline, Setting, Settings,
    Threshold, Unit,
};
use narrows_card::{Card, Default, Domain, Parameter, Variable};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

/// Settings of a RED queue.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the sources")]
pub struct Config {
    /// Unit of the average queue, `min` and `max`.
    pub unit: Unit,
    /// `min_th`: average queue below which no packet is signalled.
    pub min: f64,
    /// `max_th`: average queue at which the probability reaches `max_p`. Not below `min`.
    pub max: f64,
    /// `max_p`: probability of a signal just below `max`, 0 to 1; with `adaptive` its initial value.
    pub max_p: f64,
    /// `w_q`: weight of the newest queue length in the average, 0 to 1.
    pub weight: f64,
    /// Whether the probability grows from `max_p` at `max` to 1 at twice `max`; otherwise it is 1 from `max` on.
    pub gentle: bool,
    /// Whether at least 1/p packets separate two signals.
    pub wait: bool,
    /// Whether ECN-capable packets are marked instead of dropped while the average is below `max`.
    pub ecn: bool,
    /// Whether `max_p` is adapted every 0.5 s, between 0.01 and 0.5, to keep the average half-way between `min` and
    /// `max` (Floyd, Gummadi and Shenker 2001).
    pub adaptive: bool,
    /// Buffer limit.
    pub limit: Limit,
    /// Size of a typical packet on the wire, in which idle time is counted and to which byte mode scales probabilities.
    /// Not zero.
    pub mean_packet: Bytes,
}

/// A FIFO queue under RED (Floyd and Jacobson 1993).
#[derive(Clone, Debug)]
pub struct Red {
    config: Config,
    law: RedLaw,
    waiting: Fifo,
    idle: Idle,
    /// Time at which `max_p` is looked at again; `None` until the first arrival, and always unless it adapts.
    next_adaptation: Option<Time>,
}

impl Red {
    /// Creates an empty queue in front of an idle link.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            law: RedLaw::new(config),
            waiting: Fifo::default(),
            idle: Idle::from_the_start(),
            next_adaptation: None,
        }
    }

    /// Brings the average up to this arrival.
    fn average(&mut self, context: &Context<'_>) {
        let idle_packets = self.idle.end(self.config.mean_packet, context);
        let waiting = self.waiting.backlog();
        let length = match self.config.unit {
            Unit::Packets => waiting.packets,
            Unit::Bytes => waiting.bytes.count(),
        };
        self.law.update(length as f64, idle_packets);
    }
}

impl QueueDiscipline for Red {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        if self.config.adaptive {
            self.next_adaptation.get_or_insert(context.now + ADAPTATION_INTERVAL);
        }
        self.average(context);
        let waiting = self.waiting.backlog();
        let verdict = self.law.judge(waiting.packets, packet.size(), context.uniform);
        if !self.config.limit.admits(waiting, packet.size()) {
            self.law.overflowed();
            return context.drop(&packet, DropReason::Overflow);
        }
        match verdict {
            Verdict::Pass => self.waiting.push(packet),
            Verdict::Signal if self.config.ecn && packet.ecn.is_capable() => {
                context.mark(&mut packet);
                self.waiting.push(packet);
            }
            Verdict::Signal | Verdict::Drop => context.drop(&packet, DropReason::Early),
        }
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let packet = self.waiting.pop();
        if packet.is_none() {
            self.idle.begin(context.now);
        }
        packet
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn next_wake(&self) -> Option<Time> {
        self.next_adaptation
    }

    fn on_wake(&mut self, context: &mut Context<'_>) {
        self.law.adapt();
        self.next_adaptation = Some(context.now + ADAPTATION_INTERVAL);
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("average", self.law.average());
        record("max_p", self.law.max_p());
    }
}

/// How often `max_p` adapts (Floyd, Gummadi and Shenker 2001, figure 3).
const ADAPTATION_INTERVAL: Span = Span::from_ms(500);

/// The catalogue entry of `red`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "red",
        family: "active",
        summary: "random early detection: random signals, with a probability that increases with the average queue length",
        source: "Floyd and Jacobson 1993; gentle: Floyd 2000; adaptive: Floyd, Gummadi and Shenker 2001; \
                 as in ns-2.35",
        equations: &[
            "avg = (1 - weight) avg + weight q on every arrival; (1 - weight)^m avg after m idle packet times",
            "p_b = max_p (avg - min) / (max - min); gentle: max_p + (1 - max_p) (avg - max) / max up to 2 max",
            "p_a = p_b / (1 - count p_b); wait: 0 while count p_b < 1, then p_b / (2 - count p_b)",
            "adaptive, every 0.5 s: max_p += min(0.01, max_p / 4) if avg > min + 0.6 (max - min) and max_p <= 0.5; \
             max_p *= 0.9 if avg < min + 0.4 (max - min) and max_p >= 0.01",
        ],
        parameters: &[
            LIMIT,
            Parameter {
                name: "min",
                meaning: "minimum threshold: average queue length below which nothing is signalled; the average has the same unit",
                unit: "",
                source: "Floyd 1997, \"RED: Discussions of Setting Parameters\"",
                domain: Domain::Length { default: Default::Value("5pkt"), whole: false },
            },
            Parameter {
                name: "max",
                meaning: "maximum threshold: average queue length at which the probability is max_p",
                unit: "",
                source: "Floyd 1997: three times min",
                domain: Domain::Length { default: Default::Follows("three times min"), whole: false },
            },
            Parameter {
                name: "max_p",
                meaning: "signal probability at the maximum threshold",
                unit: "",
                source: "Floyd 1997; linterm 10 in ns-2.35",
                domain: Domain::Fraction { default: 0.1, zero: false },
            },
            Parameter {
                name: "weight",
                meaning: "weight w_q of the newest queue length in the moving average",
                unit: "",
                source: "Floyd and Jacobson 1993 §6",
                domain: Domain::Fraction { default: 0.002, zero: false },
            },
            Parameter {
                name: "gentle",
                meaning: "whether the probability increases from max_p to 1 between max and twice max, instead of being 1 from max on",
                unit: "",
                source: "ns-2.35 (since April 2001)",
                domain: Domain::Flag { default: true },
            },
            Parameter {
                name: "wait",
                meaning: "whether at least 1/p_b packets pass between two signals",
                unit: "",
                source: "ns-2.35",
                domain: Domain::Flag { default: true },
            },
            Parameter {
                name: "ecn",
                meaning: "whether ECN-capable packets are marked instead of dropped while the average is below max",
                unit: "",
                source: "ns-2.35; RFC 3168 §7",
                domain: Domain::Flag { default: false },
            },
            Parameter {
                name: "adaptive",
                meaning: "Adaptive RED: max_p is adjusted every 0.5 s so that the average stays half-way between min and max",
                unit: "",
                source: "ns-2.35",
                domain: Domain::Flag { default: false },
            },
        ],
        variables: &[
            Variable {
                name: "average",
                unit: "as the thresholds",
                meaning: "exponentially weighted moving average of the queue length",
            },
            Variable { name: "max_p", unit: "", meaning: "signal probability at the upper threshold" },
        ],
        deviations: &[
            "the arrival that ends an idle time decays the average once more, as ns-2 does and the paper does not",
            "count holds the present arrival, as in the paper's algorithm and ns-2: signals are 1 to 1/p_b - 1 \
             arrivals apart, 1/p_b to 2/p_b - 1 with wait, so their mean rate at a constant average is \
             2 p_b or 2/3 p_b, not p_b",
            "one packet or none waiting is never signalled, as in ns-2, and counted in packets in byte mode too",
            "thresholds in bytes imply an average in bytes and probabilities in proportion to packet size; \
             ns-2 sets the two apart",
            "adaptive: max_p moves by a timer from the first arrival on, as in the paper; ns-2 waits for the first \
             arrival after the interval and rests only after a change",
        ],
    },
    marks: true,
    order: Order::All,
    timer: None,
    complete,
    build: |settings| Box::new(Red::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    let min = settings.threshold("min");
    Config {
        unit: min.unit,
        min: min.value,
        max: settings.threshold("max").value,
        max_p: settings.number("max_p"),
        weight: settings.number("weight"),
        gentle: settings.flag("gentle"),
        wait: settings.flag("wait"),
        ecn: settings.flag("ecn"),
        adaptive: settings.flag("adaptive"),
        limit: settings.limit("limit"),
        mean_packet: settings.packet(),
    }
}

fn complete(settings: &mut Settings) -> Result<(), Conflict> {
    settings.or_set("max", |settings| {
        let min = settings.threshold("min");
        Setting::Threshold(Threshold { value: 3.0 * min.value, ..min })
    });
    in_order(settings, &[("min", "max")])
}

/// Checks that all thresholds have the same unit, and that the first of each pair is below the second.
pub(crate) fn in_order(settings: &Settings, pairs: &[(&'static str, &'static str)]) -> Result<(), Conflict> {
    let names: Vec<&'static str> = pairs.iter().flat_map(|(min, max)| [*min, *max]).collect();
    let unit = settings.threshold(names[0]).unit;
    if names.iter().any(|name| settings.threshold(name).unit != unit) {
        let given = names.iter().rfind(|name| settings.is_given(name));
        return Err(Conflict {
            parameter: given.expect("the defaults are in one unit"),
            message: format!("{} are not in the same unit", names.join(" and ")),
            given: None,
            allowed: "all in pkt, or all in bytes, time or bdp".to_owned(),
        });
    }
    for (min, max) in pairs {
        if settings.threshold(min).value >= settings.threshold(max).value {
            return Err(Conflict {
                parameter: min,
                message: format!("{min} is not below {max}"),
                given: Some(settings.shown(min)),
                allowed: format!("less than {max}, {}", settings.shown(max)),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
