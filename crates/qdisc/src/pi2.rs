// SPDX-License-Identifier: Apache-2.0
//! PI2: a single queue whose probability is squared for classic packets and taken as it is, times a factor, for scalable ones.
//!
//! Source: De Schepper, Bondarenko, Tsang and Briscoe, "PI²: A Linearized AQM for both Classic and Scalable TCP", CoNEXT 2016,
//! §4 and §5. The law is in [`Pi2Law`], free of any queue; DualPI2 uses it too.
//!
//! ```text
//! p += α (delay − target) + β (delay − delay_old)        every update
//! classic       dropped, or marked if ECN-capable, with probability p²
//! scalable      ECT(1) and CE: marked with probability k p
//! ```

mod law;

use alloc::boxed::Box;
pub use law::Pi2Law;

use crate::discipline::independent;
use crate::periodic::{MeasuredFifo, UpdateTimer};
use crate::{Backlog, Context, DropReason, Entry, Limit, Order, QueueDiscipline, Settings};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Packet};

/// Settings of a PI2 queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Target queueing delay.
    pub target: Span,
    /// Time between updates of the probability. Not zero.
    pub update: Span,
    /// Increase of the probability per update and second by which the queueing delay exceeds the target, 1/s.
    pub alpha: f64,
    /// Increase of the probability per update and second by which the queueing delay has grown, 1/s.
    pub beta: f64,
    /// `k`: marking probability of scalable packets divided by `p`, the square root of the classic probability.
    pub coupling: f64,
    /// Whether classic ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// Buffer limit.
    pub limit: Limit,
    /// Size of a full packet on the wire.
    pub packet: Bytes,
}

/// A FIFO queue under PI2.
#[derive(Clone, Debug)]
pub struct Pi2 {
    config: Config,
    law: Pi2Law,
    waiting: MeasuredFifo,
    updates: UpdateTimer,
}

impl Pi2 {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            law: Pi2Law::new(config.target, config.alpha, config.beta),
            waiting: MeasuredFifo::default(),
            updates: UpdateTimer::new(config.update),
        }
    }

    /// Whether to signal a packet with this field that arrives now. Two draws give the square.
    fn judge(&self, ecn: Ecn, uniform: &mut dyn FnMut() -> f64) -> bool {
        let p = self.law.probability();
        match ecn {
            Ecn::Ect1 | Ecn::Ce => uniform() < self.config.coupling * p,
            Ecn::Ect0 | Ecn::NotCapable => uniform() < p && uniform() < p,
        }
    }
}

