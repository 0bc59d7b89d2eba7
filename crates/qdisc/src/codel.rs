//! CoDel, controlled delay: signals at the head of a queue in which packets have waited too long for too long.
//!
//! Source: RFC 8289; the treatment of marks as in Linux's `codel_impl.h`. The law is in [`CodelLaw`], free of any queue.
//!
//! Deviations: from Linux, times are not rounded to 1.024 µs, and the square root is exact where Linux takes a Newton
//! step of 16 bits.

mod law;

pub use law::{CodelLaw, Control};

use crate::{Backlog, Context, DropReason, Fifo, Limit, QueueDiscipline};
use narrows_wire::Packet;

/// Settings of a CoDel queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Of the law.
    pub control: Control,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// The most that may wait.
    pub limit: Limit,
}

/// A FIFO queue under CoDel.
#[derive(Clone, Debug)]
pub struct Codel {
    config: Config,
    law: CodelLaw,
    waiting: Fifo,
}

impl Codel {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Self { config: *config, law: CodelLaw::default(), waiting: Fifo::default() }
    }
}

impl QueueDiscipline for Codel {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        if self.config.limit.admits(self.waiting.backlog(), packet.size()) {
            self.waiting.push(packet);
        } else {
            context.drop(&packet, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        while let Some(packet) = self.waiting.pop() {
            let behind = self.waiting.backlog().bytes;
            let passed = self.law.pass(&self.config.control, packet, behind, self.config.ecn, context);
            if passed.is_some() {
                return passed;
            }
        }
        self.law.emptied();
        None
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("count", f64::from(self.law.count()));
    }
}

#[cfg(test)]
mod tests;
