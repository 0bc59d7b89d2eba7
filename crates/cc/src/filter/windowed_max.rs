// SPDX-License-Identifier: Apache-2.0
//! Windowed maximum in constant space: Kathleen Nichols's algorithm, as in Linux (`lib/win_minmax.c`).
//!
//! The filter keeps the largest sample of the window, the largest after it and the largest after that. When the first
//! leaves the window, the second and third replace the first and second. If no later sample is as large for a quarter
//! of the window, or a half, the newest sample becomes the second, or the third, so that a successor is always known.
//!
//! Deviations: none from Linux. The result may be below the true maximum of the window, since a sample between two larger
//! ones is not kept.

/// The maximum of the samples in a sliding window (Kathleen Nichols' algorithm, as in Linux `win_minmax.c`). Time is
/// any count that does not decrease, such as microseconds or round trips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowedMax {
    /// In the order of time and of decreasing value; equal if no later sample is known.
    kept: [Sample; 3],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sample {
    at: u64,
    value: u64,
}

impl WindowedMax {
    /// Returns the maximum after the last update, in the unit of the samples; 0 before the first update.
    pub fn get(&self) -> u64 {
        self.kept[0].value
    }

    /// Adds the sample `value` taken at time `now`, and drops samples older than `window`. Both have the same unit of
    /// time.
    #[inline]
    pub fn update(&mut self, window: u64, now: u64, value: u64) {
        // Most samples of an estimate that a round or a time changes: none is kept, and none kept is old.
        if value >= self.kept[2].value || now - self.kept[0].at > window / 4 {
            self.keep(window, now, value);
        }
    }

    /// Adds a sample that may change the samples kept.
    fn keep(&mut self, window: u64, now: u64, value: u64) {
        let sample = Sample { at: now, value };
        let [first, second, third] = &mut self.kept;
        if value >= first.value || now - third.at > window {
            self.kept = [sample; 3];
            return;
        }
        if value >= second.value {
            (*second, *third) = (sample, sample);
        } else if value >= third.value {
            *third = sample;
        }
        let age = now - first.at;
        if age > window {
            (*first, *second, *third) = (*second, *third, sample);
            if now - first.at > window {
                (*first, *second, *third) = (*second, *third, sample);
            }
        } else if second.at == first.at && age > window / 4 {
            (*second, *third) = (sample, sample);
        } else if third.at == second.at && age > window / 2 {
            *third = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WindowedMax;

    fn after(samples: impl IntoIterator<Item = (u64, u64)>) -> u64 {
        let mut filter = WindowedMax::default();
        samples.into_iter().for_each(|(now, value)| filter.update(10, now, value));
        filter.get()
    }

    #[test]
    fn a_sample_that_is_passed_over_would_have_changed_nothing() {
        let (mut quick, mut slow) = (WindowedMax::default(), WindowedMax::default());
        let (mut random, mut now) = (7_u64, 0);
        for _ in 0..50_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            now += (random >> 60) / 13;
            let (window, value) = ([1, 10, 7][((random >> 40) % 3) as usize], (random >> 33) % 50);
            quick.update(window, now, value);
            slow.keep(window, now, value);
            assert_eq!(quick, slow, "at {now}");
        }
    }

    #[test]
    fn a_larger_value_counts_at_once_and_a_smaller_one_does_not() {
        assert_eq!(after([(0, 5), (1, 7), (2, 6)]), 7);
    }

    #[test]
    fn a_value_stays_for_the_window_and_no_longer() {
        let falling = |until| after((0..=until).map(|now| (now, 100 - now)));
        assert_eq!(falling(10), 100);
        // Kept at a quarter of the window, and so the next best.
        assert_eq!(falling(11), 97);
    }

    #[test]
    fn after_a_silence_of_a_window_only_the_new_value_counts() {
        assert_eq!(after([(0, 9), (1, 8), (12, 1)]), 1);
    }

    #[test]
    fn the_best_of_a_constant_window_is_the_constant() {
        assert_eq!(after((0..100).map(|now| (now, 4))), 4);
    }
}
