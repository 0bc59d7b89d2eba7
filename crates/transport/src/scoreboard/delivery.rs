//! What one acknowledgement changed.

use narrows_units::Time;

/// What one acknowledgement changed on the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent observations")]
pub(crate) struct Delivery {
    /// Segments by which the cumulative point moved.
    pub(crate) advanced: u64,
    /// Segments reported to have arrived for the first time.
    pub(crate) newly_acked: u64,
    /// Of these, how many by selective acknowledgement.
    pub(crate) newly_sacked: u64,
    /// A segment that the receiver reports to have arrived again (RFC 2883).
    pub(crate) duplicated: Option<u64>,
    /// It advanced by a segment that left before the last episode began, says its time stamp (RFC 3522).
    pub(crate) original: bool,
    /// It moved nothing though segments were outstanding: a duplicate ACK (RFC 5681 §2).
    pub(crate) duplicate: bool,
    /// Of the segments newly acknowledged the one that left last.
    pub(crate) newest: Option<Newest>,
    /// One of them had left more than once: no RTT sample (Karn).
    pub(crate) any_resent: bool,
    /// One of them, sent once, was overtaken by a later one.
    pub(crate) reordered: bool,
}

/// The segment that left last among those newly acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Newest {
    pub(crate) sent_at: Time,
    pub(crate) number: u64,
    /// It had left more than once.
    pub(crate) resent: bool,
}

impl Newest {
    /// Left later, or at the same time with a higher number (RFC 8985 §6.2, `RACK_sent_after`).
    pub(crate) fn is_newer_than(self, other: Self) -> bool {
        (self.sent_at, self.number) > (other.sent_at, other.number)
    }
}
