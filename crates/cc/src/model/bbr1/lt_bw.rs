// SPDX-License-Identifier: Apache-2.0
//! Long-term bandwidth sampling, which finds token-bucket policers (`bbr_lt_bw_sampling`; Flach et al., "An Internet-wide
//! analysis of traffic policing", SIGCOMM 2016).
//!
//! An interval of 4 to 16 rounds lasts from loss to loss. If the losses in it are a fifth or more of the packets
//! delivered, and the rates of two such intervals in a row differ by at most an eighth or 4 kbit/s, their mean is the
//! policed rate: for 48 rounds the flow sends at it without probing.

use super::bandwidth::{Bandwidth, Gain};
use super::delivery::Delivery;
use narrows_units::{Bytes, Span, Time};

/// The variables of the sampling.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the names of Linux's variables")]
pub(super) struct LtBw {
    /// Rate of the last lossy interval; the policed rate while `lt_use_bw`.
    lt_bw: Bandwidth,
    lt_use_bw: bool,
    lt_is_sampling: bool,
    /// Rounds of the interval, or since the policed rate is used.
    lt_rtt_cnt: u32,
    lt_last_stamp: Time,
    lt_last_delivered: u64,
    lt_last_lost: u64,
}

/// The effect of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LtBwChange {
    /// Nothing.
    None,
    /// A policer was found, and its rate is used from now on.
    Found,
    /// The policed rate has been used for 48 rounds, and is no longer.
    Expired,
}

impl LtBw {
    /// Returns `bbr_bw`: the policed rate while it is used, `max_bw` otherwise.
    pub(super) fn bw(&self, max_bw: Bandwidth) -> Bandwidth {
        if self.lt_use_bw { self.lt_bw } else { max_bw }
    }

    /// Whether the policed rate is used.
    pub(super) fn lt_use_bw(&self) -> bool {
        self.lt_use_bw
    }

    /// Whether a sample without a loss changes nothing.
    pub(super) fn awaits_loss(&self) -> bool {
        !self.lt_use_bw && !self.lt_is_sampling
    }

    /// Returns `bbr_lt_bw_sampling`, for an acknowledgement or a timeout; `losses`: packets were declared lost by it.
    pub(super) fn lt_bw_sampling(
        &mut self,
        delivery: &Delivery,
        losses: bool,
        in_probe_bw: bool,
        mss: Bytes,
    ) -> LtBwChange {
        if self.lt_use_bw {
            self.lt_rtt_cnt += u32::from(in_probe_bw && delivery.round_start());
            if self.lt_rtt_cnt < LT_BW_MAX_RTTS {
                return LtBwChange::None;
            }
            self.reset_lt_bw_sampling(delivery);
            return LtBwChange::Expired;
        }
        // Before the first loss the bucket still holds tokens.
        if self.awaits_loss() && !losses {
            return LtBwChange::None;
        }
        if !self.lt_is_sampling {
            self.reset_lt_bw_sampling_interval(delivery);
            self.lt_is_sampling = true;
        }
        self.lt_rtt_cnt += u32::from(delivery.round_start());
        if delivery.is_app_limited() || self.lt_rtt_cnt > 4 * LT_INTVL_MIN_RTTS {
            self.reset_lt_bw_sampling(delivery);
        } else if self.lt_rtt_cnt >= LT_INTVL_MIN_RTTS && losses {
            self.end_interval(delivery, mss);
        }
        if self.lt_use_bw { LtBwChange::Found } else { LtBwChange::None }
    }

    /// Implements `bbr_reset_lt_bw_sampling`.
    pub(super) fn reset_lt_bw_sampling(&mut self, delivery: &Delivery) {
        *self = Self::default();
        self.reset_lt_bw_sampling_interval(delivery);
    }

    /// `bbr_reset_lt_bw_sampling_interval`.
    fn reset_lt_bw_sampling_interval(&mut self, delivery: &Delivery) {
        self.lt_last_stamp = delivery.delivered_stamp();
        self.lt_last_delivered = delivery.delivered();
        self.lt_last_lost = delivery.lost();
        self.lt_rtt_cnt = 0;
    }

    /// Computes the rate of an interval that a loss ends, if it was lossy and lasted a millisecond.
    fn end_interval(&mut self, delivery: &Delivery, mss: Bytes) {
        let lost = delivery.lost() - self.lt_last_lost;
        let delivered = delivery.delivered() - self.lt_last_delivered;
        let interval = delivery.delivered_stamp().since(self.lt_last_stamp);
        let lossy =
            u128::from(lost) * u128::from(Gain::UNIT.0) >= u128::from(LT_LOSS_THRESH) * u128::from(delivered);
        if delivered == 0 || !lossy || interval < Span::from_ms(1) {
            return;
        }
        let bw = Bandwidth::over(delivered, interval).expect("the interval is a millisecond or more");
        self.lt_bw_interval_done(bw, delivery, mss);
    }

    /// `bbr_lt_bw_interval_done`.
    fn lt_bw_interval_done(&mut self, bw: Bandwidth, delivery: &Delivery, mss: Bytes) {
        let difference = Bandwidth(bw.0.abs_diff(self.lt_bw.0));
        let consistent = u128::from(difference.0) <= LT_BW_RATIO.of(u128::from(self.lt_bw.0))
            || difference.pacing_rate(Gain::UNIT, mss).as_bps() <= LT_BW_DIFF_BPS;
        if self.lt_bw > Bandwidth::default() && consistent {
            self.lt_bw = Bandwidth(bw.0.midpoint(self.lt_bw.0));
            self.lt_use_bw = true;
            self.lt_rtt_cnt = 0;
        } else {
            self.lt_bw = bw;
            self.reset_lt_bw_sampling_interval(delivery);
        }
    }
}

/// `bbr_lt_intvl_min_rtts`, rounds; the longest interval is four times as long.
const LT_INTVL_MIN_RTTS: u32 = 4;
/// `bbr_lt_loss_thresh`: packets lost for 256 delivered.
const LT_LOSS_THRESH: u64 = 50;
/// `bbr_lt_bw_ratio`, 1/8.
const LT_BW_RATIO: Gain = Gain(32);
/// `bbr_lt_bw_diff`, bits per second.
const LT_BW_DIFF_BPS: u64 = 4_000;
/// `bbr_lt_bw_max_rtts`, rounds.
const LT_BW_MAX_RTTS: u32 = 48;
