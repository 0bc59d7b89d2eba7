//! When to acknowledge (RFC 1122 §4.2.3.2, RFC 5681 §4.2).
//!
//! Every `delayed_ack` segments in order, or `delayed_ack_timeout` after the first of them; at once for a segment out of
//! order, one that fills a hole, a duplicate, a change of the congestion mark (RFC 8257 §3.2), and the end of a
//! transfer.

use crate::TransportOptions;
use narrows_units::{Span, Time};

/// The policy of one receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckPolicy {
    /// Segments per acknowledgement.
    every: u32,
    /// The longest an acknowledgement is held back.
    timeout: Span,
    /// Segments that may still be acknowledged at once while the connection is young.
    quick: u32,
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
            held: 0,
            deadline: Time::NEVER,
        }
    }

    /// A segment arrived: acknowledge now? `urgent` for all but plain data in order.
    pub(super) fn on_segment(&mut self, urgent: bool, now: Time) -> bool {
        self.held += 1;
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
