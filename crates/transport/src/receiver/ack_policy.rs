//! When to acknowledge (RFC 1122 §4.2.3.2, RFC 5681 §4.2).
//!
//! Every `delayed_ack` segments in order, or `delayed_ack_timeout` after the first of them; at once for a segment out of
//! order, one that fills a hole, a duplicate, a change of the congestion mark (RFC 8257 §3.2), and the end of a
//! transfer.
//!
//! With `quick_ack` also as Linux while the connection is young: a count of quick ACKs starts at 16, each segment that
//! an ACK covers lowers it, and none is held back while it lasts; each segment that raises the announced window keeps
//! the count at one at least (`buffer.rs`).

use super::buffer::BufferGrowth;
use crate::TransportOptions;
use narrows_units::{Span, Time};

/// The policy of one receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckPolicy {
    /// Segments per acknowledgement.
    every: u32,
    /// The longest an acknowledgement is held back.
    timeout: Span,
    /// Segments that may still be acknowledged at once.
    quick: u32,
    /// What makes more of them; `None` without `quick_ack` and before the connection is accepted.
    buffer: Option<BufferGrowth>,
    quick_ack: bool,
    /// Segments received and not acknowledged.
    held: u32,
    deadline: Time,
}

impl AckPolicy {
    pub(super) fn new(options: &TransportOptions) -> Self {
        Self {
            every: options.delayed_ack.max(1),
            timeout: options.delayed_ack_timeout,
            quick: if options.quick_ack { MAX_QUICK_ACKS } else { 0 },
            buffer: None,
            quick_ack: options.quick_ack,
            held: 0,
            deadline: Time::NEVER,
        }
    }

    /// The connection was accepted, `round_trip` after the SYN-ACK.
    pub(super) fn on_accepted(&mut self, now: Time, round_trip: Span) {
        self.buffer = self.quick_ack.then(|| BufferGrowth::new(now, round_trip));
    }

    /// A segment arrived: acknowledge now? `urgent` for all but plain data in order.
    #[inline]
    pub(super) fn on_segment(&mut self, urgent: bool, now: Time) -> bool {
        self.held += 1;
        if !urgent && self.buffer.as_mut().is_some_and(|buffer| buffer.on_segment(now)) {
            self.quick |= 1;
        }
        if urgent || self.held >= self.every || self.quick > 0 {
            return true;
        }
        self.deadline = self.deadline.min(now + self.timeout);
        false
    }

    /// An acknowledgement leaves.
    pub(super) fn on_sent(&mut self) {
        self.quick = self.quick.saturating_sub(self.held.max(1));
        self.held = 0;
        self.deadline = Time::NEVER;
    }

    /// Segments wait for an acknowledgement.
    pub(super) fn holds(&self) -> bool {
        self.held > 0
    }

    /// When what is held must be acknowledged.
    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }
}

/// Linux's `TCP_MAX_QUICKACKS`.
const MAX_QUICK_ACKS: u32 = 16;
