// SPDX-License-Identifier: Apache-2.0
//! The simulated packet: header fields, acknowledgements, requests to routers and their responses.
//!
//! A packet is a value of at most 64 bytes, one cache line: it is copied from queue to queue and never boxed. Data is
//! counted in segments, numbered from 0 within a flow. The size of a packet in bytes determines its transmission time.
//!
//! ```
//! use narrows_units::{Bytes, Time};
//! use narrows_wire::{Body, Ecn, FlowId, Packet};
//!
//! let body = Body::Data { request: None, payload: 1460, retransmission: false, timestamp: 0 };
//! let packet = Packet::new(FlowId::new(0, 0), 7, Bytes::new(1500), body, Time::ZERO);
//! assert!(!packet.is_ack() && packet.ecn == Ecn::NotCapable);
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod packet;
mod router;
mod sack;

pub use packet::{Body, Direction, Ecn, FlowId, Packet, Report};
pub use router::{Feedback, Request};
pub use sack::{Block, SackBlocks};
