// SPDX-License-Identifier: Apache-2.0
//! The reset of the base of the queueing delay (`getTargetBitrate` of the authors' code). If the mean of the minimum delays of 50
//! ms stays above an eighth of the target, either the queue never empties or the path has become longer. The rate is then halved
//! for five round trips, at most once a minute, which empties a queue. If the delay persists, the base is reset.

use super::is_past;
use narrows_units::Time;

#[derive(Clone, Debug)]
pub(super) struct BaseDelay {
    /// The least queueing delay since `sampled_at`, seconds.
    least: f64,
    sampled_at: Option<Time>,
    /// `queueDelayMinAvg`: their mean, which follows them downwards at once.
    mean: f64,
    /// When the rate was halved last; at first, when the flow began.
    halved_at: Option<Time>,
    halved: bool,
}

impl BaseDelay {
    pub(super) const fn new() -> Self {
        Self { least: f64::INFINITY, sampled_at: None, mean: 0.0, halved_at: None, halved: false }
    }

    /// Whether the rate is halved at present.
    pub(super) fn halves(&self) -> bool {
        self.halved
    }

    /// Takes a measured queueing delay of `queue` seconds, and returns whether the base must be reset.
    pub(super) fn update(&mut self, queue: f64, target: f64, srtt: f64, now: Time) -> bool {
        self.least = self.least.min(queue);
        if is_past(self.sampled_at, SAMPLING, now) {
            let up = self.least > self.mean;
            self.mean += (self.least - self.mean) * if up { GAIN } else { 1.0 };
            (self.least, self.sampled_at) = (f64::INFINITY, Some(now));
        }
        self.halved_at.get_or_insert(now);
        if self.mean <= target * SHARE {
            self.halved = false;
        } else if is_past(self.halved_at, PAUSE, now) {
            (self.halved, self.halved_at) = (true, Some(now));
        } else if self.halved && is_past(self.halved_at, (ROUNDS * srtt).max(HALVED_MIN), now) {
            (self.halved, self.mean) = (false, 0.0);
            return true;
        }
        false
    }
}

/// `kSlowUpdateInterval`, seconds, and the weight of a sample above the mean.
const SAMPLING: f64 = 0.05;
const GAIN: f64 = 0.005;
/// Share of the target above which the base is doubted.
const SHARE: f64 = 0.125;
/// `kBaseDelayResetInterval`, seconds.
const PAUSE: f64 = 60.0;
/// `kNumRateLimitRtts`, and the least time that they last, seconds.
const ROUNDS: f64 = 5.0;
const HALVED_MIN: f64 = 0.1;
