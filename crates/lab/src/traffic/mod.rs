//! What applications ask of their flows: how much, how often, after which pause. Pure: every draw is handed in.

mod arrivals;
mod distribution;
mod exchange;
mod normal;

pub use arrivals::{Arrival, ArrivalProcess, Arrivals};
pub use distribution::{Component, Distribution, Sizes, Spans};
pub use exchange::{After, Connection, Script, Side, Write};
