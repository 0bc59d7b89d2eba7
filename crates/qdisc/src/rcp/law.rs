// SPDX-License-Identifier: Apache-2.0
//! The rate that an RCP router offers.
//!
//! Every `T = min(d, interval)`: `R ← R (1 + T/d · (α (C − y) − β Q / d) / C)`, between a packet a round trip and `C`,
//! where `y` is the rate at which bytes arrived, `Q` what waits and `d` the mean of the reported round-trip times.

use super::Config;
use narrows_units::{Bytes, Rate, Span, Time};

/// The rate controller of one link.
#[derive(Clone, Debug)]
pub struct RcpLaw {
    config: Config,
    /// `R`, bits per second; `None` before the first arrival at a link that moves.
    rate: Option<f64>,
    /// `d`, seconds; `None` before any was reported.
    mean_rtt: Option<f64>,
    /// Bits that arrived since the last update.
    arrived: f64,
    last: Time,
    due: Time,
}

impl RcpLaw {
    /// Creates the controller before the first arrival.
    pub fn new(config: &Config) -> Self {
        Self { config: *config, rate: None, mean_rtt: None, arrived: 0.0, last: Time::ZERO, due: Time::NEVER }
    }

    /// Records the arrival of a packet of `size` at `now` at a link of rate `capacity`. `rtt` is the round-trip time in
    /// its header, seconds; 0 if it has none.
    pub fn on_arrival(&mut self, size: Bytes, rtt: f32, capacity: Rate, now: Time) {
        if self.due == Time::NEVER {
            self.last = now;
            self.due = now + self.config.interval;
        }
        if self.rate.is_none() && capacity > Rate::ZERO {
            self.rate = Some(self.config.initial * capacity.as_bps() as f64);
        }
        self.arrived += size.bits() as f64;
        if rtt > 0.0 {
            let rtt = f64::from(rtt);
            self.mean_rtt = Some(self.mean_rtt.map_or(rtt, |mean| mean + self.config.gain * (rtt - mean)));
        }
    }

    /// Returns `R`: the rate offered to every flow, bits per second; infinite before the first arrival.
    pub fn offer(&self) -> f64 {
        self.rate.unwrap_or(f64::INFINITY)
    }

    /// Returns the time of the next update; `None` before the first arrival.
    pub fn next_wake(&self) -> Option<Time> {
        Some(self.due).filter(|due| *due != Time::NEVER)
    }

    /// Updates the offered rate if that is due at `now`, for a link of rate `capacity` at which `waiting` bytes wait.
    pub fn on_wake(&mut self, now: Time, capacity: Rate, waiting: Bytes) {
        if now < self.due {
            return;
        }
        let capacity = capacity.as_bps() as f64;
        let passed = now.since(self.last).as_secs_f64();
        let mut next = self.config.interval;
        if let (Some(mean_rtt), Some(rate)) = (self.mean_rtt, self.rate)
            && capacity > 0.0
        {
            let spare = self.config.alpha * (capacity - self.arrived / passed);
            let change = spare - self.config.beta * waiting.bits() as f64 / mean_rtt;
            let least = (self.config.packet.bits() as f64 / mean_rtt).min(capacity);
            self.rate = Some((rate * (1.0 + passed / mean_rtt * change / capacity)).clamp(least, capacity));
            next = next.min(Span::from_secs_f64(mean_rtt));
        }
        self.arrived = 0.0;
        self.last = now;
        self.due = now + next.max(MIN_INTERVAL);
    }
}

/// Updates are at least this far apart, however short the round trip.
const MIN_INTERVAL: Span = Span::from_us(100);

#[cfg(test)]
mod tests;
