// SPDX-License-Identifier: Apache-2.0
//! Delivery-rate samples (draft-ietf-ccwg-bbr §4.1.2; Linux `tcp_rate.c`).
//!
//! For each packet sent, the number of packets delivered until then is stored. When the packet is acknowledged, the
//! sample is the number of packets delivered since, divided by the longer of the intervals in which they were sent and
//! in which they were acknowledged. An ACK of several packets gives one sample, of the packet that was sent last.
//! Samples over less than the minimum round-trip time are discarded: they would compare the sending of an original with
//! the arrival of its retransmission.

use crate::recovery::Detail;
use narrows_cc::RateSample;
use narrows_units::{Bytes, Rate, Span, Time};

/// The delivery-rate estimator of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeliveryRate {
    /// The number of segments delivered.
    delivered: u64,
    /// Time at which the last of them was acknowledged.
    delivered_at: Time,
    /// Time at which the packet of the last sample was sent.
    first_sent_at: Time,
    /// Samples are application-limited until more segments than this are delivered; 0 if they are not.
    app_limited_until: u64,
}

impl DeliveryRate {
    /// Returns the detail to store for a packet sent now; `idle` if nothing was outstanding before.
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

    /// The application has nothing to send while `in_flight` packets are in flight.
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

    /// Returns the sample of the packet with `detail`, sent at `sent_at`: of the packets just delivered the one that
    /// was sent last. `None` if the interval is shorter than `min_rtt`. `prior_in_flight`: packets in flight before the
    /// acknowledgement.
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
        Some(
            RateSample::new(
                delivered,
                interval,
                Rate::from_bps((bits / u128::from(interval.as_ps())) as u64),
            )
            .prior_delivered(detail.delivered)
            .prior_in_flight(prior_in_flight)
            .app_limited(detail.app_limited),
        )
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
    fn ten_packets_in_a_round_trip_of_40_ms_are_2_mbps() {
        let mut rate = DeliveryRate::default();
        let details: Vec<_> = (0..10).map(|n| rate.on_sent(at(0), n == 0)).collect();
        rate.on_delivered(10, at(40));
        let sample = rate.sample(&details[9], at(0), at(40), None, MSS, 10).expect("valid");
        assert_eq!((sample.delivered, sample.rate), (10, Rate::from_bps(2_000_000)));
    }

    #[test]
    fn ack_compression_does_not_raise_the_rate() {
        let mut rate = DeliveryRate::default();
        let details: Vec<_> = (0..10).map(|n| rate.on_sent(at(10 * n), n == 0)).collect();
        rate.on_delivered(10, at(100));
        let sample = rate.sample(&details[9], at(90), at(100), None, MSS, 10).expect("valid");
        assert_eq!(sample.interval, Span::from_ms(100));
    }

    #[test]
    fn a_sample_over_less_than_the_minimum_rtt_is_discarded() {
        let mut rate = DeliveryRate::default();
        let detail = rate.on_sent(at(0), true);
        rate.on_delivered(1, at(10));
        assert!(rate.sample(&detail, at(0), at(10), Some(Span::from_ms(40)), MSS, 1).is_none());
    }

    #[test]
    fn samples_are_application_limited_until_the_packets_in_flight_are_delivered() {
        let mut rate = DeliveryRate::default();
        rate.on_app_limited(2);
        assert!(rate.on_sent(at(0), true).app_limited);
        rate.on_delivered(2, at(40));
        assert!(rate.on_sent(at(40), true).app_limited);
        rate.on_delivered(1, at(80));
        assert!(!rate.on_sent(at(80), true).app_limited);
    }
}
