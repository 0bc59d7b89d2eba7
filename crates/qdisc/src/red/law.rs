// SPDX-License-Identifier: Apache-2.0
//! RED's law: from queue lengths to verdicts, without a queue.
//!
//! ```text
//! avg ← (1 − w_q) avg + w_q q                                  on every arrival, q before it
//! p_b = max_p (avg − min_th) / (max_th − min_th)               min_th ≤ avg < max_th
//! p_b = max_p + (1 − max_p) (avg − max_th) / max_th            max_th ≤ avg < 2 max_th, gentle
//! p_a = p_b / (1 − count p_b)                                  or, waiting: 0 while count p_b < 1,
//!                                                              then p_b / (2 − count p_b)
//! max_p ← max_p + min(0.01, max_p / 4)                         every half second, adaptive, where avg is above
//! max_p ← 0.9 max_p                                            min_th + 0.6 (max_th − min_th); below its 0.4
//! ```
//!
//! `count` is the number of arrivals since the last signal, this one included, so that signals are spaced evenly:
//! over 1 … 1/p_b − 1 arrivals, or over 1/p_b … 2/p_b − 1 when waiting.

use super::Config;
use crate::Unit;
use narrows_units::Bytes;

/// The decision about an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Enqueue it.
    Pass,
    /// Signal congestion: mark it if possible, otherwise drop it.
    Signal,
    /// Drop it even if it is ECN-capable.
    Drop,
}

/// The average queue, the number of arrivals since the last signal, and the resulting probabilities.
#[derive(Clone, Debug)]
pub struct RedLaw {
    config: Config,
    average: f64,
    /// Current value of `max_p`: the setting unless it adapts.
    max_p: f64,
    /// Arrivals since the last signal; in byte mode their bytes over the typical packet's.
    count: f64,
    /// The last arrival, too, found the average at `min` or above and more than one packet waiting.
    armed: bool,
}

impl RedLaw {
    /// Creates the initial state: the average is zero.
    pub fn new(config: &Config) -> Self {
        Self { config: *config, average: 0.0, max_p: config.max_p, count: 0.0, armed: false }
    }

    /// Returns `avg`: the average queue, in the unit of the thresholds.
    pub fn average(&self) -> f64 {
        self.average
    }

    /// Returns the current value of `max_p`, 0 to 1.
    pub fn max_p(&self) -> f64 {
        self.max_p
    }

    /// Adapts `max_p` to keep the average between 40 % and 60 % of the way from `min` to `max` (Floyd, Gummadi and
    /// Shenker 2001, figure 3).
    pub fn adapt(&mut self) {
        let Config { min, max, .. } = self.config;
        let margin = TARGET_MARGIN * (max - min);
        if self.average > max - margin && self.max_p <= HIGHEST_MAX_P {
            self.max_p += f64::min(LARGEST_INCREMENT, self.max_p / 4.0);
        } else if self.average < min + margin && self.max_p >= LOWEST_MAX_P {
            self.max_p *= DECREASE_FACTOR;
        }
    }

    /// Updates the average for an arrival that finds a queue of `length`, in the unit of the thresholds, after an idle
    /// time of `idle_packets` transmissions of a typical packet.
    pub fn update(&mut self, length: f64, idle_packets: u64) {
        let keep = 1.0 - self.config.weight;
        if idle_packets > 0 {
            self.average *= libm::pow(keep, idle_packets as f64);
        }
        self.average = keep * self.average + self.config.weight * length;
    }

    /// Decides on an arrival of `size` that finds `packets` packets waiting, after [`update`](Self::update). Calls
    /// `uniform` at most once, for a draw from [0, 1).
    pub fn judge(&mut self, packets: u64, size: Bytes, uniform: &mut dyn FnMut() -> f64) -> Verdict {
        let weight = match self.config.unit {
            Unit::Packets => 1.0,
            Unit::Bytes => size.count() as f64 / self.config.mean_packet.count() as f64,
        };
        self.count += weight;
        if self.average < self.config.min || packets <= 1 {
            self.armed = false;
            return Verdict::Pass;
        }
        let base = self.base_probability();
        if base >= 1.0 {
            self.count = 0.0;
            return Verdict::Drop;
        }
        if !self.armed {
            self.armed = true;
            self.count = weight;
            return Verdict::Pass;
        }
        let spread = self.spread(base);
        // A signal that is due falls on the next packet however small it is.
        let probability = if spread < 1.0 { spread * weight } else { 1.0 };
        if probability <= 0.0 || uniform() >= probability {
            return Verdict::Pass;
        }
        self.count = 0.0;
        if self.average < self.config.max { Verdict::Signal } else { Verdict::Drop }
    }

    /// Records that the arrival was dropped because the buffer was full, whatever the decision.
    pub fn overflowed(&mut self) {
        self.count = 0.0;
    }

    /// Returns `p_b`: the probability that follows from the average alone, 0 to 1.
    pub fn base_probability(&self) -> f64 {
        let Config { min, max, gentle, .. } = self.config;
        let max_p = self.max_p;
        if self.average < min {
            0.0
        } else if self.average < max {
            max_p * (self.average - min) / (max - min)
        } else if gentle && self.average < 2.0 * max {
            max_p + (1.0 - max_p) * (self.average - max) / max
        } else {
            1.0
        }
    }

    /// `p_a`: `p_b` spread over the arrivals since the last signal.
    fn spread(&self, base: f64) -> f64 {
        let expected = self.count * base;
        let whole = if self.config.wait { 2.0 } else { 1.0 };
        if self.config.wait && expected < 1.0 {
            0.0
        } else if expected < whole {
            base / (whole - expected)
        } else {
            1.0
        }
    }
}

// Floyd, Gummadi and Shenker 2001, figure 3 and §4.1; the same in ns-2.35.
const TARGET_MARGIN: f64 = 0.4;
const LARGEST_INCREMENT: f64 = 0.01;
const DECREASE_FACTOR: f64 = 0.9;
const LOWEST_MAX_P: f64 = 0.01;
const HIGHEST_MAX_P: f64 = 0.5;
