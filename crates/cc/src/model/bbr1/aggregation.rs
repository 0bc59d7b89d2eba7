//! How much more is acknowledged at once than the bandwidth explains.
//!
//! An epoch begins when acknowledgements fall behind the bandwidth. What is acknowledged in it beyond `bandwidth · time`
//! is the excess; its maximum over the last five to ten rounds is added to the window, so that the sender does not fall
//! silent between bunches of acknowledgements.

use super::bandwidth::Bandwidth;
use narrows_units::{Span, Time};

/// The excess of recent rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    epoch_start: Time,
    /// Packets acknowledged in the epoch.
    epoch_acked: u64,
    /// The largest excess of this stretch of rounds and of the one before.
    excess: [u64; 2],
    /// Rounds of this stretch.
    rounds: u32,
}

impl Aggregation {
    /// `acked` packets were acknowledged at `now`, with a window of `cwnd`.
    pub(super) fn on_ack(
        &mut self,
        acked: u64,
        now: Time,
        bandwidth: Bandwidth,
        cwnd: u64,
        round_started: bool,
    ) {
        if round_started {
            self.rounds += 1;
            if self.rounds >= STRETCH_ROUNDS {
                self.rounds = 0;
                self.excess = [0, self.excess[0]];
            }
        }
        let mut expected = bandwidth.packets_in(now.since(self.epoch_start));
        if self.epoch_acked <= expected || self.epoch_acked + acked >= LONGEST_EPOCH {
            self.restart(now);
            expected = 0;
        }
        self.epoch_acked = (self.epoch_acked + acked).min(LONGEST_EPOCH - 1);
        let excess = self.epoch_acked.saturating_sub(expected).min(cwnd);
        self.excess[0] = self.excess[0].max(excess);
    }

    /// An epoch begins.
    pub(super) fn restart(&mut self, now: Time) {
        self.epoch_start = now;
        self.epoch_acked = 0;
    }

    /// Packets to add to the window.
    pub(super) fn allowance(&self, bandwidth: Bandwidth) -> u64 {
        self.excess[0].max(self.excess[1]).min(bandwidth.packets_in(LONGEST_SILENCE))
    }
}

/// `bbr_extra_acked_win_rtts`.
const STRETCH_ROUNDS: u32 = 5;
/// `bbr_ack_epoch_acked_reset_thresh`, packets.
const LONGEST_EPOCH: u64 = 1 << 20;
/// `bbr_extra_acked_max_us`.
const LONGEST_SILENCE: Span = Span::from_ms(100);
