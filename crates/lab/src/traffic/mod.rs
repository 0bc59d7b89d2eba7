//! What applications ask of their flows: how much, how often, after which pause. Pure: every draw is handed in.

mod distribution;
mod normal;

pub use distribution::{Component, Distribution, Sizes, Spans};
