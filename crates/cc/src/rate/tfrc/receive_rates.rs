//! `X_recv_set`: the receive rates of the last two round trips (RFC 5348 §4.3).

use narrows_units::{Span, Time};

/// What was reported, newest last; rates in packets a second.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiveRates {
    reports: Vec<(Time, f64)>,
}

impl ReceiveRates {
    /// Takes in a report and returns the largest rate of the last two round trips of `rtt` seconds.
    pub(super) fn add(&mut self, rate: f64, now: Time, rtt: f64) -> f64 {
        // The first report comes with the first packet and knows no rate: it bounds nothing (RFC 5348 §4.2).
        let rate = if self.reports.is_empty() { f64::INFINITY } else { rate };
        let two_rounds = Span::from_secs_f64(2.0 * rtt);
        self.reports.retain(|(at, _)| now.since(*at) <= two_rounds);
        self.reports.push((now, rate));
        self.reports.iter().fold(0.0, |most, (_, rate)| most.max(*rate))
    }

    /// No report came: `rate` takes the place of what is known (RFC 5348 §4.4).
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
    #[expect(clippy::float_cmp, reason = "rates are kept, not computed")]
    fn the_first_report_bounds_nothing_for_two_round_trips_and_the_largest_rate_lasts_as_long() {
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
