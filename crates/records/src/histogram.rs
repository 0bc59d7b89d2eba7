// SPDX-License-Identifier: Apache-2.0
//! A histogram of spans with buckets of less than 1 % width, counted in integers, so that it is the same whatever the
//! order of its entries and can be merged exactly.
//!
//! Each octave of picoseconds is cut into 128 equal buckets (the layout of HdrHistogram): a bucket is between 0.39 %
//! and 0.78 % wide. A quantile is interpolated within its bucket, as if the entries of a bucket were spread evenly over
//! it, so that it moves with every entry and not from bucket to bucket. It is off by less than the width of a bucket;
//! that much only where all entries of its bucket are at one edge.

use crate::digest::{Digested, Hash};
use narrows_units::Span;

/// A histogram of durations with logarithmic buckets.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum_ps: u128,
    least_ps: u64,
    most_ps: u64,
}

impl Histogram {
    /// Creates an empty histogram. It allocates no more memory later.
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0, sum_ps: 0, least_ps: u64::MAX, most_ps: 0 }
    }

    /// Counts `span`.
    #[inline]
    pub fn add(&mut self, span: Span) {
        let ps = span.as_ps();
        self.counts[bucket(ps)] += 1;
        self.total += 1;
        self.sum_ps += u128::from(ps);
        if ps < self.least_ps || ps > self.most_ps {
            self.widen(ps);
        }
    }

    /// `ps` is the shortest or the longest so far, which it hardly ever is.
    #[cold]
    fn widen(&mut self, ps: u64) {
        self.least_ps = self.least_ps.min(ps);
        self.most_ps = self.most_ps.max(ps);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
        self.sum_ps += other.sum_ps;
        self.least_ps = self.least_ps.min(other.least_ps);
        self.most_ps = self.most_ps.max(other.most_ps);
    }

    /// Returns the number of durations counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the exact mean, seconds; not a number if empty.
    pub fn mean_s(&self) -> f64 {
        self.sum_ps as f64 * 1e-12 / self.total as f64
    }

    /// Returns the quantile `q` (0 to 1), seconds: at which the share of the durations reaches `q`, linear within a
    /// bucket and never beyond the shortest or the longest duration; not a number if empty.
    pub fn quantile_s(&self, q: f64) -> f64 {
        if self.total == 0 {
            return f64::NAN;
        }
        let wanted = q * self.total as f64;
        let mut below = 0;
        let used = self.counts.iter().enumerate().skip(bucket(self.least_ps));
        for (index, &count) in used.filter(|(_, count)| **count > 0) {
            if (below + count) as f64 >= wanted {
                let (low, width) = bounds_ps(index);
                let within = low as f64 + (wanted - below as f64) / count as f64 * width as f64;
                return within.clamp(self.least_ps as f64, self.most_ps as f64) * 1e-12;
            }
            below += count;
        }
        f64::NAN
    }

    /// Returns the mean of the lowest share `q` (0 to 1) of the durations, seconds, with durations of a bucket at its
    /// middle; not a number if empty.
    pub fn trimmed_mean_s(&self, q: f64) -> f64 {
        let mut left = (q * self.total as f64).ceil().max(1.0);
        let (mut sum, mut number) = (0.0, 0.0);
        for (middle, count) in self.buckets() {
            let taken = left.min(count as f64);
            sum += middle.clamp(self.least_ps as f64 * 1e-12, self.most_ps as f64 * 1e-12) * taken;
            number += taken;
            left -= taken;
        }
        sum / number
    }

    /// Returns the non-empty buckets in ascending order: middle in seconds, and count.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(index, &count)| (middle_s(index), count))
    }
}

