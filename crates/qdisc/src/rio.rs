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

    /// Pushes out Out packets, the youngest first, until one of `size` has room or there are none.
    fn make_room(&mut self, size: Bytes, context: &mut Context<'_>) {
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
mod tests {
    //! Truth: the rules of Clark and Fang 1998, worked by hand. The law itself is tested beside RED.

    use super::{Config, Ramp, Rio};
    use crate::red::Unit;
    use crate::testing::{Bench, packet};
    use crate::{Classes, DropReason, Limit};
    use narrows_units::{Bytes, Span, Time};
    use narrows_wire::{Ecn, Packet};

    /// Flow 0 is In. The averages are the lengths; ramps from 2 to 6 over all, from 4 to 8 over In.
    fn config() -> Config {
        Config {
            classes: Classes::new([0], 1),
            unit: Unit::Packets,
            inside: Ramp { min: 4.0, max: 8.0, max_p: 0.125 },
            outside: Ramp { min: 2.0, max: 6.0, max_p: 0.125 },
            weight: 1.0,
            gentle: false,
            wait: false,
            ecn: false,
            limit: Limit::Unlimited,
            mean_packet: Bytes::new(1000),
        }
    }

    fn bench(config: &Config) -> Bench<Rio> {
        let mut bench = Bench::new(Rio::new(config));
        bench.draw = Some(0.999);
        bench
    }

    fn dropped(bench: &Bench<Rio>, reason: DropReason) -> Vec<u64> {
        bench.account.dropped.iter().filter(|(_, each)| *each == reason).map(|(number, _)| *number).collect()
    }

    #[test]
    fn out_packets_are_judged_by_all_that_wait_and_in_packets_by_their_own() {
        let mut bench = bench(&config());
        for number in 0..6 {
            bench.arrive(packet(number, u32::from(number % 2 == 0), 1000));
        }
        // Six wait, three of them In: past the end of Out's ramp, before the start of In's.
        bench.arrive(packet(6, 1, 1000));
        bench.arrive(packet(7, 0, 1000));
        assert_eq!(dropped(&bench, DropReason::Early), [6]);
        assert_eq!(bench.drain(), [0, 1, 2, 3, 4, 5, 7]);
    }

    #[test]
    fn in_packets_are_signalled_past_their_own_thresholds() {
        let mut bench = bench(&config());
        for number in 0..10 {
            bench.arrive(packet(number, 0, 1000));
        }
        assert_eq!(dropped(&bench, DropReason::Early), [8, 9]);
    }

    #[test]
    fn a_full_queue_pushes_out_the_youngest_out_packet_for_an_in_packet() {
        let never = Ramp { min: 9.0, max: 9.0, max_p: 1.0 };
        let mut bench =
            bench(&Config { limit: Limit::Packets(4), inside: never, outside: never, ..config() });
        for (number, flow) in [(0, 1), (1, 0), (2, 1), (3, 0), (4, 1), (5, 0), (6, 0), (7, 0)] {
            bench.arrive(packet(number, flow, 1000));
        }
        // 4 finds no room; 5 and 6 push out 2 and 0; only In packets are left when 7 comes.
        assert_eq!(dropped(&bench, DropReason::Overflow), [4, 2, 0, 7]);
        assert_eq!(bench.drain(), [1, 3, 5, 6]);
    }

    #[test]
    fn a_capable_packet_is_marked_on_the_ramp_and_leaves_in_its_place() {
        let mut bench = bench(&Config { ecn: true, ..config() });
        for number in 0..4 {
            bench.arrive(packet(number, 1, 1000));
        }
        bench.draw = Some(0.0);
        bench.arrive(Packet { ecn: Ecn::Ect0, ..packet(4, 1, 1000) });
        bench.arrive(packet(5, 0, 1000));
        assert_eq!(bench.account.marked, [4]);
        assert_eq!(bench.drain(), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn every_arrival_moves_the_average_of_all_and_idle_time_counts_for_both() {
        let mut bench = bench(&Config { weight: 0.5, ..config() });
        let averages =
            |bench: &Bench<Rio>| (bench.queue.inside.law.average(), bench.queue.outside.law.average());
        for number in 0..4 {
            bench.arrive(packet(number, u32::from(number > 2), 1000));
        }
        // In saw 0, 1 and 2; all saw 0, 1, 2 and 3.
        assert_eq!(averages(&bench), (1.25, 2.125));
        bench.drain();
        bench.now = Time::ZERO + Span::from_ms(2);
        bench.arrive(packet(4, 1, 1000));
        assert_eq!(averages(&bench), (1.25, 2.125 / 8.0), "two idle packet times and the arrival");
        bench.arrive(packet(5, 0, 1000));
        assert_eq!(averages(&bench).0.to_bits(), f64::to_bits(1.25 / 8.0));
    }
}
