//! The machinery under a simulation: which event is next, and named random streams.
//!
//! It knows nothing of networks. An event is a [`Slot`] that comes due; what a slot stands for is its owner's business.

mod queue;
mod random;

pub use queue::{EventQueue, Slot};
pub use random::Stream;
