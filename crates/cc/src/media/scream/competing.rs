// SPDX-License-Identifier: Apache-2.0
//! The target of the queueing delay, which rises beside flows that fill the queue (`adjust_qdelay_target` of the draft).
//!
//! With mean `m` of the last 50 samples and variance `v` of the last 200, in units of the lower target: `n = m + √v`.
//! If packets are lost the target is `1.5 n`; if the delay is steady, `v < 0.2`, it is `n`; else it falls by a tenth,
//! or to half if `n < 1`.

use alloc::collections::VecDeque;
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Span, Time};

#[derive(Clone, Debug)]
pub(super) struct Competing {
    enabled: bool,
    /// Seconds.
    target: f64,
    /// Samples, oldest first, in units of [`LOW`].
    history: VecDeque<f64>,
    sampled_at: Option<Time>,
    /// `loss_event_rate`: share of round trips with a loss.
    losses: f64,
    /// Whether something was lost in this round trip.
    lost: bool,
}

impl Competing {
    pub(super) fn new(enabled: bool) -> Self {
        Self { enabled, target: LOW, history: VecDeque::new(), sampled_at: None, losses: 0.0, lost: false }
    }

    /// Returns the target of the queueing delay, seconds.
    pub(super) fn target(&self) -> f64 {
        self.target
    }

    /// Something was lost.
    pub(super) fn on_loss(&mut self) {
        self.lost = true;
    }

    /// A round trip ends.
    pub(super) fn on_round(&mut self) {
        self.losses += LOSS_GAIN * (f64::from(u8::from(self.lost)) - self.losses);
        self.lost = false;
    }

    /// A queueing delay of `queue` seconds was measured.
    pub(super) fn update(&mut self, queue: f64, now: Time) {
        if !self.enabled || self.sampled_at.is_some_and(|at| now.since(at) < INTERVAL) {
            return;
        }
        self.sampled_at = Some(now);
        if self.history.len() == LONG {
            self.history.pop_front();
        }
        self.history.push_back(queue / LOW);
        let mean_of = |count: usize| {
            let count = count.min(self.history.len());
            self.history.iter().rev().take(count).sum::<f64>() / count as f64
        };
        let mean = mean_of(LONG);
        let squares: f64 = self.history.iter().map(|each| (each - mean) * (each - mean)).sum();
        let variance = squares / self.history.len() as f64;
        let new = LOW * (mean_of(SHORT) + variance.sqrt());
        let target = if self.losses > LOSSES_MIN {
            1.5 * new
        } else if variance < STEADY {
            new
        } else if new < LOW {
            new.max(0.5 * self.target)
        } else {
            0.9 * self.target
        };
        self.target = target.clamp(LOW, HIGH);
    }
}

/// `QDELAY_TARGET_LO`, `QDELAY_TARGET_HI`, seconds.
const LOW: f64 = 0.06;
const HIGH: f64 = 0.4;
/// Numbers of samples for variance and mean.
const LONG: usize = 200;
const SHORT: usize = 50;
/// Time between samples (`kSlowUpdateInterval` of the authors' code).
const INTERVAL: Span = Span::from_ms(50);
/// Weight of a round trip in the share of those with a loss (the authors' code), and the share above which flows compete.
const LOSS_GAIN: f64 = 0.02;
const LOSSES_MIN: f64 = 0.002;
/// Variance below which the delay is steady.
const STEADY: f64 = 0.2;
