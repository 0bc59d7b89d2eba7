// SPDX-License-Identifier: Apache-2.0
//! PIE's law: from the time that packets wait to signals.
//!
//! ```text
//! p += f(p) (α (delay − target) + β (delay − delay_old))       every update
//! f(p) = 1/2048, 1/512, 1/128, 1/32, 1/8, 1/2 below 10⁻⁶, 10⁻⁵, 10⁻⁴, 10⁻³, 10⁻², 10⁻¹; else 1, and steps of at
//!        most 0.02 upwards
//! p += 0.02 where delay > 250 ms;  p ← 0.98 p where delay = delay_old = 0
//! sum of p since the last signal < 0.85: none; ≥ 8.5: certain; between: with probability p
//! ```
//!
//! At a constant p signals are therefore about 0.85/p + 1/p arrivals apart: their rate is p/1.85, not p.

use super::Config;
use narrows_units::{Bytes, Span};

/// The controller of the drop probability (RFC 8033 §4).
#[derive(Clone, Debug)]
pub struct PieLaw {
    config: Config,
    /// `drop_prob_`.
    pub(super) probability: f64,
    /// `qdelay_old_`: the wait at the last update.
    pub(super) delay_old: Span,
    /// `burst_allowance_`: the time for which nothing is signalled.
    pub(super) burst_left: Span,
    /// `accu_prob_`: the probability summed over the arrivals since the last signal.
    pub(super) accumulated: f64,
}

impl PieLaw {
    /// Creates the controller in its initial state, with probability 0 and a full burst allowance.
    pub fn new(config: &Config) -> Self {
        Self {
            config: *config,
            probability: 0.0,
            delay_old: Span::ZERO,
            burst_left: config.burst,
            accumulated: 0.0,
        }
    }

    /// Returns `drop_prob_`: the probability with which arrivals are signalled, 0 to 1.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Whether updates change nothing while no packet waits: the law is in its initial state but for the accumulation, which
    /// starts again with the first arrival at probability 0.
    pub fn is_at_rest(&self) -> bool {
        self.probability <= 0.0 && self.delay_old == Span::ZERO && self.burst_left == self.config.burst
    }

    /// Performs the periodic update of the probability; `delay` is the present queueing delay.
    pub fn update(&mut self, delay: Span) {
        let Config { target, update, alpha, beta, burst, .. } = self.config;
        let wait = delay.as_secs_f64();
        let off_target = wait - target.as_secs_f64();
        let change = wait - self.delay_old.as_secs_f64();
        let mut step = caution(self.probability) * (alpha * off_target + beta * change);
        if self.probability >= FULL_GAIN_FROM {
            // RFC 8033 §5.5.
            step = step.min(LARGEST_STEP);
        }
        if delay > FAR_TOO_LONG {
            step += LARGEST_STEP;
        }
        self.probability += step;
        if delay == Span::ZERO && self.delay_old == Span::ZERO {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        // RFC 8033 §4.4.
        self.burst_left = self.burst_left.saturating_sub(update);
        if self.probability <= 0.0 && delay < target / 2 && self.delay_old < target / 2 {
            self.burst_left = burst;
        }
        self.delay_old = delay;
    }

    /// Whether to signal an arrival that finds `waiting` bytes in the queue. Calls `uniform` at most once, for a draw
    /// from [0, 1).
    pub fn judge(&mut self, waiting: Bytes, uniform: &mut dyn FnMut() -> f64) -> bool {
        let calm = self.delay_old < self.config.target / 2 && self.probability < CALM_BELOW;
        if self.burst_left > Span::ZERO || calm || waiting <= self.config.mean_packet * 2 {
            return false;
        }
        if self.probability <= 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        // RFC 8033 §5.4: neither too close nor too far apart.
        let signal = self.accumulated >= ACCUMULATED_LEAST
            && (self.accumulated >= ACCUMULATED_MOST || uniform() < self.probability);
        if signal {
            self.accumulated = 0.0;
        }
        signal
    }

    /// Records that an arrival was dropped because the buffer was full.
    pub fn overflowed(&mut self) {
        self.accumulated = 0.0;
    }
}

/// RFC 8033 §4.2: the smaller the probability, the smaller its steps.
fn caution(probability: f64) -> f64 {
    let mut bound = FULL_GAIN_FROM;
    let mut factor = 1.0;
    let mut next = 0.5;
    while probability < bound && bound > 0.9e-6 {
        factor = next;
        next /= 4.0;
        bound /= 10.0;
    }
    factor
}

// RFC 8033 §4.2, §4.3, §5.4 and §5.5.
const FULL_GAIN_FROM: f64 = 0.1;
const LARGEST_STEP: f64 = 0.02;
const DECAY: f64 = 0.98;
const CALM_BELOW: f64 = 0.2;
const ACCUMULATED_LEAST: f64 = 0.85;
const ACCUMULATED_MOST: f64 = 8.5;
/// `sch_pie.c`.
const FAR_TOO_LONG: Span = Span::from_ms(250);
