// SPDX-License-Identifier: Apache-2.0
//! Monitor intervals: times in which a sender keeps its rate, and what happened to the packets of each.

use alloc::collections::VecDeque;
use narrows_units::{Bytes, Span, Time};

/// What happened to the packets of a monitor interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Rate in the interval, Mbps of payload.
    pub rate: f64,
    /// Share of its packets that were lost, 0 to 1.
    pub loss: f64,
    /// Slope of the round-trip time over the time at which packets were sent, seconds per second.
    pub rtt_slope: f64,
}

/// A monitor interval, some of whose packets may be in flight.
#[derive(Clone, Debug)]
struct Interval {
    number: u64,
    rate: f64,
    start: Time,
    end: Time,
    sent: u64,
    acked: u64,
    lost: u64,
    /// Payload sent, Mbit.
    payload: f64,
    line: Line,
}

impl Interval {
    /// Whether the interval used its rate: neither the application, the receiver nor the window limited the sender.
    fn is_full(&self) -> bool {
        self.payload >= FULL * self.rate * self.end.since(self.start).as_secs_f64()
    }
}

/// Minimum share of the data that its rate allows that an interval must have sent: with ten packets, all but the two at its ends.
const FULL: f64 = 0.8;

/// Sums of a linear regression.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Line {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    /// The slope of least squares; 0 where the points have no two different abscissas.
    fn slope(&self) -> f64 {
        let across = self.count * self.xx - self.x * self.x;
        if self.count < 2.0 || across <= 1e-12 * self.count * self.xx {
            return 0.0;
        }
        (self.count * self.xy - self.x * self.y) / across
    }
}

/// The monitor intervals of a flow whose packets are not all accounted for, oldest first; the last is the present one.
#[derive(Clone, Debug, Default)]
pub(super) struct Monitor {
    intervals: VecDeque<Interval>,
}

impl Monitor {
    /// Whether an interval is to begin at `now`: there is none, or the present one is over.
    pub(super) fn is_over(&self, now: Time) -> bool {
        self.intervals.back().is_none_or(|present| now >= present.end)
    }

    /// Begins interval `number` with `rate`, Mbps, and the length `length`.
    pub(super) fn begin(&mut self, number: u64, rate: f64, now: Time, length: Span) {
        if let Some(present) = self.intervals.back_mut() {
            present.end = now;
        }
        let (sent, acked, lost, payload, line) = (0, 0, 0, 0.0, Line::default());
        self.intervals.push_back(Interval {
            number,
            rate,
            start: now,
            end: now + length,
            sent,
            acked,
            lost,
            payload,
            line,
        });
    }

    /// Returns the rate of the present interval, Mbps; `None` before the first.
    pub(super) fn rate(&self) -> Option<f64> {
        self.intervals.back().map(|present| present.rate)
    }

    /// A packet with a payload of `size` leaves in the present interval.
    pub(super) fn sent(&mut self, size: Bytes) {
        if let Some(present) = self.intervals.back_mut() {
            present.sent += 1;
            present.payload += size.bits() as f64 / 1e6;
        }
    }

    /// A packet that was sent at `sent_at` is acknowledged, after `rtt` if that is known.
    pub(super) fn acked(&mut self, sent_at: Time, rtt: Option<Span>) {
        if let Some(of) = self.at(sent_at) {
            of.acked += 1;
            if let Some(rtt) = rtt {
                of.line.add(sent_at.since(of.start).as_secs_f64(), rtt.as_secs_f64());
            }
        }
    }

    /// A packet that was sent at `sent_at` is declared lost.
    pub(super) fn lost(&mut self, sent_at: Time) {
        if let Some(of) = self.at(sent_at) {
            of.lost += 1;
        }
    }

    /// Takes the oldest interval if it is over and all of its packets are accounted for, or `overdue` has passed since
    /// its end. Returns its number and its measurements, or its rate in Mbps if it did not use that rate.
    pub(super) fn finished(&mut self, now: Time, overdue: Span) -> Option<(u64, Result<Measured, f64>)> {
        let oldest = self.intervals.front()?;
        let accounted = oldest.acked + oldest.lost >= oldest.sent;
        if self.intervals.len() < 2 || !(accounted || now >= oldest.end + overdue) {
            return None;
        }
        let full = oldest.is_full();
        let Interval { number, rate, sent, acked, lost, line, .. } = self.intervals.pop_front()?;
        // Packets without a trace are lost.
        let missing = lost.max(sent.saturating_sub(acked)).min(sent);
        let loss = missing as f64 / sent as f64;
        let measured =
            if sent > 0 && full { Ok(Measured { rate, loss, rtt_slope: line.slope() }) } else { Err(rate) };
        Some((number, measured))
    }

    /// The interval in which a packet was sent.
    fn at(&mut self, sent_at: Time) -> Option<&mut Interval> {
        self.intervals.iter_mut().rev().find(|each| each.start <= sent_at).filter(|each| sent_at <= each.end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Monitor};
    use narrows_units::{Bytes, Span, Time};

    /// Four of them in 10 ms are 2 Mbps.
    const SIZE: Bytes = Bytes::new(625);

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn the_slope_is_that_of_the_points_and_0_where_there_is_none() {
        let mut line = Line::default();
        assert!(line.slope().abs() < 1e-12);
        for x in 0..5 {
            line.add(f64::from(x), 3.0 + 0.25 * f64::from(x));
        }
        assert!((line.slope() - 0.25).abs() < 1e-12, "{}", line.slope());
    }

    #[test]
    fn an_interval_is_finished_when_its_packets_are_accounted_for() {
        let mut monitor = Monitor::default();
        monitor.begin(7, 2.0, at(0), Span::from_ms(10));
        (0..4).for_each(|_| monitor.sent(SIZE));
        assert!(!monitor.is_over(at(9)) && monitor.is_over(at(10)));
        monitor.begin(8, 3.0, at(10), Span::from_ms(10));
        monitor.sent(SIZE);
        for sent in 0..3 {
            monitor.acked(at(sent), Some(Span::from_ms(50 + sent)));
        }
        assert_eq!(monitor.finished(at(60), Span::from_ms(100)), None);
        monitor.lost(at(3));
        let (number, measured) = monitor.finished(at(60), Span::from_ms(100)).expect("it is");
        let measured = measured.expect("it used its rate");
        assert_eq!((number, measured.rate, measured.loss), (7, 2.0, 0.25));
        assert!((measured.rtt_slope - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_interval_that_did_not_send_what_its_rate_allows_says_nothing() {
        for (packets, says) in [(4, true), (3, false)] {
            let mut monitor = Monitor::default();
            monitor.begin(0, 2.0, at(0), Span::from_ms(10));
            (0..packets).for_each(|_| monitor.sent(SIZE));
            monitor.begin(1, 2.0, at(10), Span::from_ms(10));
            (0..packets).for_each(|sent| monitor.acked(at(sent), None));
            let (_, measured) = monitor.finished(at(60), Span::from_ms(100)).expect("it is");
            assert_eq!(measured.is_ok(), says, "{packets} packets");
        }
    }

    #[test]
    fn packets_of_which_nothing_is_known_are_lost_after_a_while() {
        let mut monitor = Monitor::default();
        monitor.begin(0, 2.0, at(0), Span::from_ms(10));
        (0..4).for_each(|_| monitor.sent(SIZE));
        monitor.begin(1, 2.0, at(10), Span::from_ms(10));
        monitor.acked(at(1), None);
        let (_, measured) = monitor.finished(at(110), Span::from_ms(100)).expect("it is");
        assert_eq!(measured.map(|measured| measured.loss), Ok(0.75));
    }
}
