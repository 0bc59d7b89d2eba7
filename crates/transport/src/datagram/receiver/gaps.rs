// SPDX-License-Identifier: Apache-2.0
//! Gaps: runs of numbers that have not arrived, each with the times of the arrivals around it.

use crate::datagram::highest::HighestArrivals;
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// The gaps that may still be filled.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    open: VecDeque<Gap>,
    /// The highest number that has arrived, and its time of arrival.
    highest: Option<(u64, Time)>,
    highest_arrivals: HighestArrivals,
}

/// Numbers `start..end`, none of which has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Time at which the number before the gap arrived.
    before: Time,
    /// Time at which the number after the gap arrived.
    after: Time,
}

impl Gaps {
    /// Returns the highest number that has arrived, and its time of arrival.
    pub(super) fn highest(&self) -> Option<(u64, Time)> {
        self.highest
    }

    /// Number `number` arrived for the first time.
    pub(super) fn on_arrival(&mut self, number: u64, now: Time) {
        self.highest_arrivals.add(number);
        let (next, before) = self.highest.map_or((0, now), |(highest, at)| (highest + 1, at));
        if number < next {
            self.fill(number, now);
            return;
        }
        if number > next {
            self.open.push_back(Gap { start: next, end: number, before, after: now });
        }
        self.highest = Some((number, now));
    }

    /// Removes the oldest gap that later arrivals prove lost, and returns it.
    pub(super) fn next_lost(&mut self) -> Option<Gap> {
        let below = self.highest_arrivals.lost_below();
        self.open.front().filter(|gap| gap.end <= below)?;
        self.open.pop_front()
    }

    /// A late packet splits its gap.
    fn fill(&mut self, number: u64, now: Time) {
        let Some(index) = self.open.iter().position(|gap| (gap.start..gap.end).contains(&number)) else {
            return;
        };
        let gap = self.open[index];
        let parts = [Gap { end: number, after: now, ..gap }, Gap { start: number + 1, before: now, ..gap }];
        self.open.remove(index);
        for part in parts.into_iter().rev().filter(|part| part.start < part.end) {
            self.open.insert(index, part);
        }
    }
}

impl Gap {
    /// Returns the expected time of arrival of number `number`, interpolated between the arrivals around the gap (RFC
    /// 5348 §5.2).
    pub(super) fn time_of(&self, number: u64) -> Time {
        let (steps, all) = (number + 1 - self.start, self.end + 1 - self.start);
        let span = u128::from(self.after.since(self.before).as_ps()) * u128::from(steps) / u128::from(all);
        self.before + Span::from_ps(span as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::Gaps;
    use narrows_units::{Span, Time};

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn expected_arrivals_of_lost_packets_are_interpolated() {
        let mut gaps = Gaps::default();
        gaps.on_arrival(0, at(0));
        gaps.on_arrival(4, at(40));
        gaps.on_arrival(5, at(50));
        assert_eq!(gaps.next_lost(), None);
        gaps.on_arrival(6, at(60));
        let gap = gaps.next_lost().expect("three later packets have arrived");
        assert_eq!((gap.start, gap.end), (1, 4));
        assert_eq!([1, 2, 3].map(|number| gap.time_of(number)), [at(10), at(20), at(30)]);
        assert_eq!(gaps.next_lost(), None);
    }

    #[test]
    fn a_late_packet_is_not_lost_and_its_neighbours_are() {
        let mut gaps = Gaps::default();
        for (number, ms) in [(0, 0), (4, 4), (2, 5), (5, 6), (6, 7)] {
            gaps.on_arrival(number, at(ms));
        }
        let lost: Vec<_> = std::iter::from_fn(|| gaps.next_lost()).map(|gap| (gap.start, gap.end)).collect();
        assert_eq!(lost, [(1, 2), (3, 4)]);
    }
}
