// SPDX-License-Identifier: Apache-2.0
//! The interface of a loss recovery policy.

use super::action::{Context, NextSeg, RecoveryAction};
use super::phase::Phase;
use super::scoreboard::{Delivery, Newest, Scoreboard};
use crate::Rule;
use narrows_units::{Span, Time};

/// A loss recovery policy, with the state of one sender.
pub(super) trait RecoveryPolicy {
    /// The rule by which losses are declared; `enters`: at the start of an episode.
    fn rule(&self, enters: bool) -> Rule;

    /// The phase of loss recovery.
    fn phase(&self) -> Phase;

    /// Whether an acknowledgement that only advances, while nothing is lost or SACKed, makes the policy decide nothing.
    fn is_quiet(&self) -> bool {
        self.phase() == Phase::Open
    }

    /// An acknowledgement advanced, delivered or duplicated something.
    fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard, context: Context<'_>)
    -> RecoveryAction;

    /// Does the same as [`on_ack`](Self::on_ack) if the policy [is quiet](Self::is_quiet): an acknowledgement advanced by
    /// `acked` segments, of which `newest` was sent last.
    fn on_quiet_ack(&mut self, acked: u64, newest: Newest, board: &mut Scoreboard, context: Context<'_>) {
        let delivery =
            Delivery { advanced: acked, newly_acked: acked, newest: Some(newest), ..Delivery::default() };
        let action = self.on_ack(&delivery, board, context);
        debug_assert!(action.is_empty() && !action.keep_timer, "a quiet policy decides nothing: {action:?}");
    }

    /// The retransmission timer expired, and all that is not SACKed has been declared lost. Returns true if this starts
    /// an episode, false if the timeout belongs to the present one.
    fn on_timeout(&mut self, board: &Scoreboard) -> bool;

    /// The last episode was spurious: there is nothing to repair.
    fn on_undo(&mut self, board: &Scoreboard);

    /// Packets that may be in flight when the congestion window is `window` packets.
    fn usable_window(&self, window: u64, board: &Scoreboard) -> u64;

    /// Segment `number` was sent, for the first time if `new`.
    fn on_sent(&mut self, _number: u64, _new: bool, _context: Context<'_>, _board: &Scoreboard) {}

    /// A segment that may be retransmitted without having been declared lost, where neither a lost segment nor a new
    /// one can be sent.
    fn next_seg(&self, _board: &mut Scoreboard) -> Option<NextSeg> {
        None
    }

    /// The segment returned by [`next_seg`](Self::next_seg) is about to be sent.
    fn on_next_seg(&mut self, _segment: NextSeg, _board: &mut Scoreboard) {}

    /// When the policy's own timers expire; `Time::NEVER` if none is set.
    fn next_timer(&self) -> Time {
        Time::NEVER
    }

    /// The policy's own timers may have expired.
    fn on_timer(&mut self, _board: &mut Scoreboard, _context: Context<'_>) -> RecoveryAction {
        RecoveryAction::default()
    }

    /// Whether to send a tail loss probe now. A probe precedes a retransmission timeout that is due at the same time.
    fn take_probe(&mut self, _now: Time, _rto_due: bool, _board: &Scoreboard) -> bool {
        false
    }

    /// A probe was sent: a new segment, or a retransmission.
    fn on_probe_sent(&mut self, _retransmission: bool, _board: &Scoreboard) {}
}

/// `DupThresh`: the duplicate ACKs, or SACKed segments above a hole, that declare a loss (RFC 5681 §3.2, RFC 6675 §2).
pub(super) const DUPLICATE_THRESHOLD: u64 = 3;
/// The assumed bound on the delay of a delayed ACK, for a probe of a single segment (RFC 8985 §7.2, as in Linux).
pub(super) const WORST_DELAYED_ACK: Span = Span::from_ms(200);
