// SPDX-License-Identifier: Apache-2.0
//! CoDel's law: from the time that packets waited to signals.
//!
//! ```text
//! above       sojourn ≥ target and more than a packet waits behind
//! first       above at every packet for an interval
//! next        interval / √count after the last, count growing by one with each, until not above
//! again       count starts at what it grew by last time if that ended less than 16 intervals ago, else at 1
//! ```
//!
//! A queue that does not react is signalled n times within about 2 √n intervals: the rate grows linearly.

use crate::{Context, DropReason};
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

/// Settings of the control law (RFC 8289 §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// `TARGET`: acceptable standing queueing delay.
    pub target: Span,
    /// `INTERVAL`: time for which the queueing delay may exceed the target before the first signal, about the longest
    /// usual round-trip time. Not zero.
    pub interval: Span,
    /// `maxpacket`: size of the largest packet on the wire. A packet that leaves no more than this behind is never
    /// signalled.
    pub mtu: Bytes,
}

/// The control law: whether packets are being signalled, and the time of the next signal.
#[derive(Clone, Debug, Default)]
pub struct CodelLaw {
    /// Time at which packets will have been above the target for an interval; `None` while they are not.
    first_above: Option<Time>,
    dropping: bool,
    next: Time,
    /// Signals since dropping began, and what it began with.
    count: u32,
    count_at_start: u32,
    /// A packet was dropped: `next` moves on if the one behind it is above the target, too.
    moves: bool,
}

impl CodelLaw {
    /// Returns `count`: number of signals since signalling started, overflow drops included.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether to signal a packet that leaves the queue at `now` after a queueing delay of `sojourn` and leaves
    /// `behind` bytes in it. If the packet is dropped for the signal, the next one is judged at the same `now`; if it
    /// is marked, [`marked`](Self::marked) must be called.
    pub fn judge(&mut self, control: &Control, sojourn: Span, behind: Bytes, now: Time) -> bool {
        let moves = core::mem::take(&mut self.moves);
        if sojourn < control.target || behind <= control.mtu {
            self.emptied();
            return false;
        }
        if now < *self.first_above.get_or_insert(now + control.interval) {
            self.dropping = false;
            return false;
        }
        if !self.dropping {
            self.start(control, now);
            return true;
        }
        if moves {
            self.move_on(control);
        }
        if now < self.next {
            return false;
        }
        self.count += 1;
        self.moves = true;
        true
    }

    /// Records that the last signal was a mark, so that the marked packet leaves the queue.
    pub fn marked(&mut self, control: &Control) {
        if core::mem::take(&mut self.moves) {
            self.move_on(control);
        }
    }

    /// Records that the queue is empty.
    pub fn emptied(&mut self) {
        self.first_above = None;
        self.dropping = false;
        self.moves = false;
    }

    /// Records that `packets` were dropped because the buffer was full. They count as signals.
    pub fn overflowed(&mut self, packets: u32) {
        self.count += packets;
    }

    /// Lets `packet` pass, marked if that is asked for and possible, or drops it.
    pub(crate) fn pass(
        &mut self,
        control: &Control,
        mut packet: Packet,
        behind: Bytes,
        ecn: bool,
        context: &mut Context<'_>,
    ) -> Option<Packet> {
        let sojourn = context.now.since(packet.arrival);
        if !self.judge(control, sojourn, behind, context.now) {
            return Some(packet);
        }
        if ecn && packet.ecn.is_capable() {
            self.marked(control);
            context.mark(&mut packet);
            return Some(packet);
        }
        context.drop(&packet, DropReason::Early);
        None
    }

    fn start(&mut self, control: &Control, now: Time) {
        let grown = self.count.saturating_sub(self.count_at_start);
        let recent = now.since(self.next) < control.interval * RECENT;
        self.count = if grown > 1 && recent { grown } else { 1 };
        self.count_at_start = self.count;
        self.dropping = true;
        self.next = now;
        self.move_on(control);
    }

    fn move_on(&mut self, control: &Control) {
        self.next += control.interval.scaled(1.0 / f64::from(self.count).sqrt());
    }
}

/// Intervals for which the rate of signals is remembered (RFC 8289; `codel_impl.h`).
const RECENT: u64 = 16;
