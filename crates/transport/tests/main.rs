// SPDX-License-Identifier: Apache-2.0
//! All integration tests, in one binary: its dependencies are linked once.

mod connection;
mod datagram;
mod flight;
mod idle;
mod invariants;
mod kernel;
mod limits;
mod lost_retransmissions;
mod nagle;
mod next_seg;
mod offers;
mod recovery;
mod requests;
mod short_path;
mod slow_reader;
mod stack;
mod timeouts;
mod transfer;
mod undo;
mod wire;
