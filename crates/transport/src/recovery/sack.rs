//! Recovery from selective acknowledgements and `pipe` (RFC 6675).
//!
//! A segment is lost once three above it have arrived. The first loss begins an episode, which lasts until all that was
//! outstanding then is acknowledged; what has been lost of later data by then begins the next. Segments go while `pipe`,
//! what is on its way, is below the window: lost ones first, lowest first, then new ones.
//!
//! A retransmission that is lost again waits for the retransmission timer.
//!
//! Deviations: rules 3 and 4 of `NextSeg` (resending what is not known to be lost when there is nothing new) are optional
//! and left out, so that a flow without end and a flow near its end repair alike; the second condition of §4's `IsLost` is
//! counted in segments, not bytes.

use super::{Phase, Verdict};
use crate::scoreboard::{Delivery, Scoreboard};

/// The memory of RFC 6675 beyond the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sack {
    limited_transmit: bool,
    phase: Phase,
}

impl Sack {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self { limited_transmit, phase: Phase::Open }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard) -> Verdict {
        let lost = if delivery.newly_sacked > 0 { board.declare_lost_below_third() } else { 0 };
        self.phase.follow(board, lost)
    }

    pub(super) fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        let new_episode = !matches!(self.phase, Phase::Timeout { .. });
        self.phase = Phase::Timeout { until: board.next() };
        new_episode
    }

    pub(super) fn usable_window(&self, window: u64, board: &Scoreboard) -> u64 {
        self.phase.selective_window(window, board, self.limited_transmit)
    }
}
