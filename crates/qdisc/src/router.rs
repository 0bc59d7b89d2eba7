// SPDX-License-Identifier: Apache-2.0
//! A router's computation in front of a queue: it reads and answers the requests of packets that pass, while they wait
//! as in another discipline.

use crate::{Backlog, Conflict, Context, QueueDiscipline, Setting, Settings, droptail};
use alloc::{borrow::ToOwned, boxed::Box};
use core::fmt::Debug;
use narrows_units::Time;
use narrows_wire::Packet;

/// The computation of a router from the packets that pass, and its feedback in them.
pub(crate) trait Computation: Debug + Send {
    /// A packet arrived, and is about to join the queue.
    fn on_enqueue(&mut self, packet: &mut Packet, context: &Context<'_>);

    /// The link asked for a packet. `packet` left the queue, `None` if there was none; `waiting` stays.
    fn on_dequeue(&mut self, packet: Option<&mut Packet>, waiting: Backlog, context: &Context<'_>);

    /// When [`on_timer`](Self::on_timer) wants to be called; may change after every call.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// A time given by [`next_timer`](Self::next_timer) is reached, or one at which the queue wakes; `waiting` is what waits.
    fn on_timer(&mut self, _waiting: Backlog, _context: &Context<'_>) {}

    /// Inner variables by name, for records only.
    fn variables(&self, record: &mut dyn FnMut(&str, f64));
}

/// A queue with a computation in front of it.
#[derive(Debug)]
pub(crate) struct Router<C> {
    computation: C,
    waiting: Box<dyn QueueDiscipline>,
}

impl<C: Computation> Router<C> {
    /// Creates a router with `computation` whose packets wait in the empty queue `waiting`.
    pub fn new(computation: C, waiting: Box<dyn QueueDiscipline>) -> Self {
        Self { computation, waiting }
    }
}

impl<C: Computation> QueueDiscipline for Router<C> {
    fn enqueue(&mut self, mut packet: Packet, context: &mut Context<'_>) {
        self.computation.on_enqueue(&mut packet, context);
        self.waiting.enqueue(packet, context);
    }

    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet> {
        let mut packet = self.waiting.dequeue(context);
        self.computation.on_dequeue(packet.as_mut(), self.waiting.backlog(), context);
        packet
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn next_wake(&self) -> Option<Time> {
        [self.computation.next_timer(), self.waiting.next_wake()].into_iter().flatten().min()
    }

    fn on_wake(&mut self, context: &mut Context<'_>) {
        self.computation.on_timer(self.waiting.backlog(), context);
        if self.waiting.next_wake().is_some_and(|wake| wake <= context.now) {
            self.waiting.on_wake(context);
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.computation.variables(record);
        self.waiting.observe(record);
    }
}

/// Checks that `limit` is given only without `discipline`, which has a limit of its own; sets `discipline` to DropTail if
/// it is not given.
pub(crate) fn waiting(settings: &mut Settings) -> Result<(), Conflict> {
    if settings.is_given("discipline") && settings.is_given("limit") {
        return Err(Conflict {
            parameter: "limit",
            message: "the discipline has a limit of its own".to_owned(),
            given: None,
            allowed: "discipline.limit".to_owned(),
        });
    }
    settings.or_set("discipline", |settings| {
        Setting::Discipline(Box::new(droptail::with_limit(settings.limit("limit"))))
    });
    settings.clear("limit");
    Ok(())
}
