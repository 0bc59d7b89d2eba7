//! Where a sender stands between losses, and how episodes follow each other where arrivals are named.

use super::Verdict;
use crate::scoreboard::Scoreboard;

/// Where a sender stands between losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No loss is being repaired.
    #[default]
    Open,
    /// Fast recovery until all below `until` is acknowledged.
    Fast { until: u64 },
    /// Slow start after a timeout until all below `until` is acknowledged.
    Timeout { until: u64 },
}

impl Phase {
    /// The episodes of a policy with selective acknowledgements, after `lost` segments were declared lost.
    pub(super) fn follow(&mut self, board: &Scoreboard, lost: u64) -> Verdict {
        let mut verdict = Verdict { lost, ..Verdict::default() };
        if let Self::Fast { until } | Self::Timeout { until } = *self
            && board.una() >= until
        {
            *self = Self::Open;
            verdict.ends = true;
        }
        // What is lost above the point where the last episode ended was sent after its cut: another one.
        if *self == Self::Open && board.unrepaired() > 0 {
            *self = Self::Fast { until: board.next() };
            verdict.begins = true;
            verdict.forces = true;
        }
        verdict
    }

    /// Selective acknowledgements lower `pipe` and so let new segments go before a loss is declared; without limited
    /// transmit they must not.
    pub(super) fn selective_window(self, window: u64, board: &Scoreboard, limited_transmit: bool) -> u64 {
        if self == Self::Open && !limited_transmit { window.saturating_sub(board.sacked()) } else { window }
    }
}
