// SPDX-License-Identifier: Apache-2.0
//! The receive rate: `X_recv`, RFC 5348 §6.2.
//!
//! Deviations: a regular report measures from arrival to arrival, so that a few packets per round trip are not
//! truncated to a whole number. Otherwise a sender limited by this rate would lose a part of it in each round trip.
//! ns-2 sends reports on arrivals.

use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// The payload received in the last round trip or since the last report, whichever is longer.
#[derive(Clone, Debug, Default)]
pub(super) struct Received {
    arrivals: VecDeque<(Time, Bytes)>,
    /// Payload received since the last report.
    fresh: Bytes,
    /// The time of the last arrival.
    newest: Time,
    /// Time at which the last report was sent, and the last arrival before it; `None` before the first report.
    reported: Option<(Time, Time)>,
}

impl Received {
    /// `payload` arrived; the round-trip time is `rtt`.
    pub(super) fn add(&mut self, payload: Bytes, rtt: Span, now: Time) {
        self.fresh += payload;
        self.newest = now;
        self.arrivals.push_back((now, payload));
        while self.arrivals.front().is_some_and(|(at, _)| now.since(*at) >= rtt) {
            self.arrivals.pop_front();
        }
    }

    /// Whether something has been received since the last report.
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh > Bytes::ZERO
    }

    /// Returns the receive rate, bits per second of payload: between the last arrival before the last report and the
    /// last arrival now, or over the last `rtt` if the last report is more recent than that; 0 before the first report.
    pub(super) fn rate(&self, rtt: Span, now: Time) -> f64 {
        let Some((reported_at, newest)) = self.reported else { return 0.0 };
        if now.since(reported_at) >= rtt {
            return self.fresh.bits() as f64 / self.newest.since(newest).as_secs_f64().max(MIN_INTERVAL);
        }
        let recent = self.arrivals.iter().filter(|(at, _)| now.since(*at) < rtt);
        recent.map(|(_, payload)| payload.bits()).sum::<u64>() as f64 / rtt.as_secs_f64()
    }

    /// A report is sent.
    pub(super) fn on_report(&mut self, now: Time) {
        self.fresh = Bytes::ZERO;
        self.reported = Some((now, self.newest));
    }
}

/// The shortest interval over which a rate is measured, seconds.
const MIN_INTERVAL: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::Received;
    use narrows_units::{Bytes, Span, Time};

    #[test]
    fn a_regular_report_does_not_truncate_to_whole_packets() {
        let rtt = Span::from_ms(100);
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut received = Received::default();
        received.add(Bytes::new(1000), rtt, at(0));
        received.on_report(at(0));
        for ms in [40, 80, 120, 160, 200] {
            received.add(Bytes::new(1000), rtt, at(ms));
            if [80, 200].contains(&ms) {
                assert!((received.rate(rtt, at(ms + 20)) - 200_000.0).abs() < 1e-6);
                received.on_report(at(ms + 20));
            }
        }
    }

    #[test]
    fn an_early_report_covers_one_round_trip() {
        let rtt = Span::from_ms(100);
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut received = Received::default();
        received.add(Bytes::new(1000), rtt, at(0));
        assert!(received.rate(rtt, at(0)).abs() < 1e-9, "one packet has no rate");
        received.on_report(at(0));
        for ms in (10..=200).step_by(10) {
            received.add(Bytes::new(1000), rtt, at(ms));
        }
        assert!((received.rate(rtt, at(200)) - 800_000.0).abs() < 1e-6);
        received.on_report(at(200));
        received.add(Bytes::new(1000), rtt, at(210));
        assert!((received.rate(rtt, at(210)) - 800_000.0).abs() < 1e-6);
    }
}
