//! Delivery-rate samples (draft-ietf-ccwg-bbr §4.1.2; Linux `tcp_rate.c`).
//!
//! Each packet leaves with what had been delivered by then. When it is acknowledged, the packets delivered since, over
//! the longer of the time it took to send them and the time it took to acknowledge them, are the sample; of an ACK for
//! several packets the one that left last counts. Samples shorter than the smallest RTT are dropped: they would compare
//! an original's departure with the arrival of its retransmission.

use crate::scoreboard::Detail;
use narrows_cc::RateSample;
use narrows_units::{Bytes, Rate, Span, Time};

/// What a connection delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeliveryRate {
    /// Segments delivered.
    delivered: u64,
    /// When the newest of them was reported.
    delivered_at: Time,
    /// When the packet left that the newest sample was taken of.
    first_sent_at: Time,
    /// While this many segments are not passed, samples are limited by the application.
    app_limited_until: u64,
}

impl DeliveryRate {
    /// What to remember of a packet that leaves; `idle` if nothing was outstanding.
    pub(crate) fn on_sent(&mut self, now: Time, idle: bool) -> Detail {
        if idle {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        Detail {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.app_limited_until > 0,
            ..Detail::default()
        }
    }

    /// The application has nothing more to send while `in_flight` packets are on their way.
    pub(crate) fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = (self.delivered + in_flight).max(1);
    }

    /// `count` segments were delivered.
    pub(crate) fn on_delivered(&mut self, count: u64, now: Time) {
        self.delivered += count;
        self.delivered_at = now;
        if self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
    }

    /// The sample from the newest packet delivered, which left at `sent_at` with `detail`.
    pub(crate) fn sample(
        &mut self,
        detail: &Detail,
        sent_at: Time,
        now: Time,
        min_rtt: Option<Span>,
        mss: Bytes,
        prior_in_flight: u64,
    ) -> Option<RateSample> {
        self.first_sent_at = sent_at;
        let sending = sent_at.since(detail.first_sent_at);
        let acknowledging = now.since(detail.delivered_at);
        let interval = sending.max(acknowledging);
        if interval == Span::ZERO || min_rtt.is_some_and(|min| interval < min) {
            return None;
        }
        let delivered = self.delivered - detail.delivered;
        let bits = u128::from(delivered) * u128::from(mss.bits()) * 1_000_000_000_000;
        Some(RateSample {
            delivered,
            interval,
            rate: Rate::from_bps((bits / u128::from(interval.as_ps())) as u64),
            prior_delivered: detail.delivered,
            prior_in_flight,
            app_limited: detail.app_limited,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::DeliveryRate;
    use narrows_units::{Bytes, Rate, Span, Time};

    const MSS: Bytes = Bytes::new(1_000);

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn ten_packets_over_a_round_trip_of_forty_ms_are_two_megabits() {
        let mut rate = DeliveryRate::default();
        let details: Vec<_> = (0..10).map(|n| rate.on_sent(at(0), n == 0)).collect();
        rate.on_delivered(10, at(40));
        let sample = rate.sample(&details[9], at(0), at(40), None, MSS, 10).expect("valid");
        assert_eq!((sample.delivered, sample.rate), (10, Rate::from_bps(2_000_000)));
    }

    #[test]
    fn acknowledgements_squeezed_together_do_not_raise_the_rate() {
        let mut rate = DeliveryRate::default();
        let details: Vec<_> = (0..10).map(|n| rate.on_sent(at(10 * n), n == 0)).collect();
        rate.on_delivered(10, at(100));
        let sample = rate.sample(&details[9], at(90), at(100), None, MSS, 10).expect("valid");
        assert_eq!(sample.interval, Span::from_ms(100));
    }

    #[test]
    fn a_sample_shorter_than_the_smallest_rtt_is_dropped() {
        let mut rate = DeliveryRate::default();
        let detail = rate.on_sent(at(0), true);
        rate.on_delivered(1, at(10));
        assert!(rate.sample(&detail, at(0), at(10), Some(Span::from_ms(40)), MSS, 1).is_none());
    }

    #[test]
    fn an_idle_application_marks_samples_until_what_was_in_flight_is_delivered() {
        let mut rate = DeliveryRate::default();
        rate.on_app_limited(2);
        assert!(rate.on_sent(at(0), true).app_limited);
        rate.on_delivered(2, at(40));
        assert!(rate.on_sent(at(40), true).app_limited);
        rate.on_delivered(1, at(80));
        assert!(!rate.on_sent(at(80), true).app_limited);
    }
}
