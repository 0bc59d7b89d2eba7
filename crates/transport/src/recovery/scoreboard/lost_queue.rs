// SPDX-License-Identifier: Apache-2.0
//! The order in which lost segments are retransmitted.

use std::collections::VecDeque;

/// Two queues of segment numbers: first losses are detected in ascending order, losses of retransmissions in the order
/// in which these were sent. The lower front is the lowest lost segment unless retransmissions were reordered.
#[derive(Clone, Debug, Default)]
pub(super) struct LostQueue {
    first: VecDeque<u64>,
    again: VecDeque<u64>,
}

impl LostQueue {
    /// Segment `number` was lost; `again` if the lost packet was a retransmission.
    pub(super) fn push(&mut self, number: u64, again: bool) {
        if again { self.again.push_back(number) } else { self.first.push_back(number) }
    }

    /// Returns the lower front, once entries that are no longer `lost` are removed.
    pub(super) fn front(&mut self, lost: impl Fn(u64) -> bool) -> Option<u64> {
        for queue in [&mut self.first, &mut self.again] {
            while queue.front().is_some_and(|&number| !lost(number)) {
                queue.pop_front();
            }
        }
        match (self.first.front(), self.again.front()) {
            (Some(&first), Some(&again)) => Some(first.min(again)),
            (first, again) => first.or(again).copied(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.again.clear();
    }
}
