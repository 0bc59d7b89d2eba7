// SPDX-License-Identifier: Apache-2.0
//! Selective acknowledgement blocks (RFC 2018), counted in segments.

/// A run of received segments `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// First segment of the run.
    pub start: u64,
    /// First segment after it.
    pub end: u64,
}

/// At most `N` SACK blocks, stored as distances from the cumulative acknowledgement so that they fit the packet. A TCP
/// header has room for three beside a timestamp (RFC 2018 §3). The first block may be a D-SACK (RFC 2883).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackBlocks<const N: usize = 3> {
    /// Of each block the distance of its start from the cumulative acknowledgement, and its length; 0 for no block.
    packed: [(i32, u32); N],
}

impl<const N: usize> SackBlocks<N> {
    /// No blocks.
    pub const NONE: Self = Self { packed: [(0, 0); N] };

    /// Stores `blocks` in order, without those that exceed the capacity, after a D-SACK of segment `duplicate`. Each
    /// block must be above the cumulative acknowledgement `next` and not empty.
    pub fn new(next: u64, duplicate: Option<u64>, blocks: impl IntoIterator<Item = Block>) -> Self {
        let mut packed = [(0, 0); N];
        let duplicate = duplicate.map(|number| Block { start: number, end: number + 1 });
        let blocks = blocks.into_iter().inspect(|block| {
            debug_assert!(
                next < block.start && block.start < block.end,
                "a block is above the cumulative acknowledgement and not empty"
            );
        });
        for (slot, block) in packed.iter_mut().zip(duplicate.into_iter().chain(blocks)) {
            let distance = block.start.wrapping_sub(next).cast_signed();
            *slot = (distance as i32, (block.end - block.start) as u32);
        }
        Self { packed }
    }

    /// Returns the blocks, a D-SACK included, of an acknowledgement with the cumulative acknowledgement `next`.
    pub fn iter(&self, next: u64) -> impl Iterator<Item = Block> + '_ {
        self.packed.iter().take_while(|(_, length)| *length > 0).map(move |&(distance, length)| {
            let start = next.wrapping_add_signed(i64::from(distance));
            Block { start, end: start + u64::from(length) }
        })
    }

    /// Returns the segment that an acknowledgement with the cumulative acknowledgement `next` reports as received
    /// twice: the first block is a D-SACK if it is below `next` or within the second block (RFC 2883 §4).
    pub fn duplicate(&self, next: u64) -> Option<u64> {
        let (distance, length) = self.packed[0];
        if length == 0 {
            return None;
        }
        let inside = |&(start, run): &(i32, u32)| {
            let (start, end) = (i64::from(start), i64::from(start) + i64::from(run));
            (start..end).contains(&i64::from(distance)) && length <= run
        };
        let duplicate = distance < 0 || self.packed.get(1).is_some_and(inside);
        duplicate.then(|| next.wrapping_add_signed(i64::from(distance)))
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.packed[0].1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, SackBlocks};

    #[test]
    fn blocks_are_stored_in_order() {
        let given = [Block { start: 20, end: 25 }, Block { start: 12, end: 13 }];
        let blocks: SackBlocks = SackBlocks::new(10, None, given);
        assert_eq!(blocks.iter(10).collect::<Vec<_>>(), given);
        assert_eq!(blocks.duplicate(10), None);
        assert!(SackBlocks::<3>::new(10, None, []).is_empty());
    }

    #[test]
    fn a_block_below_the_cumulative_acknowledgement_is_a_dsack() {
        let blocks: SackBlocks = SackBlocks::new(10, Some(7), []);
        assert_eq!(blocks.duplicate(10), Some(7));
        assert_eq!(blocks.iter(10).collect::<Vec<_>>(), [Block { start: 7, end: 8 }]);
    }

    #[test]
    fn a_block_within_the_second_block_is_a_dsack() {
        let run = Block { start: 12, end: 15 };
        let blocks: SackBlocks = SackBlocks::new(10, Some(13), [run]);
        assert_eq!(blocks.duplicate(10), Some(13));
        assert_eq!(SackBlocks::<3>::new(10, None, [Block { start: 20, end: 21 }, run]).duplicate(10), None);
    }
}
