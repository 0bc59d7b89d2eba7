//! Quick-Start's router (RFC 4782 §3.3; as QSAgent's algorithm 3 in ns-2.35): approves a start-up rate as long as the
//! link has room for it. The account is kept by [`Approvals`]; under it packets wait as in DropTail.

mod approvals;

pub use approvals::{Approvals, Encoding};

use crate::{Backlog, Context, DropReason, Fifo, Limit, QueueDiscipline};
use narrows_units::Span;
use narrows_wire::{Body, Packet, Request};

/// Settings of a Quick-Start queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Nothing is approved while the link is used by this part of its rate.
    pub threshold: f64,
    /// Use and approvals together may come to this part of the link's rate.
    pub share: f64,
    /// Length of the intervals in which use is measured and approvals are remembered.
    pub interval: Span,
    /// How a rate is written into a packet.
    pub encoding: Encoding,
    /// The most that may wait.
    pub limit: Limit,
}

/// A FIFO queue that answers Quick-Start's requests.
#[derive(Clone, Debug)]
pub struct QuickStart {
    approvals: Approvals,
    waiting: Fifo,
    limit: Limit,
}

impl QuickStart {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Self { approvals: Approvals::new(config), waiting: Fifo::default(), limit: config.limit }
    }
}

impl QueueDiscipline for QuickStart {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        if !self.limit.admits(self.waiting.backlog(), packet.size()) {
            context.drop(&packet, DropReason::Overflow);
            return;
        }
        if let Body::Data { request: Some(Request::QuickStart { rate, hops }), .. } = &mut packet.body {
            *rate = self.approvals.answer(f64::from(*rate), context.rate, context.now) as f32;
            *hops = hops.saturating_add(1);
        }
        self.waiting.push(packet);
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let packet = self.waiting.pop()?;
        self.approvals.on_sent(context.rate.time_for(packet.size()), context.now);
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("peak_utilization", self.approvals.peak());
    }
}

#[cfg(test)]
mod tests;
