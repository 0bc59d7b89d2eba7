// SPDX-License-Identifier: Apache-2.0
//! Physical quantities, each with a type of its own so that they cannot be confused.
//!
//! [`Time`] is a point in simulated time and [`Span`] a duration; both count picoseconds, so that one bit at 1 Tbps
//! lasts a whole number of them. [`Rate`] counts bits per second, [`Bytes`] bytes. The simulator calculates with these
//! integers; floating point appears in its input and output (`as_secs_f64`) and within algorithms.
//!
//! ```
//! use narrows_units::{Bytes, Rate, Span, Time};
//!
//! let rate = Rate::from_bps(12_000_000);
//! let departure = Time::ZERO + rate.time_for(Bytes::new(1500));
//! assert_eq!(departure, Time::ZERO + Span::from_ms(1));
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(not(feature = "std"))]
mod float;
mod parse;
mod quantity;

#[cfg(not(feature = "std"))]
pub use float::Float;
pub use parse::{Dimension, Problem, Quantity, UnitError, alternatives};
pub use quantity::{Bytes, Rate, Span, Time};
