//! Selective acknowledgement blocks (RFC 2018), counted in segments.

/// A run of received segments `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// First segment of the run.
    pub start: u64,
    /// First segment after it.
    pub end: u64,
}

/// At most `N` blocks, kept as distances from the cumulative acknowledgement so that they fit the packet. Three are
/// what fits into a TCP header beside a time stamp (RFC 2018 §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackBlocks<const N: usize = 3> {
    packed: [(u32, u32); N],
}

impl<const N: usize> SackBlocks<N> {
    /// Packs `blocks` in their order, those beyond the capacity left out. Each must lie above `next` and hold a segment.
    pub fn new(next: u64, blocks: impl IntoIterator<Item = Block>) -> Self {
        let mut packed = [(0, 0); N];
        for (slot, block) in packed.iter_mut().zip(blocks) {
            debug_assert!(
                next < block.start && block.start < block.end,
                "a block lies above the cumulative point"
            );
            *slot = ((block.start - next) as u32, (block.end - block.start) as u32);
        }
        Self { packed }
    }

    /// The blocks again, given the acknowledgement's `next`.
    pub fn iter(&self, next: u64) -> impl Iterator<Item = Block> + '_ {
        self.packed.iter().take_while(|(_, length)| *length > 0).map(move |&(offset, length)| {
            let start = next + u64::from(offset);
            Block { start, end: start + u64::from(length) }
        })
    }

    /// Nothing has arrived out of order.
    pub fn is_empty(&self) -> bool {
        self.packed[0].1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, SackBlocks};

    #[test]
    fn blocks_come_back_in_order_and_none_is_invented() {
        let given = [Block { start: 20, end: 25 }, Block { start: 12, end: 13 }];
        let blocks: SackBlocks = SackBlocks::new(10, given);
        assert_eq!(blocks.iter(10).collect::<Vec<_>>(), given);
        assert!(SackBlocks::<3>::new(10, []).is_empty());
    }
}
