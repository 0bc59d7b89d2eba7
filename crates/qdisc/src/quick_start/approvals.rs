// SPDX-License-Identifier: Apache-2.0
//! The state of a Quick-Start router: the utilization of the link, and its recent approvals.
//!
//! A request for `r` finds `u = peak · C + approvals of this interval and the last`, with the peak of the busy fraction
//! over the last five intervals. If `u < threshold · C` it gets `min(r, share · C − u)`, else nothing.

use super::Config;
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Rate, Span, Time};

/// Representation of a rate in a packet. Routers round down to a rate that it can represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Four bits: 40 kbps · 2ᴺ for N from 1 to 15 (RFC 4782 §3.1).
    Rfc4782,
    /// Multiples of 10 kB/s.
    Linear,
    /// Exact: any rate can be represented.
    Exact,
}

/// Utilization of one link and the rates that were approved on it.
#[derive(Clone, Debug)]
pub struct Approvals {
    config: Config,
    /// The number of the present interval.
    interval: u64,
    /// Busy fractions of past intervals; interval n is at n modulo their number.
    used: [f64; INTERVALS],
    /// Time that the link was busy in the present interval, seconds.
    busy: f64,
    /// Bits per second approved in the present interval and in the one before.
    approved: f64,
    approved_before: f64,
}

impl Approvals {
    /// Creates the state of an idle link without approvals.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            interval: 0,
            used: [0.0; INTERVALS],
            busy: 0.0,
            approved: 0.0,
            approved_before: 0.0,
        }
    }

    /// Records that a packet with a transmission time of `transmission` left the queue at `now`.
    pub fn on_sent(&mut self, transmission: Span, now: Time) {
        self.roll(now);
        self.busy += transmission.as_secs_f64();
    }

    /// Returns the approved rate, bits per second, for a request of `requested` bits per second at `now` on a link of
    /// rate `capacity`; 0 if the request is rejected.
    pub fn answer(&mut self, requested: f64, capacity: Rate, now: Time) -> f64 {
        self.roll(now);
        let capacity = capacity.as_bps() as f64;
        let used = self.peak() * capacity + self.approved_before + self.approved;
        if used >= self.config.threshold * capacity {
            return 0.0;
        }
        let room = (self.config.share * capacity - used).max(0.0);
        let granted = self.config.encoding.round_down(requested.min(room));
        self.approved += granted;
        granted
    }

    /// Returns the largest utilization of the last five complete intervals, 0 to 1.
    pub fn peak(&self) -> f64 {
        self.used.iter().copied().fold(0.0, f64::max)
    }

    /// Closes the intervals that are over.
    fn roll(&mut self, now: Time) {
        let present = now.as_ps() / self.config.interval.as_ps().max(1);
        let passed = present - self.interval;
        if passed == 0 {
            return;
        }
        let length = self.config.interval.as_secs_f64();
        self.used[self.interval as usize % INTERVALS] = (self.busy / length).min(1.0);
        for silent in 1..passed.min(INTERVALS as u64 + 1) {
            self.used[(self.interval + silent) as usize % INTERVALS] = 0.0;
        }
        self.approved_before = if passed == 1 { self.approved } else { 0.0 };
        self.approved = 0.0;
        self.busy = 0.0;
        self.interval = present;
    }
}

impl Encoding {
    /// Returns the largest representable rate that does not exceed `rate`, bits per second; 0 if there is none.
    pub fn round_down(self, rate: f64) -> f64 {
        match self {
            Self::Exact => rate,
            Self::Linear => (rate / LINEAR_STEP).floor() * LINEAR_STEP,
            Self::Rfc4782 => {
                let steps = (1..=15).map(|n| UNIT * f64::from(1 << n));
                steps.take_while(|step| *step <= rate).last().unwrap_or(0.0)
            }
        }
    }
}

/// Intervals that are remembered (`util_records_` in ns-2.35).
const INTERVALS: usize = 5;
/// RFC 4782 §3.1, bits per second.
const UNIT: f64 = 40_000.0;
/// 10 kB/s, bits per second.
const LINEAR_STEP: f64 = 80_000.0;
