// SPDX-License-Identifier: Apache-2.0
//! The load of a link as VCP's router measures it (Xia, Subramanian, Stoica and Kalyanaraman, SIGCOMM 2005): the bytes
//! that arrived in an interval and a part of the queue, over the capacity of the link in that time.
//!
//! Every `T`: `load = (λ + κ Q) 8 / (C T)`, with `λ` bytes arrived, counted before any drop, and `Q += (q − Q) / 4`, where `q` is the
//! mean of the bytes waiting, sampled every `t_q`. `f = load / γ`, rounded up to a hundredth.

use crate::periodic::UpdateTimer;
use crate::router::Computation;
use crate::{Backlog, Context, Settings};
use narrows_card::{Domain, Parameter, Variable};
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Packet, Request};

/// Settings of the measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// `T`.
    pub interval: Span,
    /// `t_q`.
    pub sampling: Span,
    /// `κ`.
    pub kappa: f64,
    /// `γ`.
    pub target: f64,
}

/// The load of a link.
#[derive(Clone, Debug)]
pub struct LoadLaw {
    config: Config,
    update: UpdateTimer,
    sample: UpdateTimer,
    /// `λ` so far.
    arrived: Bytes,
    /// Sum and number of the samples of the queue in this interval, bytes.
    samples: (f64, u32),
    /// `Q`, bytes.
    queue: f64,
    load: f64,
}

impl LoadLaw {
    /// Creates the measurement of an idle link.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            update: UpdateTimer::new(config.interval),
            sample: UpdateTimer::new(config.sampling),
            arrived: Bytes::ZERO,
            samples: (0.0, 0),
            queue: 0.0,
            load: 0.0,
        }
    }

    /// Returns `f` of the last interval; 0 in the first.
    pub fn load(&self) -> f64 {
        self.load
    }

    /// A packet of `size` arrived.
    pub fn on_arrival(&mut self, size: Bytes, now: Time) {
        self.update.start(now);
        self.sample.start(now);
        self.arrived += size;
    }

    /// Returns when the load is computed next.
    #[cfg(test)]
    pub fn update_due(&self) -> Option<Time> {
        self.update.next()
    }

    /// Returns when [`on_timer`](Self::on_timer) wants to be called.
    pub fn next_timer(&self) -> Option<Time> {
        self.update.next().into_iter().chain(self.sample.next()).min()
    }

    /// A time given by [`next_timer`](Self::next_timer) is reached; `waiting` waits for a link of `rate`.
    pub fn on_timer(&mut self, waiting: Bytes, rate: Rate, now: Time) {
        if self.sample.next().is_some_and(|due| due <= now) {
            self.samples = (self.samples.0 + waiting.count() as f64, self.samples.1 + 1);
            self.sample.restart(now);
        }
        if self.update.next().is_some_and(|due| due <= now) {
            let mean =
                if self.samples.1 > 0 { self.samples.0 / f64::from(self.samples.1) } else { self.queue };
            self.queue += (mean - self.queue) / 4.0;
            let bits = 8.0 * (self.arrived.count() as f64 + self.config.kappa * self.queue);
            let carried = rate.as_bps() as f64 * self.config.interval.as_secs_f64() * self.config.target;
            // A load of exactly so many hundredths is not rounded up for the last bit of the division.
            self.load = (100.0 * bits / carried - 1e-9).ceil() / 100.0;
            (self.arrived, self.samples) = (Bytes::ZERO, (0.0, 0));
            self.update.restart(now);
        }
    }
}

/// A router that measures the load of its link, and answers the requests of packets.
#[derive(Clone, Debug)]
pub(crate) struct LoadRouter {
    pub law: LoadLaw,
    /// Writes the load, `f`, into the request of a packet that leaves.
    pub answer: fn(f64, &mut Request),
}

impl Computation for LoadRouter {
    fn on_enqueue(&mut self, packet: &mut Packet, context: &Context<'_>) {
        self.law.on_arrival(packet.size(), context.now);
    }

    fn on_dequeue(&mut self, packet: Option<&mut Packet>, _waiting: Backlog, _context: &Context<'_>) {
        if let Some(request) = packet.and_then(Packet::request_mut) {
            (self.answer)(self.law.load(), request);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.law.next_timer()
    }

    fn on_timer(&mut self, waiting: Backlog, context: &Context<'_>) {
        self.law.on_timer(waiting.bytes, context.rate, context.now);
    }

    fn variables(&self, record: &mut dyn FnMut(&str, f64)) {
        record("load", self.law.load());
    }
}

/// `T`.
pub(crate) const INTERVAL: Parameter = Parameter {
    name: "interval",
    meaning: "T: interval of the measurement of the load",
    unit: "",
    source: "Xia et al. 2005",
    domain: Domain::Span { default: "200ms", zero: false },
};

/// `t_q`.
pub(crate) const SAMPLING: Parameter = Parameter {
    name: "sampling",
    meaning: "t_q: interval between samples of the queue",
    unit: "",
    source: "Xia et al. 2005",
    domain: Domain::Span { default: "10ms", zero: false },
};

/// `κ`.
pub(crate) const KAPPA: Parameter = Parameter {
    name: "kappa",
    meaning: "part of the queue that counts as load in an interval",
    unit: "",
    source: "Xia et al. 2005",
    domain: Domain::Fraction { default: 0.5, zero: true },
};

/// Returns `γ` with its default.
pub(crate) const fn target(default: f64, source: &'static str) -> Parameter {
    Parameter {
        name: "target",
        meaning: "gamma: utilization at which the load is one",
        unit: "",
        source,
        domain: Domain::Fraction { default, zero: false },
    }
}

/// `f`, for records.
pub(crate) const LOAD: Variable =
    Variable { name: "load", unit: "share", meaning: "f, the load of the last interval; 0 in the first" };

/// Reads the settings of a discipline with the parameters above.
pub(crate) fn config(settings: &Settings) -> Config {
    Config {
        interval: settings.span("interval"),
        sampling: settings.span("sampling"),
        kappa: settings.number("kappa"),
        target: settings.number("target"),
    }
}
