// SPDX-License-Identifier: Apache-2.0
//! SACK as it was first simulated, with a `pipe` that counts acknowledgements (Fall and Floyd, "Simulation-based Comparisons of
//! Tahoe, Reno, and SACK TCP", CCR 26(3), 1996, §3; ns-2's agent `TCP/Sack1`).
//!
//! The third duplicate of an acknowledgement starts an episode, as three SACKed segments above a hole do in
//! [`sack`](super::sack). In it every hole below the highest SACKed segment is retransmitted, lowest first, however few
//! segments above it are SACKed (ns-2's `ScoreBoard::GetNextRetran`). `pipe` begins at the number of outstanding
//! segments that are not SACKed. An acknowledgement that SACKs new data lowers it by one, an acknowledgement that
//! advances by two, and each segment sent raises it by one, except the first retransmission. RFC 6675 subtracts lost
//! segments as soon as they are declared lost; here each remains in `pipe` until the cumulative acknowledgement passes
//! it. The sender therefore sends less in an episode by the number of lost segments, which matters if the window is
//! reduced by less than the losses.
//!
//! Deviations: ns-2 forgets SACKed segments at a timeout and at the end of an episode.

use super::action::{Context, RecoveryAction};
use super::phase::Phase;
use super::policy::RecoveryPolicy;
use super::scoreboard::{Delivery, Scoreboard};
use crate::Rule;

/// The state of the recovery of 1996 that is not on the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sack1996 {
    limited_transmit: bool,
    phase: Phase,
    /// Segments in flight by the count of this episode.
    pipe: u64,
}

impl Sack1996 {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self { limited_transmit, ..Self::default() }
    }

    fn is_in_fast_recovery(&self) -> bool {
        matches!(self.phase, Phase::FastRecovery { .. })
    }
}

impl RecoveryPolicy for Sack1996 {
    fn rule(&self, _enters: bool) -> Rule {
        Rule::Sack
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard, _: Context<'_>) -> RecoveryAction {
        let mut lost = if delivery.newly_sacked > 0 { board.declare_sack_losses() } else { 0 };
        if lost > 0 || self.is_in_fast_recovery() {
            lost += board.declare_holes_lost();
        }
        let left = if delivery.advanced > 0 { 2 } else { u64::from(delivery.newly_sacked > 0) };
        self.pipe = self.pipe.saturating_sub(left);
        let action = self.phase.update(board, lost);
        if action.enter {
            // The first retransmission, which `on_sent` counts, is not in `pipe`.
            self.pipe = (board.outstanding() - board.sacked()).saturating_sub(1);
        }
        action
    }

    fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        self.phase.on_timeout(board)
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.phase = Phase::Open;
    }

    fn usable_window(&self, window: u64, board: &Scoreboard) -> u64 {
        if self.is_in_fast_recovery() {
            // The sender compares this with the number of segments in flight: as many may be sent as `pipe` is below the window.
            return (window + board.in_flight()).saturating_sub(self.pipe);
        }
        self.phase.sack_window(window, board, self.limited_transmit)
    }

    fn on_sent(&mut self, _number: u64, _new: bool, _: Context<'_>, _: &Scoreboard) {
        if self.is_in_fast_recovery() {
            self.pipe += 1;
        }
    }
}
