// SPDX-License-Identifier: Apache-2.0
//! Loss events: the losses of one round trip are one event (RFC 5348 §5.2).
//!
//! A marked packet counts as lost (RFC 5348 §5.1). The interval before the first event is that for which the throughput
//! equation yields the rate at which packets arrived (RFC 5348 §6.3.1), at least one packet per round trip.

use super::intervals::LossIntervals;
use narrows_cc::LossHistory;
use narrows_cc::rate::equation::{self, Form};
use narrows_units::{Span, Time};

/// The loss events of one flow.
#[derive(Clone, Debug)]
pub(super) struct LossEvents {
    intervals: LossIntervals,
    /// Time at which the last event started.
    started_at: Option<Time>,
    /// The number of events.
    count: u64,
}

impl LossEvents {
    pub(super) fn new(history: LossHistory) -> Self {
        Self { intervals: LossIntervals::new(history), started_at: None, count: 0 }
    }

    /// Records that packet `number` was lost or marked; `at` is its time of arrival, expected or real.
    /// `packets_per_second` returns the rate of arrival; `rtt` is positive.
    pub(super) fn on_loss(
        &mut self,
        number: u64,
        at: Time,
        rtt: Span,
        packets_per_second: impl FnOnce() -> f64,
    ) {
        if self.started_at.is_some_and(|start| at.since(start) <= rtt) {
            return;
        }
        self.started_at = Some(at);
        self.count += 1;
        self.intervals.start_event(number, || {
            let rtt = rtt.as_secs_f64();
            1.0 / equation::loss_event_rate(packets_per_second().max(1.0 / rtt), rtt, Form::Bounded)
        });
    }

    /// Returns the number of events.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the loss event rate, in events per packet; `highest` is the highest number that has arrived.
    pub(super) fn rate(&self, highest: u64) -> f64 {
        self.intervals.loss_event_rate(highest)
    }
}

#[cfg(test)]
mod tests {
    use super::LossEvents;
    use narrows_cc::LossHistory;
    use narrows_cc::rate::equation::{Form, throughput};
    use narrows_units::{Span, Time};

    const RTT: Span = Span::from_ms(100);

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn events() -> LossEvents {
        LossEvents::new(LossHistory::new(8, 0.5))
    }

    #[test]
    fn losses_within_a_round_trip_of_the_first_are_one_event() {
        let mut events = events();
        for (number, ms, count) in
            [(100, 1_000, 1), (101, 1_050, 1), (102, 1_100, 1), (120, 1_101, 2), (200, 1_150, 2)]
        {
            events.on_loss(number, at(ms), RTT, || 500.0);
            assert_eq!(events.count(), count, "packet {number}");
        }
    }

    /// RFC 5348 §6.3.1.
    #[test]
    fn after_the_first_event_the_equation_yields_the_rate_of_arrival() {
        let mut events = events();
        events.on_loss(70, at(1_000), RTT, || 500.0);
        assert!((throughput(events.rate(70), 0.1, Form::Bounded) / 500.0 - 1.0).abs() < 1e-6);
    }
}
