// SPDX-License-Identifier: Apache-2.0
//! Queue disciplines: each decides which packet waits, which is dropped or marked, and which leaves next.
//!
//! A discipline never sees the link: it is notified of arrivals and of the times at which the link can take a packet. It
//! can lose or mark a packet only through its [`Context`], so that *arrived = sent + dropped + queued* can be checked
//! after every run.
//!
//! ```
//! use narrows_qdisc::{Context, Discipline, DropReason, Scale, Tap, catalogue};
//! use narrows_units::{Bytes, Rate, Span, Time};
//! use narrows_wire::Packet;
//!
//! #[derive(Default)]
//! struct Dropped(u64);
//!
//! impl Tap for Dropped {
//!     fn dropped(&mut self, _packet: &Packet, _reason: DropReason) {
//!         self.0 += 1;
//!     }
//!
//!     fn marked(&mut self, _packet: &Packet) {}
//! }
//!
//! let rate = Rate::from_bps(1_200_000);
//! let scale = Scale::new(rate, Span::from_ms(40), Bytes::new(1500));
//! let mut queue = Discipline::new(catalogue::find("codel").expect("a queue"), scale, Vec::new())?.build();
//! let mut tap = Dropped::default();
//! // 100 packets arrive at once, and one leaves every 10 ms: after 100 ms above its target of 5 ms, CoDel begins to drop.
//! for number in 0..100 {
//!     let packet = Packet { number, size: 1500, ..Packet::EMPTY };
//!     queue.enqueue(packet, &mut Context::new(Time::ZERO, rate, &mut || 0.5, &mut tap));
//! }
//! for count in 0..50 {
//!     let now = Time::ZERO + Span::from_ms(10 * count);
//!     queue.dequeue(&mut Context::new(now, rate, &mut || 0.5, &mut tap));
//! }
//! assert!(tap.0 > 0);
//! # Ok::<(), narrows_qdisc::Conflict>(())
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod adpm;
pub mod cake;
pub mod catalogue;
mod classes;
pub mod codel;
pub mod decbit;
mod discipline;
pub mod droptail;
pub mod drr;
pub mod dualpi2;
mod fair;
mod fifo;
pub mod fq;
pub mod fq_codel;
pub mod fq_pie;
mod limit;
mod load;
pub mod maxnet;
mod parameters;
mod periodic;
pub mod pi2;
pub mod pie;
pub mod priority;
pub mod quick_start;
pub mod rcp;
pub mod red;
pub mod rio;
mod router;
mod rows;
mod scale;
pub mod source_quench;
pub mod step;
#[cfg(test)]
mod testing;
pub mod vcp;
pub mod xcp;

pub use classes::Classes;
pub use discipline::{Conflict, Discipline, Entry, Given, Order, Setting, Settings};
pub use fifo::Fifo;
pub use limit::{Limit, Threshold, Unit};
pub use scale::Scale;

use core::fmt::Debug;
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Ecn, Packet};

/// A queue in front of a link. It holds waiting packets, never the packet in transmission.
pub trait QueueDiscipline: Send + Debug {
    /// A packet arrives. The discipline may drop it or a waiting packet, and may mark either.
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>);

    /// Returns the packet to be transmitted next. The discipline may drop or mark packets before.
    ///
    /// A link that becomes idle calls this on an empty queue, too: from the `None` on it is idle. `None` while packets
    /// wait means that none of them may leave before the next wake; the link calls again after it.
    fn dequeue(&mut self, context: &mut Context<'_>) -> Option<Packet>;

    /// Returns the number and bytes of the waiting packets.
    fn backlog(&self) -> Backlog;

    /// Returns when [`on_wake`](Self::on_wake) is to be called; `None` for not at all. May change with every call.
    fn next_wake(&self) -> Option<Time> {
        None
    }

    /// The time given by [`next_wake`](Self::next_wake) has been reached.
    fn on_wake(&mut self, _context: &mut Context<'_>) {}

    /// The link has failed: drops all waiting packets.
    fn purge(&mut self, context: &mut Context<'_>) {
        while let Some(packet) = self.dequeue(context) {
            context.drop(&packet, DropReason::Failure);
        }
    }

    /// Calls `record` with name and value of each internal variable that records may hold.
    fn observe(&self, _record: &mut dyn FnMut(&str, f64)) {}
}

/// The packets waiting in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// Number of packets.
    pub packets: u64,
    /// Bytes of these packets on the wire, headers included.
    pub bytes: Bytes,
}

impl Backlog {
    /// Creates a backlog of `packets` packets and `bytes` bytes.
    pub const fn new(packets: u64, bytes: Bytes) -> Self {
        Self { packets, bytes }
    }

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

/// Reason for which a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The packet would have exceeded the buffer limit.
    Overflow,
    /// The discipline dropped it to signal congestion before the buffer was full.
    Early,
    /// The link has failed.
    Failure,
}

/// Receives the drops and marks of a queue, for records.
pub trait Tap {
    /// The queue dropped `packet` for `reason`.
    fn dropped(&mut self, packet: &Packet, reason: DropReason);
    /// The queue marked `packet`, which now carries CE.
    fn marked(&mut self, packet: &Packet);
}

/// The interface of a discipline to its link during a call: what it may read and do.
#[non_exhaustive]
pub struct Context<'a> {
    /// Current time.
    pub now: Time,
    /// Current rate of the link.
    pub rate: Rate,
    /// Draws from the queue's own random stream, uniformly from [0, 1).
    pub uniform: &'a mut dyn FnMut() -> f64,
    /// Receives drops and marks.
    pub tap: &'a mut dyn Tap,
}

impl<'a> Context<'a> {
    /// Creates the context of a call at `now`, on a link with this rate.
    #[inline]
    pub fn new(now: Time, rate: Rate, uniform: &'a mut dyn FnMut() -> f64, tap: &'a mut dyn Tap) -> Self {
        Self { now, rate, uniform, tap }
    }

    /// Drops `packet` for `reason`.
    pub fn drop(&mut self, packet: &Packet, reason: DropReason) {
        self.tap.dropped(packet, reason);
    }

    /// Sets CE on `packet`, which must be ECN-capable (RFC 3168 §5).
    pub fn mark(&mut self, packet: &mut Packet) {
        debug_assert!(packet.ecn.is_capable(), "only an ECN-capable packet can be marked");
        packet.ecn = Ecn::Ce;
        self.tap.marked(packet);
    }
}
