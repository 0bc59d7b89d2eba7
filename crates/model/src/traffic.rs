// SPDX-License-Identifier: Apache-2.0
//! Traffic models: sizes, arrivals and exchanges. They are pure: random streams are passed in.

mod arrivals;
mod distribution;
mod exchange;
mod normal;

pub use arrivals::{Arrival, ArrivalProcess, Arrivals};
pub use distribution::{Component, Distribution, Sizes, Spans};
pub use exchange::{After, Connection, Script, Side, Write};
