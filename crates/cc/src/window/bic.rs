// SPDX-License-Identifier: Apache-2.0
//! BIC (Xu, Harfoush and Rhee, "Binary increase congestion control for fast long-distance networks", INFOCOM 2004) with
//! the constants of Linux 2.6.22 `tcp_bic.c`: a binary search between the window and that at the last loss.
//!
//! Increase per round trip in packets, with `d = W_max − w`:
//! * `w ≤ low_window`: 1.
//! * Below `W_max`: `clamp(d / B, …, S_max)`, and `B / smooth_part` where `d / B ≤ 1`.
//! * From `W_max` on: `B / smooth_part` up to `W_max + B`, then `(w − W_max) / (B − 1)`, at most `S_max`.
//! * Before any loss at least `0.05 w`.
//!
//! Loss: `w = β w` (half at and below `low_window`), and `W_max = w (1 + β) / 2` if `w < W_max`, else `w`. A timeout
//! resets `W_max`.

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The parameters and the state of BIC (Xu, Harfoush and Rhee 2004).
#[derive(Clone, Debug)]
pub struct Bic {
    /// At and below this window, packets, the rule is Reno's.
    low_window: f64,
    /// `S_max`, packets per round trip.
    s_max: f64,
    /// `B`: divisor of the distance to `W_max`.
    divisor: f64,
    /// `B / smooth_part`, the smallest increase, packets per round trip.
    smallest: f64,
    /// `β`: factor by which a loss multiplies the window.
    beta: f64,
    fast_convergence: bool,
    /// Smallest increase per round trip before any loss, as a fraction of the window.
    before_loss: f64,
    /// `W_max`, packets; 0 before the first loss.
    w_max: f64,
    /// There was a loss after the start or the last timeout.
    has_lost: bool,
}

impl Bic {
    /// Increase per round trip with a window of `window`, packets.
    fn step(&self, window: f64) -> f64 {
        let step = if window <= self.low_window {
            1.0
        } else if window < self.w_max {
            let part = (self.w_max - window) / self.divisor;
            if part <= 1.0 { self.smallest } else { part.min(self.s_max) }
        } else if window < self.w_max + self.divisor {
            self.smallest
        } else {
            ((window - self.w_max) / (self.divisor - 1.0)).min(self.s_max)
        };
        if self.has_lost { step } else { step.max(self.before_loss * window) }
    }
}

impl WindowRule for Bic {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        // At most one packet for each packet acknowledged: Linux's count of acknowledgements per increase is at least one.
        acked * (self.step(window.size) / window.size).min(1.0)
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        self.has_lost = cause != Cause::Timeout;
        self.w_max = if cause == Cause::Timeout {
            0.0
        } else if self.fast_convergence && window.size < self.w_max {
            window.size * (1.0 + self.beta) / 2.0
        } else {
            window.size
        };
        window.size * if window.size > self.low_window { self.beta } else { 0.5 }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("w_max", self.w_max);
    }
}

/// The card of `bic`.
pub(crate) const BIC: Entry = Entry {
    card: Card {
        name: "bic",
        family: "high-speed",
        summary: "BIC: binary search for the window at the last loss, decrease to 0.8",
        source: "Xu, Harfoush and Rhee, INFOCOM 2004; Linux 2.6.22",
        equations: &[
            "w += step acked / w; w <= low_window: step = 1",
            "w < W_max: step = (W_max - w) / divisor, at most s_max, divisor / smooth_part where it is 1 or less",
            "w >= W_max: step = divisor / smooth_part up to W_max + divisor, then (w - W_max) / (divisor - 1), at most s_max",
            "loss: W_max = w (1 + beta) / 2 if w < W_max else w; ssthresh = w = beta w",
        ],
        parameters: &[
            Parameter::number(
                "low_window",
                "at and below this window the rule is Reno's",
                14.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source("Xu et al. 2004 §III; Linux 2.6.22"),
            Parameter::number("s_max", "largest increase in a round trip", 16.0, 0.01..=1_000_000.0)
                .unit("packets")
                .source("Linux 2.6.22 (paper: 32)"),
            Parameter::number(
                "divisor",
                "the increase is the distance to W_max divided by this",
                4.0,
                1.5..=100.0,
            )
            .source("Linux 2.6.22 (paper: 2)"),
            Parameter::number(
                "smooth_part",
                "round trips for the last divisor packets below W_max",
                20.0,
                1.0..=1000.0,
            )
            .source("Linux 2.6.22"),
            Parameter::number("beta", "factor by which a loss multiplies the window", 0.8, 0.1..=0.99)
                .source("Linux 2.6.22: 819/1024 (paper: 0.875)"),
            Parameter::flag(
                "fast_convergence",
                "W_max is set lower than the window when a loss occurs below the previous W_max",
                true,
            )
            .source("Xu et al. 2004 §III"),
            Parameter::number(
                "before_loss",
                "smallest increase per round trip before any loss, as a fraction of the window; 0: none",
                0.05,
                0.0..=1.0,
            )
            .source("Linux 2.6.22"),
        ],
        variables: &[Variable {
            name: "w_max",
            unit: "packets",
            meaning: "W_max, the window at the last loss",
        }],
        deviations: &[
            "real numbers, where Linux 2.6.22 counts acknowledgements; 0.8 where it has 819/1024",
            "packets acknowledged are counted; 2.6.22 estimates their number from the acknowledgements",
            "the distance to W_max is divided by 4, as in Linux; the paper divides it by 2",
        ],
    },
    style: Some(Style(Hue::Purple, Dash::Dotted)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let divisor = values.number("divisor");
    let rule = Bic {
        low_window: values.number("low_window"),
        s_max: values.number("s_max"),
        divisor,
        smallest: divisor / values.number("smooth_part"),
        beta: values.number("beta"),
        fast_convergence: values.flag("fast_convergence"),
        before_loss: values.number("before_loss"),
        w_max: 0.0,
        has_lost: false,
    };
    Box::new(Windowed::new(rule, setup))
}
