// SPDX-License-Identifier: Apache-2.0
//! The count of round trips: a round ends when a packet sent after the end of the previous round is acknowledged.

use narrows_units::Time;

/// The count of round trips of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundCounter {
    count: u64,
    started: Time,
}

impl RoundCounter {
    /// A packet sent at `sent_at` was acknowledged at `now`.
    pub(crate) fn on_delivered(&mut self, sent_at: Time, now: Time) {
        if sent_at >= self.started {
            self.count += 1;
            self.started = now;
        }
    }

    /// Returns the number of completed rounds.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::RoundCounter;
    use narrows_units::Time;

    #[test]
    fn the_acknowledgements_of_one_flight_are_one_round() {
        let mut round = RoundCounter::default();
        let at = Time::from_ps;
        for (sent, now) in [(0, 10), (1, 11), (2, 12)] {
            round.on_delivered(at(sent), at(now));
        }
        assert_eq!(round.count(), 1);
        round.on_delivered(at(10), at(20));
        assert_eq!(round.count(), 2);
    }
}
