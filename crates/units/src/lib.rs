//! Quantities of the simulator, each its own type so that they cannot be mixed.
//!
//! `Time` is a point on the simulated clock, `Span` a length of it; both count picoseconds, so that one bit at
//! 1 Tbps is a whole number. `Rate` counts bits per second, `Bytes` bytes. None of them is ever a float inside the
//! simulator; floats appear at its edges (`as_secs_f64`) and inside algorithms.

mod parse;
mod quantity;

pub use parse::{Dimension, Problem, Quantity, UnitError};
pub use quantity::{Bytes, Rate, Span, Time};
