// SPDX-License-Identifier: Apache-2.0
//! Step marking: a FIFO queue that marks every arrival which finds more than a threshold waiting, the queue for which
//! DCTCP was made.
//!
//! Source: Alizadeh et al., "Data Center TCP", 2010, §3.1; RFC 8257 §3.1; the default threshold from Alizadeh, Javanmard
//! and Prabhakar, "Analysis of DCTCP", 2011.

use crate::discipline::independent;
use crate::parameters::LIMIT;
use crate::{Backlog, Context, DropReason, Entry, Fifo, Limit, Order, QueueDiscipline, Settings};
use alloc::boxed::Box;
use narrows_card::{Card, Default, Domain, Parameter};
use narrows_wire::Packet;

/// Settings of a step-marking queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// `K`: an arrival that finds more than this is marked.
    pub threshold: Limit,
    /// Buffer limit.
    pub limit: Limit,
}

/// A FIFO queue that marks at a threshold (Alizadeh et al. 2010, RFC 8257 §3.1).
#[derive(Clone, Debug)]
pub struct Step {
    config: Config,
    waiting: Fifo,
}

impl Step {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        Self { config: *config, waiting: Fifo::default() }
    }
}

impl QueueDiscipline for Step {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        let waiting = self.waiting.backlog();
        if !self.config.limit.admits(waiting, packet.size()) {
            return context.drop(&packet, DropReason::Overflow);
        }
        if packet.ecn.is_capable() && !self.config.threshold.holds(waiting) {
            context.mark(&mut packet);
        }
        self.waiting.push(packet);
    }

    fn dequeue(&mut self, _context: &mut Context<'_>) -> Option<Packet> {
        self.waiting.pop()
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }
}

/// The catalogue entry of `step`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "step",
        family: "active",
        summary: "step marking: first in, first out; an arrival is marked if the backlog exceeds a threshold (DCTCP)",
        source: "Alizadeh et al. 2010 §3.1; RFC 8257 §3.1",
        equations: &[
            "mark the arrival if waiting > threshold",
            "drop the arrival if waiting + arrival > limit",
        ],
        parameters: &[
            LIMIT,
            Parameter {
                name: "threshold",
                meaning: "marking threshold: backlog above which arrivals are marked",
                unit: "",
                source: "Alizadeh, Javanmard and Prabhakar 2011: enough for full use of the link",
                domain: Domain::Length { default: Default::Value("0.17bdp"), whole: true },
            },
        ],
        variables: &[],
        deviations: &[
            "what cannot be marked joins as long as there is room; switches that make a step of RED drop it",
        ],
    },
    marks: true,
    order: Order::All,
    timer: None,
    complete: independent,
    build: |settings| Box::new(Step::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config { threshold: settings.limit("threshold"), limit: settings.limit("limit") }
}

#[cfg(test)]
mod tests {
    //! Truth: the rule of RFC 8257 §3.1, worked by hand.

    use super::{Config, Step};
    use crate::testing::{Bench, packet};
    use crate::{DropReason, Limit};
    use narrows_wire::{Ecn, Packet};

    #[test]
    fn an_arrival_that_finds_more_than_the_threshold_is_marked_if_it_can_be() {
        for threshold in [Limit::Packets(2), Limit::Bytes(2000)] {
            let mut bench = Bench::new(Step::new(&Config { threshold, limit: Limit::Packets(5) }));
            for number in 0..4 {
                bench.arrive(Packet { ecn: Ecn::Ect0, ..packet(number, 0, 1000) });
            }
            bench.arrive(packet(4, 0, 1000));
            bench.arrive(packet(5, 0, 1000));
            assert_eq!(bench.account.marked, [3], "{threshold:?}");
            assert_eq!(bench.account.dropped, [(5, DropReason::Overflow)]);
            assert_eq!(bench.drain(), [0, 1, 2, 3, 4]);
        }
    }
}
