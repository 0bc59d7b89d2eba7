// SPDX-License-Identifier: Apache-2.0
//! Random bytes from a seed.

/// A generator of random bytes: SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(u64);

impl Seed {
    /// Creates the generator `purpose` of `seed`.
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        let mut own = Self(seed);
        let first = own.next();
        Self(first ^ purpose.wrapping_mul(GOLDEN))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        for chunk in bytes.chunks_mut(8) {
            let next = self.next().to_le_bytes();
            chunk.copy_from_slice(&next[..chunk.len()]);
        }
        bytes
    }
}

/// Returns what `build` returns in a thread whose random numbers follow from `seed`.
///
/// A controller that takes no seed draws from the generator of its thread, which the system seeds at its first use; so
/// only the generator of a new thread can have a seed.
pub(crate) fn seeded<T: Send>(seed: u64, build: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            getrandom::seed(seed);
            build()
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Returns a value that depends on all of `data`: FNV-1a, mixed.
pub(crate) fn hash(data: &[u8]) -> u64 {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    Seed(data.iter().fold(0xcbf2_9ce4_8422_2325, fold)).next()
}

/// 2⁶⁴ over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
