// SPDX-License-Identifier: Apache-2.0
//! The pacer: spaces packets at a rate by a leaky bucket, stored as the time at which the bucket is empty (the virtual
//! scheduling form of the generic cell rate algorithm, ITU-T I.371).
//!
//! Each packet sets `due ← max(due, now) + size/rate`. Once `due ≤ now`, up to `burst` bytes may be sent at once, and
//! the next packet waits until their time has passed, as when Linux passes segments to the device. The remainder of the
//! division is carried over, so that the rate is exact.
//!
//! With *credit*, a pause in which the bucket was empty shortens the gaps after the packets of the burst that ends the pause,
//! each gap by at most half, until the shortenings add up to the pause (Linux 6.12 `net/ipv4/tcp_output.c`,
//! `tcp_update_skb_after_send`).
//!
//! A flow that is paced although its algorithm sets no rate uses Linux's: `2 cwnd/SRTT` while `cwnd < ssthresh/2`, else
//! `1.2 cwnd/SRTT` (`tcp_update_pacing_rate`). Rates count payload.

use narrows_units::{Bytes, Rate, Span, Time};

/// The pacer of one flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    /// Time at which the next packet may be sent; `Time::NEVER` unless the pacer delays one.
    deadline: Time,
    /// Time at which the bucket is empty.
    due: Time,
    /// The remainder of the last division, in units of 1/rate picoseconds.
    remainder: u64,
    /// The rate of that division.
    rate: Rate,
    /// The time of the last burst, and the bytes that may still be sent at that time.
    burst: (Time, Bytes),
    /// The part of the pause before that burst by which no gap has been shortened yet.
    pause: Span,
}

impl Default for Pacer {
    fn default() -> Self {
        Self {
            deadline: Time::NEVER,
            due: Time::ZERO,
            remainder: 0,
            rate: Rate::ZERO,
            burst: (Time::ZERO, Bytes::ZERO),
            pause: Span::ZERO,
        }
    }
}

impl Pacer {
    /// Returns when the next packet may be sent; `Time::NEVER` unless the pacer delays one.
    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        self.deadline
    }

    /// Returns when the gap behind the last packet ends.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        self.due
    }

    /// Delays the next packet until `deadline`; `Time::NEVER` ends the delay.
    #[inline]
    pub(crate) fn delay_until(&mut self, deadline: Time) {
        self.deadline = deadline;
    }

    /// Returns when a packet of `size` may be sent at the given rate. A time in the past means now.
    pub(crate) fn next_send(&self, rate: Rate, size: Bytes, now: Time) -> Time {
        if rate == Rate::ZERO {
            return Time::NEVER;
        }
        if self.is_in_burst(size, now) { now } else { self.due }
    }

    /// A packet of `size` is sent at the given rate; up to `burst` bytes may be sent at once. With `credit`, a pause before it
    /// shortens the gap after it.
    pub(crate) fn on_sent(&mut self, rate: Rate, size: Bytes, burst: Bytes, credit: bool, now: Time) {
        let continues = self.is_in_burst(size, now);
        let allowance = if continues { self.burst.1 } else { burst };
        self.burst = (now, allowance.saturating_sub(size));
        if credit && !continues {
            self.pause = now.since(self.due);
        }
        if rate != self.rate || self.due < now {
            self.remainder = 0;
            self.rate = rate;
        }
        let bits = u128::from(size.bits()) * PICOSECONDS_PER_SECOND + u128::from(self.remainder);
        let per_second = u128::from(rate.as_bps().max(1));
        self.remainder = (bits % per_second) as u64;
        let gap = Span::from_ps(u64::try_from(bits / per_second).unwrap_or(u64::MAX));
        let taken = self.pause.min(gap / 2);
        self.pause = self.pause - taken;
        self.due = self.due.max(now) + (gap - taken);
    }

    /// A packet of `size` fits the burst that is sent at `now`.
    fn is_in_burst(&self, size: Bytes, now: Time) -> bool {
        self.burst.0 == now && self.burst.1 >= size
    }

    /// Empties the bucket: the next packet may be sent at once.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}

/// Returns the pacing rate of Linux for a window of `window` packets with a payload of `mss`, if the algorithm sets no
/// rate.
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
    fn the_rate_is_exact_over_a_million_packets() {
        let (rate, size) = (Rate::from_bps(7_000_003), Bytes::new(1448));
        let mut pacer = Pacer::default();
        let mut now = Time::ZERO;
        for _ in 0..1_000_000 {
            now = now.max(pacer.next_send(rate, size, now));
            pacer.on_sent(rate, size, size, false, now);
        }
        let exact = u128::from(size.bits()) * 1_000_000 * 1_000_000_000_000 / 7_000_003;
        assert_eq!(u128::from(pacer.due.as_ps()), exact);
    }

    #[test]
    fn a_burst_is_sent_at_once_and_delays_the_next_packet_by_its_duration() {
        let (rate, size) = (Rate::from_bps(8_000_000), Bytes::new(1000));
        let mut pacer = Pacer::default();
        let now = Time::ZERO + Span::from_ms(5);
        for _ in 0..3 {
            assert!(pacer.next_send(rate, size, now) <= now);
            pacer.on_sent(rate, size, size * 3, false, now);
        }
        assert_eq!(pacer.next_send(rate, size, now), now + Span::from_ms(3));
    }

    #[test]
    fn with_credit_a_pause_shortens_the_gap_behind_it_by_up_to_half() {
        let (rate, size) = (Rate::from_bps(8_000_000), Bytes::new(1000));
        // Two packets at once have a gap of 2 ms behind them, of which a pause of 5 ms takes half, and one of 100 us itself.
        for (credit, pause, gap) in [
            (true, Span::from_ms(5), Span::from_ms(1)),
            (true, Span::from_us(100), Span::from_us(1900)),
            (false, Span::from_ms(5), Span::from_ms(2)),
        ] {
            let mut pacer = Pacer::default();
            pacer.on_sent(rate, size, size, credit, Time::ZERO);
            let now = Time::ZERO + Span::from_ms(1) + pause;
            for _ in 0..2 {
                assert_eq!(pacer.next_send(rate, size, now).max(now), now);
                pacer.on_sent(rate, size, size * 2, credit, now);
            }
            assert_eq!(pacer.next_send(rate, size, now), now + gap);
        }
    }

    #[test]
    fn linux_paces_at_twice_the_window_in_slow_start_and_at_1_2_windows_later() {
        let rate = |ssthresh| default_rate(100.0, ssthresh, Bytes::new(1000), Span::from_ms(100)).as_bps();
        assert_eq!(rate(Some(f64::INFINITY)), 16_000_000);
        assert_eq!(rate(Some(150.0)), 9_600_000);
        assert_eq!(rate(None), 9_600_000);
    }

    #[test]
    fn at_rate_zero_no_packet_may_be_sent() {
        assert_eq!(Pacer::default().next_send(Rate::ZERO, Bytes::new(1), Time::ZERO), Time::NEVER);
    }
}
