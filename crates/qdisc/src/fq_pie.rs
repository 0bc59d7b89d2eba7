// SPDX-License-Identifier: Apache-2.0
//! FQ-PIE: a queue under PIE for every flow, served in rounds of equal bytes, new flows first.
//!
//! Source: Linux's `sch_fq_pie.c`: the scheduler of RFC 8290, and in each queue the law of RFC 8033, with the time that the
//! packet at the queue's exit has waited.
//!
//! ```text
//! arrival      limit reached: dropped; else signalled by the law of its queue
//! update       every queue's probability, with the wait of its last packet to leave, zero once it is empty
//! ```

use crate::discipline::independent;
use crate::fair::FairQueue;
use crate::periodic::UpdateTimer;
use crate::pie::{self, PieLaw};
use crate::{Backlog, Context, DropReason, Entry, Order, QueueDiscipline, Settings};
use alloc::{boxed::Box, vec, vec::Vec};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

/// Settings of an FQ-PIE queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Settings of the law of each queue; its limit applies to all queues together.
    pub law: pie::Config,
    /// Largest probability at which ECN-capable packets are marked instead of dropped, 0 to 1.
    pub ecn_prob: f64,
    /// Bytes that each flow may send per round. Not zero.
    pub quantum: Bytes,
    /// Number of queues to which flows are hashed. Not zero.
    pub queues: u32,
}

/// A queue per hashed flow, each under PIE, served in deficit round robin with new flows first.
#[derive(Clone, Debug)]
pub struct FqPie {
    config: Config,
    fair: FairQueue,
    /// PIE's state of each row.
    laws: Box<[Law]>,
    /// Rows whose laws are not at rest.
    awake: Vec<u32>,
    updates: UpdateTimer,
}

#[derive(Clone, Debug)]
struct Law {
    pie: PieLaw,
    /// Sojourn time of the last packet that left; zero while the row is empty.
    delay: Span,
    /// Whether the row is listed in `awake`.
    awake: bool,
}

impl FqPie {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        let law = Law { pie: PieLaw::new(&config.law), delay: Span::ZERO, awake: false };
        Self {
            config: *config,
            fair: FairQueue::new(config.queues, config.quantum),
            laws: vec![law; config.queues as usize].into(),
            awake: Vec::new(),
            updates: UpdateTimer::new(config.law.update),
        }
    }
}

impl QueueDiscipline for FqPie {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        self.updates.start(context.now);
        let row = self.fair.row_for(&packet, context.uniform);
        let law = &mut self.laws[row];
        if !law.awake {
            law.awake = true;
            self.awake.push(row as u32);
        }
        if !self.config.law.limit.admits(self.fair.rows.backlog(), packet.size()) {
            law.pie.overflowed();
            return context.drop(&packet, DropReason::Overflow);
        }
        let waiting = self.fair.rows.backlog_of(row).bytes;
        if law.pie.judge(waiting, context.uniform) {
            let too_many = law.pie.probability() > self.config.ecn_prob;
            if !self.config.law.ecn || !packet.ecn.is_capable() || too_many {
                return context.drop(&packet, DropReason::Early);
            }
            context.mark(&mut packet);
        }
        self.fair.push(row, packet);
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let Self { fair, laws, .. } = self;
        fair.next(|rows, row| {
            let packet = rows.pop(row)?;
            let waits = rows.backlog_of(row).packets > 0;
            laws[row].delay = if waits { context.now.since(packet.arrival) } else { Span::ZERO };
            Some(packet)
        })
    }

    fn backlog(&self) -> Backlog {
        self.fair.rows.backlog()
    }

    fn next_wake(&self) -> Option<Time> {
        self.updates.next()
    }

    fn on_wake(&mut self, context: &mut Context<'_>) {
        let Self { fair, laws, awake, .. } = self;
        awake.retain(|row| {
            let law = &mut laws[*row as usize];
            law.pie.update(law.delay);
            law.awake = fair.rows.backlog_of(*row as usize).packets > 0 || !law.pie.is_at_rest();
            law.awake
        });
        self.updates.restart(context.now);
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.fair.observe(record);
        let laws = self.awake.iter().map(|row| self.laws[*row as usize].pie.probability());
        record("probability_max", laws.fold(0.0, f64::max));
    }
}

