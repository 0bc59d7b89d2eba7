//! NewReno: fast recovery that lasts until all that was outstanding at its start is acknowledged (RFC 6582).
//!
//! A partial ACK proves the next hole: its segment goes again at once, the usable window is deflated by what was
//! acknowledged and inflated by one. So each hole costs a round trip and all holes of a window cost one cut.
//!
//! Choices that the RFC leaves: the careful variant (§3.2 step 2): three duplicate ACKs begin an episode only if the
//! cumulative point is beyond `recover`, with the acknowledgement heuristic of §4.1. "Impatient" (§4): of the partial
//! ACKs only the first restarts the retransmission timer. A full ACK sets the window to ssthresh (step 3, option 2).

use super::{DUPLICATE_THRESHOLD, Phase, Verdict};
use crate::scoreboard::{Delivery, Scoreboard};

/// NewReno's memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NewReno {
    limited_transmit: bool,
    phase: Phase,
    /// Duplicate ACKs since the cumulative point last moved.
    duplicates: u64,
    /// The first segment that had not been sent at the start of the last episode; none before the first.
    recover: Option<u64>,
    /// Segments by which the cumulative point moved last.
    last_advance: u64,
    /// By how much the usable window exceeds the congestion window in recovery.
    inflation: i64,
    /// A partial ACK has been seen in this recovery.
    partial_seen: bool,
}

impl NewReno {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self { limited_transmit, ..Self::default() }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard) -> Verdict {
        if delivery.advanced > 0 {
            self.duplicates = 0;
            self.last_advance = delivery.advanced;
            match self.phase {
                Phase::Fast { until } if board.una() < until => {
                    return self.on_partial(delivery.advanced, board);
                }
                Phase::Fast { .. } => {}
                Phase::Timeout { until } if board.una() >= until => {}
                Phase::Open | Phase::Timeout { .. } => return Verdict::default(),
            }
            self.phase = Phase::Open;
            return Verdict { ends: true, ..Verdict::default() };
        }
        if !delivery.duplicate {
            return Verdict::default();
        }
        match self.phase {
            Phase::Fast { .. } => self.inflation += 1,
            Phase::Timeout { .. } => {}
            Phase::Open => {
                self.duplicates += 1;
                if self.duplicates == DUPLICATE_THRESHOLD && self.may_begin(board.una()) {
                    return self.begin(board);
                }
            }
        }
        Verdict::default()
    }

    pub(super) fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        let new_episode = !matches!(self.phase, Phase::Timeout { .. });
        self.phase = Phase::Timeout { until: board.next() };
        self.recover = Some(board.next());
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
            Phase::Fast { .. } => window.saturating_add_signed(self.inflation),
            Phase::Open | Phase::Timeout { .. } => window,
        }
    }

    fn may_begin(&self, una: u64) -> bool {
        // RFC 6582 §4.1: right at `recover`, a small step of the cumulative point tells a loss from needless resending.
        self.recover.is_none_or(|recover| una > recover || self.last_advance <= HEURISTIC_ADVANCE)
    }

    fn begin(&mut self, board: &mut Scoreboard) -> Verdict {
        self.phase = Phase::Fast { until: board.next() };
        self.recover = Some(board.next());
        self.inflation = DUPLICATE_THRESHOLD.cast_signed();
        self.partial_seen = false;
        board.declare_lost(board.una());
        Verdict { begins: true, lost: 1, forces: true, ..Verdict::default() }
    }

    fn on_partial(&mut self, advanced: u64, board: &mut Scoreboard) -> Verdict {
        self.inflation += 1 - advanced.cast_signed();
        let keeps_timer = self.partial_seen;
        self.partial_seen = true;
        board.declare_lost(board.una());
        Verdict { lost: 1, forces: true, keeps_timer, ..Verdict::default() }
    }
}

/// RFC 6582 §4.1: `highest_ack − prev_highest_ack` at most four segments.
const HEURISTIC_ADVANCE: u64 = 4;
