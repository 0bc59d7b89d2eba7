// SPDX-License-Identifier: Apache-2.0
//! Many first-in-first-out rows in one store: the buffers of the disciplines that separate flows.
//!
//! All rows share their cells, so that the store grows to the largest backlog it has held and allocates no more after
//! that, whoever's packets they are. Every operation takes constant time on average, finding the longest row included.

mod lengths;

use crate::Backlog;
use alloc::vec::Vec;
use lengths::Lengths;
use narrows_units::Bytes;
use narrows_wire::Packet;

/// Rows of packets, numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    cells: Vec<Cell>,
    /// Head of the list of cells without a packet, linked by `after`.
    free: u32,
    ends: Vec<Row>,
    lengths: Lengths,
    backlog: Backlog,
}

/// A place for a packet.
#[derive(Clone, Copy, Debug)]
struct Cell {
    packet: Packet,
    before: u32,
    after: u32,
}

/// Both ends of a row, and what lies between.
#[derive(Clone, Debug)]
struct Row {
    head: u32,
    tail: u32,
    backlog: Backlog,
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            free: NONE,
            ends: Vec::new(),
            lengths: Lengths::default(),
            backlog: Backlog::default(),
        }
    }
}

impl Rows {
    /// Adds an empty list and returns its index.
    pub fn open(&mut self) -> usize {
        self.ends.push(Row { head: NONE, tail: NONE, backlog: Backlog::default() });
        self.lengths.open();
        self.ends.len() - 1
    }

    /// Adds `packet` at the tail of list `row`.
    #[inline]
    pub fn push(&mut self, row: usize, packet: Packet) {
        let size = packet.size();
        let ends = &mut self.ends[row];
        let before = ends.tail;
        let cell = Cell { packet, before, after: NONE };
        let place = match self.free {
            NONE => {
                self.cells.push(cell);
                (self.cells.len() - 1) as u32
            }
            place => {
                let free = &mut self.cells[place as usize];
                self.free = free.after;
                *free = cell;
                place
            }
        };
        ends.tail = place;
        match before {
            NONE => ends.head = place,
            before => self.cells[before as usize].after = place,
        }
        let length = ends.backlog.bytes;
        ends.backlog.add(size);
        self.backlog.add(size);
        self.lengths.change(row, length, length + size);
    }

    /// Removes and returns the packet at the head of list `row`; `None` if it is empty.
    #[inline]
    pub fn pop(&mut self, row: usize) -> Option<Packet> {
        let ends = &mut self.ends[row];
        let place = ends.head;
        if place == NONE {
            return None;
        }
        let cell = &mut self.cells[place as usize];
        let (packet, after) = (cell.packet, cell.after);
        cell.after = self.free;
        self.free = place;
        ends.head = after;
        match after {
            NONE => ends.tail = NONE,
            after => self.cells[after as usize].before = NONE,
        }
        self.removed(row, packet.size());
        Some(packet)
    }

    /// Removes and returns the packet at the tail of list `row`; `None` if it is empty.
    pub fn pop_tail(&mut self, row: usize) -> Option<Packet> {
        let tail = self.ends[row].tail;
        self.take(row, tail)
    }

    /// Removes and returns the first packet of list `row` for which `is_sought` holds; `None` if there is none. Takes time in
    /// proportion to the length of the list.
    pub fn remove(&mut self, row: usize, is_sought: impl Fn(&Packet) -> bool) -> Option<Packet> {
        let mut cell = self.ends[row].head;
        while cell != NONE && !is_sought(&self.cells[cell as usize].packet) {
            cell = self.cells[cell as usize].after;
        }
        self.take(row, cell)
    }

    /// Returns the size of the packet at the head of list `row`; `None` if it is empty.
    pub fn head_size(&self, row: usize) -> Option<Bytes> {
        let head = self.ends[row].head;
        (head != NONE).then(|| self.cells[head as usize].packet.size())
    }

    /// Returns the number and bytes of the packets in list `row`.
    pub fn backlog_of(&self, row: usize) -> Backlog {
        self.ends[row].backlog
    }

