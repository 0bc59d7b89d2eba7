// SPDX-License-Identifier: Apache-2.0
//! The full-pipe estimator: the bandwidth is fully used when the delivery rate has grown by less than a quarter in each
//! of three rounds (draft-ietf-ccwg-bbr-06 §5.3.1.2).

use super::delivery::Sample;

/// The estimator's variables.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the names of the draft")]
pub(super) struct FullBw {
    full_bw_reached: bool,
    full_bw_now: bool,
    /// Rate to grow from, bits of payload per second.
    full_bw: f64,
    full_bw_count: u32,
}

impl FullBw {
    /// Whether the bandwidth has ever been fully used.
    pub(super) fn full_bw_reached(&self) -> bool {
        self.full_bw_reached
    }

    /// Whether the bandwidth has been fully used since the last reset.
    pub(super) fn full_bw_now(&self) -> bool {
        self.full_bw_now
    }

    /// Implements `ResetFullBW`; the delivery rate is to grow from `full_bw`, bits of payload per second.
    pub(super) fn reset_full_bw(&mut self, full_bw: f64) {
        self.full_bw_now = false;
        self.full_bw = full_bw;
        self.full_bw_count = 0;
    }

    /// Implements `CheckFullBWReached`.
    pub(super) fn check_full_bw_reached(&mut self, round_start: bool, sample: &Sample) {
        if !round_start || self.full_bw_now || sample.is_app_limited {
            return;
        }
        if sample.delivery_rate >= self.full_bw * FULL_BW_GROWTH {
            self.reset_full_bw(sample.delivery_rate);
            return;
        }
        self.full_bw_count += 1;
        if self.full_bw_count >= FULL_BW_ROUNDS {
            self.set_full_bw_reached();
        }
    }

    /// The bandwidth is fully used, by whatever criterion.
    pub(super) fn set_full_bw_reached(&mut self) {
        self.full_bw_now = true;
        self.full_bw_reached = true;
    }

    /// The losses that ended Startup were spurious.
    pub(super) fn undo_full_bw_reached(&mut self) {
        self.full_bw_reached = false;
    }
}

const FULL_BW_GROWTH: f64 = 1.25;
const FULL_BW_ROUNDS: u32 = 3;
