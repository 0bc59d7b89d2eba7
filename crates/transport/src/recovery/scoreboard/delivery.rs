// SPDX-License-Identifier: Apache-2.0
//! The effect of one acknowledgement on the scoreboard.

use narrows_units::Time;

/// The effect of one acknowledgement on the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent observations")]
pub(crate) struct Delivery {
    /// The number of segments by which the cumulative acknowledgement advanced.
    pub(crate) advanced: u64,
    /// The number of segments acknowledged for the first time, cumulatively or selectively.
    pub(crate) newly_acked: u64,
    /// The number of these that were acknowledged selectively.
    pub(crate) newly_sacked: u64,
    /// A segment that the receiver reports as received twice: a D-SACK (RFC 2883).
    pub(crate) dsack: Option<u64>,
    /// Whether the cumulative acknowledgement advanced, and its timestamp shows that it acknowledges a segment sent
    /// before the last episode (RFC 3522).
    pub(crate) acks_original: bool,
    /// Whether the cumulative acknowledgement did not advance although segments were outstanding, nor the receiver's window: a
    /// duplicate ACK (RFC 5681 §2).
    pub(crate) duplicate_ack: bool,
    /// Of the newly acknowledged segments the one that was sent last.
    pub(crate) newest: Option<Newest>,
    /// Whether one of the segments was sent more than once, so that it gives no round-trip time sample (Karn's
    /// algorithm).
    pub(crate) any_retransmitted: bool,
    /// Time at which the transmission was sent that advanced the cumulative acknowledgement, by the echoed timestamp;
    /// `None` if the timestamp is not needed or does not determine it.
    pub(crate) echoed_sent_at: Option<Time>,
    /// The lowest of those that were sent once.
    pub(crate) first_original: Option<u64>,
    /// Whether one of the segments, sent once, is below a segment that was acknowledged earlier.
    pub(crate) reordered: bool,
}

/// The segment that was sent last among those acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Newest {
    pub(crate) sent_at: Time,
    pub(crate) number: u64,
    /// Whether the segment was sent more than once.
    pub(crate) retransmitted: bool,
}

impl Newest {
    /// Whether it was sent later than `other`, or at the same time with a higher number (RFC 8985 §6.2,
    /// `RACK_sent_after`).
    pub(crate) fn is_newer_than(self, other: Self) -> bool {
        (self.sent_at, self.number) > (other.sent_at, other.number)
    }
}
