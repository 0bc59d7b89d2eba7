// SPDX-License-Identifier: Apache-2.0
//! SACK: recovery from selective acknowledgements and `pipe` (RFC 6675).
//!
//! A segment is lost once three segments above it have been SACKed. The first loss starts an episode, which lasts until
//! all data outstanding at that time is acknowledged; losses of later data start the next episode. Segments are sent
//! while `pipe`, the number of segments in flight, is below the congestion window: lost segments first, lowest first,
//! then new ones.
//!
//! If no segment is lost and no new one can be sent, near the end of a transfer or of the receiver's window, segments
//! that may be lost are sent (§4, `NextSeg`): by rule 3 those below the highest SACKed segment, and by rule 4, once per
//! episode, the highest outstanding one, the rescue retransmission. If the tail of the data is lost, the
//! acknowledgement of the rescue retransmission makes rule 3 applicable.
//!
//! A retransmission that is lost waits for the retransmission timer, unless it was the rescue retransmission.
//!
//! Deviations: the second condition of `IsLost` (§4) counts segments, not bytes. There is no rescue retransmission of a segment
//! that was retransmitted already, in this episode or in one that was undone, whose acknowledgement serves the same purpose. ns-2's agents implement neither rule 3
//! nor rule 4, which shows only at the end of transfers.

use super::action::{Context, NextSeg, RecoveryAction};
use super::phase::Phase;
use super::policy::RecoveryPolicy;
use super::scoreboard::{Delivery, Newest, Scoreboard};
use crate::Rule;

/// The state of RFC 6675 that is not on the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sack {
    limited_transmit: bool,
    phase: Phase,
    /// `HighRxt + 1`: the segment after the highest that was retransmitted in this episode by rules 1 to 3.
    high_rxt: u64,
    /// `RescueRxt`: the rescue retransmission of this episode.
    rescue: Option<u64>,
}

impl Sack {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self { limited_transmit, ..Self::default() }
    }
}

impl RecoveryPolicy for Sack {
    fn rule(&self, _enters: bool) -> Rule {
        Rule::Sack
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard, _: Context<'_>) -> RecoveryAction {
        let lost = if delivery.newly_sacked > 0 { board.declare_sack_losses() } else { 0 };
        let action = self.phase.update(board, lost);
        if action.enter {
            (self.high_rxt, self.rescue) = (0, None);
        }
        action
    }

    /// It counts nothing if nothing is SACKed.
    #[inline]
    fn on_quiet_ack(&mut self, _: u64, _: Newest, _: &mut Scoreboard, _: Context<'_>) {}

    fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        self.phase.on_timeout(board)
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.phase = Phase::Open;
    }

    fn usable_window(&self, window: u64, board: &Scoreboard) -> u64 {
        self.phase.sack_window(window, board, self.limited_transmit)
    }

    fn on_sent(&mut self, number: u64, new: bool, _: Context<'_>, _: &Scoreboard) {
        // RFC 6675 §4, rule 4: a rescue retransmission does not move HighRxt.
        if !new && self.rescue != Some(number) {
            self.high_rxt = self.high_rxt.max(number + 1);
        }
    }

    fn next_seg(&self, board: &mut Scoreboard) -> Option<NextSeg> {
        if !matches!(self.phase, Phase::FastRecovery { .. }) {
            return None;
        }
        let hole = board.first_hole_in_flight(self.high_rxt).map(NextSeg::Rule3);
        if hole.is_some() || self.rescue.is_some() {
            return hole;
        }
        board.highest_unsacked().filter(|&number| !board.was_retransmitted(number)).map(NextSeg::Rule4)
    }

    fn on_next_seg(&mut self, segment: NextSeg, board: &mut Scoreboard) {
        match segment {
            NextSeg::Rule3(number) => board.count_twice(number),
            // RFC 6675 §4, SetPipe: not counted in pipe, since HighRxt stays below it.
            NextSeg::Rule4(number) => self.rescue = Some(number),
        }
    }
}
