// SPDX-License-Identifier: Apache-2.0
//! Pacing: the rate, and how many packets leave together.

use super::bandwidth::{Bandwidth, Gain};
use narrows_units::{Bytes, Rate, Span};

/// The pacing of one flow.
#[derive(Clone, Debug)]
pub(super) struct Pacing {
    rate: Rate,
    mss: Bytes,
    /// `bbr_tso_segs_goal` of rate and segment size.
    tso_segs_goal: u64,
    /// The first rate has been computed from a measured round-trip time.
    has_seen_rtt: bool,
    /// Packets sent, counted up to [`UNPACED`].
    sent: u64,
}

impl Pacing {
    /// Creates the pacing of a window of `cwnd` packets over a nominal round-trip time of a millisecond.
    pub(super) fn new(cwnd: u64, high_gain: Gain, mss: Bytes) -> Self {
        let rate = initial_rate(cwnd, Span::from_ms(1), high_gain, mss);
        Self { rate, mss, tso_segs_goal: tso_segs_goal(rate, mss), has_seen_rtt: false, sent: 0 }
    }

    /// Returns the pacing rate; `None` while packets leave unpaced.
    pub(super) fn limit(&self) -> Option<Rate> {
        (self.sent >= UNPACED).then_some(self.rate)
    }

    /// Returns `has_seen_rtt`.
    pub(super) fn has_seen_rtt(&self) -> bool {
        self.has_seen_rtt
    }

    /// Implements `bbr_init_pacing_rate_from_rtt`, for the first round-trip time, with a window of `cwnd` packets.
    pub(super) fn init_pacing_rate_from_rtt(&mut self, srtt: Span, cwnd: u64, high_gain: Gain) {
        self.has_seen_rtt = true;
        self.change_rate(initial_rate(cwnd, srtt.max(Span::from_us(1)), high_gain, self.mss));
    }

    /// Implements `bbr_set_pacing_rate`: a lower rate is used only after the pipe has been full.
    pub(super) fn set_pacing_rate(&mut self, rate: Rate, full_bw_reached: bool) {
        if rate != self.rate && (full_bw_reached || rate > self.rate) {
            self.change_rate(rate);
        }
    }

    /// Packets have a payload of `mss` from now on.
    pub(super) fn set_mss(&mut self, mss: Bytes) {
        self.mss = mss;
        self.change_rate(self.rate);
    }

    fn change_rate(&mut self, rate: Rate) {
        self.rate = rate;
        self.tso_segs_goal = tso_segs_goal(rate, self.mss);
    }

    /// A packet left.
    pub(super) fn on_sent(&mut self) {
        self.sent = (self.sent + 1).min(UNPACED);
    }

    /// Returns `bbr_tso_segs_goal`: packets that leave together.
    pub(super) fn tso_segs_goal(&self) -> u64 {
        self.tso_segs_goal
    }

    /// Returns the payload of the packets that leave together.
    pub(super) fn burst(&self) -> Bytes {
        self.mss * self.tso_segs_goal
    }
}

/// `bbr_tso_segs_goal`, packets.
fn tso_segs_goal(rate: Rate, mss: Bytes) -> u64 {
    let min_tso_segs = if rate.as_bps() < MIN_TSO_RATE_BPS { 1 } else { 2 };
    let bytes = ((rate.as_bps() / 8) >> PACING_SHIFT).min(TSO_BYTES_MAX);
    (bytes / mss.count()).clamp(min_tso_segs, TSO_SEGS_MAX)
}

/// The rate of a window of `cwnd` packets in each `rtt`, times `high_gain`.
fn initial_rate(cwnd: u64, rtt: Span, high_gain: Gain, mss: Bytes) -> Rate {
    let bw = Bandwidth::over(cwnd, rtt).expect("the time is a microsecond or more");
    bw.pacing_rate(high_gain, mss)
}

/// Packets that leave before Linux paces (`tcp_update_skb_after_send`).
const UNPACED: u64 = 10;
/// `bbr_min_tso_rate`, bits per second.
const MIN_TSO_RATE_BPS: u64 = 1_200_000;
/// `sk_pacing_shift`: packets of 1/1024 s leave together.
const PACING_SHIFT: u32 = 10;
/// `GSO_MAX_SIZE - 1 - MAX_TCP_HEADER`, bytes.
const TSO_BYTES_MAX: u64 = 65_536 - 1 - 320;
/// Packets (`bbr_tso_segs_goal`).
const TSO_SEGS_MAX: u64 = 0x7f;
