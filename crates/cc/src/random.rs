// SPDX-License-Identifier: Apache-2.0
//! Pseudorandom numbers of one flow.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Creates the sequence of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns an integer, uniform from 0 to `bound - 1`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Returns a number, uniform on [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_are_uniform() {
        let mut random = Random::new(7);
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        // Five standard deviations of the mean.
        assert!((mean - 0.5).abs() < 5.0 / 120_000_f64.sqrt(), "{mean}");
        let ones = (0..10_000).filter(|_| random.below(2) == 1).count();
        assert!(ones.abs_diff(5_000) < 250, "{ones}");
    }
}
