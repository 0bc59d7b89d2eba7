// SPDX-License-Identifier: Apache-2.0
//! NewReno: fast recovery that lasts until all data outstanding at its start is acknowledged (RFC 6582).
//!
//! A partial ACK reveals the next hole. Its segment is retransmitted at once, and the usable window is deflated by the
//! number of segments acknowledged and inflated by one. Each hole thus takes one round trip, and all holes of a window
//! cost one reduction.
//!
//! Choices that the RFC leaves open: three duplicate ACKs start an episode only if the cumulative acknowledgement
//! exceeds `recover` (§3.2 step 2), with the acknowledgement heuristic of §4.1. Only the first partial ACK restarts the
//! retransmission timer (§3.2 step 3; the "Impatient" variant of RFC 3782 §4). A full ACK sets the window to ssthresh
//! (§3.2 step 3, option 2).

use super::action::{Context, RecoveryAction};
use super::phase::Phase;
use super::policy::{DUPLICATE_THRESHOLD, RecoveryPolicy};
use super::scoreboard::{Delivery, Scoreboard};
use crate::Rule;

/// The state of NewReno recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NewReno {
    limited_transmit: bool,
    phase: Phase,
    /// Duplicate ACKs since the cumulative acknowledgement last advanced.
    duplicates: u64,
    /// `recover`: the first segment that had not been sent at the start of the last episode; `None` before the first.
    recover: Option<u64>,
    /// The number of segments by which the cumulative acknowledgement last advanced.
    last_advance: u64,
    /// The number of segments by which the usable window exceeds the congestion window in fast recovery.
    inflation: i64,
    /// A partial ACK has arrived in this episode.
    partial_seen: bool,
}

impl NewReno {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self { limited_transmit, ..Self::default() }
    }

    /// RFC 6582 §3.2 step 2 and §4.1: at `recover` itself, a small advance distinguishes a loss from duplicates that
    /// unnecessary retransmissions caused.
    fn may_enter(&self, una: u64) -> bool {
        self.recover.is_none_or(|recover| una > recover || self.last_advance <= MAX_ADVANCE)
    }

    fn enter(&mut self, board: &mut Scoreboard) -> RecoveryAction {
        self.phase = Phase::FastRecovery { recovery_point: board.next() };
        self.recover = Some(board.next());
        self.inflation = DUPLICATE_THRESHOLD.cast_signed();
        self.partial_seen = false;
        board.declare_lost(board.una());
        RecoveryAction { enter: true, lost: 1, force_retransmit: true, ..RecoveryAction::default() }
    }

    fn on_partial_ack(&mut self, advanced: u64, board: &mut Scoreboard) -> RecoveryAction {
        self.inflation += 1 - advanced.cast_signed();
        let keep_timer = self.partial_seen;
        self.partial_seen = true;
        board.declare_lost(board.una());
        RecoveryAction { lost: 1, force_retransmit: true, keep_timer, ..RecoveryAction::default() }
    }
}

impl RecoveryPolicy for NewReno {
    fn rule(&self, enters: bool) -> Rule {
        if enters { Rule::DuplicateAcks } else { Rule::PartialAck }
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard, _: Context<'_>) -> RecoveryAction {
        if delivery.advanced > 0 {
            self.duplicates = 0;
            self.last_advance = delivery.advanced;
            match self.phase {
                Phase::FastRecovery { recovery_point } if board.una() < recovery_point => {
                    return self.on_partial_ack(delivery.advanced, board);
                }
                Phase::FastRecovery { .. } => {}
                Phase::RtoRecovery { recovery_point } if board.una() >= recovery_point => {}
                Phase::Open | Phase::RtoRecovery { .. } => return RecoveryAction::default(),
            }
            self.phase = Phase::Open;
            return RecoveryAction { exit: true, ..RecoveryAction::default() };
        }
        if !delivery.duplicate_ack {
            return RecoveryAction::default();
        }
        match self.phase {
            Phase::FastRecovery { .. } => self.inflation += 1,
            Phase::RtoRecovery { .. } => {}
            Phase::Open => {
                self.duplicates += 1;
                if self.duplicates == DUPLICATE_THRESHOLD && self.may_enter(board.una()) {
                    return self.enter(board);
                }
            }
        }
        RecoveryAction::default()
    }

    fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        self.recover = Some(board.next());
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
            Phase::FastRecovery { .. } => window.saturating_add_signed(self.inflation),
            Phase::Open | Phase::RtoRecovery { .. } => window,
        }
    }
}

/// RFC 6582 §4.1: `highest_ack − prev_highest_ack` is at most four segments.
const MAX_ADVANCE: u64 = 4;
