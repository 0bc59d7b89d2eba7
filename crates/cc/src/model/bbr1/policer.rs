//! Is a token-bucket policer in the path? (Flach et al., "An Internet-wide analysis of traffic policing", SIGCOMM 2016.)
//!
//! An interval of 4 to 16 rounds runs from loss to loss. If a fifth or more of it was lost, and the rate of two such
//! intervals in a row is the same within an eighth or 4 kbit/s, their mean is the policed rate: for 48 rounds the flow
//! sends at it without probing.

use super::bandwidth::{Bandwidth, Gain};
use super::delivery::Delivery;
use narrows_units::{Bytes, Span, Time};

/// The search for a policer.
#[derive(Clone, Debug, Default)]
pub(super) struct Policer {
    /// The rate of the last lossy interval; of the policer while `found`.
    rate: Bandwidth,
    /// The rate is in use.
    found: bool,
    /// An interval runs.
    sampling: bool,
    /// Rounds of the interval, or since the policer was found.
    rounds: u32,
    start: Time,
    /// Packets delivered and lost before the interval.
    delivered: u64,
    lost: u64,
}

/// What an acknowledgement told of a policer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Nothing new.
    None,
    /// There is one.
    Found,
    /// It was believed for long enough.
    Forgotten,
}

impl Policer {
    /// The policed rate, if there is one.
    pub(super) fn rate(&self) -> Option<Bandwidth> {
        self.found.then_some(self.rate)
    }

    /// Of an acknowledgement or a timeout; `losses`: packets were declared lost by it.
    pub(super) fn on_sample(
        &mut self,
        delivery: &Delivery,
        losses: bool,
        probing_bandwidth: bool,
        mss: Bytes,
    ) -> News {
        if self.found {
            self.rounds += u32::from(probing_bandwidth && delivery.round_started);
            let over = self.rounds >= TRUSTED_ROUNDS;
            if over {
                self.forget(delivery);
                return News::Forgotten;
            }
            return News::None;
        }
        if !self.sampling {
            // Before the first loss the bucket still holds tokens.
            if !losses {
                return News::None;
            }
            self.begin_interval(delivery);
            self.sampling = true;
        }
        self.rounds += u32::from(delivery.round_started);
        if delivery.app_limited || self.rounds > 4 * SHORTEST_INTERVAL {
            self.forget(delivery);
        } else if self.rounds >= SHORTEST_INTERVAL && losses {
            self.end_interval(delivery, mss);
        }
        if self.found { News::Found } else { News::None }
    }

    /// Begins the search anew.
    pub(super) fn forget(&mut self, delivery: &Delivery) {
        *self = Self::default();
        self.begin_interval(delivery);
    }

    fn begin_interval(&mut self, delivery: &Delivery) {
        self.start = delivery.delivered_at;
        self.delivered = delivery.delivered;
        self.lost = delivery.lost;
        self.rounds = 0;
    }

    fn end_interval(&mut self, delivery: &Delivery, mss: Bytes) {
        let lost = delivery.lost - self.lost;
        let delivered = delivery.delivered - self.delivered;
        let length = delivery.delivered_at.since(self.start);
        let lossy = u128::from(lost) * u128::from(Gain::UNIT.0) >= u128::from(LOSSY) * u128::from(delivered);
        if delivered == 0 || !lossy || length < Span::from_ms(1) {
            return;
        }
        let rate = Bandwidth::over(delivered, length).expect("the interval is a millisecond or more");
        let difference = Bandwidth(rate.0.abs_diff(self.rate.0));
        let alike = u128::from(difference.0) <= CONSISTENT.of(u128::from(self.rate.0))
            || difference.pacing_rate(Gain::UNIT, mss).as_bps() <= CONSISTENT_BPS;
        if self.rate > Bandwidth::default() && alike {
            self.rate = Bandwidth(rate.0.midpoint(self.rate.0));
            self.found = true;
            self.rounds = 0;
        } else {
            self.rate = rate;
            self.begin_interval(delivery);
        }
    }
}

/// `bbr_lt_intvl_min_rtts`; the longest interval is four times as long.
const SHORTEST_INTERVAL: u32 = 4;
/// `bbr_lt_loss_thresh`: packets lost for 256 delivered.
const LOSSY: u64 = 50;
/// `bbr_lt_bw_ratio`, 1/8.
const CONSISTENT: Gain = Gain(32);
/// `bbr_lt_bw_diff`, bits per second.
const CONSISTENT_BPS: u64 = 4_000;
/// `bbr_lt_bw_max_rtts`.
const TRUSTED_ROUNDS: u32 = 48;
