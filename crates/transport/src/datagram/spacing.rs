//! When the next datagram may leave: one packet's time at the present rate after the last one was due.
//!
//! The rate of now counts, not that of the last departure, so a packet that waits leaves earlier when the rate rises
//! (RFC 5348 §4.6). Lateness is not made up for.

use narrows_units::{Bytes, Rate, Time};

/// The last departure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spacing {
    /// When it was due, and its size; `None` before the first.
    last: Option<(Time, Bytes)>,
}

impl Spacing {
    /// When the next packet may leave at `rate`, with `burst` bytes at once; a past time means at once.
    pub(super) fn next_send(&self, rate: Rate, burst: Bytes) -> Time {
        let Some((due, size)) = self.last else { return Time::ZERO };
        if rate == Rate::ZERO {
            return Time::NEVER;
        }
        let gap = rate.time_for(size).as_ps();
        let allowance = rate.time_for(burst.saturating_sub(size)).as_ps();
        Time::from_ps(due.as_ps().saturating_add(gap).saturating_sub(allowance))
    }

    /// A packet of `size` leaves now; the rate is `rate`.
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
    fn a_waiting_packet_leaves_by_the_new_rate() {
        let mut spacing = Spacing::default();
        let (size, slow, fast) = (Bytes::new(1000), Rate::from_bps(8_000), Rate::from_bps(80_000));
        assert!(spacing.next_send(slow, size) <= Time::ZERO);
        spacing.on_sent(slow, size, Time::ZERO);
        assert_eq!(spacing.next_send(slow, size), Time::ZERO + Span::from_ms(1_000));
        assert_eq!(spacing.next_send(fast, size), Time::ZERO + Span::from_ms(100));
    }

    #[test]
    fn silence_is_not_made_up_for_and_a_burst_leaves_at_once() {
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