impl Digested for Histogram {
    /// The buckets that are empty are left out, so that there may be more.
    fn feed(&self, hash: &mut Hash) {
        self.total.feed(hash);
        self.sum_ps.feed(hash);
        self.least_ps.feed(hash);
        self.most_ps.feed(hash);
        for (index, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            index.feed(hash);
            count.feed(hash);
        }
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

fn bucket(ps: u64) -> usize {
    if ps < PER_OCTAVE {
        return ps as usize;
    }
    let shift = ps.ilog2() - OCTAVE_BITS;
    // The leading one of `ps >> shift` adds one octave, so octave 0 (below 128 ps) is followed without a gap.
    ((u64::from(shift) << OCTAVE_BITS) + (ps >> shift)) as usize
}

fn middle_s(index: usize) -> f64 {
    let (low, width) = bounds_ps(index);
    (low as f64 + width as f64 / 2.0) * 1e-12
}

/// Lower edge and width of a bucket, picoseconds; a bucket of a single whole number has no width.
fn bounds_ps(index: usize) -> (u64, u64) {
    let index = index as u64;
    if index < 2 * PER_OCTAVE {
        return (index, 0);
    }
    let shift = (index >> OCTAVE_BITS) - 1;
    ((index - (shift << OCTAVE_BITS)) << shift, 1 << shift)
}

const OCTAVE_BITS: u32 = 7;
const PER_OCTAVE: u64 = 1 << OCTAVE_BITS;
const BUCKETS: usize = ((64 - OCTAVE_BITS as usize) + 1) << OCTAVE_BITS;

#[cfg(test)]
mod tests {
    use super::{BUCKETS, Histogram, bucket, middle_s};
    use narrows_units::Span;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn quantiles_of_a_ramp_are_its_ranks() {
        let mut histogram = Histogram::new();
        for us in 1..=1000 {
            histogram.add(Span::from_us(us));
        }
        for (q, us) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0), (1.0, 1000.0)] {
            let got = histogram.quantile_s(q) * 1e6;
            assert!((got / us - 1.0_f64).abs() < 0.002, "{q}: {got} for {us}");
        }
        assert!((histogram.mean_s() - 500.5e-6).abs() < 1e-12);
    }

    #[test]
    fn a_quantile_moves_with_every_entry_within_its_bucket() {
        let median_with = |longer: usize| {
            let mut histogram = Histogram::new();
            for ps in [100_000_000, 100_100_000].repeat(50) {
                histogram.add(Span::from_ps(ps));
            }
            histogram.add(Span::from_us(1));
            (0..longer).for_each(|_| histogram.add(Span::from_us(200)));
            histogram.quantile_s(0.5)
        };
        assert_eq!(bucket(100_000_000), bucket(100_100_000));
        assert!(median_with(10) < median_with(11));
    }

    #[test]
    fn a_quantile_of_equal_durations_is_their_value() {
        let mut histogram = Histogram::new();
        (0..9).for_each(|_| histogram.add(Span::from_ps(123_456_000)));
        for q in [0.0, 0.05, 0.5, 0.95, 1.0] {
            assert!((histogram.quantile_s(q) - 123_456e-9).abs() < 1e-15);
        }
    }

    #[test]
    fn a_trimmed_mean_leaves_out_the_longest() {
        let mut histogram = Histogram::new();
        (0..95).for_each(|_| histogram.add(Span::from_ms(20)));
        (0..5).for_each(|_| histogram.add(Span::from_ms(900)));
        assert!((histogram.trimmed_mean_s(0.95) - 0.020).abs() < 1e-4);
        assert!(histogram.trimmed_mean_s(1.0) > 0.06);
        assert!(Histogram::new().trimmed_mean_s(0.95).is_nan());
    }

    #[test]
    fn an_empty_histogram_has_no_quantile_and_no_mean() {
        assert!(Histogram::new().quantile_s(0.5).is_nan());
        assert!(Histogram::new().mean_s().is_nan());
    }

    proptest! {
        #[test]
        fn every_span_is_counted_in_a_bucket_of_its_size(ps in any::<u64>()) {
            let index = bucket(ps);
            prop_assert!(index < BUCKETS);
            let middle = middle_s(index) * 1e12;
            prop_assert!((middle - ps as f64).abs() <= ps as f64 * 0.0040 + 0.5, "{ps} read as {middle}");
        }

        #[test]
        fn a_quantile_is_within_a_bucket_of_the_one_by_nearest_rank(
            mut spans in vec(0_u64..1 << 40, 1..200), q in 0.0..=1.0_f64,
        ) {
            let mut histogram = Histogram::new();
            for ps in &spans {
                histogram.add(Span::from_ps(*ps));
            }
            spans.sort_unstable();
            let rank = ((q * spans.len() as f64).ceil() as usize).max(1);
            let (exact, got) = (spans[rank - 1] as f64, histogram.quantile_s(q) * 1e12);
            prop_assert!((got - exact).abs() <= exact * 0.0079 + 1e-3, "{got} for {exact}");
        }
    }
}
