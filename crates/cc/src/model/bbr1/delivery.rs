// SPDX-License-Identifier: Apache-2.0
//! Delivery of packets: packet-timed round trips and the largest delivery rate of the last ten (`bbr_update_bw`).
//!
//! A round ends with the first sample of a packet that left after all of the last round had been delivered. A sample
//! that the application limited counts only if it is no smaller than the estimate.

use super::bandwidth::Bandwidth;
use crate::RateSample;
use crate::filter::WindowedMax;
use crate::model::app_limited::AppLimited;
use narrows_units::Time;

/// Rounds, counts and rates of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivery {
    delivered: u64,
    /// `delivered_mstamp`: when `delivered` last grew.
    delivered_stamp: Time,
    lost: u64,
    round_start: bool,
    /// The last sample is limited by the application, or by the algorithm in ProbeRTT.
    is_app_limited: bool,
    rtt_cnt: u64,
    next_rtt_delivered: u64,
    bw: WindowedMax,
    app_limited: AppLimited,
}

impl Delivery {
    /// Returns the packets delivered on the connection.
    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Returns when [`delivered`](Self::delivered) last grew.
    pub(super) fn delivered_stamp(&self) -> Time {
        self.delivered_stamp
    }

    /// Returns the packets declared lost on the connection.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    /// Whether the last acknowledgement ended a round.
    pub(super) fn round_start(&self) -> bool {
        self.round_start
    }

    /// Whether the rate of the last acknowledgement is less than the path may carry.
    pub(super) fn is_app_limited(&self) -> bool {
        self.is_app_limited
    }

    /// Returns `bbr_max_bw`.
    pub(super) fn max_bw(&self) -> Bandwidth {
        Bandwidth(self.bw.get())
    }

    /// Counts `packets` as delivered.
    pub(super) fn on_delivered(&mut self, packets: u64, now: Time) {
        self.delivered += packets;
        self.delivered_stamp = now;
        self.round_start = false;
        self.is_app_limited = false;
    }

    /// Counts `packets` declared lost.
    pub(super) fn on_lost(&mut self, packets: u64) {
        self.lost += packets;
    }

    /// The retransmission timer expired: the round is over, and the application did not limit it (`bbr_set_state`).
    pub(super) fn on_timeout(&mut self) {
        self.round_start = true;
        self.is_app_limited = false;
    }

    /// Counts rounds. Returns whether `sample` ends one.
    pub(super) fn update_round(&mut self, sample: &RateSample) -> bool {
        self.is_app_limited = sample.app_limited || self.app_limited.covers(sample.prior_delivered);
        if sample.prior_delivered >= self.next_rtt_delivered {
            self.start_round();
            self.rtt_cnt += 1;
            self.round_start = true;
        }
        self.round_start
    }

    /// A round starts now, wherever the last one is.
    pub(super) fn start_round(&mut self) {
        self.next_rtt_delivered = self.delivered;
    }

    /// Adds the rate of `sample` to the filter.
    pub(super) fn update_max_bw(&mut self, sample: &RateSample) {
        let Some(bw) = Bandwidth::over(sample.delivered, sample.interval) else { return };
        if !self.is_app_limited || bw >= self.max_bw() {
            self.bw.update(BW_RTTS, self.rtt_cnt, bw.0);
        }
    }

    /// Marks what leaves from now on as application-limited until the `in_flight` packets are delivered.
    pub(super) fn mark_app_limited(&mut self, in_flight: u64) {
        self.app_limited.mark(self.delivered, in_flight);
    }

    /// Whether packets that leave now are marked as application-limited.
    pub(super) fn is_marked_app_limited(&self) -> bool {
        self.app_limited.covers(self.delivered)
    }
}

/// `bbr_bw_rtts`: a whole gain cycle and two rounds.
const BW_RTTS: u64 = 10;
