// SPDX-License-Identifier: Apache-2.0
//! Which row is the longest.
//!
//! Rows stand in classes of 64 bytes of length. Lists of the rows of each class exist only while the longest row is
//! sought again and again, as by a full buffer. Then only the class of a row that grows or shrinks changes, and the
//! highest class in use is sought downwards from its last value, so that a packet pays for at most the classes it
//! crossed. At other times a row has only the number of its last change of class, from which the lists can be made as
//! they would be.

use alloc::vec::Vec;
use narrows_units::Bytes;

/// Rows by length.
#[derive(Clone, Debug, Default)]
pub(super) struct Lengths {
    /// Number of the last change of class of each row: rows of a class are listed from the newest.
    entered: Vec<u64>,
    changes: u64,
    /// Lists exist.
    listed: bool,
    /// Changes of class since the longest row was last sought.
    unused: usize,
    /// First row of every class.
    first: Vec<u32>,
    /// Every row's place in its class.
    places: Vec<Place>,
    /// No class above it holds a row.
    highest: usize,
    /// All rows, in the order of their last changes when lists were last made.
    order: Vec<u32>,
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
        self.order.push(self.places.len() as u32);
        self.entered.push(0);
        self.places.push(Place { class: 0, before: NONE, after: NONE });
    }

    /// The length of list `row` has changed.
    #[inline]
    pub fn change(&mut self, row: usize, before: Bytes, after: Bytes) {
        let class = class(after);
        if class == self::class(before) {
            return;
        }
        self.changes += 1;
        self.entered[row] = self.changes;
        if self.listed {
            self.move_to(row, class);
        }
    }

    /// Returns the index of the longest list; `None` if all are empty. `length` returns the length of each.
    pub fn longest(&mut self, length: impl Fn(usize) -> Bytes) -> Option<usize> {
        if !self.listed {
            self.list(length);
        }
        self.unused = 0;
        while self.highest > 0 {
            match self.first[self.highest] {
                NONE => self.highest -= 1,
                row => return Some(row as usize),
            }
        }
        None
    }

    /// Makes the lists: rows join in the order in which they last changed their class.
    fn list(&mut self, length: impl Fn(usize) -> Bytes) {
        let Self { order, entered, .. } = self;
        order.sort_unstable_by_key(|row| entered[*row as usize]);
        for index in 0..self.order.len() {
            let row = self.order[index] as usize;
            self.enter(row, class(length(row)));
        }
        self.listed = true;
    }

    /// Empties the lists.
    fn dismiss(&mut self) {
        for place in &mut self.places {
            self.first[place.class as usize] = NONE;
            *place = Place { class: 0, before: NONE, after: NONE };
        }
        self.highest = 0;
        self.listed = false;
    }

    /// Row `row` is in `class` now. Lists that are not used for a while are dismissed: to make them takes time in proportion
    /// to the number of rows.
    fn move_to(&mut self, row: usize, class: u32) {
        self.leave(row);
        self.enter(row, class);
        self.unused += 1;
        if self.unused > UNUSED_CHANGES * self.places.len() {
            self.dismiss();
        }
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
        let index = class as usize;
        if index >= self.first.len() {
            self.first.resize(index + 1, NONE);
        }
        if class > 0 {
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

/// Returns the class of a row of `bytes`.
#[inline]
fn class(bytes: Bytes) -> u32 {
    ((bytes.count() + (CLASS_WIDTH - 1)) >> CLASS_WIDTH.ilog2()) as u32
}

/// Bytes of length in a class.
const CLASS_WIDTH: u64 = 64;
/// Changes of class for each row after which unused lists are dismissed.
const UNUSED_CHANGES: usize = 8;
/// No row.
const NONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    //! Truth: the longest row equals the longest row of lists which always exist.

    use super::Lengths;
    use narrows_units::Bytes;
    use proptest::prelude::{Just, Strategy, prop_oneof, proptest};

    const ROWS: usize = 5;

    fn steps() -> impl Strategy<Value = Vec<Option<(usize, u64)>>> {
        let step = prop_oneof![30 => (0..ROWS, 0..600_u64).prop_map(Some), 1 => Just(None)];
        proptest::collection::vec(step, 0..400)
    }

    proptest! {
        #[test]
        fn the_longest_row_is_the_same_whether_lists_exist_or_not(steps in steps()) {
            let (mut lengths, mut always) = (Lengths::default(), Lengths::default());
            for _ in 0..ROWS {
                lengths.open();
                always.open();
            }
            let mut bytes = [0; ROWS];
            let mut made = 0;
            for step in steps {
                let length = |row: usize| Bytes::new(bytes[row]);
                // Sought before each step, so that its lists are never dismissed.
                let longest = always.longest(length);
                if let Some((row, after)) = step {
                    let before = core::mem::replace(&mut bytes[row], after);
                    lengths.change(row, Bytes::new(before), Bytes::new(after));
                    always.change(row, Bytes::new(before), Bytes::new(after));
                } else {
                    made += u32::from(!lengths.listed);
                    assert_eq!(lengths.longest(length), longest);
                }
            }
            assert!(made <= 400 / (super::UNUSED_CHANGES * ROWS) as u32 + 1, "made {made} times");
        }
    }
}
