// SPDX-License-Identifier: Apache-2.0
//! The engine of a discrete-event simulation: the event queue and named random streams.
//!
//! Nothing here is specific to networks. An event is a [`Slot`] that is due at some time; the caller gives it its
//! meaning.

mod queue;
mod random;

pub use queue::{EventQueue, Slot};
pub use random::Stream;
