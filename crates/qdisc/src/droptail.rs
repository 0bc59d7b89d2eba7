//! DropTail: packets leave in the order in which they came, and an arrival that finds no room is dropped.
//!
//! Deviations: a limit of L packets holds L waiting packets; in ns-2 it holds L − 1.

use crate::{Backlog, Context, DropReason, Fifo, Limit, QueueDiscipline};
use narrows_wire::Packet;

/// Settings of a DropTail queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The most that may wait.
    pub limit: Limit,
}

/// A queue that drops at its tail.
#[derive(Clone, Debug)]
pub struct DropTail {
    limit: Limit,
    waiting: Fifo,
}

impl DropTail {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Self {
            limit: config.limit,
            waiting: Fifo::default(),
        }
    }
}

impl QueueDiscipline for DropTail {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        if self.limit.admits(self.waiting.backlog(), packet.size()) {
            self.waiting.push(packet);
        } else {
            context.drop(&packet, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, _context: &mut Context<'_>) -> Option<Packet> {
        self.waiting.pop()
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }
}
