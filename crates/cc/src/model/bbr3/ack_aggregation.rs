// SPDX-License-Identifier: Apache-2.0
//! The degree of aggregation on the path (draft-ietf-ccwg-bbr-06 §5.5.9): packets acknowledged in excess of the
//! bandwidth. The window is larger by it, so that the sender keeps sending between bursts of acknowledgements.

use crate::filter::WindowedMax;
use crate::model::real::{greater, lesser};
use narrows_units::Time;

/// The estimator's variables.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the names of the draft")]
pub(super) struct AckAggregation {
    extra_acked_interval_start: Time,
    /// Packets.
    extra_acked_delivered: f64,
    extra_acked_filter: WindowedMax,
}

impl AckAggregation {
    /// Implements `UpdateACKAggregation`: `newly_acked` packets were acknowledged in round `round_count`. `bw` is in
    /// packets per second, `cwnd` in packets.
    pub(super) fn update_ack_aggregation(
        &mut self,
        newly_acked: f64,
        now: Time,
        bw: f64,
        cwnd: f64,
        round_count: u64,
        full_bw_reached: bool,
    ) {
        let mut expected_delivered = bw * now.since(self.extra_acked_interval_start).as_secs_f64();
        if self.extra_acked_delivered <= expected_delivered {
            self.reset_interval(now);
            expected_delivered = 0.0;
        }
        self.extra_acked_delivered += newly_acked;
        let extra = lesser(greater(self.extra_acked_delivered - expected_delivered, 0.0), cwnd);
        let filter_len = if full_bw_reached { EXTRA_ACKED_FILTER_LEN } else { 1 };
        self.extra_acked_filter.update(filter_len, round_count, u64::from(extra as u32));
    }

    /// The sampling interval starts at `now`.
    pub(super) fn reset_interval(&mut self, now: Time) {
        self.extra_acked_interval_start = now;
        self.extra_acked_delivered = 0.0;
    }

    /// Returns `BBR.extra_acked`, packets.
    pub(super) fn extra_acked(&self) -> f64 {
        // At most a window of packets.
        f64::from(self.extra_acked_filter.get() as u32)
    }
}

/// `ExtraAckedFilterLen`, rounds.
const EXTRA_ACKED_FILTER_LEN: u64 = 10;
