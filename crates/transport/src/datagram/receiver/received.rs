//! The rate at which payload arrives (RFC 5348 §6.2).
//!
//! Deviations: a report in turn measures from arrival to arrival, so that a few packets in a round trip are not rounded to
//! whole ones. A sender that clocks itself by this rate would lose a part of it in each round trip; ns-2 reports on arrivals.

use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// What has arrived over the last round trip or since the last report, whichever is longer.
#[derive(Clone, Debug, Default)]
pub(super) struct Received {
    arrivals: VecDeque<(Time, Bytes)>,
    /// Payload that arrived since the last report.
    fresh: Bytes,
    /// The newest arrival.
    newest: Time,
    /// When the last report left, and the newest arrival then; `None` before the first.
    reported: Option<(Time, Time)>,
}

impl Received {
    /// `payload` has arrived; the round trip takes `rtt`.
    pub(super) fn add(&mut self, payload: Bytes, rtt: Span, now: Time) {
        self.fresh += payload;
        self.newest = now;
        self.arrivals.push_back((now, payload));
        while self.arrivals.front().is_some_and(|(at, _)| now.since(*at) >= rtt) {
            self.arrivals.pop_front();
        }
    }

    /// Something has arrived since the last report.
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh > Bytes::ZERO
    }

    /// Payload a second, bits, from the newest arrival that was reported to the newest now; over the last `rtt` if the last
    /// report is younger than that; 0 before the first report.
    pub(super) fn rate(&self, rtt: Span, now: Time) -> f64 {
        let Some((reported_at, newest)) = self.reported else { return 0.0 };
        if now.since(reported_at) >= rtt {
            return self.fresh.bits() as f64 / self.newest.since(newest).as_secs_f64().max(SHORTEST);
        }
        let recent = self.arrivals.iter().filter(|(at, _)| now.since(*at) < rtt);
        recent.map(|(_, payload)| payload.bits()).sum::<u64>() as f64 / rtt.as_secs_f64()
    }

    /// A report leaves.
    pub(super) fn on_report(&mut self, now: Time) {
        self.fresh = Bytes::ZERO;
        self.reported = Some((now, self.newest));
    }
}

/// Seconds below which no rate is measured.
const SHORTEST: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::Received;
    use narrows_units::{Bytes, Span, Time};

    #[test]
    fn a_report_in_turn_does_not_round_to_whole_packets() {
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
    fn a_report_out_of_turn_looks_back_one_round_trip() {
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
