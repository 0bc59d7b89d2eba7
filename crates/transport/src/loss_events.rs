// SPDX-License-Identifier: Apache-2.0
//! Loss events: losses detected within one round trip count as one event.

use narrows_units::{Span, Time};

/// Groups losses into loss events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossEvents {
    /// Time at which the last event ends.
    until: Time,
}

impl Default for LossEvents {
    fn default() -> Self {
        Self { until: Time::ZERO }
    }
}

impl LossEvents {
    /// Losses are detected at `now`. Returns true if they start a new event: losses within one round trip `rtt` of the
    /// first loss of an event belong to it (RFC 5348 §5.2, with the time of detection instead of the expected time of
    /// arrival).
    pub(crate) fn on_losses(&mut self, now: Time, rtt: Option<Span>) -> bool {
        let new_event = now >= self.until;
        if new_event {
            self.until = now + rtt.unwrap_or(Span::ZERO);
        }
        new_event
    }
}

#[cfg(test)]
mod tests {
    use super::LossEvents;
    use narrows_units::{Span, Time};

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        let (mut events, rtt) = (LossEvents::default(), Some(Span::from_ms(100)));
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let new_event = [0, 50, 99, 100, 150, 300].map(|ms| events.on_losses(at(ms), rtt));
        assert_eq!(new_event, [true, false, false, true, false, true]);
    }
}
