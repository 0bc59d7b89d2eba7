// SPDX-License-Identifier: Apache-2.0
//! The degree of aggregation on the path: packets acknowledged in excess of the bandwidth
//! (`bbr_update_ack_aggregation`).
//!
//! An epoch starts when acknowledgements fall behind the bandwidth. The packets acknowledged in it beyond `bw · time` are the
//! excess, whose maximum over the last five to ten rounds is added to the window, so that the sender keeps sending between
//! bursts of acknowledgements.

use super::bandwidth::Bandwidth;
use narrows_units::{Span, Time};

/// The estimator's variables.
#[derive(Clone, Debug, Default)]
pub(super) struct AckAggregation {
    /// `ack_epoch_mstamp`.
    ack_epoch_stamp: Time,
    /// Packets.
    ack_epoch_acked: u64,
    /// Packets: the largest excess of the current five rounds and of the five before.
    extra_acked: [u64; 2],
    extra_acked_win_rtts: u32,
}

impl AckAggregation {
    /// Implements `bbr_update_ack_aggregation`: `acked` packets were acknowledged at `now`, with a window of `cwnd`
    /// packets.
    pub(super) fn update_ack_aggregation(
        &mut self,
        acked: u64,
        now: Time,
        bw: Bandwidth,
        cwnd: u64,
        round_start: bool,
    ) {
        if round_start {
            self.extra_acked_win_rtts += 1;
            if self.extra_acked_win_rtts >= EXTRA_ACKED_WIN_RTTS {
                self.extra_acked_win_rtts = 0;
                self.extra_acked = [0, self.extra_acked[0]];
            }
        }
        let mut expected_acked = bw.packets_in(now.since(self.ack_epoch_stamp));
        if self.ack_epoch_acked <= expected_acked
            || self.ack_epoch_acked + acked >= ACK_EPOCH_ACKED_RESET_THRESH
        {
            self.reset_epoch(now);
            expected_acked = 0;
        }
        self.ack_epoch_acked = (self.ack_epoch_acked + acked).min(ACK_EPOCH_ACKED_RESET_THRESH - 1);
        let extra_acked = self.ack_epoch_acked.saturating_sub(expected_acked).min(cwnd);
        self.extra_acked[0] = self.extra_acked[0].max(extra_acked);
    }

    /// An epoch starts at `now`.
    pub(super) fn reset_epoch(&mut self, now: Time) {
        self.ack_epoch_stamp = now;
        self.ack_epoch_acked = 0;
    }

    /// Returns `bbr_ack_aggregation_cwnd`: packets to add to the window, at most the packets of [`EXTRA_ACKED_MAX`].
    pub(super) fn ack_aggregation_cwnd(&self, extra_acked_max: u64) -> u64 {
        self.extra_acked[0].max(self.extra_acked[1]).min(extra_acked_max)
    }
}

/// `bbr_extra_acked_win_rtts`.
const EXTRA_ACKED_WIN_RTTS: u32 = 5;
/// `bbr_ack_epoch_acked_reset_thresh`, packets.
const ACK_EPOCH_ACKED_RESET_THRESH: u64 = 1 << 20;
/// `bbr_extra_acked_max_us`.
pub(super) const EXTRA_ACKED_MAX: Span = Span::from_ms(100);
