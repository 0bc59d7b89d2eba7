//! Queue disciplines: each decides which packet waits, which is dropped or marked, and which leaves next.
//!
//! A discipline never sees the link: it is told of arrivals and of the moments at which the link can take a packet. It
//! can lose or mark a packet only through its [`Context`], so that *arrived = sent + dropped + queued* can be checked
//! after every run.

pub mod catalogue;
mod classes;
pub mod codel;
mod discipline;
pub mod droptail;
pub mod drr;
pub mod dualpi2;
mod fifo;
pub mod fq_codel;
mod limit;
mod parameters;
pub mod pie;
pub mod priority;
pub mod quick_start;
pub mod rcp;
pub mod red;
pub mod rio;
mod router;
mod rows;
mod scale;
pub mod step;
#[cfg(test)]
mod testing;
pub mod xcp;

pub use classes::Classes;
pub use discipline::{Conflict, Discipline, Entry, Given, Setting, Settings};
pub use fifo::Fifo;
pub use limit::{Limit, Threshold, Unit};
pub use scale::Scale;

use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Ecn, Packet};
use std::fmt::Debug;

/// A queue in front of a link. It holds what waits, never the packet in transmission.
pub trait QueueDiscipline: Send + Debug {
    /// A packet arrived. The discipline may drop it or one that waits, and may mark.
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>);

    /// The link can take a packet. The discipline may drop or mark at the head.
    ///
    /// A link that becomes free asks an empty queue too: the `None` is where its idle time begins. `None` while packets
    /// wait means that none of them may leave before the next wake; the link asks again after it.
    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet>;

    /// What waits.
    fn backlog(&self) -> Backlog;

    /// When [`on_wake`](Self::on_wake) wants to be called; may change after every call.
    fn next_wake(&self) -> Option<Time> {
        None
    }

    /// The time given by [`next_wake`](Self::next_wake) has come.
    fn on_wake(&mut self, _context: &mut Context<'_>) {}

    /// The link has failed: what waits is lost.
    fn purge(&mut self, context: &mut Context<'_>) {
        while let Some(packet) = self.dequeue(context) {
            context.drop(&packet, DropReason::Failure);
        }
    }

    /// Inner variables by name, for records only.
    fn observe(&self, _tell: &mut dyn FnMut(&str, f64)) {}
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Their bytes on the wire.
    pub bytes: Bytes,
}

impl Backlog {
    /// A packet of `size` joins.
    pub(crate) fn add(&mut self, size: Bytes) {
        self.packets += 1;
        self.bytes += size;
    }

    /// A packet of `size` leaves.
    pub(crate) fn remove(&mut self, size: Bytes) {
        self.packets -= 1;
        self.bytes -= size;
    }
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The limit would have been exceeded.
    Overflow,
    /// The discipline dropped early, to signal congestion.
    Early,
    /// The link has failed.
    Failure,
}

/// Counts what a queue does to packets.
pub trait Tap {
    /// `packet` is gone.
    fn dropped(&mut self, packet: &Packet, reason: DropReason);
    /// `packet` now carries a congestion mark.
    fn marked(&mut self, packet: &Packet);
}

/// What a discipline may know and do during a call.
pub struct Context<'a> {
    /// Now.
    pub now: Time,
    /// The rate at which the link serves, for disciplines that think in time.
    pub rate: Rate,
    /// Draws from the queue's own random stream, uniform in [0, 1).
    pub uniform: &'a mut dyn FnMut() -> f64,
    /// Where drops and marks are counted.
    pub tap: &'a mut dyn Tap,
}

impl Context<'_> {
    /// Drops `packet`.
    pub fn drop(&mut self, packet: &Packet, reason: DropReason) {
        self.tap.dropped(packet, reason);
    }

    /// Marks `packet` as having met congestion. It must be ECN-capable.
    pub fn mark(&mut self, packet: &mut Packet) {
        debug_assert!(packet.ecn.is_capable(), "only an ECN-capable packet can be marked");
        packet.ecn = Ecn::Ce;
        self.tap.marked(packet);
    }
}
