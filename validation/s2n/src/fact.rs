// SPDX-License-Identifier: Apache-2.0
//! What a path reports to a controller, and what a controller answers.

/// Size of every packet, bytes.
pub const PACKET: u32 = 1200;

/// An event of one packet. Times are in nanoseconds from the start.
#[derive(Clone, Copy, Debug)]
pub enum Fact {
    /// The packet was sent.
    Sent {
        /// Packet number.
        number: u64,
        /// Time.
        now: u64,
    },
    /// The packet was acknowledged, without delay.
    Acked {
        /// Packet number.
        number: u64,
        /// When it was sent.
        sent: u64,
        /// Time.
        now: u64,
    },
    /// The packet was declared lost.
    Lost {
        /// Packet number.
        number: u64,
        /// When it was sent.
        sent: u64,
        /// Time.
        now: u64,
        /// Whether the packet before it was not lost.
        first: bool,
    },
    /// All that an acknowledgement reveals has been reported.
    Acknowledged {
        /// Time.
        now: u64,
        /// Packets in flight.
        in_flight: u64,
    },
}

/// A congestion controller.
pub trait Controller {
    /// An event occurred.
    fn apply(&mut self, fact: Fact);

    /// Returns the congestion window, bytes.
    fn window(&self) -> u64;

    /// Returns the pacing rate, bits per second; `None` for a controller whose window alone limits it here.
    fn rate(&self) -> Option<u64>;
}
