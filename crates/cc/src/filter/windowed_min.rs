// SPDX-License-Identifier: Apache-2.0
//! Windowed minimum: the windowed maximum of the complements.

use super::WindowedMax;

/// The minimum of the samples in a sliding window, by the algorithm of [`WindowedMax`]. Time is any count that does not decrease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowedMin(WindowedMax);

impl WindowedMin {
    /// Returns the minimum after the last update, in the unit of the samples; [`u64::MAX`] before the first update.
    pub fn get(&self) -> u64 {
        u64::MAX - self.0.get()
    }

    /// Adds the sample `value` taken at time `now`, and drops samples older than `window`. Both have the same unit of
    /// time.
    pub fn update(&mut self, window: u64, now: u64, value: u64) {
        self.0.update(window, now, u64::MAX - value);
    }
}

#[cfg(test)]
mod tests {
    use super::WindowedMin;

    #[test]
    fn a_smaller_value_counts_at_once_and_is_forgotten_after_the_window() {
        let mut filter = WindowedMin::default();
        assert_eq!(filter.get(), u64::MAX);
        for (now, value, least) in [(0, 7, 7), (1, 5, 5), (2, 6, 5), (12, 8, 8), (40, 9, 9)] {
            filter.update(10, now, value);
            assert_eq!(filter.get(), least, "at {now}");
        }
    }
}
