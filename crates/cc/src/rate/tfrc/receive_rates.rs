// SPDX-License-Identifier: Apache-2.0
//! `X_recv_set`: the receive rates reported in the last two round trips (RFC 5348 §4.3).

use alloc::vec::Vec;
use narrows_units::{Span, Time};

/// Times and receive rates of the reports, in the order of time; packets per second.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiveRates {
    reports: Vec<(Time, f64)>,
}

impl ReceiveRates {
    /// Adds a report. Returns the largest rate of the last two round trips of `rtt` seconds each.
    pub(super) fn add(&mut self, rate: f64, now: Time, rtt: f64) -> f64 {
        // RFC 5348 §4.2: the first report, of the first packet, does not bound the rate.
        let rate = if self.reports.is_empty() { f64::INFINITY } else { rate };
        let two_rounds = Span::from_secs_f64(2.0 * rtt);
        self.reports.retain(|(at, _)| now.since(*at) <= two_rounds);
        self.reports.push((now, rate));
        self.reports.iter().fold(0.0, |most, (_, rate)| most.max(*rate))
    }

    /// The nofeedback timer expired: replaces all reports by `rate` (RFC 5348 §4.4).
    pub(super) fn replace(&mut self, rate: f64, now: Time) {
        self.reports.clear();
        self.reports.push((now, rate));
    }
}

#[cfg(test)]
mod tests {
    use super::ReceiveRates;
    use narrows_units::{Span, Time};

    /// Rule: RFC 5348 §4.2, §4.3.
    #[test]
    #[expect(clippy::float_cmp, reason = "rates are stored, not computed")]
    fn the_first_report_sets_no_bound_and_the_largest_rate_holds_for_two_round_trips() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut rates = ReceiveRates::default();
        assert_eq!(rates.add(0.0, at(0), 0.1), f64::INFINITY);
        assert_eq!(rates.add(50.0, at(200), 0.1), f64::INFINITY);
        assert_eq!(rates.add(20.0, at(300), 0.1), 50.0);
        assert_eq!(rates.add(10.0, at(401), 0.1), 20.0);
        rates.replace(4.0, at(450));
        assert_eq!(rates.add(3.0, at(460), 0.1), 4.0);
    }
}
