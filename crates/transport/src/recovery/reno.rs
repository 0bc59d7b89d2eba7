//! Reno: fast retransmit and fast recovery (RFC 5681 §3.2), without the handling of partial acknowledgements.
//!
//! The third duplicate ACK declares the first outstanding segment lost and begins an episode; while it lasts, every
//! duplicate ACK inflates the usable window by one. The first ACK that advances ends it, deflates the window, and
//! forgets: a second hole in the same window needs three duplicate ACKs of its own and is a new episode, a second cut.
//! Where too few segments are outstanding for that, the retransmission timer has to run out.
//!
//! Deviations: after a timeout, duplicate ACKs for data sent before it start no fast retransmit, since go-back-N causes
//! them itself (ns-2's `bug_fix_`, RFC 6582 §3.2 step 4).

use super::{DUPLICATE_THRESHOLD, Phase, Verdict};
use crate::scoreboard::{Delivery, Scoreboard};

/// Reno's memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reno {
    limited_transmit: bool,
    phase: Phase,
    /// Duplicate ACKs since the cumulative point last moved; in recovery the inflation.
    duplicates: u64,
}

impl Reno {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self { limited_transmit, ..Self::default() }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard) -> Verdict {
        let mut verdict = Verdict::default();
        if delivery.advanced > 0 {
            self.duplicates = 0;
            verdict.ends = match self.phase {
                Phase::Open => false,
                Phase::Fast { .. } => true,
                Phase::Timeout { until } => board.una() >= until,
            };
            if verdict.ends {
                self.phase = Phase::Open;
            }
        } else if delivery.duplicate && !matches!(self.phase, Phase::Timeout { .. }) {
            self.duplicates += 1;
            if self.duplicates == DUPLICATE_THRESHOLD && self.phase == Phase::Open {
                self.phase = Phase::Fast { until: board.next() };
                board.declare_lost(board.una());
                verdict = Verdict { begins: true, lost: 1, forces: true, ..verdict };
            }
        }
        verdict
    }

    pub(super) fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        let new_episode = !matches!(self.phase, Phase::Timeout { .. });
        self.phase = Phase::Timeout { until: board.next() };
        self.duplicates = 0;
        new_episode
    }

    /// The episode was false.
    pub(super) fn abandon(&mut self) {
        self.phase = Phase::Open;
        self.duplicates = 0;
    }

    pub(super) fn usable_window(&self, window: u64) -> u64 {
        match self.phase {
            Phase::Open if self.limited_transmit => window + self.duplicates.min(DUPLICATE_THRESHOLD - 1),
            Phase::Fast { .. } => window + self.duplicates,
            Phase::Open | Phase::Timeout { .. } => window,
        }
    }
}
