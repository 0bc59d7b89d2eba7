//! RCP's router (Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005): one rate for every flow of the link, as if
//! it were shared by a processor. The rate is kept by [`RcpLaw`]; under it packets wait as in another discipline.

mod law;

pub use law::RcpLaw;

use crate::{Backlog, Context, Discipline, QueueDiscipline};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Packet, Request};

/// Settings of an RCP queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Part of the spare rate that is offered in a round trip.
    pub alpha: f64,
    /// Part of the queue that is taken back in a round trip.
    pub beta: f64,
    /// Weight of the newest round-trip time in the mean.
    pub gain: f64,
    /// Longest time between updates.
    pub interval: Span,
    /// The first rate, as a part of the link's.
    pub initial: f64,
    /// The least rate offered is one such packet a round trip.
    pub packet: Bytes,
    /// How packets wait.
    pub discipline: Box<Discipline>,
}

/// A queue that offers a rate.
#[derive(Debug)]
pub struct Rcp {
    law: RcpLaw,
    waiting: Box<dyn QueueDiscipline>,
}

impl Rcp {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Self { law: RcpLaw::new(config), waiting: config.discipline.build() }
    }
}

impl QueueDiscipline for Rcp {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        let rtt = match packet.request_mut() {
            Some(Request::Rate { rtt, .. }) => *rtt,
            _ => 0.0,
        };
        self.law.on_arrival(packet.size(), rtt, context.rate, context.now);
        self.waiting.enqueue(packet, context);
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let mut packet = self.waiting.dequeue(context)?;
        if let Some(Request::Rate { rate, .. }) = packet.request_mut() {
            *rate = rate.min(self.law.offer() as f32);
        }
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn next_wake(&self) -> Option<Time> {
        [self.law.next_wake(), self.waiting.next_wake()].into_iter().flatten().min()
    }

    fn on_wake(&mut self, context: &mut Context<'_>) {
        self.law.on_wake(context.now, context.rate, self.waiting.backlog().bytes);
        if self.waiting.next_wake().is_some_and(|wake| wake <= context.now) {
            self.waiting.on_wake(context);
        }
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("offer_bps", self.law.offer());
        self.waiting.observe(tell);
    }
}
