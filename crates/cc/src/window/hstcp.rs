// SPDX-License-Identifier: Apache-2.0
//! HighSpeed TCP (RFC 3649): increase and decrease depend on the window, for a less steep response function at large
//! windows.
//!
//! Above `Low_Window`, with `x = ln(w / Low_Window) / ln(High_Window / Low_Window)`:
//! * `b(w) = 0.5 + (High_Decrease − 0.5) x`,
//! * `p(w) = Low_P (High_P / Low_P)^x`,
//! * `a(w) = w² p(w) 2 b(w) / (2 − b(w))`.
//!
//! `w += a(w) n / w` for an acknowledgement of `n` packets, `w -= b(w) w` for each loss episode; at and below `Low_Window`
//! Reno's rule.

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The parameters of HighSpeed TCP (RFC 3649), and the increase of the current round.
#[derive(Clone, Debug)]
pub struct HighSpeed {
    /// `Low_Window`, packets.
    low_window: f64,
    /// `High_Decrease`.
    high_decrease: f64,
    /// `Low_P`.
    low_p: f64,
    /// `ln(High_P / Low_P)`.
    ln_p_span: f64,
    /// `ln(High_Window / Low_Window)`.
    ln_window_span: f64,
    /// [`Path::round`] for which `step` holds; `None` after a decrease.
    round: Option<u64>,
    /// `a(w)` of this round, packets per round trip.
    step: f64,
}

impl HighSpeed {
    /// Creates the rule between the windows `Low_Window` and `High_Window`, packets, with the loss rates at both.
    fn new(windows: (f64, f64), loss_rates: (f64, f64), high_decrease: f64) -> Self {
        Self {
            low_window: windows.0,
            high_decrease,
            low_p: loss_rates.0,
            ln_p_span: libm::log(loss_rates.1 / loss_rates.0),
            ln_window_span: libm::log(windows.1 / windows.0),
            round: None,
            step: 1.0,
        }
    }

    /// Returns the rule with the parameters of RFC 3649 §5.
    pub(super) fn standard() -> Self {
        Self::new((38.0, 83_000.0), (1e-3, 1e-7), 0.1)
    }

    /// `x`: 0 at `Low_Window`, 1 at `High_Window`, linear in the logarithm of the window.
    fn log_position(&self, window: f64) -> f64 {
        libm::log(window / self.low_window) / self.ln_window_span
    }

    /// `b(w)` where `w` has log position `x` (RFC 3649 §5).
    fn decrease_at(&self, x: f64) -> f64 {
        0.5 + (self.high_decrease - 0.5) * x.min(1.0)
    }

    /// `a(w)`, packets per round trip (RFC 3649 §5), at most `w`.
    fn step_at(&self, window: f64) -> f64 {
        if window <= self.low_window {
            return 1.0;
        }
        let x = self.log_position(window);
        let b = self.decrease_at(x);
        let step = window * window * self.low_p * libm::exp(self.ln_p_span * x) * 2.0 * b / (2.0 - b);
        step.min(window)
    }
}

impl WindowRule for HighSpeed {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        if self.round != Some(path.round) {
            self.round = Some(path.round);
            self.step = self.step_at(window.size);
        }
        acked * self.step / window.size
    }

    fn on_avoidance(&mut self) {
        self.round = None;
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.round = None;
        let b = if window.size > self.low_window {
            self.decrease_at(self.log_position(window.size))
        } else {
            0.5
        };
        (1.0 - b) * window.size
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("a", self.step);
    }
}

/// The card of `hstcp`.
pub(crate) const HSTCP: Entry = Entry {
    card: Card {
        name: "hstcp",
        family: "high-speed",
        summary: "HighSpeed TCP: larger increase and smaller decrease the larger the window",
        source: "RFC 3649 §5",
        equations: &[
            "x = ln(w / low_window) / ln(high_window / low_window)",
            "b(w) = 0.5 + (high_decrease - 0.5) x; p(w) = low_p (high_p / low_p)^x; a(w) = w^2 p(w) 2 b(w) / (2 - b(w))",
            "w > low_window: w += a(w) acked / w; loss: w = (1 - b(w)) w; else as reno",
        ],
        parameters: &[
            Parameter::number(
                "low_window",
                "at and below this window the rule is Reno's; 31 with low_p = 0 \
                 is the setting of 2002 and of NIST SP 500-282",
                38.0,
                1.0..=10_000.0,
            )
            .unit("packets")
            .source("RFC 3649 §5"),
            Parameter::number(
                "high_window",
                "window at which the loss rate is high_p and the decrease high_decrease",
                83_000.0,
                10_001.0..=1e9,
            )
            .unit("packets")
            .source("RFC 3649 §5"),
            Parameter::number(
                "low_p",
                "loss rate at low_window; 0: 1.5 / low_window^2, that of Reno",
                1e-3,
                0.0..=1.0,
            )
            .source("RFC 3649 §5; 0 as the Internet drafts of 2002 and ns-2"),
            Parameter::number("high_p", "loss rate at high_window", 1e-7, 1e-12..=1.0).source("RFC 3649 §5"),
            Parameter::number(
                "high_decrease",
                "fraction by which a loss decreases the window at high_window",
                0.1,
                0.01..=0.5,
            )
            .source("RFC 3649 §5"),
        ],
        variables: &[INCREASE],
        deviations: &[
            "a is computed once per round, with the window at its start",
            "a is at most w, which matters only where high_p is close to low_p or above it",
            "above high_window, for which the RFC gives no rule, the decrease stays high_decrease; in ns-2 it follows the same line",
            "a and b are computed; Linux has a table of their values",
        ],
    },
    style: Some(Style(Hue::Slate, Dash::Dotted)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let low_window = values.number("low_window");
    let given = values.number("low_p");
    let low_p = if given > 0.0 { given } else { 1.5 / (low_window * low_window) };
    let span = (low_window, values.number("high_window"));
    let rule = HighSpeed::new(span, (low_p, values.number("high_p")), values.number("high_decrease"));
    Box::new(Windowed::new(rule, setup))
}

/// The variable of the card.
pub(super) const INCREASE: Variable =
    Variable { name: "a", unit: "packets", meaning: "a(w), the increase per round trip" };
