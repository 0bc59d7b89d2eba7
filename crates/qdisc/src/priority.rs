// SPDX-License-Identifier: Apache-2.0
//! Strict priority: a packet leaves only when none of a better class waits.
//!
//! Source: Kleinrock, "Queueing Systems", vol. 2, 1976, §3.6, the head-of-the-line discipline; the class is given by the
//! flow. Mean waits when packets of fixed transmission time S arrive at random, without a limit:
//!
//! ```text
//! W_0 = R / (1 − ρ_0)        W_1 = R / ((1 − ρ_0) (1 − ρ_0 − ρ_1))        R = (ρ_0 + ρ_1) S / 2
//! ```

use crate::parameters::LIMIT;
use crate::{
    Backlog, Classes, Conflict, Context, DropReason, Entry, Fifo, Limit, Order, QueueDiscipline, Settings,
};
use alloc::{boxed::Box, format, vec, vec::Vec};
use narrows_card::{Card, Domain, Parameter};
use narrows_units::Bytes;
use narrows_wire::Packet;

/// Settings of a priority queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Class of each flow; class 0 is served first.
    pub classes: Classes,
    /// Buffer limit of all classes together.
    pub limit: Limit,
    /// Additional buffer limits by class, from class 0 on; a class beyond the list has none.
    pub limits: Vec<Limit>,
}

/// A FIFO queue per class, served in strict priority.
#[derive(Clone, Debug)]
pub struct Priority {
    config: Config,
    /// Queue of each class.
    waiting: Box<[Fifo]>,
    backlog: Backlog,
}

impl Priority {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        let classes = usize::from(config.classes.worst()) + 1;
        Self {
            config: config.clone(),
            waiting: vec![Fifo::default(); classes].into(),
            backlog: Backlog::default(),
        }
    }

    /// Pushes out packets of classes worse than `class` until one of `size` has room, if that can be.
    fn make_room(&mut self, class: usize, size: Bytes, context: &mut Context<'_>) {
        let mut stays = Backlog::default();
        for waiting in &self.waiting[..=class] {
            stays.packets += waiting.backlog().packets;
            stays.bytes += waiting.backlog().bytes;
        }
        if !self.config.limit.admits(stays, size) {
            return;
        }
        for waiting in self.waiting[class + 1..].iter_mut().rev() {
            while !self.config.limit.admits(self.backlog, size) {
                let Some(packet) = waiting.pop_tail() else { break };
                self.backlog.remove(packet.size());
                context.drop(&packet, DropReason::Overflow);
            }
        }
    }
}

impl QueueDiscipline for Priority {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        let class = usize::from(self.config.classes.of(packet.flow));
        let own = self.config.limits.get(class).copied().unwrap_or(Limit::Unlimited);
        if !own.admits(self.waiting[class].backlog(), packet.size()) {
            return context.drop(&packet, DropReason::Overflow);
        }
        if !self.config.limit.admits(self.backlog, packet.size()) {
            self.make_room(class, packet.size(), context);
        }
        if !self.config.limit.admits(self.backlog, packet.size()) {
            return context.drop(&packet, DropReason::Overflow);
        }
        self.backlog.add(packet.size());
        self.waiting[class].push(packet);
    }

    fn dequeue(&mut self, _context: &mut Context<'_>) -> Option<Packet> {
        let packet = self.waiting.iter_mut().find_map(Fifo::pop)?;
        self.backlog.remove(packet.size());
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}

/// The catalogue entry of `priority`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "priority",
        family: "fair",
        summary: "strict priority: a packet leaves only if no packet of a higher class is waiting",
        source: "Kleinrock 1976, \"Queueing Systems\" vol. 2 §3.6: head of the line",
        equations: &[
            "send the oldest packet of the best class",
            "no room: push out the youngest packets of the worst class below the arrival's, else drop the arrival",
        ],
        parameters: &[
            LIMIT,
            Parameter {
                name: "classes",
                meaning: "class of each group of flows, as in { voice = 0, web = 1 }; class 0 has the highest priority, groups \
                          that are not named share a class below all others, acknowledgements have the class of their \
                          flow",
                unit: "",
                source: "without classes it is DropTail",
                domain: Domain::Classes { worst: WORST, required: true },
            },
            Parameter {
                name: "limits",
                meaning: "limit of each class, the highest first, in addition to the common limit",
                unit: "",
                source: "Linux's prio, where each class is a queue of its own",
                domain: Domain::Limits,
            },
        ],
        variables: &[],
        deviations: &[
            "all classes share one limit besides their own; Linux's prio limits each class alone and never pushes out",
        ],
    },
    marks: false,
    order: Order::Flow,
    timer: None,
    complete,
    build: |settings| Box::new(Priority::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config {
        classes: settings.classes("classes"),
        limit: settings.limit("limit"),
        limits: settings.limits("limits"),
    }
}

/// At most one limit for each class.
fn complete(settings: &mut Settings) -> Result<(), Conflict> {
    let classes = usize::from(settings.classes("classes").worst()) + 1;
    let limits = settings.limits("limits").len();
    if limits <= classes {
        return Ok(());
    }
    Err(Conflict {
        parameter: "limits",
        message: format!("{limits} limits for {classes} classes"),
        given: None,
        allowed: format!("at most {classes}, one for each class from 0 on"),
    })
}

/// The worst class that can be given: Linux's `prio` has sixteen classes at most, too.
const WORST: u64 = 15;

