// SPDX-License-Identifier: Apache-2.0
//! Measurements of a round: its minimum round-trip time and the packets acknowledged in it.
//!
//! The minimum of a round filters out delayed acknowledgements (Linux `tcp_vegas.c`); the minimum of the connection, `base`,
//! estimates the round-trip time without queueing. `w (1 − base / rtt)` then estimates the packets in the queue (Brakmo and
//! Peterson, JSAC 1995).

use crate::{Ack, Path};
use narrows_units::Span;

/// Measures the round-trip times of the current round.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// [`Path::round`] of the current round; `None` before the first acknowledgement.
    round: Option<u64>,
    /// Minimum round-trip time of the connection; [`Span::MAX`] before the first sample.
    base: Span,
    /// Minimum round-trip time of the round; [`Span::MAX`] before its first sample.
    least: Span,
    /// Sum of the round-trip time samples in the round.
    sum: Span,
    /// Round-trip time samples in the round.
    samples: u32,
    /// Packets acknowledged in the round.
    acked: u64,
}

/// The measurements of a complete round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// `1 − base / rtt`: queueing delay as a fraction of the round-trip time, 0 to 1; `None` with fewer than 3 samples,
    /// which may all be of delayed acknowledgements.
    pub queued: Option<f64>,
    /// `1 − base / rtt` of the mean round-trip time, as in ns-2; `None` without a sample.
    pub queued_mean: Option<f64>,
    /// Number of packets acknowledged in the round, which were sent in the round before.
    pub packets: f64,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { round: None, base: Span::MAX, least: Span::MAX, sum: Span::ZERO, samples: 0, acked: 0 }
    }
}

impl Rounds {
    /// Adds an acknowledgement. If it is the first of a new round, returns the measurements of the round before.
    pub fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) -> Option<Round> {
        if let Some(rtt) = ack.rtt {
            self.base = self.base.min(rtt);
            self.least = self.least.min(rtt);
            self.sum += rtt;
            self.samples += 1;
        }
        self.acked += ack.newly_acked;
        let over = self.round.replace(path.round).is_some_and(|round| round != path.round);
        if !over {
            return None;
        }
        let enough = self.samples >= SAMPLES_MIN && self.least > Span::ZERO;
        let base = self.base.as_secs_f64();
        let queued = 1.0 - base / self.least.as_secs_f64();
        let queued_mean = 1.0 - base * f64::from(self.samples) / self.sum.as_secs_f64();
        let round = Round {
            queued: enough.then_some(queued),
            queued_mean: (self.sum > Span::ZERO).then_some(queued_mean),
            packets: self.acked as f64,
        };
        self.restart();
        Some(round)
    }

    /// Discards the measurements of the current round.
    pub fn restart(&mut self) {
        (self.least, self.sum, self.samples, self.acked) = (Span::MAX, Span::ZERO, 0, 0);
    }
}

/// Samples without which a round gives no estimate (Linux `tcp_vegas.c`).
const SAMPLES_MIN: u32 = 3;
