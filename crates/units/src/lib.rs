// SPDX-License-Identifier: Apache-2.0
//! Physical quantities, each with a type of its own so that they cannot be confused.
//!
//! [`Time`] is a point in simulated time and [`Span`] a duration; both count picoseconds, so that one bit at 1 Tbps
//! lasts a whole number of them. [`Rate`] counts bits per second, [`Bytes`] bytes. The simulator calculates with these
//! integers; floating point appears in its input and output (`as_secs_f64`) and within algorithms.

mod parse;
mod quantity;

pub use parse::{Dimension, Problem, Quantity, UnitError, alternatives};
pub use quantity::{Bytes, Rate, Span, Time};