#[cfg(test)]
mod tests {
    //! Truth: the rules worked by hand, and the waits of the M/D/1 queue with priorities as theory.

    use super::{Config, Priority};
    use crate::testing::{Bench, packet};
    use crate::{Classes, DropReason, Limit};
    use narrows_card::Catalogue;
    use narrows_units::{Span, Time};

    fn bench(limit: Limit) -> Bench<Priority> {
        // Flow 0 is in class 0, flow 1 in class 2, all others in class 1.
        Bench::new(Priority::new(&Config { classes: Classes::new([0, 2], 1), limit, limits: Vec::new() }))
    }

    #[test]
    fn the_best_class_leaves_first_and_each_in_the_order_of_arrival() {
        let mut bench = bench(Limit::Unlimited);
        for (number, flow) in [(0, 1), (1, 7), (2, 0), (3, 5), (4, 1), (5, 0)] {
            bench.arrive(packet(number, flow, 1000));
        }
        assert_eq!(bench.drain(), [2, 5, 1, 3, 0, 4]);
    }

    #[test]
    fn an_arrival_pushes_out_the_youngest_of_the_worst_class_below_its_own() {
        let mut bench = bench(Limit::Bytes(3000));
        for (number, flow, size) in
            [(0, 1, 1000), (1, 7, 500), (2, 1, 1000), (3, 1, 500), (4, 0, 1200), (5, 7, 300), (6, 1, 100)]
        {
            bench.arrive(packet(number, flow, size));
        }
        // The 1200 bytes of packet 4 cost 3 and 2; packet 5 just fits; 6 finds nothing below its own class.
        let dropped: Vec<_> = bench.account.dropped.iter().map(|(number, _)| *number).collect();
        assert_eq!(dropped, [3, 2, 6]);
        assert!(bench.account.dropped.iter().all(|(_, reason)| *reason == DropReason::Overflow));
        assert_eq!(bench.drain(), [4, 1, 5, 0]);
    }

    #[test]
    fn a_class_is_not_pushed_out_by_its_own_or_a_worse_one() {
        let mut bench = bench(Limit::Packets(2));
        for (number, flow) in [(0, 0), (1, 0), (2, 0), (3, 7), (4, 1)] {
            bench.arrive(packet(number, flow, 1000));
        }
        assert_eq!(bench.drain(), [0, 1]);
    }

    #[test]
    fn a_class_keeps_to_its_own_limit_and_pushes_no_other_packet_out() {
        let limits = vec![Limit::Packets(2), Limit::Unlimited, Limit::Packets(1)];
        let classes = Classes::new([0, 2], 1);
        let mut bench = Bench::new(Priority::new(&Config { classes, limit: Limit::Packets(4), limits }));
        for (number, flow) in [(0, 1), (1, 1), (2, 0), (3, 0), (4, 0), (5, 7), (6, 7), (7, 7)] {
            bench.arrive(packet(number, flow, 1000));
        }
        // 1 and 4 are beyond their class's own; 6 pushes out 0; 7 finds only its own class and a better one.
        let dropped: Vec<_> = bench.account.dropped.iter().map(|(number, _)| *number).collect();
        assert_eq!(dropped, [1, 4, 0, 7]);
        assert_eq!(bench.drain(), [2, 3, 5, 6]);
    }

    #[test]
    fn nothing_is_pushed_out_for_an_arrival_that_still_finds_no_room() {
        let mut bench = bench(Limit::Bytes(3000));
        for (number, flow, size) in [(0, 0, 2000), (1, 1, 500), (2, 0, 1500)] {
            bench.arrive(packet(number, flow, size));
        }
        assert_eq!(bench.account.dropped, [(2, DropReason::Overflow)]);
    }

    /// Loads 0.3 and 0.4, a millisecond per packet: waits of 0.5 ms and 0.35 / 0.21 ms, within 2 %.
    #[test]
    fn mean_waits_are_those_of_two_classes_served_head_of_the_line() {
        let mut bench = bench(Limit::Unlimited);
        let mut draws = Bench::new(Priority::new(&bench.queue.config));
        let mut exponential = |mean: f64| {
            let uniform = draws.with(|_, context| (context.uniform)());
            Span::from_secs_f64(-mean * libm::log(1.0 - uniform))
        };
        let loads = [0.3, 0.4];
        let mut arrivals = [Time::ZERO; 2];
        let (mut waited, mut served) = ([0.0; 2], [0.0; 2]);
        let mut free = Time::ZERO;
        for _ in 0..1_000_000 {
            let class = usize::from(arrivals[1] < arrivals[0]);
            let arrival = arrivals[class];
            // All departures before this arrival.
            while free <= arrival {
                bench.now = free;
                let Some(packet) = bench.depart() else { break };
                let class = packet.flow.index();
                waited[class] += (free - packet.arrival).as_secs_f64();
                served[class] += 1.0;
                free += Span::from_ms(1);
            }
            free = free.max(arrival);
            bench.now = arrival;
            bench.arrive(packet(0, class as u32, 1000));
            arrivals[class] += exponential(0.001 / loads[class]);
        }
        for (class, expected) in [(0, 0.35 / 0.7), (1, 0.35 / 0.7 / 0.3)] {
            let mean = waited[class] / served[class] * 1e3;
            let what = format!(
                "mean wait of class {class}, M/D/1 at loads 0.3 and 0.4, against Kleinrock 1976 §3.6"
            );
            Catalogue::Queues.assert_near("priority", &what, mean, expected, 0.02);
        }
    }
}
