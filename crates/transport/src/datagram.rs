// SPDX-License-Identifier: Apache-2.0
//! Datagrams: numbered packets that are sent once, at a rate, and never retransmitted.
//!
//! [`DatagramSender`] hosts the congestion control algorithms that require it (RAP, TFRC, the constant rate).
//! [`DatagramReceiver`] responds as the algorithm requires: not at all, with an echo of each packet, or with the
//! reports of TFRC. If each packet is echoed, the sender detects losses and starts episodes; if the receiver reports,
//! it detects loss events and averages the intervals between them (RFC 5348 §5).
//!
//! Deviations: there is no handshake. The sender of a finite transfer ends once it has sent the last packet, and does not know
//! what arrives.

mod flight;
mod highest;
mod receiver;
mod sender;
mod spacing;

pub(crate) use receiver::DatagramReceiver;
pub(crate) use sender::DatagramSender;
