// SPDX-License-Identifier: Apache-2.0
//! What distributions are of.

use crate::recorded_rate::Wanted;
use crate::value::Measured;
use narrows_units::{Bytes, Span};
use std::fmt::{Debug, Display};

/// A quantity with a distribution: a size, in bytes, or a time, in seconds.
pub trait Unit: Measured<Value = Self> + Copy + Debug + Display + 'static {
    /// The column of a table that holds such quantities.
    const COLUMN: Wanted;

    /// Returns the number of bytes or seconds.
    fn amount(self) -> f64;

    /// Creates the quantity nearest to this number of bytes or seconds.
    fn from_amount(amount: f64) -> Self;

    /// Returns a number of bytes or seconds, rounded to a value that can be written.
    fn whole(amount: f64) -> f64 {
        Self::from_amount(amount).amount()
    }
}

impl Unit for Bytes {
    const COLUMN: Wanted = Wanted::bytes("value", &["value", "size", "bytes"]);

    fn amount(self) -> f64 {
        self.count() as f64
    }

    fn from_amount(amount: f64) -> Self {
        Self::new(amount.round() as u64)
    }
}

impl Unit for Span {
    const COLUMN: Wanted = Wanted::time("value", &["value", "time", "delay"]);

    /// Seconds that give back the same span: a quotient is rounded once.
    fn amount(self) -> f64 {
        self.as_ps() as f64 / 1e12
    }

    fn from_amount(amount: f64) -> Self {
        Self::from_secs_f64(amount)
    }
}
