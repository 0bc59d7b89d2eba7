// SPDX-License-Identifier: Apache-2.0
//! The spacing of datagrams: each may be sent one packet time, at the present rate, after the previous one was due.
//!
//! The present rate applies, not the rate at the last transmission, so that a waiting packet is sent earlier when the
//! rate rises (RFC 5348 §4.6). Delays are not made up for.

use narrows_units::{Bytes, Rate, Time};

/// The spacing of one flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spacing {
    /// Time at which the last packet was due, and its size; `None` before the first.
    last: Option<(Time, Bytes)>,
    /// Time at which the next packet may be sent; `Time::NEVER` unless the rate delays one.
    deadline: Time,
}

impl Default for Spacing {
    fn default() -> Self {
        Self { last: None, deadline: Time::NEVER }
    }
}

impl Spacing {
    /// Returns when the next packet may be sent; `Time::NEVER` unless the rate delays one.
    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }

    /// Delays the next packet until `deadline`; `Time::NEVER` ends the delay.
    pub(super) fn delay_until(&mut self, deadline: Time) {
        self.deadline = deadline;
    }

    /// Returns when the next packet may be sent at `rate`, with `burst` bytes at once. A time in the past means now.
    pub(super) fn next_send(&self, rate: Rate, burst: Bytes) -> Time {
        let Some((due, size)) = self.last else { return Time::ZERO };
        if rate == Rate::ZERO {
            return Time::NEVER;
        }
        let gap = rate.time_for(size).as_ps();
        let allowance = rate.time_for(burst.saturating_sub(size)).as_ps();
        Time::from_ps(due.as_ps().saturating_add(gap).saturating_sub(allowance))
    }

    /// A packet of `size` is sent at the given rate.
    pub(super) fn on_sent(&mut self, rate: Rate, size: Bytes, now: Time) {
        let due = self.last.map_or(now, |(due, size)| now.max(due + rate.time_for(size)));
        self.last = Some((due, size));
    }
}

#[cfg(test)]
mod tests {
    use super::Spacing;
    use narrows_units::{Bytes, Rate, Span, Time};

    #[test]
    fn a_waiting_packet_is_sent_by_the_new_rate() {
        let mut spacing = Spacing::default();
        let (size, slow, fast) = (Bytes::new(1000), Rate::from_bps(8_000), Rate::from_bps(80_000));
        assert!(spacing.next_send(slow, size) <= Time::ZERO);
        spacing.on_sent(slow, size, Time::ZERO);
        assert_eq!(spacing.next_send(slow, size), Time::ZERO + Span::from_ms(1_000));
        assert_eq!(spacing.next_send(fast, size), Time::ZERO + Span::from_ms(100));
    }

    #[test]
    fn idle_time_is_not_made_up_for_and_a_burst_is_sent_at_once() {
        let mut spacing = Spacing::default();
        let (size, rate) = (Bytes::new(1000), Rate::from_bps(8_000_000));
        let now = Time::ZERO + Span::from_ms(50);
        spacing.on_sent(rate, size, Time::ZERO);
        for _ in 0..3 {
            assert!(spacing.next_send(rate, size * 3) <= now);
            spacing.on_sent(rate, size, now);
        }
        assert_eq!(spacing.next_send(rate, size * 3), now + Span::from_ms(1));
    }
}
