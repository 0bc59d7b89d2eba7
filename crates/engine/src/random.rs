// SPDX-License-Identifier: Apache-2.0
//! Named random streams.
//!
//! A stream is a function of (seed, replication, name) alone. Adding a flow therefore does not change the draws of
//! another, and algorithms can be compared with common random numbers. The generator is xoshiro256++ (Blackman and
//! Vigna, ACM TOMS 47(4), 2021), its state initialised by SplitMix64 as its authors recommend.

/// A stream of pseudorandom numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The seed of this stream, from which the seeds of its branches are derived.
    root: u64,
    state: [u64; 4],
}

impl Stream {
    /// Creates the stream `name` of the given replication and seed.
    pub fn new(seed: u64, replication: u32, name: &str) -> Self {
        // Each part is mixed before the next is added, so that (seed 1, replication 2) and (seed 2, replication 1) are
        // unrelated.
        let mut mix = seed;
        mix = split_mix(&mut mix) ^ u64::from(replication);
        mix = split_mix(&mut mix) ^ fnv1a(name.as_bytes());
        Self::from_root(mix)
    }

    /// Returns the substream `index` of this stream. It does not depend on previous draws from this stream, nor
    /// affects it.
    #[must_use]
    pub fn branch(&self, index: u64) -> Self {
        let mut mix = self.root ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mix = split_mix(&mut mix);
        Self::from_root(mix)
    }

    fn from_root(root: u64) -> Self {
        let mut mix = root;
        Self { root, state: core::array::from_fn(|_| split_mix(&mut mix)) }
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// Returns a uniform draw from [0, 1), a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Returns a uniform draw from the integers 0 to `bound` (Lemire, ACM TOMACS 29(1), 2019, without the rejection
    /// step: the probabilities are wrong by less than 2⁻⁶⁴).
    pub fn up_to(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.bits()) * (u128::from(bound) + 1);
        (product >> 64) as u64
    }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): advances `state` and returns its mixed value.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// FNV-1a, 64 bits: a fixed hash, since the standard library's may change.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{Stream, split_mix};

    #[test]
    fn the_generator_returns_the_published_values() {
        let mut stream = Stream { root: 0, state: [1, 2, 3, 4] };
        let values: Vec<_> = (0..4).map(|_| stream.bits()).collect();
        assert_eq!(values, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn the_mixer_returns_the_published_values() {
        let mut state = 1_234_567;
        let values: Vec<_> = (0..2).map(|_| split_mix(&mut state)).collect();
        assert_eq!(values, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn seed_replication_and_name_each_select_another_stream() {
        let first = |seed, replication, name: &str| Stream::new(seed, replication, name).bits();
        let all = [first(1, 0, "a"), first(2, 0, "a"), first(1, 1, "a"), first(0, 1, "a"), first(1, 0, "b")];
        for (i, one) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|other| other != one));
        }
        assert_eq!(first(1, 0, "a"), all[0]);
    }

    #[test]
    fn a_branch_depends_on_its_stream_and_index_alone() {
        let mut stem = Stream::new(1, 0, "a");
        let before = stem.branch(5).bits();
        stem.bits();
        assert_eq!(stem.branch(5).bits(), before);
        let mut all: Vec<_> = (0..1000).map(|index| stem.branch(index).bits()).collect();
        all.push(Stream::new(1, 0, "b").branch(5).bits());
        all.push(Stream::new(1, 0, "a").bits());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 1002);
    }

    #[test]
    fn uniform_draws_have_the_mean_and_variance_of_the_distribution() {
        let mut stream = Stream::new(1, 0, "test");
        let n = 100_000;
        let draws: Vec<f64> = (0..n).map(|_| stream.uniform()).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
        // Four standard errors: 4/sqrt(12 n) and 4 sqrt(1/180 n).
        assert!((mean - 0.5).abs() < 0.0037, "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 0.001, "{variance}");
        assert!(draws.iter().all(|x| (0.0..1.0).contains(x)));
    }

    #[test]
    fn integer_draws_stay_in_bounds_and_reach_both_ends() {
        let mut stream = Stream::new(1, 0, "test");
        let draws: Vec<_> = (0..1000).map(|_| stream.up_to(3)).collect();
        assert_eq!(draws.iter().min(), Some(&0));
        assert_eq!(draws.iter().max(), Some(&3));
    }
}
