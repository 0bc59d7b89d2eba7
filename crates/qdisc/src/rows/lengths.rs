// SPDX-License-Identifier: Apache-2.0
//! Which row is the longest.
//!
//! Rows stand in classes of 64 bytes of length. Only the class of a row that grows or shrinks changes, and the highest
//! class in use is sought downwards from where it last was, so that a packet pays for at most the classes it crossed.

use alloc::vec::Vec;
use narrows_units::Bytes;

/// Rows by length.
#[derive(Clone, Debug, Default)]
pub(super) struct Lengths {
    /// First row of every class.
    first: Vec<u32>,
    /// Every row's place in its class.
    places: Vec<Place>,
    /// No class above it holds a row.
    highest: usize,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    /// 0 for an empty row, which is in no list.
    class: u32,
    before: u32,
    after: u32,
}

impl Lengths {
    /// Adds an empty list.
    pub fn open(&mut self) {
        self.places.push(Place { class: 0, before: NONE, after: NONE });
    }

    /// Sets the length of list `row` to `bytes`.
    pub fn set(&mut self, row: usize, bytes: Bytes) {
        let class = bytes.count().div_ceil(CLASS_WIDTH) as u32;
        if class == self.places[row].class {
            return;
        }
        self.leave(row);
        self.enter(row, class);
    }

    /// Returns the index of the longest list; `None` if all are empty.
    pub fn longest(&mut self) -> Option<usize> {
        while self.highest > 0 {
            match self.first[self.highest] {
                NONE => self.highest -= 1,
                row => return Some(row as usize),
            }
        }
        None
    }

    fn leave(&mut self, row: usize) {
        let Place { class, before, after } = self.places[row];
        if class == 0 {
            return;
        }
        match before {
            NONE => self.first[class as usize] = after,
            before => self.places[before as usize].after = after,
        }
        if after != NONE {
            self.places[after as usize].before = before;
        }
    }

    fn enter(&mut self, row: usize, class: u32) {
        let mut after = NONE;
        if class > 0 {
            let index = class as usize;
            if index >= self.first.len() {
                self.first.resize(index + 1, NONE);
            }
            self.highest = self.highest.max(index);
            after = self.first[index];
            self.first[index] = row as u32;
            if after != NONE {
                self.places[after as usize].before = row as u32;
            }
        }
        self.places[row] = Place { class, before: NONE, after };
    }
}

/// Bytes of length in a class.
const CLASS_WIDTH: u64 = 64;
/// No row.
const NONE: u32 = u32::MAX;
