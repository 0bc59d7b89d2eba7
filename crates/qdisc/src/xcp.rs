//! XCP's router (Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03): tells every flow by how much to change
//! its throughput. The computation is in [`XcpLaw`], free of any queue; under it packets wait as in another discipline.

mod law;

pub use law::XcpLaw;

use crate::{Backlog, Context, Discipline, QueueDiscipline};
use narrows_units::{Span, Time};
use narrows_wire::{Packet, Request};

/// Settings of an XCP queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Part of the spare rate that is handed out in an interval.
    pub alpha: f64,
    /// Part of the persistent queue that is taken back in an interval.
    pub beta: f64,
    /// Part of the traffic that changes hands in an interval, so that flows become equal.
    pub gamma: f64,
    /// Shortest control interval.
    pub min_interval: Span,
    /// Longest round-trip time that counts.
    pub max_interval: Span,
    /// Control interval before a round-trip time is known.
    pub initial_interval: Span,
    /// How packets wait.
    pub discipline: Box<Discipline>,
}

/// A queue that answers XCP's requests.
#[derive(Debug)]
pub struct Xcp {
    law: XcpLaw,
    waiting: Box<dyn QueueDiscipline>,
}

impl Xcp {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Self { law: XcpLaw::new(config), waiting: config.discipline.build() }
    }
}

impl QueueDiscipline for Xcp {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        self.law.on_arrival(packet.size(), request_of(&mut packet), context.now);
        self.waiting.enqueue(packet, context);
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let taken = self.waiting.dequeue(context);
        self.law.on_queue(self.waiting.backlog().bytes);
        let mut packet = taken?;
        let size = packet.size();
        if let Some(Request::Xcp { rtt, spacing, delta }) = packet.request_mut() {
            *delta = self.law.feedback(size, (*rtt, *spacing), *delta);
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
        self.law.observe(tell);
        self.waiting.observe(tell);
    }
}

/// The round-trip time and the time between packets that a packet tells, seconds.
fn request_of(packet: &mut Packet) -> Option<(f32, f32)> {
    match packet.request_mut() {
        Some(Request::Xcp { rtt, spacing, .. }) => Some((*rtt, *spacing)),
        _ => None,
    }
}
