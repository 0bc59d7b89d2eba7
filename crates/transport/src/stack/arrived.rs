// SPDX-License-Identifier: Apache-2.0
//! The part of a stream of bytes that has arrived.

use std::collections::BTreeMap;

/// Runs of positions that have arrived: their ends by their starts.
#[derive(Clone, Debug, Default)]
pub struct Arrived(BTreeMap<u64, u64>);

impl Arrived {
    /// Positions from `start` to `end` arrive. Returns how many had not before.
    pub fn receive(&mut self, mut start: u64, mut end: u64) -> u64 {
        let mut fresh = end - start;
        while let Some((from, until)) = self.0.range(..=end).next_back().map(|(from, until)| (*from, *until))
            && until >= start
        {
            fresh -= until.min(end).saturating_sub(from.max(start)).min(fresh);
            self.0.remove(&from);
            (start, end) = (start.min(from), end.max(until));
        }
        self.0.insert(start, end);
        fresh
    }

    /// Returns the first position from `start` on that has not arrived.
    pub fn next(&self, start: u64) -> u64 {
        let before = self.0.range(..=start).next_back();
        before.map_or(start, |(_, until)| *until.max(&start))
    }
}

#[cfg(test)]
mod tests {
    use super::Arrived;

    #[test]
    fn a_byte_that_arrives_twice_counts_once() {
        let mut arrived = Arrived::default();
        assert_eq!(arrived.receive(0, 10), 10);
        assert_eq!(arrived.receive(20, 30), 10);
        assert_eq!(arrived.receive(20, 30), 0);
        assert_eq!(arrived.receive(5, 25), 10);
        assert_eq!(arrived.receive(0, 40), 10);
        assert_eq!(arrived.0.len(), 1);
    }

    #[test]
    fn the_first_position_that_is_missing_is_that_behind_the_first_run() {
        let mut arrived = Arrived::default();
        assert_eq!(arrived.next(5), 5);
        arrived.receive(15, 20);
        assert_eq!(arrived.next(5), 5);
        arrived.receive(5, 10);
        assert_eq!(arrived.next(5), 10);
        arrived.receive(10, 15);
        assert_eq!(arrived.next(5), 20);
    }
}
