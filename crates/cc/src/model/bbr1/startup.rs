//! Is the pipe full? It is taken to be when the bandwidth has not grown by a quarter in three rounds.

use super::bandwidth::{Bandwidth, Gain};

/// The question and its answer.
#[derive(Clone, Debug, Default)]
pub(super) struct FullPipe {
    /// The answer.
    pub(super) reached: bool,
    /// The bandwidth to grow from.
    base: Bandwidth,
    /// Rounds in which it did not grow enough.
    rounds: u32,
}

impl FullPipe {
    /// A round that the application did not limit ended with the estimate `bandwidth`.
    pub(super) fn on_round(&mut self, bandwidth: Bandwidth) {
        if self.reached {
            return;
        }
        if u128::from(bandwidth.0) >= GROWTH.of(u128::from(self.base.0)) {
            self.base = bandwidth;
            self.rounds = 0;
            return;
        }
        self.rounds += 1;
        self.reached = self.rounds >= ROUNDS;
    }

    /// After a timeout the next round counts as growth.
    pub(super) fn on_timeout(&mut self) {
        self.base = Bandwidth::default();
    }

    /// What looked like a full pipe was no loss at all.
    pub(super) fn on_spurious_loss(&mut self) {
        self.base = Bandwidth::default();
        self.rounds = 0;
    }
}

/// `bbr_full_bw_thresh`, 1.25.
const GROWTH: Gain = Gain(320);
/// `bbr_full_bw_cnt`.
const ROUNDS: u32 = 3;
