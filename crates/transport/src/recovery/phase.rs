// SPDX-License-Identifier: Apache-2.0
//! The phases of loss recovery, and the episodes of the policies that use selective acknowledgements.

use super::action::RecoveryAction;
use super::scoreboard::Scoreboard;

/// The phase of loss recovery at a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No loss is being repaired.
    #[default]
    Open,
    /// Fast recovery, until all segments below `recovery_point` are acknowledged.
    FastRecovery { recovery_point: u64 },
    /// Slow start after a retransmission timeout, until all segments below `recovery_point` are acknowledged.
    RtoRecovery { recovery_point: u64 },
}

impl Phase {
    /// Ends and starts episodes of a policy with selective acknowledgements, after `lost` segments were declared lost.
    pub(super) fn update(&mut self, board: &Scoreboard, lost: u64) -> RecoveryAction {
        let mut action = RecoveryAction { lost, ..RecoveryAction::default() };
        if let Self::FastRecovery { recovery_point } | Self::RtoRecovery { recovery_point } = *self
            && board.una() >= recovery_point
        {
            *self = Self::Open;
            action.exit = true;
        }
        // A loss above the last recovery point was sent after the last reduction: it starts another episode.
        if *self == Self::Open && board.unrepaired() > 0 {
            self.enter(board, &mut action);
        }
        action
    }

    /// Starts an episode to which all data sent so far belongs.
    pub(super) fn enter(&mut self, board: &Scoreboard, action: &mut RecoveryAction) {
        *self = Self::FastRecovery { recovery_point: board.next() };
        action.enter = true;
        action.force_retransmit = true;
    }

    /// Starts the slow start after a retransmission timeout. Returns true if this starts an episode, false if the
    /// timeout belongs to the episode of an earlier one.
    pub(super) fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        let new_episode = !matches!(self, Self::RtoRecovery { .. });
        *self = Self::RtoRecovery { recovery_point: board.next() };
        new_episode
    }

    /// Returns the packets that may be in flight when the congestion window is `window`, with selective
    /// acknowledgements. These lower `pipe` and so release new segments before a loss is declared, which without
    /// limited transmit must not happen.
    pub(super) fn sack_window(self, window: u64, board: &Scoreboard, limited_transmit: bool) -> u64 {
        if self == Self::Open && !limited_transmit { window.saturating_sub(board.sacked()) } else { window }
    }
}
