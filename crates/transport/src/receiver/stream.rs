// SPDX-License-Identifier: Apache-2.0
//! The sizes of the segments of a stream, which are known only when they arrive.

use std::collections::BTreeMap;

/// The part of a stream that has arrived.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Payload of the segments that have arrived in order, bytes.
    delivered: u64,
    /// Payload of each segment beyond them, bytes.
    beyond: BTreeMap<u64, u64>,
}

impl Stream {
    /// Segment `number` arrived for the first time, with `payload` bytes, after which the first one missing is `next`. Returns the
    /// payload of all segments before that, bytes.
    pub(super) fn on_segment(&mut self, number: u64, payload: u64, next: u64) -> u64 {
        if number + 1 == next {
            self.delivered += payload;
            return self.delivered;
        }
        self.beyond.insert(number, payload);
        while let Some(entry) = self.beyond.first_entry().filter(|entry| *entry.key() < next) {
            self.delivered += entry.remove();
        }
        self.delivered
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn what_is_beyond_a_hole_is_delivered_when_the_hole_is_filled() {
        let mut stream = Stream::default();
        assert_eq!(stream.on_segment(0, 100, 1), 100);
        assert_eq!(stream.on_segment(2, 7, 1), 100);
        assert_eq!(stream.on_segment(4, 9, 1), 100);
        assert_eq!(stream.on_segment(1, 50, 3), 157);
        assert_eq!(stream.on_segment(3, 1, 5), 167);
    }
}
