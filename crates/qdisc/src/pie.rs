//! PIE, proportional integral controller enhanced: signals arrivals at random, with a probability that is moved until
//! packets wait as long as they should.
//!
//! Source: RFC 8033; the time that packets wait as in Linux's `sch_pie.c`: that of the last packet to leave, zero once
//! none waits. The law is in [`PieLaw`], free of any queue.
//!
//! Deviations: the probability is moved from the first arrival on, where RFC 8033 may wait until a third of the limit is
//! used. A signal that is certain starts the accumulation again also when it is a mark, which Linux forgets.

mod law;

pub use law::PieLaw;

use crate::{Backlog, Context, DropReason, Fifo, Limit, QueueDiscipline};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

/// Settings of a PIE queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// `QDELAY_REF`: the time that packets should wait.
    pub target: Span,
    /// `T_UPDATE`: how often the probability is moved. Not zero.
    pub update: Span,
    /// How far the distance from the target moves the probability, per second of it and update.
    pub alpha: f64,
    /// How far a change of the wait moves it, per second of change.
    pub beta: f64,
    /// `MAX_BURST`: for so long after calm nothing is signalled.
    pub burst: Span,
    /// Mark ECN-capable packets instead of dropping them while the probability is at most a tenth.
    pub ecn: bool,
    /// The most that may wait.
    pub limit: Limit,
    /// `MEAN_PKTSIZE`: size of a typical packet; with no more than two of them waiting nothing is signalled.
    pub mean_packet: Bytes,
}

/// A FIFO queue under PIE.
#[derive(Clone, Debug)]
pub struct Pie {
    config: Config,
    law: PieLaw,
    waiting: Fifo,
    /// How long the last packet that left had waited; zero once none waits.
    delay: Span,
    /// When the probability is moved next; `None` until the first arrival.
    next_update: Option<Time>,
}

impl Pie {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            law: PieLaw::new(config),
            waiting: Fifo::default(),
            delay: Span::ZERO,
            next_update: None,
        }
    }
}

impl QueueDiscipline for Pie {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        self.next_update.get_or_insert(context.now + self.config.update);
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
        let packet = self.waiting.pop()?;
        let left = self.waiting.backlog().packets;
        self.delay = if left > 0 { context.now.since(packet.stamp) } else { Span::ZERO };
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn next_wake(&self) -> Option<Time> {
        self.next_update
    }

    fn on_wake(&mut self, context: &mut Context<'_>) {
        self.law.update(self.delay);
        self.next_update = Some(context.now + self.config.update);
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("probability", self.law.probability());
    }
}

/// `mark_ecnth`.
const MARK_AT_MOST: f64 = 0.1;

#[cfg(test)]
mod tests;