impl QueueDiscipline for Pi2 {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        self.updates.start(context.now);
        let waiting = self.waiting.backlog();
        if !self.config.limit.admits(waiting, packet.size()) {
            return context.drop(&packet, DropReason::Overflow);
        }
        if waiting.bytes > self.config.packet * 2 && self.judge(packet.ecn, context.uniform) {
            let marked = match packet.ecn {
                Ecn::Ect1 | Ecn::Ce => true,
                Ecn::Ect0 => self.config.ecn,
                Ecn::NotCapable => false,
            };
            if !marked {
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

/// The catalogue entry of `pi2`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "pi2",
        family: "active",
        summary: "PI controller whose output, squared, is the signal probability of classic packets; scalable packets are marked with the output times a coupling factor",
        source: "De Schepper, Bondarenko, Tsang and Briscoe 2016, sections 4 and 5",
        equations: &[
            "every update: p += alpha (delay - target) + beta (delay - delay_old)",
            "classic: dropped, or marked if ecn and ECT(0), with probability p^2",
            "ECT(1) and CE: marked with probability coupling p",
        ],
        parameters: &[
            Parameter {
                name: "limit",
                meaning: "maximum backlog (buffer size), without the packet in transmission",
                unit: "",
                source: "sch_pie.c",
                domain: Domain::Limit { default: "1000pkt" },
            },
            Parameter {
                name: "target",
                meaning: "target: queueing delay to aim at",
                unit: "",
                source: "section 6",
                domain: Domain::Span { default: "20ms", zero: false },
            },
            Parameter {
                name: "update",
                meaning: "update interval of the probability",
                unit: "",
                source: "section 6; tupdate of the authors' qdisc",
                domain: Domain::Span { default: "32ms", zero: false },
            },
            Parameter {
                name: "alpha",
                meaning: "integral gain: change of the probability per update and second of deviation from the target",
                unit: "",
                source: "section 5: 2.5 times that of PIE, 5/16",
                domain: Domain::Number { default: 0.3125, minimum: 0.0, maximum: f64::INFINITY },
            },
            Parameter {
                name: "beta",
                meaning: "proportional gain: change of the probability per second of change of the queueing delay",
                unit: "",
                source: "section 5: 2.5 times that of PIE, 50/16",
                domain: Domain::Number { default: 3.125, minimum: 0.0, maximum: f64::INFINITY },
            },
            Parameter {
                name: "coupling",
                meaning: "coupling factor k: marking probability of scalable packets over the square root of that of classic signals",
                unit: "",
                source: "section 4",
                domain: Domain::Number { default: 2.0, minimum: 0.0, maximum: f64::INFINITY },
            },
            Parameter {
                name: "ecn",
                meaning: "whether classic ECN-capable packets are marked instead of dropped",
                unit: "",
                source: "section 4",
                domain: Domain::Flag { default: true },
            },
        ],
        variables: &[Variable {
            name: "probability",
            unit: "",
            meaning: "p', the output of the PI controller",
        }],
        deviations: &[
            "the wait is that of the last packet to leave, zero once none waits; the paper divides the backlog by an \
             estimate of the rate",
            "nothing is signalled with two packets or fewer waiting, as in PIE",
        ],
    },
    marks: true,
    order: Order::All,
    timer: Some("update"),
    complete: independent,
    build: |settings| Box::new(Pi2::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config {
        target: settings.span("target"),
        update: settings.span("update"),
        alpha: settings.number("alpha"),
        beta: settings.number("beta"),
        coupling: settings.number("coupling"),
        ecn: settings.flag("ecn"),
        limit: settings.limit("limit"),
        packet: settings.packet(),
    }
}

#[cfg(test)]
mod tests {
    //! Truth: the shares of signals of a law at a known probability, and cases worked by hand.

    use super::{Config, Pi2};
    use crate::testing::{Bench, packet};
    use crate::{DropReason, Limit, QueueDiscipline};
    use narrows_units::{Bytes, Span, Time};
    use narrows_wire::{Ecn, Packet};

    fn config(ecn: bool) -> Config {
        Config {
            target: Span::from_ms(20),
            update: Span::from_ms(32),
            alpha: 0.3125,
            beta: 3.125,
            coupling: 2.0,
            ecn,
            limit: Limit::Unlimited,
            packet: Bytes::new(1500),
        }
    }

    /// A queue in which ten packets wait, at p = 0.25.
    fn at_a_quarter(ecn: bool) -> Bench<Pi2> {
        let mut bench = Bench::new(Pi2::new(&config(ecn)));
        (0..10).for_each(|number| bench.arrive(packet(number, 0, 1500)));
        bench.queue.law.set_probability(0.25);
        bench
    }

    #[test]
    fn classic_packets_are_signalled_by_the_square_and_scalable_ones_by_twice_the_probability() {
        let count = 100_000;
        for (ecn, share) in [(Ecn::NotCapable, 1.0 / 16.0), (Ecn::Ect0, 1.0 / 16.0), (Ecn::Ect1, 0.5)] {
            let mut bench = at_a_quarter(true);
            let signals =
                (0..count).filter(|_| bench.with(|queue, context| queue.judge(ecn, context.uniform)));
            let found = signals.count() as f64 / f64::from(count);
            let sigma = libm::sqrt(share * (1.0 - share) / f64::from(count));
            assert!((found - share).abs() < 5.0 * sigma, "{ecn:?}: {found}, not {share}");
        }
    }

    #[test]
    fn classic_packets_are_marked_with_ecn_and_dropped_without_and_scalable_ones_always_marked() {
        for (ecn, field, marked) in [
            (true, Ecn::Ect0, true),
            (false, Ecn::Ect0, false),
            (true, Ecn::NotCapable, false),
            (false, Ecn::Ect1, true),
        ] {
            let mut bench = at_a_quarter(ecn);
            bench.draw = Some(0.0);
            bench.arrive(Packet { ecn: field, ..packet(10, 0, 1500) });
            assert_eq!(bench.account.marked.len() == 1, marked, "{ecn} {field:?}");
            let dropped: Vec<_> = bench.account.dropped.iter().map(|(_, reason)| *reason).collect();
            assert_eq!(dropped, if marked { vec![] } else { vec![DropReason::Early] });
        }
    }

    #[test]
    fn nothing_is_signalled_with_two_packets_waiting_and_overflow_is_dropped() {
        let mut bench = Bench::new(Pi2::new(&Config { limit: Limit::Packets(2), ..config(true) }));
        bench.queue.law.update(Span::from_ms(1000));
        bench.draw = Some(0.0);
        (0..3).for_each(|number| bench.arrive(packet(number, 0, 1500)));
        assert_eq!(bench.account.dropped, [(2, DropReason::Overflow)]);
    }

    #[test]
    fn the_timer_starts_with_the_first_arrival() {
        let mut bench = Bench::new(Pi2::new(&config(true)));
        assert_eq!(bench.queue.next_wake(), None);
        bench.arrive(packet(0, 0, 1500));
        assert_eq!(bench.queue.next_wake(), Some(Time::ZERO + Span::from_ms(32)));
    }
}
