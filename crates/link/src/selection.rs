// SPDX-License-Identifier: Apache-2.0
//! Packets of a link that are chosen by their numbers.

use alloc::vec::Vec;
use core::ops::Range;

/// A choice of packets of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The packets that are counted.
    pub of: Counted,
    /// Connection slots whose packets alone are counted; `None` for all of them.
    pub slots: Option<Range<u32>>,
    /// Whether the packets of each connection are counted apart.
    pub per_flow: bool,
    /// Numbers of the chosen ones among the counted, from 1, ascending; `None` for all of them.
    pub numbers: Option<Vec<u64>>,
}

/// Packets that are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Every packet.
    #[default]
    All,
    /// Packets that carry data.
    Data,
    /// Data packets whose data was sent before.
    Retransmissions,
    /// Acknowledgements without data.
    Acks,
}

impl Selection {
    /// Returns the packets with these numbers, in any order.
    pub fn numbered(of: Counted, numbers: impl IntoIterator<Item = u64>) -> Self {
        let mut numbers: Vec<u64> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self { of, numbers: Some(numbers), ..Self::default() }
    }
}
