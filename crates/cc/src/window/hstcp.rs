//! HighSpeed TCP (RFC 3649): TCP with increase and decrease that follow a flatter response function at large windows.
//!
//! Above `Low_Window`, with `x = ln(w / Low_Window) / ln(High_Window / Low_Window)`:
//! * `b(w) = 0.5 + (High_Decrease − 0.5) x`,
//! * `p(w) = Low_P (High_P / Low_P)^x`,
//! * `a(w) = w² p(w) 2 b(w) / (2 − b(w))`.
//!
//! `w += a(w) n / w` for an acknowledgement of `n` packets, `w -= b(w) w` for each episode; below it Reno's rule.
//!
//! Deviations: `a` is computed once in a round, at the window with which it began (a round changes `w` by at most `a / w`,
//! 2.6 % at the low window and less above). Above `High_Window` the RFC is silent: the cut stays `High_Decrease`, as the
//! last row of Linux's table; ns-2 lets the line go on.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Cause, CongestionControl, Path};

/// RFC 3649's rule.
#[derive(Clone, Debug)]
pub struct HighSpeed {
    /// Packets.
    low_window: f64,
    high_decrease: f64,
    low_p: f64,
    /// `ln(High_P / Low_P)`.
    ln_p_span: f64,
    /// `ln(High_Window / Low_Window)`.
    ln_window_span: f64,
    /// The round that `step` belongs to; `None` after a cut.
    round: Option<u64>,
    /// `a` of this round, packets for each round trip.
    step: f64,
}

impl HighSpeed {
    /// Where `window` lies between `Low_Window` (0) and `High_Window` (1), on the scale of logarithms.
    fn place(&self, window: f64) -> f64 {
        libm::log(window / self.low_window) / self.ln_window_span
    }

    /// RFC 3649 §5: `b` at that place.
    fn cut_at(&self, place: f64) -> f64 {
        0.5 + (self.high_decrease - 0.5) * place.min(1.0)
    }

    /// RFC 3649 §5: `a(w)`.
    fn step_at(&self, window: f64) -> f64 {
        if window <= self.low_window {
            return 1.0;
        }
        let place = self.place(window);
        let b = self.cut_at(place);
        window * window * self.low_p * libm::exp(self.ln_p_span * place) * 2.0 * b / (2.0 - b)
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

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.round = None;
        let b = if window.size > self.low_window { self.cut_at(self.place(window.size)) } else { 0.5 };
        (1.0 - b) * window.size
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("a", self.step);
    }
}

/// The card of `hstcp`.
pub(crate) const HSTCP: Entry = Entry {
    name: "hstcp",
    family: "high-speed",
    summary: "HighSpeed TCP: adds more and gives up less the larger the window",
    source: "RFC 3649 §5",
    equations: &[
        "x = ln(w / low_window) / ln(high_window / low_window)",
        "b(w) = 0.5 + (high_decrease - 0.5) x; p(w) = low_p (high_p / low_p)^x; a(w) = w^2 p(w) 2 b(w) / (2 - b(w))",
        "w > low_window: w += a(w) acked / w; loss: w = (1 - b(w)) w; else as reno",
    ],
    parameters: &[
        Parameter {
            name: "low_window",
            meaning: "at and below this window the rule is Reno's; 31 with low_p = 0 is the setting of 2002 and of NIST SP 500-282",
            unit: "packets",
            source: "RFC 3649 §5",
            domain: Domain::Number { default: 38.0, minimum: 1.0, maximum: 10_000.0 },
        },
        Parameter {
            name: "high_window",
            meaning: "window at which the loss rate is high_p and the cut high_decrease",
            unit: "packets",
            source: "RFC 3649 §5",
            domain: Domain::Number { default: 83_000.0, minimum: 10_001.0, maximum: 1e9 },
        },
        Parameter {
            name: "low_p",
            meaning: "loss rate at low_window; 0: 1.5 / low_window^2, where Reno's rule has it",
            unit: "",
            source: "RFC 3649 §5; 0 as the Internet drafts of 2002 and ns-2",
            domain: Domain::Number { default: 1e-3, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "high_p",
            meaning: "loss rate at high_window",
            unit: "",
            source: "RFC 3649 §5",
            domain: Domain::Number { default: 1e-7, minimum: 1e-12, maximum: 1.0 },
        },
        Parameter {
            name: "high_decrease",
            meaning: "part of the window that is given up at high_window",
            unit: "",
            source: "RFC 3649 §5",
            domain: Domain::Number { default: 0.1, minimum: 0.01, maximum: 0.5 },
        },
    ],
    deviations: &[
        "a is computed once in a round, at the window with which the round began",
        "above high_window the cut stays high_decrease; the RFC is silent, ns-2 lets the line go on",
        "formulas, where Linux has a table of their values",
    ],
    validation: Some(
        "mean window under periodic loss against RFC 3649's 0.12 / p^0.835: -2.6 % at p = 1e-4, -1.1 % at 1e-5; a and b against the table of RFC 3649: within 2.1 % and 0.005; ns-2.35 by the formulas: DropTail loss +0.6 %, goodput at 0.02 % random loss -0.7 %; by Linux's table, which rounds a up: goodput -19 %",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let low_window = values.number("low_window");
    let given = values.number("low_p");
    let low_p = if given > 0.0 { given } else { 1.5 / (low_window * low_window) };
    let rule = HighSpeed {
        low_window,
        high_decrease: values.number("high_decrease"),
        low_p,
        ln_p_span: libm::log(values.number("high_p") / low_p),
        ln_window_span: libm::log(values.number("high_window") / low_window),
        round: None,
        step: 1.0,
    };
    Box::new(Windowed::new(rule, setup))
}
