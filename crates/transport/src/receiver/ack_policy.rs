//! Delayed acknowledgements (RFC 1122 §4.2.3.2, RFC 5681 §4.2).
//!
//! An ACK is sent every `delayed_ack` segments in order, or `delayed_ack_timeout` after the first of them. It is sent
//! at once for a segment out of order, one that fills a hole, a duplicate, a change of the congestion mark (RFC 8257
//! §3.2) and the end of a transfer.
//!
//! With `quick_ack` young connections acknowledge as Linux does: a count of quick ACKs starts at 16, each segment
//! covered by an ACK lowers it, and no ACK is delayed while it is positive. Each segment that raises the advertised
//! window sets the count to at least one (`buffer.rs`).

use super::buffer::BufferGrowth;
use crate::TransportOptions;
use narrows_units::{Span, Time};

/// The ACK policy of one receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckPolicy {
    /// Segments per acknowledgement.
    every: u32,
    /// The longest delay of an acknowledgement.
    timeout: Span,
    /// The number of segments that are acknowledged without delay.
    quick: u32,
    /// The buffer whose growth raises `quick`; `None` without `quick_ack` and before the connection is accepted.
    buffer: Option<BufferGrowth>,
    quick_ack: bool,
    /// The number of segments received and not acknowledged.
    held: u32,
    /// When these are acknowledged; `Time::NEVER` if there are none.
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

    /// The connection was accepted, `round_trip` after the SYN-ACK was sent.
    pub(super) fn on_accepted(&mut self, now: Time, round_trip: Span) {
        self.buffer = self.quick_ack.then(|| BufferGrowth::new(now, round_trip));
    }

    /// A segment arrived. Returns whether to acknowledge it now; `urgent` for anything but plain data in order.
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

    /// An acknowledgement is sent.
    pub(super) fn on_sent(&mut self) {
        self.quick = self.quick.saturating_sub(self.held.max(1));
        self.held = 0;
        self.deadline = Time::NEVER;
    }

    /// An acknowledgement is delayed.
    pub(super) fn holds(&self) -> bool {
        self.held > 0
    }

    /// When the delayed acknowledgement is sent; `Time::NEVER` if none is delayed.
    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }
}

/// Linux's `TCP_MAX_QUICKACKS`.
const MAX_QUICK_ACKS: u32 = 16;
