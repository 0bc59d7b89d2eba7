//! Quick-Start's router (RFC 4782 §3.3; as QSAgent's algorithm 3 in ns-2.35): approves a start-up rate as long as the
//! link has room for it. The account is kept by [`Approvals`]; under it packets wait as in another discipline.

mod approvals;

pub use approvals::{Approvals, Encoding};

use crate::{Backlog, Context, Discipline, QueueDiscipline};
use narrows_units::{Span, Time};
use narrows_wire::{Packet, Request};

/// Settings of a Quick-Start queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Nothing is approved while the link is used by this part of its rate.
    pub threshold: f64,
    /// Use and approvals together may come to this part of the link's rate.
    pub share: f64,
    /// Length of the intervals in which use is measured and approvals are remembered.
    pub interval: Span,
    /// How a rate is written into a packet.
    pub encoding: Encoding,
    /// How packets wait.
    pub discipline: Box<Discipline>,
}

/// A queue that answers Quick-Start's requests.
#[derive(Debug)]
pub struct QuickStart {
    approvals: Approvals,
    waiting: Box<dyn QueueDiscipline>,
}

impl QuickStart {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Self { approvals: Approvals::new(config), waiting: config.discipline.build() }
    }
}

impl QueueDiscipline for QuickStart {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        if let Some(Request::QuickStart { rate, ttl_difference }) = packet.request_mut() {
            *rate = self.approvals.answer(f64::from(*rate), context.rate, context.now) as f32;
            *ttl_difference = ttl_difference.wrapping_sub(1);
        }
        self.waiting.enqueue(packet, context);
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let packet = self.waiting.dequeue(context)?;
        self.approvals.on_sent(context.rate.time_for(packet.size()), context.now);
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn next_wake(&self) -> Option<Time> {
        self.waiting.next_wake()
    }

    fn on_wake(&mut self, context: &mut Context<'_>) {
        self.waiting.on_wake(context);
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("peak_utilization", self.approvals.peak());
        self.waiting.observe(tell);
    }
}

#[cfg(test)]
mod tests;
