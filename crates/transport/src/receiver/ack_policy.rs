// SPDX-License-Identifier: Apache-2.0
//! Delayed acknowledgements (RFC 1122 §4.2.3.2, RFC 5681 §4.2).
//!
//! An ACK is sent every `delayed_ack` segments in order, or `delayed_ack_timeout` after the first of them. It is sent
//! at once for a segment out of order, one that fills a hole, a duplicate, a change of the congestion mark (RFC 8257
//! §3.2) and the end of a transfer.
//!
//! Receive offload passes up to `receive_offload` segments in order on as one, at most `receive_offload_timeout` after the first
//! of them: only then they are counted, so that one ACK covers all of them.
//!
//! With `quick_ack` young connections acknowledge as Linux does: a count of quick ACKs starts at 16, each segment
//! covered by an ACK lowers it, and no ACK is delayed while it is positive. Each segment that raises the advertised
//! window sets the count to at least one (`buffer.rs`). The first segment after a pause that is longer than the receiver's own
//! retransmission timeout sets it to 16 again, since the sender may start anew (`tcp_event_data_recv`); that timeout follows
//! from the round trip of the handshake alone.

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
    /// Time at which the cumulative acknowledgement last advanced.
    advanced_at: Time,
    /// The pause after which the sender may start anew.
    long_pause: Span,
    /// The number of segments received and not acknowledged.
    held: u32,
    /// Time at which these are acknowledged; `Time::NEVER` if there are none.
    deadline: Time,
    /// Most segments that are passed on as one.
    aggregate: u32,
    /// Maximum time for which a segment waits to be aggregated with others.
    aggregation: Span,
    /// The number of segments that wait so.
    gathered: u32,
    /// Time at which these are passed on; `Time::NEVER` if there are none.
    flush: Time,
}

impl AckPolicy {
    pub(super) fn new(options: &TransportOptions) -> Self {
        Self {
            every: options.delayed_ack.max(1),
            timeout: options.delayed_ack_timeout,
            quick: if options.quick_ack { MAX_QUICK_ACKS } else { 0 },
            buffer: None,
            quick_ack: options.quick_ack,
            advanced_at: Time::NEVER,
            long_pause: Span::ZERO,
            held: 0,
            deadline: Time::NEVER,
            aggregate: options.receive_offload,
            aggregation: options.receive_offload_timeout,
            gathered: 0,
            flush: Time::NEVER,
        }
    }

    /// The connection was accepted, `round_trip` after the SYN-ACK was sent.
    pub(super) fn on_accepted(&mut self, now: Time, round_trip: Span) {
        self.buffer = self.quick_ack.then(|| BufferGrowth::new(now, round_trip));
        // SRTT + max(200 ms, 4 RTTVAR) after a single sample (RFC 6298 §2.2).
        self.long_pause = round_trip + (round_trip * 2).max(LEAST_MARGIN);
    }

    /// A segment arrived. Returns whether to acknowledge it now; `urgent` for anything but plain data in order; `advances`: the
    /// cumulative acknowledgement advances.
    #[inline]
    pub(super) fn on_segment(&mut self, urgent: bool, advances: bool, now: Time) -> bool {
        self.held += 1;
        if advances && self.quick_ack {
            if now.since(self.advanced_at) > self.long_pause {
                self.quick = self.quick.max(MAX_QUICK_ACKS);
            }
            self.advanced_at = now;
        }
        if !urgent && self.buffer.as_mut().is_some_and(|buffer| buffer.on_segment(now)) {
            self.quick |= 1;
        }
        if self.aggregate > 1 && !urgent && self.gathers(now) {
            return false;
        }
        self.decide(urgent, now)
    }

    /// Whether the segments received are acknowledged at `now`; a delayed acknowledgement is scheduled otherwise.
    #[inline]
    fn decide(&mut self, urgent: bool, now: Time) -> bool {
        if urgent || self.held >= self.every || self.quick > 0 {
            return true;
        }
        self.deadline = self.deadline.min(now + self.timeout);
        false
    }

    /// Whether a segment in order waits for others to be passed on with; the last of them does not.
    #[cold]
    fn gathers(&mut self, now: Time) -> bool {
        self.gathered += 1;
        if self.gathered == 1 {
            self.flush = now + self.aggregation;
        }
        let waits = self.gathered < self.aggregate;
        if !waits {
            (self.gathered, self.flush) = (0, Time::NEVER);
        }
        waits
    }

    /// A timer may have expired. Returns whether to send an acknowledgement.
    pub(super) fn on_deadline(&mut self, now: Time) -> bool {
        if now >= self.deadline {
            return true;
        }
        if now < self.flush {
            return false;
        }
        (self.gathered, self.flush) = (0, Time::NEVER);
        self.decide(false, now)
    }

    /// An acknowledgement is sent.
    pub(super) fn on_sent(&mut self) {
        self.quick = self.quick.saturating_sub(self.held.max(1));
        self.held = 0;
        self.deadline = Time::NEVER;
        (self.gathered, self.flush) = (0, Time::NEVER);
    }

    /// Whether an acknowledgement is delayed.
    pub(super) fn holds(&self) -> bool {
        self.held > 0
    }

    /// Returns when the delayed acknowledgement is sent, or the segments are passed on that wait for others;
    /// `Time::NEVER` for neither.
    pub(super) fn deadline(&self) -> Time {
        self.deadline.min(self.flush)
    }
}

/// Linux's `TCP_MAX_QUICKACKS`.
const MAX_QUICK_ACKS: u32 = 16;
/// Linux's `TCP_RTO_MIN`.
const LEAST_MARGIN: Span = Span::from_ms(200);

#[cfg(test)]
mod tests {
    use super::AckPolicy;
    use crate::TransportOptions;
    use narrows_units::{Span, Time};

    /// The timeout of a receiver with a round trip of 100 ms is 300 ms.
    #[test]
    fn the_first_segment_after_a_long_pause_is_acknowledged_at_once() {
        for (quick_ack, pause, at_once) in [(true, 301, true), (true, 299, false), (false, 301, false)] {
            let mut policy = AckPolicy::new(&TransportOptions { quick_ack, ..TransportOptions::default() });
            let mut now = Time::ZERO;
            policy.on_accepted(now, Span::from_ms(100));
            for _ in 0..3_000 {
                now += Span::from_ms(1);
                if policy.on_segment(false, true, now) {
                    policy.on_sent();
                }
            }
            if policy.holds() {
                policy.on_sent();
            }
            now += Span::from_ms(pause);
            assert_eq!(policy.on_segment(false, true, now), at_once, "{quick_ack} {pause}");
        }
    }
}
