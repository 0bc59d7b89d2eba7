//! Spaces packets at a rate: a leaky bucket kept as the time at which it would be empty (the virtual scheduling form of
//! the generic cell rate algorithm, ITU-T I.371).
//!
//! `due ← max(due, now) + size/rate`; once `due ≤ now`, up to `burst` bytes may leave together, and the next wait until
//! all of them are paid for, as Linux hands segments to the device. The division's remainder is carried over, so that
//! the rate is exact.
//!
//! A flow that is told to pace without a rate from its algorithm takes Linux's: `2 w/SRTT` while `w < ssthresh/2`,
//! else `1.2 w/SRTT` (`tcp_update_pacing_rate`). Rates count payload.

use narrows_units::{Bytes, Rate, Span, Time};

/// The bucket of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacer {
    /// When the bucket is empty.
    due: Time,
    /// What the last division left over, in units of 1/rate picoseconds.
    remainder: u64,
    /// The rate of that division.
    rate: Rate,
    /// Bytes that may still leave together, at this time and at no other.
    group: (Time, Bytes),
}

impl Pacer {
    /// When a packet of `size` may leave if the rate is `rate`; a past time means at once.
    pub(crate) fn next_send(&self, rate: Rate, size: Bytes, now: Time) -> Time {
        if rate == Rate::ZERO {
            return Time::NEVER;
        }
        if self.joins(size, now) { now } else { self.due }
    }

    /// A packet of `size` leaves now, with those that make up `burst` bytes.
    pub(crate) fn on_sent(&mut self, rate: Rate, size: Bytes, burst: Bytes, now: Time) {
        let room = if self.joins(size, now) { self.group.1 } else { burst };
        self.group = (now, room.saturating_sub(size));
        if rate != self.rate || self.due < now {
            self.remainder = 0;
            self.rate = rate;
        }
        let bits = u128::from(size.bits()) * PICOSECONDS_PER_SECOND + u128::from(self.remainder);
        let per_second = u128::from(rate.as_bps().max(1));
        self.remainder = (bits % per_second) as u64;
        let gap = Span::from_ps(u64::try_from(bits / per_second).unwrap_or(u64::MAX));
        self.due = self.due.max(now) + gap;
    }

    /// A packet of `size` belongs to the group that leaves now.
    fn joins(&self, size: Bytes, now: Time) -> bool {
        self.group.0 == now && self.group.1 >= size
    }

    /// Forgets what was sent: the next packet may leave at once.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}

/// The rate at which Linux paces `window` packets of `mss` when the algorithm names none.
pub(crate) fn default_rate(window: f64, ssthresh: Option<f64>, mss: Bytes, smoothed_rtt: Span) -> Rate {
    let slow_start = ssthresh.is_some_and(|ssthresh| window < ssthresh / 2.0);
    let gain = if slow_start { SLOW_START_GAIN } else { AVOIDANCE_GAIN };
    Rate::from_bps_f64(gain * window * mss.bits() as f64 / smoothed_rtt.as_secs_f64())
}

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;
/// `net.ipv4.tcp_pacing_ss_ratio`, 200 %.
const SLOW_START_GAIN: f64 = 2.0;
/// `net.ipv4.tcp_pacing_ca_ratio`, 120 %.
const AVOIDANCE_GAIN: f64 = 1.2;

#[cfg(test)]
mod tests {
    use super::{Pacer, default_rate};
    use narrows_units::{Bytes, Rate, Span, Time};

    #[test]
    fn a_million_packets_do_not_drift() {
        let (rate, size) = (Rate::from_bps(7_000_003), Bytes::new(1448));
        let mut pacer = Pacer::default();
        let mut now = Time::ZERO;
        for _ in 0..1_000_000 {
            now = now.max(pacer.next_send(rate, size, now));
            pacer.on_sent(rate, size, size, now);
        }
        let exact = u128::from(size.bits()) * 1_000_000 * 1_000_000_000_000 / 7_000_003;
        assert_eq!(u128::from(pacer.due.as_ps()), exact);
    }

    #[test]
    fn a_burst_leaves_together_and_the_next_waits_until_it_is_paid_for() {
        let (rate, size) = (Rate::from_bps(8_000_000), Bytes::new(1000));
        let mut pacer = Pacer::default();
        let now = Time::ZERO + Span::from_ms(5);
        for _ in 0..3 {
            assert!(pacer.next_send(rate, size, now) <= now);
            pacer.on_sent(rate, size, size * 3, now);
        }
        assert_eq!(pacer.next_send(rate, size, now), now + Span::from_ms(3));
    }

    #[test]
    fn linux_paces_twice_the_window_in_slow_start_and_a_fifth_more_later() {
        let rate = |ssthresh| default_rate(100.0, ssthresh, Bytes::new(1000), Span::from_ms(100)).as_bps();
        assert_eq!(rate(Some(f64::INFINITY)), 16_000_000);
        assert_eq!(rate(Some(150.0)), 9_600_000);
        assert_eq!(rate(None), 9_600_000);
    }

    #[test]
    fn rate_zero_never_sends() {
        assert_eq!(Pacer::default().next_send(Rate::ZERO, Bytes::new(1), Time::ZERO), Time::NEVER);
    }
}