    /// Returns the number and bytes of the packets in all lists.
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// Returns the index of the list with the most bytes, which are compared in units of 64; of several the one that
    /// reached its length last. `None` if all lists are empty.
    pub fn longest(&mut self) -> Option<usize> {
        let Self { lengths, ends, .. } = self;
        lengths.longest(|row| ends[row].backlog.bytes)
    }

    /// Takes a cell out of its row and frees it.
    fn take(&mut self, row: usize, cell: u32) -> Option<Packet> {
        if cell == NONE {
            return None;
        }
        let Cell { packet, before, after } = self.cells[cell as usize];
        match before {
            NONE => self.ends[row].head = after,
            before => self.cells[before as usize].after = after,
        }
        match after {
            NONE => self.ends[row].tail = before,
            after => self.cells[after as usize].before = before,
        }
        self.cells[cell as usize].after = self.free;
        self.free = cell;
        self.removed(row, packet.size());
        Some(packet)
    }

    /// A packet of `size` has left list `row`.
    #[inline]
    fn removed(&mut self, row: usize, size: Bytes) {
        let backlog = &mut self.ends[row].backlog;
        let length = backlog.bytes;
        backlog.remove(size);
        self.backlog.remove(size);
        self.lengths.change(row, length, length - size);
    }
}

/// No cell.
const NONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    //! Truth: rows behave as separate queues do, against the standard library's.

    use super::Rows;
    use crate::testing::packet;
    use alloc::collections::VecDeque;
    use narrows_units::Bytes;
    use proptest::prelude::{Strategy, any, prop_oneof, proptest};

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push(usize, u16),
        Pop(usize),
        PopTail(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => (0..3_usize, 1..=1500_u16).prop_map(|(row, size)| Step::Push(row, size)),
            1 => (0..3_usize).prop_map(Step::Pop),
            1 => (0..3_usize).prop_map(Step::PopTail),
        ];
        proptest::collection::vec(step, 0..200)
    }

    proptest! {
        #[test]
        fn rows_are_queues_that_share_a_store(steps in steps(), first in any::<u32>()) {
            let mut rows = Rows::default();
            let mut queues = [const { VecDeque::new() }; 3];
            for row in 0..3 {
                assert_eq!(rows.open(), row);
            }
            let mut most = 0;
            for (index, step) in steps.into_iter().enumerate() {
                let number = u64::from(first) + index as u64;
                match step {
                    Step::Push(row, size) => {
                        rows.push(row, packet(number, 0, size));
                        queues[row].push_back((number, size));
                    }
                    Step::Pop(row) => {
                        let expected = queues[row].pop_front();
                        assert_eq!(rows.pop(row).map(|packet| (packet.number, packet.size)), expected);
                    }
                    Step::PopTail(row) => {
                        let expected = queues[row].pop_back();
                        assert_eq!(rows.pop_tail(row).map(|packet| (packet.number, packet.size)), expected);
                    }
                }
                let bytes = queues.each_ref().map(|queue| queue.iter().map(|(_, size)| u64::from(*size)).sum::<u64>());
                let packets = queues.iter().map(|queue| queue.len() as u64).sum::<u64>();
                most = most.max(packets);
                assert_eq!(rows.backlog().packets, packets);
                assert_eq!(rows.backlog().bytes.count(), bytes.iter().sum::<u64>());
                for row in 0..3 {
                    assert_eq!(rows.backlog_of(row).bytes.count(), bytes[row]);
                    let head = queues[row].front().map(|(_, size)| Bytes::new(u64::from(*size)));
                    assert_eq!(rows.head_size(row), head);
                }
                match rows.longest() {
                    Some(row) => assert!(bytes.iter().all(|other| *other < bytes[row] + 64) && bytes[row] > 0),
                    None => assert_eq!(packets, 0),
                }
            }
            assert_eq!(rows.cells.len() as u64, most, "cells are used again");
        }
    }
}
