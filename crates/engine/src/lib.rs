// SPDX-License-Identifier: Apache-2.0
//! The engine of a discrete-event simulation: the event queue and named random streams.
//!
//! Nothing here is specific to networks. An event is a [`Slot`] that is due at some time; the caller gives it its
//! meaning.
//!
//! ```
//! use narrows_engine::Stream;
//!
//! // The same numbers for the same seed, replication and name, on every machine.
//! let draws = |name| Stream::new(7, 0, name).bits();
//! assert_eq!(draws("loss"), draws("loss"));
//! assert_ne!(draws("loss"), draws("jitter"));
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod queue;
mod random;

pub use queue::{EventQueue, Slot};
pub use random::Stream;
