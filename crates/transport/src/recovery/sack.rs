//! Recovery from selective acknowledgements and `pipe` (RFC 6675).
//!
//! A segment is lost once three above it have arrived. The first loss begins an episode, which lasts until all that was
//! outstanding then is acknowledged; what has been lost of later data by then begins the next. Segments go while `pipe`,
//! what is on its way, is below the window: lost ones first, lowest first, then new ones.
//!
//! Where nothing is lost and nothing new can go, near the end of a transfer or of the receiver's window, what is only
//! doubtful goes (§4, `NextSeg`): by rule 3 the segments below the highest that arrived, and by rule 4, once an episode,
//! the highest that has not, the *rescue*. Its answer, should the tail be lost, is what rule 3 needs.
//!
//! A retransmission that is lost again waits for the retransmission timer, unless it is the one rescued.
//!
//! Deviations: the second condition of §4's `IsLost` is counted in segments, not bytes. ns-2's agents know neither rule 3
//! nor rule 4, which shows at the end of transfers only.

use super::{Phase, Verdict};
use crate::scoreboard::{Delivery, Scoreboard};

/// The memory of RFC 6675 beyond the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sack {
    limited_transmit: bool,
    phase: Phase,
    /// `HighRxt` + 1: above all that was sent again in this episode by rules 1 to 3.
    resent_below: u64,
    /// The segment rescued in this episode.
    rescued: Option<u64>,
}

/// A segment that goes again though it is not known to be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastResort {
    /// A later one has arrived (`NextSeg` rule 3).
    Doubtful(u64),
    /// The highest of all (rule 4).
    Rescue(u64),
}

impl LastResort {
    pub(crate) fn number(self) -> u64 {
        let (Self::Doubtful(number) | Self::Rescue(number)) = self;
        number
    }
}

impl Sack {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self { limited_transmit, ..Self::default() }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard) -> Verdict {
        let lost = if delivery.newly_sacked > 0 { board.declare_lost_below_third() } else { 0 };
        let verdict = self.phase.follow(board, lost);
        if verdict.begins {
            (self.resent_below, self.rescued) = (0, None);
        }
        verdict
    }

    /// A segment left once more.
    pub(super) fn on_resent(&mut self, number: u64) {
        // RFC 6675 §4, rule 4: a rescue does not move HighRxt.
        if self.rescued != Some(number) {
            self.resent_below = self.resent_below.max(number + 1);
        }
    }

    /// `NextSeg` rules 3 and 4 (RFC 6675 §4).
    pub(super) fn last_resort(&self, board: &mut Scoreboard) -> Option<LastResort> {
        if !matches!(self.phase, Phase::Fast { .. }) {
            return None;
        }
        let doubtful = board.first_doubtful(self.resent_below).map(LastResort::Doubtful);
        if doubtful.is_some() || self.rescued.is_some() {
            return doubtful;
        }
        board.highest_missing().map(LastResort::Rescue)
    }

    /// A segment named by [`last_resort`](Self::last_resort) is about to leave.
    pub(super) fn on_last_resort(&mut self, segment: LastResort, board: &mut Scoreboard) {
        match segment {
            LastResort::Doubtful(number) => board.double(number),
            // It does not count as on its way (RFC 6675 §4, SetPipe), since HighRxt stays.
            LastResort::Rescue(number) => self.rescued = Some(number),
        }
    }

    pub(super) fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        let new_episode = !matches!(self.phase, Phase::Timeout { .. });
        self.phase = Phase::Timeout { until: board.next() };
        new_episode
    }

    /// The episode was false.
    pub(super) fn abandon(&mut self) {
        self.phase = Phase::Open;
    }

    pub(super) fn usable_window(&self, window: u64, board: &Scoreboard) -> u64 {
        self.phase.selective_window(window, board, self.limited_transmit)
    }
}
