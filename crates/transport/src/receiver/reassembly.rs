//! Puts segments in order: the cumulative point, and the runs that arrived beyond it.
//!
//! Runs stand sorted in a ring. In-order data, data beyond all runs and the filling of the first hole touch only its
//! ends, which is all that happens without reordering; anything else is a binary search and a shift of the runs towards
//! the nearer end. The blocks to report are kept apart, the run that changed last first (RFC 2018 §4).

use narrows_wire::Block;
use std::collections::VecDeque;

/// What has arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Reassembly {
    /// First segment that has not arrived.
    next: u64,
    /// Runs beyond it, ascending, never touching.
    runs: VecDeque<Block>,
    /// Runs that changed last, newest first; none below `next`.
    recent: [Option<Block>; REPORTED],
}

/// Where a segment went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The next one, with nothing waiting beyond it.
    InOrder,
    /// The next one; it closed a hole or a part of one.
    Filling,
    /// Beyond a hole.
    OutOfOrder,
    /// It had arrived before.
    Duplicate,
}

impl Reassembly {
    /// First segment that has not arrived.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Takes in segment `number`.
    #[inline]
    pub(super) fn insert(&mut self, number: u64) -> Arrival {
        if number < self.next {
            return Arrival::Duplicate;
        }
        if number > self.next {
            return self.insert_beyond(number);
        }
        self.next += 1;
        if self.runs.is_empty() {
            return Arrival::InOrder;
        }
        if let Some(run) = self.runs.front().filter(|run| run.start == self.next) {
            self.next = run.end;
            self.runs.pop_front();
            let next = self.next;
            self.retain_recent(|block| block.start > next);
        }
        Arrival::Filling
    }

    /// Nothing has arrived beyond a hole.
    pub(super) fn is_in_order(&self) -> bool {
        self.runs.is_empty()
    }

    /// The runs to report, the one that changed last first.
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

    /// Puts `run` first among the blocks to report and drops what it has swallowed.
    fn report(&mut self, run: Block) {
        self.retain_recent(|block| block.end < run.start || run.end < block.start);
        self.recent.rotate_right(1);
        self.recent[0] = Some(run);
    }

    /// Keeps the blocks that satisfy `keep`, in their order and without gaps.
    fn retain_recent(&mut self, keep: impl Fn(Block) -> bool) {
        let mut kept = [None; REPORTED];
        let blocks = self.recent.iter().flatten().filter(|block| keep(**block));
        for (slot, block) in kept.iter_mut().zip(blocks) {
            *slot = Some(*block);
        }
        self.recent = kept;
    }
}

/// Blocks that fit an acknowledgement.
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
    fn filling_the_first_hole_moves_to_the_end_of_the_run_behind_it() {
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
