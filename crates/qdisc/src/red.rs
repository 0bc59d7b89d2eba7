//! RED, random early detection: signals congestion at random before the queue is full, the more often the longer it has
//! been on average.
//!
//! Source: Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993; the gentle slope, the
//! waiting between signals and the treatment of idle time as in ns-2.35; `max_p` that adapts itself: Floyd, Gummadi and
//! Shenker, "Adaptive RED", 2001. The law is in [`RedLaw`], free of any queue.
//!
//! Deviations: from the paper, an idle time of m packet times decays the average m times and the arrival that ends it
//! once more, as ns-2 does. From ns-2, the byte count between signals is not rounded to whole packets, "more than one
//! packet waits" means packets in byte mode too, and thresholds in bytes imply a drop probability that grows with the
//! packet's size. `max_p` adapts by a timer, as in the paper, where ns-2 waits for the first arrival after the interval;
//! the timer starts with the first arrival of all.

mod automatic;
mod idle;
mod law;

pub use automatic::Automatic;
pub(crate) use idle::Idle;
pub use law::{RedLaw, Verdict};

use crate::{Backlog, Context, DropReason, Fifo, Limit, QueueDiscipline};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

/// What the average counts, and the thresholds with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Packets of any size.
    Packets,
    /// Bytes on the wire.
    Bytes,
}

/// Settings of a RED queue.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the sources")]
pub struct Config {
    /// Unit of the average, `min` and `max`.
    pub unit: Unit,
    /// `min_th`: below this average no packet is signalled.
    pub min: f64,
    /// `max_th`: at this average `max_p` is reached. Not below `min`.
    pub max: f64,
    /// `max_p`: probability of a signal just below `max`, 0 to 1; where it starts if it adapts.
    pub max_p: f64,
    /// `w_q`: weight of the newest queue length in the average, 0 to 1.
    pub weight: f64,
    /// From `max` to twice `max` the probability grows from `max_p` to 1; otherwise it is 1 from `max` on.
    pub gentle: bool,
    /// After a signal, wait 1/p packets before the next becomes possible.
    pub wait: bool,
    /// Mark ECN-capable packets instead of dropping them while the average is below `max`.
    pub ecn: bool,
    /// Every half second move `max_p`, between 0.01 and 0.5, so that the average stays half-way from `min` to `max`.
    pub adaptive: bool,
    /// The most that may wait.
    pub limit: Limit,
    /// Size of a typical packet: idle time is counted in it, and byte mode scales probabilities by it. Not zero.
    pub mean_packet: Bytes,
}

/// A FIFO queue under RED.
#[derive(Clone, Debug)]
pub struct Red {
    config: Config,
    law: RedLaw,
    waiting: Fifo,
    idle: Idle,
    /// When `max_p` is looked at again; `None` until the first arrival, and always unless it adapts.
    next_adaptation: Option<Time>,
}

impl Red {
    /// An empty queue in front of an idle link.
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

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("average", self.law.average());
        tell("max_p", self.law.max_p());
    }
}

/// How often `max_p` adapts (Floyd, Gummadi and Shenker 2001, figure 3).
const ADAPTATION_INTERVAL: Span = Span::from_ms(500);

#[cfg(test)]
mod tests;
