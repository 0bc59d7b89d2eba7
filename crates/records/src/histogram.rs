//! A histogram of spans with buckets of less than 1 % width, counted in integers, so that it is the same whatever the
//! order of its entries and can be merged exactly.
//!
//! Each octave of picoseconds is cut into 128 equal buckets (the layout of HdrHistogram): a bucket is between 0.39 %
//! and 0.78 % wide, and a quantile read from its middle is off by half of that at most.

use narrows_units::Span;

/// A histogram of durations with logarithmic buckets.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum_ps: u128,
}

impl Histogram {
    /// An empty histogram. It allocates no more memory later.
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0, sum_ps: 0 }
    }

    /// Counts `span`.
    pub fn add(&mut self, span: Span) {
        self.counts[bucket(span.as_ps())] += 1;
        self.total += 1;
        self.sum_ps += u128::from(span.as_ps());
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
        self.sum_ps += other.sum_ps;
    }

    /// Number of durations counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Exact mean, seconds; not a number if empty.
    pub fn mean_s(&self) -> f64 {
        self.sum_ps as f64 * 1e-12 / self.total as f64
    }

    /// The quantile `q` (0 to 1) by nearest rank, seconds, as the middle of its bucket; not a number if empty.
    pub fn quantile_s(&self, q: f64) -> f64 {
        let rank = ((q * self.total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return middle_s(index);
            }
        }
        f64::NAN
    }

    /// The non-empty buckets in ascending order: middle in seconds, and count.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(index, &count)| (middle_s(index), count))
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
    let index = index as u64;
    if index < 2 * PER_OCTAVE {
        return index as f64 * 1e-12;
    }
    let shift = (index >> OCTAVE_BITS) - 1;
    let low = (index - (shift << OCTAVE_BITS)) << shift;
    (low as f64 + (1_u64 << shift) as f64 / 2.0) * 1e-12
}

const OCTAVE_BITS: u32 = 7;
const PER_OCTAVE: u64 = 1 << OCTAVE_BITS;
const BUCKETS: usize = ((64 - OCTAVE_BITS as usize) + 1) << OCTAVE_BITS;

#[cfg(test)]
mod tests {
    use super::{BUCKETS, Histogram, bucket, middle_s};
    use narrows_units::Span;
    use proptest::prelude::*;

    #[test]
    fn quantiles_of_a_ramp_are_its_ranks_within_half_a_percent() {
        let mut histogram = Histogram::new();
        for us in 1..=1000 {
            histogram.add(Span::from_us(us));
        }
        for (q, us) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0), (1.0, 1000.0)] {
            let got = histogram.quantile_s(q) * 1e6;
            assert!((got / us - 1.0_f64).abs() < 0.005, "{q}: {got} for {us}");
        }
        assert!((histogram.mean_s() - 500.5e-6).abs() < 1e-12);
    }

    #[test]
    fn an_empty_histogram_has_no_quantile_and_no_mean() {
        assert!(Histogram::new().quantile_s(0.5).is_nan());
        assert!(Histogram::new().mean_s().is_nan());
    }

    proptest! {
        #[test]
        fn every_span_lands_in_a_bucket_of_its_size(ps in any::<u64>()) {
            let index = bucket(ps);
            prop_assert!(index < BUCKETS);
            let middle = middle_s(index) * 1e12;
            prop_assert!((middle - ps as f64).abs() <= ps as f64 * 0.0040 + 0.5, "{ps} read as {middle}");
        }
    }
}
