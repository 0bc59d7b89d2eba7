// SPDX-License-Identifier: Apache-2.0
//! The digest of a run: SHA-256 over the records of a backend, in a form that does not depend on how the records are
//! stored or shown.
//!
//! The digest reads [`Records`] and nothing else, so tables and metrics, which are derived from them, cannot change it.
//! Beside each struct of the records a line [`digested!`] lists its fields: those in the digest and, after `not`, those
//! outside it: what follows from the model alone, and what looks closer at the same run. A field in neither list does not
//! compile. A count that is added for a new metric goes after `not`, so that no digest changes, until [`SCHEMA`] is next
//! increased.

use crate::Records;
use narrows_units::{Bytes, Span, Time};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Number of the digest's schema; digests of different numbers cannot be compared. It is increased when a field of the
/// records enters the digest, leaves it, or has another meaning or place there.
pub const SCHEMA: u32 = 1;

/// A value that the digest covers.
pub(crate) trait Digested {
    /// Feeds the value to `hash`.
    fn feed(&self, hash: &mut Hash);
}

/// The hash that values are fed to.
#[derive(Debug)]
pub(crate) struct Hash(Sha256);

impl Hash {
    /// Feeds a whole number as LEB128, so that its type may become wider.
    pub fn whole(&mut self, mut value: u128) {
        let mut bytes = [0; 19];
        let mut length = 0;
        loop {
            bytes[length] = (value & 0x7f) as u8;
            value >>= 7;
            if value == 0 {
                break;
            }
            bytes[length] |= 0x80;
            length += 1;
        }
        self.0.update(&bytes[..=length]);
    }
}

/// Says which fields of a struct of the records the digest covers, in the order in which they are fed; all others come
/// after `not`.
macro_rules! digested {
    ($name:ident { $($field:ident),* $(,)? } $(not { $($outside:ident),* $(,)? })?) => {
        impl $crate::digest::Digested for $name {
            fn feed(&self, hash: &mut $crate::digest::Hash) {
                let Self { $($field,)* $($($outside: _,)*)? } = self;
                $($crate::digest::Digested::feed($field, hash);)*
            }
        }
    };
}
pub(crate) use digested;

impl Records {
    /// Returns the digest of the run, in hexadecimal. It covers counts, times, sums, histograms and series of flows,
    /// groups and links, and [`SCHEMA`]; not transfers in progress at the end, the logs of packets and events, clients over time, inner
    /// variables, what programs have printed and their connections, the cost of the run, and the names in its description. It is equal for
    /// equal runs on all platforms.
    pub fn digest(&self) -> String {
        let mut hash = Hash(Sha256::new());
        hash.whole(SCHEMA.into());
        self.feed(&mut hash);
        hash.0.finalize().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

digested!(Records { connections, groups, links, transfers, interval_ends }
    not { run, unfinished, packets, events, clients, client_events, internals, programs, tuples, punctuality, performance });

macro_rules! whole {
    ($($type:ty),*) => { $(impl Digested for $type {
        fn feed(&self, hash: &mut Hash) { hash.whole((*self).into()); }
    })* };
}
whole!(bool, u32, u64, u128);

impl Digested for usize {
    fn feed(&self, hash: &mut Hash) {
        hash.whole(*self as u128);
    }
}

impl Digested for i128 {
    fn feed(&self, hash: &mut Hash) {
        // As a whole number that is small if the value is near zero.
        hash.whole(((*self << 1) ^ (*self >> 127)).cast_unsigned());
    }
}

impl Digested for f64 {
    fn feed(&self, hash: &mut Hash) {
        // Every not-a-number means "no value"; its payload bits mean nothing.
        let bits = if self.is_nan() { u64::MAX } else { self.to_bits() };
        hash.0.update(bits.to_le_bytes());
    }
}

impl Digested for Time {
    fn feed(&self, hash: &mut Hash) {
        self.as_ps().feed(hash);
    }
}

impl Digested for Span {
    fn feed(&self, hash: &mut Hash) {
        self.as_ps().feed(hash);
    }
}

impl Digested for Bytes {
    fn feed(&self, hash: &mut Hash) {
        self.count().feed(hash);
    }
}

impl<T: Digested> Digested for Box<T> {
    fn feed(&self, hash: &mut Hash) {
        (**self).feed(hash);
    }
}

impl<T: Digested> Digested for Option<T> {
    fn feed(&self, hash: &mut Hash) {
        self.is_some().feed(hash);
        if let Some(value) = self {
            value.feed(hash);
        }
    }
}

impl<T: Digested> Digested for Vec<T> {
    fn feed(&self, hash: &mut Hash) {
        self.len().feed(hash);
        for value in self {
            value.feed(hash);
        }
    }
}
