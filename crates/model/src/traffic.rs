// SPDX-License-Identifier: Apache-2.0
//! Traffic models: sizes, arrivals and exchanges. They are pure: random streams are passed in.

mod arrivals;
mod exchange;

pub use arrivals::{Arrival, ArrivalProcess, Arrivals};
pub use exchange::{After, Connection, Script, Side, Write};
pub use narrows_link::distribution::{Component, Distribution, Sizes, Spans};
