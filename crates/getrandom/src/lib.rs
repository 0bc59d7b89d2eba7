// SPDX-License-Identifier: Apache-2.0
//! The part of the interface of the crate `getrandom` that this workspace uses, with a seed.
//!
//! A thread that has called [`seed`] gets bytes that follow from the seed alone. All others get bytes that the standard
//! library takes from the system, which seed hashes: enough for names of files and for tests, and not meant for cryptography.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

#[cfg(feature = "sys_rng")]
pub use rand_core;

thread_local! {
    /// State of the generator of a thread that has a seed.
    static STATE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// All random bytes of this thread follow from `seed` from here on, until the thread ends.
pub fn seed(seed: u64) {
    STATE.set(Some(seed));
}

/// The error of a source of random bytes; this one has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {}

impl fmt::Display for Error {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Error {}

/// Returns 64 random bits.
///
/// # Errors
///
/// Never.
pub fn u64() -> Result<u64, Error> {
    let Some(state) = STATE.get() else { return Ok(RandomState::new().hash_one(0_u8)) };
    // SplitMix64 (Steele, Lea and Flood 2014).
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(Some(state));
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Ok(mixed ^ (mixed >> 31))
}

/// Returns 32 random bits.
///
/// # Errors
///
/// Never.
pub fn u32() -> Result<u32, Error> {
    Ok((u64()? >> 32) as u32)
}

/// Fills `bytes` with random ones.
///
/// # Errors
///
/// Never.
pub fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    for chunk in bytes.chunks_mut(8) {
        let random = u64()?.to_le_bytes();
        chunk.copy_from_slice(&random[..chunk.len()]);
    }
    Ok(())
}

/// The source as a generator.
#[cfg(feature = "sys_rng")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SysRng;

#[cfg(feature = "sys_rng")]
impl rand_core::TryRng for SysRng {
    type Error = Error;

    fn try_next_u32(&mut self) -> Result<u32, Error> {
        u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Error> {
        u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        fill(bytes)
    }
}

#[cfg(feature = "sys_rng")]
impl rand_core::TryCryptoRng for SysRng {}
