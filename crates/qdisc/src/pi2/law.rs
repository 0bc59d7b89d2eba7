// SPDX-License-Identifier: Apache-2.0
//! The law of PI2 and DualPI2: a linear proportional-integral controller.

use narrows_units::Span;

/// The proportional-integral controller of the base probability `p` (De Schepper et al. 2016 §4; RFC 9332 appendix A.1).
#[derive(Clone, Debug)]
pub struct Pi2Law {
    target: Span,
    alpha: f64,
    beta: f64,
    probability: f64,
    delay_old: Span,
}

impl Pi2Law {
    /// Creates the controller in its initial state, with `p` = 0. `alpha` and `beta` are per second of queueing delay.
    pub fn new(target: Span, alpha: f64, beta: f64) -> Self {
        Self { target, alpha, beta, probability: 0.0, delay_old: Span::ZERO }
    }

    /// Returns `p`, 0 to 1.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Performs the periodic update of `p`; `delay` is the present queueing delay.
    pub fn update(&mut self, delay: Span) {
        let wait = delay.as_secs_f64();
        let off_target = wait - self.target.as_secs_f64();
        let change = wait - self.delay_old.as_secs_f64();
        let moved = self.probability + self.alpha * off_target + self.beta * change;
        self.probability = moved.clamp(0.0, 1.0);
        self.delay_old = delay;
    }

    #[cfg(test)]
    pub(crate) fn set_probability(&mut self, probability: f64) {
        self.probability = probability;
    }
}
