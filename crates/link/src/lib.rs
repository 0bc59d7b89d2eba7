// SPDX-License-Identifier: Apache-2.0
//! A link as a machine without I/O: packets and times in, packets and times out.
//!
//! [`Link`] has a queue of [`narrows_qdisc`], a rate, random loss, impairments and a propagation delay. It has no
//! clock: the host passes the time, be it simulated time, the paused time of a test, or real time.
//!
//! ```
//! use narrows_link::qdisc::{Conflict, Discipline, Scale, catalogue};
//! use narrows_link::units::{Bytes, Rate, Span, Time};
//! use narrows_link::wire::Packet;
//! use narrows_link::{Config, Fate, Link, Stream};
//!
//! let (rate, delay) = (Rate::from_bps(8_000_000), Span::from_ms(10));
//! let config = Config::new(rate, delay);
//! // Lengths may be in bandwidth-delay products, so a queue has the scale of its link.
//! let scale = Scale::new(rate, delay * 2, Bytes::new(1500));
//! let codel = Discipline::new(catalogue::find("codel").expect("a queue"), scale, Vec::new())?;
//! let mut link = Link::new(&config, codel.build(), |purpose| Stream::new(1, 0, purpose));
//! link.offer(Time::ZERO, Packet { size: 1000, ..Packet::EMPTY }, "hello");
//! // 1 ms of transmission and 10 ms of propagation.
//! let at = Time::ZERO + Span::from_ms(11);
//! while let Some(next) = link.next_event() {
//!     if let Some(outcome) = link.poll(next) {
//!         assert_eq!((outcome.at, outcome.fate, outcome.payload), (at, Fate::Delivered, "hello"));
//!     }
//! }
//! # Ok::<(), Conflict>(())
//! ```
//!
//! The simulator is built of the same parts, and a test compares a million packets with its links.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod autorate;
pub mod distribution;
mod impairment;
mod impairments;
mod loss;
mod machine;
mod normal;
mod selected;
mod selection;
mod serializer;

pub use autorate::{Autorate, RateController};
pub use impairment::{DelayModel, EcnChange, Impairment, Lateness};
pub use impairments::Impairments;
pub use loss::{Loss, LossModel};
pub use machine::{Config, Fate, Link, Outcome};
/// Random streams by seed, replication and name.
pub use narrows_engine::Stream;
pub use selection::{Counted, Selection};
pub use serializer::Serializer;
/// Queues, quantities and packets, so that a program with a link depends on this crate alone.
pub use {narrows_qdisc as qdisc, narrows_units as units, narrows_wire as wire};
