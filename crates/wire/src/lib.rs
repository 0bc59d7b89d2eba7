//! What a packet carries across a link.
//!
//! A packet is a value of at most 64 bytes, one cache line: it is copied from ring to ring and never boxed. Data is
//! counted in segments, numbered from 0 within a flow; the size says what the packet weighs on a link.

mod packet;
mod router;
mod sack;

pub use packet::{Body, Ecn, FlowId, Leg, Packet, Report};
pub use router::{Feedback, Request};
pub use sack::{Block, SackBlocks};
