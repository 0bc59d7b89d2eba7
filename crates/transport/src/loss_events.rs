//! Loss events: losses that say no more than one of them does.

use narrows_units::{Span, Time};

/// Tells which losses begin a new event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossEvents {
    /// The last one lasts until then.
    until: Time,
}

impl Default for LossEvents {
    fn default() -> Self {
        Self { until: Time::ZERO }
    }
}

impl LossEvents {
    /// Losses are found now. Whether they begin an event: those found within a round trip of an event's first belong to
    /// it (RFC 5348 §5.2, with the time at which a loss is found in the place of that at which the packet would have come).
    pub fn begins(&mut self, now: Time, rtt: Option<Span>) -> bool {
        let begins = now >= self.until;
        if begins {
            self.until = now + rtt.unwrap_or(Span::ZERO);
        }
        begins
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
        let found = [0, 50, 99, 100, 150, 300].map(|ms| events.begins(at(ms), rtt));
        assert_eq!(found, [true, false, false, true, false, true]);
    }
}
