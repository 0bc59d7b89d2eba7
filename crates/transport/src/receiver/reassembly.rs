// SPDX-License-Identifier: Apache-2.0
//! Reassembly: the cumulative acknowledgement, and the runs of segments received beyond it.
//!
//! The runs are sorted in a ring. Data in order, data beyond all runs and the filling of the first hole touch only its
//! ends, and nothing else happens without reordering; otherwise there is a binary search and a shift of the runs towards
//! the nearer end. The blocks to report are stored separately, the run that changed last first (RFC 2018 §4).

use narrows_wire::Block;
use std::collections::VecDeque;

/// The segments received on one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Reassembly {
    /// The first segment that has not been received.
    next: u64,
    /// The runs beyond it, in ascending order, with a hole between any two.
    runs: VecDeque<Block>,
    /// The runs that changed last, most recent first; none is below `next`.
    recent: [Option<Block>; REPORTED],
}

/// The position of a received segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The next segment, with no run beyond it.
    InOrder,
    /// The next segment, which fills a hole or the start of one.
    Filling,
    /// A segment beyond a hole.
    OutOfOrder,
    /// A segment received before.
    Duplicate,
}

impl Reassembly {
    /// Returns the cumulative acknowledgement: the first segment that has not been received.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Receives segment `number`.
    #[inline]
    pub(super) fn insert(&mut self, number: u64) -> Arrival {
        if number == self.next && self.runs.is_empty() {
            self.next += 1;
            return Arrival::InOrder;
        }
        self.insert_out_of_order(number)
    }

    /// As [`insert`](Self::insert), if there is a hole or the segment is not the next one.
    fn insert_out_of_order(&mut self, number: u64) -> Arrival {
        if number < self.next {
            return Arrival::Duplicate;
        }
        if number > self.next {
            return self.insert_beyond(number);
        }
        self.next += 1;
        if let Some(run) = self.runs.front().filter(|run| run.start == self.next) {
            self.next = run.end;
            self.runs.pop_front();
            let next = self.next;
            self.retain_recent(|block| block.start > next);
        }
        Arrival::Filling
    }

    /// Whether no segment beyond a hole has been received.
    pub(super) fn is_in_order(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the SACK blocks, the run that changed last first.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        self.recent.iter().flatten().copied()
    }

    fn insert_beyond(&mut self, number: u64) -> Arrival {
        let after = match self.runs.back() {
            Some(last) if number < last.end => self.runs.partition_point(|run| run.start <= number),
            _ => self.runs.len(),
        };
        let before = after.checked_sub(1).map(|index| self.runs[index]);
        if let Some(run) = before.filter(|run| number < run.end) {
            self.report(run);
            return Arrival::Duplicate;
        }
        let joins_before = before.filter(|run| run.end == number);
        let joins_after = self.runs.get(after).copied().filter(|run| run.start == number + 1);
        let run = Block {
            start: joins_before.map_or(number, |run| run.start),
            end: joins_after.map_or(number + 1, |run| run.end),
        };
        match (joins_before.is_some(), joins_after.is_some()) {
            (true, true) => {
                self.runs[after - 1] = run;
                self.runs.remove(after);
            }
            (true, false) => self.runs[after - 1] = run,
            (false, true) => self.runs[after] = run,
            (false, false) => self.runs.insert(after, run),
        }
        self.report(run);
        Arrival::OutOfOrder
    }

    /// Makes `run` the first block to report, and removes the blocks that it contains.
    fn report(&mut self, run: Block) {
        self.retain_recent(|block| block.end < run.start || run.end < block.start);
        self.recent.rotate_right(1);
        self.recent[0] = Some(run);
    }

    /// Retains the blocks that satisfy `keep`, in order and without gaps.
    fn retain_recent(&mut self, keep: impl Fn(Block) -> bool) {
        let mut kept = [None; REPORTED];
        let blocks = self.recent.iter().flatten().filter(|block| keep(**block));
        for (slot, block) in kept.iter_mut().zip(blocks) {
            *slot = Some(*block);
        }
        self.recent = kept;
    }
}

/// The number of SACK blocks that fit an acknowledgement (RFC 2018 §3).
const REPORTED: usize = 3;

#[cfg(test)]
mod tests {
    use super::{Arrival, Reassembly};
    use narrows_wire::Block;
    use proptest::prelude::*;

    fn blocks(reassembly: &Reassembly) -> Vec<(u64, u64)> {
        reassembly.blocks().map(|Block { start, end }| (start, end)).collect()
    }

    #[test]
    fn the_run_that_changed_last_is_reported_first() {
        let mut reassembly = Reassembly::default();
        assert_eq!(reassembly.insert(0), Arrival::InOrder);
        for number in [2, 4, 6, 8] {
            assert_eq!(reassembly.insert(number), Arrival::OutOfOrder);
        }
        assert_eq!(blocks(&reassembly), [(8, 9), (6, 7), (4, 5)]);
        assert_eq!(reassembly.insert(4), Arrival::Duplicate);
        assert_eq!(blocks(&reassembly), [(4, 5), (8, 9), (6, 7)]);
        assert_eq!(reassembly.insert(7), Arrival::OutOfOrder);
        assert_eq!(blocks(&reassembly), [(6, 9), (4, 5)]);
    }

    #[test]
    fn filling_the_first_hole_advances_to_the_end_of_the_run_beyond_it() {
        let mut reassembly = Reassembly::default();
        for number in [1, 2, 4] {
            reassembly.insert(number);
        }
        assert_eq!(reassembly.insert(0), Arrival::Filling);
        assert_eq!((reassembly.next(), blocks(&reassembly)), (3, vec![(4, 5)]));
        assert_eq!(reassembly.insert(3), Arrival::Filling);
        assert_eq!((reassembly.next(), blocks(&reassembly)), (5, vec![]));
        assert_eq!(reassembly.insert(5), Arrival::InOrder);
    }

    proptest! {
        // Property: against a plain set of numbers, whatever the order of arrival.
        #[test]
        fn it_agrees_with_a_set(numbers in prop::collection::vec(0_u64..40, 0..200)) {
            let mut reassembly = Reassembly::default();
            let mut seen = std::collections::BTreeSet::new();
            for number in numbers {
                let new = seen.insert(number);
                prop_assert_eq!(reassembly.insert(number) == Arrival::Duplicate, !new);
                let next = (0..=40).find(|n| !seen.contains(n)).expect("at most 40 numbers");
                prop_assert_eq!(reassembly.next(), next);
                for run in reassembly.blocks() {
                    prop_assert!(run.start > next);
                    prop_assert!((run.start..run.end).all(|n| seen.contains(&n)));
                    prop_assert!(!seen.contains(&run.end) && !seen.contains(&(run.start - 1)));
                }
            }
        }
    }
}
