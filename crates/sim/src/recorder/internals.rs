// SPDX-License-Identifier: Apache-2.0
//! Inner variables of algorithms and queues at the ends of the intervals.

use super::place::Place;

/// The inner variables of a partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct InternalsRecorder {
    /// Names of the variables, in the order in which they were first observed.
    pub names: Vec<String>,
    /// Values in the order in which they were observed.
    pub rows: Vec<Internal>,
}

/// The value of a variable at the end of an interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Internal {
    /// Index of the interval.
    pub interval: u32,
    /// The sender or the link that has it.
    pub place: Place,
    /// Index into the names.
    pub variable: u32,
    /// The value.
    pub value: f64,
}

impl InternalsRecorder {
    /// Adds a variable of the algorithm of a sender, or of the queue of a link, at the end of `interval`.
    pub fn add(&mut self, interval: usize, place: Place, name: &str, value: f64) {
        let known = self.names.iter().position(|known| known == name);
        let variable = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.rows.push(Internal { interval: interval as u32, place, variable: variable as u32, value });
    }
}
