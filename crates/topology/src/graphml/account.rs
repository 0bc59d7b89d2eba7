// SPDX-License-Identifier: Apache-2.0
//! An account of the values read, with their places, and of the assumptions.

use std::collections::BTreeMap;

/// Sentences about edges or nodes, in the order in which they first arose.
#[derive(Default)]
pub struct Account {
    entries: Vec<(String, Vec<String>)>,
    places: BTreeMap<String, usize>,
}

impl Account {
    /// Adds that `what` holds of `whose`.
    pub fn add(&mut self, what: String, whose: String) {
        let place = *self.places.entry(what.clone()).or_insert(self.entries.len());
        match self.entries.get_mut(place) {
            Some((_, all)) => all.push(whose),
            None => self.entries.push((what, vec![whose])),
        }
    }

    /// Returns a sentence for each entry, which names all of whom it holds; `count` is the number of all edges.
    pub fn sentences(&self, count: usize) -> Vec<String> {
        let sentence = |(what, whose): &(String, Vec<String>)| {
            if count > 1 && whose.len() == count {
                format!("{what}: all {count} edges")
            } else {
                format!("{what}: {}", whose.join(", "))
            }
        };
        self.entries.iter().map(sentence).collect()
    }
}
