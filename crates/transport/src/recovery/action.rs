// SPDX-License-Identifier: Apache-2.0
//! The input of a loss recovery policy, and its decisions.

use narrows_cc::RttView;
use narrows_units::Time;

/// The input of a policy besides the scoreboard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) now: Time,
    /// The round-trip time estimate; `None` before the first sample.
    pub(crate) rtt: Option<&'a RttView>,
}

/// The action that the sender must take after an acknowledgement or a timer of the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent decisions")]
pub(crate) struct RecoveryAction {
    /// The present episode has ended. Precedes `enter`.
    pub(crate) exit: bool,
    /// A new episode starts.
    pub(crate) enter: bool,
    /// It starts within the present episode, whose retransmission was lost.
    pub(crate) again: bool,
    /// The number of segments declared lost.
    pub(crate) lost: u64,
    /// A tail loss probe repaired a loss: an episode starts and ends at once (RFC 8985 §7.4.2).
    pub(crate) probe_repaired: bool,
    /// The next lost segment is sent regardless of the window.
    pub(crate) force_retransmit: bool,
    /// The retransmission timer keeps running although the cumulative acknowledgement advanced.
    pub(crate) keep_timer: bool,
}

impl RecoveryAction {
    /// Whether there is nothing to do, the retransmission timer aside.
    pub(crate) fn is_empty(&self) -> bool {
        self.lost == 0 && !(self.exit | self.enter | self.probe_repaired | self.force_retransmit)
    }
}

/// A segment that `NextSeg` (RFC 6675 §4) returns although it has not been declared lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextSeg {
    /// A segment below the highest SACKed one.
    Rule3(u64),
    /// The highest outstanding segment: the rescue retransmission.
    Rule4(u64),
}

impl NextSeg {
    /// Returns the segment's number.
    pub(crate) fn number(self) -> u64 {
        let (Self::Rule3(number) | Self::Rule4(number)) = self;
        number
    }
}
