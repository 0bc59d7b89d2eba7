// SPDX-License-Identifier: Apache-2.0
//! QUIC stacks as endpoints in simulated time.
//!
//! A stack without input, output and clock brings both ends of a connection: handshake, packet numbers, pacing, ECN, recovery from
//! losses, acknowledgements, the size of packets and congestion control are its own. Here it meets times of the simulator, a
//! handshake without cryptography, and random numbers from the seed of the run.

#![allow(
    clippy::duplicate_mod,
    reason = "both stacks have one interface but for details, and one text above it"
)]

mod crypto;
mod frames;
mod handshake;
mod hosted;
mod noq;
mod quinn;
mod seed;
mod sent;

use narrows_model::stack::ProtocolStack;
use std::sync::Arc;

/// Returns all stacks.
pub fn stacks() -> Vec<Arc<dyn ProtocolStack>> {
    vec![Arc::new(quinn::Quinn), Arc::new(noq::Noq)]
}

/// Headers of IPv4 and UDP, bytes.
const HEADERS: u64 = 28;

/// The smallest payload of UDP that a path must carry (RFC 9000 §14), bytes.
const LEAST_PAYLOAD: u64 = 1_200;