/// The catalogue entry of `fq-pie`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "fq-pie",
        family: "fair",
        summary: "flow queueing with PIE: per-flow queues in deficit round robin, new flows first",
        source: "Linux's sch_fq_pie.c; RFC 8033; RFC 8290",
        equations: &[
            "queue of a flow = hash(flow, leg, salt) of flows",
            "new flows before old; deficit <= 0: deficit += quantum and to the end of the old; deficit -= size sent",
            "each queue: as pie, marks while p <= ecn_prob",
            "limit reached: the arrival is dropped",
        ],
        parameters: &[
            Parameter {
                name: "limit",
                meaning: "maximum backlog of all queues together, without the packet in transmission",
                unit: "",
                source: "sch_fq_pie.c",
                domain: Domain::Limit { default: "10240pkt" },
            },
            pie::TARGET,
            pie::UPDATE,
            pie::ALPHA,
            pie::BETA,
            pie::BURST,
            Parameter {
                name: "quantum",
                meaning: "quantum: bytes added to the deficit of a flow in each round",
                unit: "",
                source: "sch_fq_pie.c: the MTU",
                domain: Domain::Size { default: "1pkt" },
            },
            Parameter {
                name: "flows",
                meaning: "number of queues into which flows are hashed",
                unit: "",
                source: "sch_fq_pie.c",
                domain: Domain::Integer { default: 1024, minimum: 1, maximum: 65_536 },
            },
            Parameter {
                name: "ecn",
                meaning: "whether ECN-capable packets are marked instead of dropped while p <= ecn_prob",
                unit: "",
                source: "sch_fq_pie.c",
                domain: Domain::Flag { default: false },
            },
            Parameter {
                name: "ecn_prob",
                meaning: "maximum probability at which packets are marked instead of dropped",
                unit: "",
                source: "sch_fq_pie.c: 10 %",
                domain: Domain::Fraction { default: 0.1, zero: true },
            },
        ],
        variables: &[
            Variable { name: "flows_new", unit: "count", meaning: "queues in the list of new flows" },
            Variable { name: "flows_old", unit: "count", meaning: "queues in the list of old flows" },
            Variable { name: "probability_max", unit: "", meaning: "largest drop probability of a queue" },
        ],
        deviations: &[
            "the law of each queue as in pie, and the hash's salt as in fq-codel",
            "Linux limits memory too, 32 MB; here limit is all",
        ],
    },
    marks: true,
    order: Order::Flow,
    timer: Some("update"),
    complete: independent,
    build: |settings| Box::new(FqPie::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config {
        law: pie::config(settings),
        ecn_prob: settings.number("ecn_prob"),
        quantum: settings.size("quantum"),
        queues: settings.whole("flows") as u32,
    }
}

#[cfg(test)]
mod tests {
    //! Truth: each queue is under a law of its own, and the scheduler serves flows in turn.

    use super::{Config, FqPie};
    use crate::pie;
    use crate::testing::{Bench, packet};
    use crate::{DropReason, Limit, QueueDiscipline};
    use narrows_units::{Bytes, Span, Time};

    fn config() -> Config {
        let law = pie::Config {
            target: Span::from_ms(15),
            update: Span::from_ms(15),
            alpha: 0.125,
            beta: 1.25,
            burst: Span::ZERO,
            ecn: true,
            limit: Limit::Packets(1000),
            mean_packet: Bytes::new(1000),
        };
        Config { law, ecn_prob: 0.1, quantum: Bytes::new(1000), queues: 64 }
    }

    /// A flow that sends 125 packets of 1000 bytes in each second over a link of as many, and one that sends twice as many.
    #[test]
    fn only_the_flow_that_waits_is_signalled() {
        let mut bench = Bench::new(FqPie::new(&config()));
        let mut served = [0, 0];
        for step in 0..4000_u64 {
            bench.now = Time::ZERO + Span::from_ms(8 * step);
            while bench.queue.next_wake().is_some_and(|wake| wake <= bench.now) {
                bench.with(FqPie::on_wake);
            }
            if step % 4 == 0 {
                bench.arrive(packet(step, 0, 1000));
            }
            for copy in 0..2 {
                bench.arrive(packet(100_000 + 2 * step + copy, 1, 1000));
            }
            let left = bench.depart().expect("packets wait");
            served[usize::from(left.number >= 100_000)] += 1;
        }
        let fast = bench.account.dropped.iter().filter(|(number, _)| *number >= 100_000).count();
        assert_eq!(bench.account.dropped.len(), fast, "none of the flow below its share");
        assert!(fast > 2000, "{fast}");
        assert!((998..=1000).contains(&served[0]), "a quarter of the turns: {served:?}");
    }

    #[test]
    fn a_full_queue_drops_arrivals_and_idle_laws_are_not_updated() {
        let mut bench = Bench::new(FqPie::new(&Config {
            law: pie::Config { limit: Limit::Packets(2), ..config().law },
            ..config()
        }));
        for number in 0..3 {
            bench.arrive(packet(number, number as u32, 1000));
        }
        assert_eq!(bench.account.dropped, [(2, DropReason::Overflow)]);
        assert_eq!(bench.drain().len(), 2);
        assert!(!bench.queue.awake.is_empty());
        bench.now = Time::ZERO + Span::from_ms(15);
        bench.with(FqPie::on_wake);
        assert!(bench.queue.awake.is_empty());
    }
}
