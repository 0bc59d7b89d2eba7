// SPDX-License-Identifier: Apache-2.0
//! Reno: fast retransmit and fast recovery (RFC 5681 §3.2), which ignores partial acknowledgements.
//!
//! The third duplicate ACK declares the first outstanding segment lost and starts an episode, in which every duplicate
//! ACK inflates the usable window by one segment. The first ACK that advances ends the episode, deflates the window and
//! clears the count: a second hole in the same window needs three duplicate ACKs of its own and starts a new episode
//! with a second reduction. Where too few segments are outstanding for that, the retransmission timer has to expire.
//!
//! Deviations: after a timeout, duplicate ACKs for data sent before it trigger no fast retransmit, since go-back-N
//! retransmissions cause them (ns-2's `bug_fix_`; RFC 6582 §3.2 step 4).

use super::action::{Context, RecoveryAction};
use super::phase::Phase;
use super::policy::{DUPLICATE_THRESHOLD, RecoveryPolicy};
use super::scoreboard::{Delivery, Scoreboard};
use crate::Rule;

/// The state of Reno recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reno {
    limited_transmit: bool,
    phase: Phase,
    /// Duplicate ACKs since the cumulative acknowledgement last advanced; in fast recovery also the window's inflation.
    duplicates: u64,
}

impl Reno {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self { limited_transmit, ..Self::default() }
    }
}

impl RecoveryPolicy for Reno {
    fn rule(&self, _enters: bool) -> Rule {
        Rule::DuplicateAcks
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard, _: Context<'_>) -> RecoveryAction {
        let mut action = RecoveryAction::default();
        if delivery.advanced > 0 {
            self.duplicates = 0;
            action.exit = match self.phase {
                Phase::Open => false,
                Phase::FastRecovery { .. } => true,
                Phase::RtoRecovery { recovery_point } => board.una() >= recovery_point,
            };
            if action.exit {
                self.phase = Phase::Open;
            }
        } else if delivery.duplicate_ack && !matches!(self.phase, Phase::RtoRecovery { .. }) {
            self.duplicates += 1;
            if self.duplicates == DUPLICATE_THRESHOLD && self.phase == Phase::Open {
                self.phase = Phase::FastRecovery { recovery_point: board.next() };
                board.declare_lost(board.una());
                action = RecoveryAction { enter: true, lost: 1, force_retransmit: true, ..action };
            }
        }
        action
    }

    fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        self.duplicates = 0;
        self.phase.on_timeout(board)
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.phase = Phase::Open;
        self.duplicates = 0;
    }

    fn usable_window(&self, window: u64, _: &Scoreboard) -> u64 {
        match self.phase {
            Phase::Open if self.limited_transmit => window + self.duplicates.min(DUPLICATE_THRESHOLD - 1),
            Phase::FastRecovery { .. } => window + self.duplicates,
            Phase::Open | Phase::RtoRecovery { .. } => window,
        }
    }
}
