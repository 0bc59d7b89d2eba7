// SPDX-License-Identifier: Apache-2.0
//! Round-trip times: the largest without a queue of the flow's own, which is latency and jitter together, and the smallest.

use narrows_units::Span;

/// The estimates, and the extremes of the present era; all in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delays {
    /// `nominal_max_rtt`; `None` before the first sample.
    nominal_max: Option<f64>,
    /// `running_min_rtt`.
    running_min: f64,
    /// `era_min_rtt`, infinite before the first sample of the era.
    era_min: f64,
    /// `era_max_rtt`.
    era_max: f64,
    /// `MAX_JITTER`.
    max_jitter: f64,
}

impl Delays {
    pub(super) fn new(max_jitter: f64) -> Self {
        Self {
            nominal_max: None,
            running_min: f64::INFINITY,
            era_min: f64::INFINITY,
            era_max: 0.0,
            max_jitter,
        }
    }

    /// Adds a sample.
    pub(super) fn add(&mut self, sample: Span) {
        let sample = sample.as_secs_f64();
        self.era_min = self.era_min.min(sample);
        self.era_max = self.era_max.max(sample);
        self.running_min = self.running_min.min(sample);
        self.nominal_max.get_or_insert(sample.max(FLOOR));
    }

    /// Returns the nominal max RTT, seconds.
    pub(super) fn nominal_max(&self) -> Option<f64> {
        self.nominal_max
    }

    /// Sets the nominal max RTT, seconds.
    pub(super) fn set_nominal_max(&mut self, seconds: f64) {
        self.nominal_max = Some(seconds.max(FLOOR));
    }

    /// Returns the running min RTT, seconds; `None` before the first sample.
    pub(super) fn running_min(&self) -> Option<f64> {
        self.running_min.is_finite().then_some(self.running_min)
    }

    /// Takes in the extremes of an era whose packets were sent at the nominal rate or below.
    pub(super) fn take_in(&mut self) {
        let Some(nominal_max) = self.nominal_max.filter(|_| self.era_min.is_finite()) else { return };
        self.running_min = if self.era_min < self.running_min {
            self.era_min
        } else {
            self.running_min + (self.era_min - self.running_min) / MEMORY
        };
        let most = self.era_max.min(self.running_min + self.max_jitter);
        self.set_nominal_max(if most > nominal_max {
            most
        } else {
            nominal_max + (most - nominal_max) / MEMORY
        });
    }

    /// An era begins.
    pub(super) fn begin_era(&mut self) {
        (self.era_min, self.era_max) = (f64::INFINITY, 0.0);
    }

    /// Whether jitter is high: the least round-trip time is below two fifths of the largest, and that is not short.
    pub(super) fn jitter_is_high(&self) -> bool {
        self.nominal_max.is_some_and(|most| most > JITTER_LEAST && self.running_min < JITTER_SHARE * most)
    }
}

/// Eras in which an estimate forgets all but about a third of what it was.
const MEMORY: f64 = 8.0;
/// The least over the largest round-trip time below which jitter is high.
const JITTER_SHARE: f64 = 0.4;
/// Nominal max RTT up to which jitter is not high, seconds.
const JITTER_LEAST: f64 = 0.05;
/// Least nominal max RTT, seconds.
const FLOOR: f64 = 1e-3;
