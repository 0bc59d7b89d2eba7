// SPDX-License-Identifier: Apache-2.0
//! The full-pipe estimator: the pipe is full when the bandwidth has grown by less than a quarter in each of three rounds
//! (`bbr_check_full_bw_reached`).

use super::bandwidth::{Bandwidth, Gain};

/// The estimator's variables.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the names of Linux's variables")]
pub(super) struct FullBw {
    full_bw_reached: bool,
    /// Bandwidth to grow from.
    full_bw: Bandwidth,
    /// Rounds in which the bandwidth did not grow enough.
    full_bw_cnt: u32,
}

impl FullBw {
    /// Whether the pipe has been full.
    pub(super) fn full_bw_reached(&self) -> bool {
        self.full_bw_reached
    }

    /// A round that the application did not limit ended with `max_bw`.
    pub(super) fn check_full_bw_reached(&mut self, max_bw: Bandwidth) {
        if self.full_bw_reached {
            return;
        }
        if u128::from(max_bw.0) >= FULL_BW_THRESH.of(u128::from(self.full_bw.0)) {
            self.full_bw = max_bw;
            self.full_bw_cnt = 0;
            return;
        }
        self.full_bw_cnt += 1;
        self.full_bw_reached = self.full_bw_cnt >= FULL_BW_CNT;
    }

    /// After a timeout the next round counts as growth (`bbr_set_state`).
    pub(super) fn on_timeout(&mut self) {
        self.full_bw = Bandwidth::default();
    }

    /// A loss was spurious: resets the count of rounds (`bbr_undo_cwnd`).
    pub(super) fn on_spurious_loss(&mut self) {
        self.full_bw = Bandwidth::default();
        self.full_bw_cnt = 0;
    }
}

/// `bbr_full_bw_thresh`, 1.25.
const FULL_BW_THRESH: Gain = Gain(320);
/// `bbr_full_bw_cnt`.
const FULL_BW_CNT: u32 = 3;
