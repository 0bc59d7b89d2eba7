// SPDX-License-Identifier: Apache-2.0
//! TCP-Illinois (Liu, Başar and Srikant, "TCP-Illinois: a loss- and delay-based congestion control algorithm for high-speed
//! networks", Performance Evaluation 65, 2008, and VALUETOOLS 2006): losses decide whether the window grows or falls, and
//! queueing delay by how much.
//!
//! * `w += α n / w` for an acknowledgement of `n` packets; `w = (1 − β) w` for each loss episode.
//! * Once per round, with `d_a = T_a − T_min` of the mean round-trip time `T_a` of the round, `d_m = T_max − T_min` and
//!   `d_i = η_i d_m`:
//!   * `α = α_max` if `d_a ≤ d_1`, else `κ_1 / (κ_2 + d_a)`, which falls from `α_max` at `d_1` to `α_min` at `d_m`;
//!   * `β = β_min` if `d_a ≤ d_2`, `β_max` if `d_a ≥ d_3`, and linear in between.
//! * Once `d_a` has exceeded `d_1`, `α` becomes `α_max` again only after `θ` rounds with `d_a ≤ d_1`, one after the other.
//! * Below `W_th` packets: `α = 1`, `β = 1/2`.

use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::Span;

/// The parameters and the state of TCP-Illinois (Liu et al. 2008).
#[derive(Clone, Debug)]
pub struct Illinois {
    options: Options,
    /// `α`, packets per round trip.
    alpha: f64,
    /// `β`.
    beta: f64,
    /// [`Path::round`] that `sum` and `samples` are of; `None` before the first acknowledgement.
    round: Option<u64>,
    /// Sum of the round-trip times of the round, picoseconds: exact, so that round-trip times that are all the same are no
    /// delay.
    sum: u128,
    /// Number of round-trip times in `sum`.
    samples: u32,
    /// `T_min` and `T_max` of the connection; `None` before the first sample.
    extremes: Option<(Span, Span)>,
    /// `d_a` has exceeded `d_1` since `α` was `α_max`.
    delayed: bool,
    /// Rounds since then with `d_a ≤ d_1`, one after the other.
    short_rounds: f64,
}

/// The parameters of the card.
#[derive(Clone, Debug)]
struct Options {
    alpha: (f64, f64),
    beta: (f64, f64),
    /// `η_1`, `η_2`, `η_3`.
    eta: [f64; 3],
    /// `W_th`, packets.
    window_min: f64,
    /// `θ`, rounds.
    theta: f64,
}

impl Illinois {
    /// `α` and `β` with a window of `size` packets, which may have been larger when they were set.
    fn factors(&self, size: f64) -> (f64, f64) {
        if size < self.options.window_min { RENO } else { (self.alpha, self.beta) }
    }

    /// Sets `α` and `β` from the round-trip times of the round that ends, for a window of `size` packets.
    fn adapt(&mut self, size: f64) {
        if size < self.options.window_min {
            (self.alpha, self.beta) = RENO;
        } else if let (Some((least, most)), true) = (self.extremes, self.samples > 0) {
            let queued = self.sum - u128::from(least.as_ps()) * u128::from(self.samples);
            let delay = queued as f64 / f64::from(self.samples);
            let most = (most - least).as_ps() as f64;
            self.alpha = self.next_alpha(delay, most);
            self.beta = self.beta_at(delay, most);
        }
        (self.sum, self.samples) = (0, 0);
    }

    /// `α` after a round with queueing delay `delay`, where `most` is the largest so far, in any unit.
    fn next_alpha(&mut self, delay: f64, most: f64) -> f64 {
        let (least_alpha, most_alpha) = self.options.alpha;
        let first = self.options.eta[0] * most;
        if delay > first {
            (self.delayed, self.short_rounds) = (true, 0.0);
            // κ₁ / (κ₂ + d_a) with numerator and denominator divided by (d_m − d_1) α_min / (α_max − α_min).
            let part = ((delay - first) / (most - first)).min(1.0);
            return most_alpha / (1.0 + part * (most_alpha / least_alpha - 1.0));
        }
        if self.delayed {
            self.short_rounds += 1.0;
            if self.short_rounds < self.options.theta {
                return self.alpha;
            }
            self.delayed = false;
        }
        most_alpha
    }

    /// `β` at a queueing delay of `delay`, where `most` is the largest so far, in any unit.
    fn beta_at(&self, delay: f64, most: f64) -> f64 {
        let (least_beta, most_beta) = self.options.beta;
        let (second, third) = (self.options.eta[1] * most, self.options.eta[2] * most);
        if delay <= second {
            least_beta
        } else if delay >= third {
            most_beta
        } else {
            least_beta + (most_beta - least_beta) * (delay - second) / (third - second)
        }
    }
}

impl WindowRule for Illinois {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        self.factors(window.size).0 * acked / window.size
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        let target = (1.0 - self.factors(window.size).1) * window.size;
        if cause == Cause::Timeout {
            (self.alpha, self.beta) = RENO;
            (self.delayed, self.short_rounds) = (false, 0.0);
            (self.sum, self.samples) = (0, 0);
        }
        target
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        if let Some(rtt) = ack.rtt {
            let (least, most) = self.extremes.unwrap_or((rtt, rtt));
            self.extremes = Some((least.min(rtt), most.max(rtt)));
            self.sum += u128::from(rtt.as_ps());
            self.samples += 1;
        }
        if self.round.replace(path.round).is_some_and(|round| round != path.round) {
            self.adapt(window.size);
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("alpha", self.alpha);
        record("beta", self.beta);
    }
}

/// The card of `illinois`.
pub(crate) const ILLINOIS: Entry = Entry {
    card: Card {
        name: "illinois",
        family: "loss- and delay-based",
        summary: "TCP-Illinois: increases by 10 to 0.1 packets per round trip and decreases by 1/8 to 1/2 as the queueing delay grows",
        source: "Liu, Basar and Srikant, Performance Evaluation 65(6-7), 2008; VALUETOOLS 2006",
        equations: &[
            "w += alpha acked / w; loss: w = (1 - beta) w",
            "round trip: da = mean RTT - Tmin, dm = Tmax - Tmin, di = eta_i dm",
            "alpha = alpha_max for da <= d1 (after an excess only after theta such rounds), else k1 / (k2 + da)",
            "k1 = (dm - d1) alpha_min alpha_max / (alpha_max - alpha_min), k2 = (dm - d1) alpha_min / (alpha_max - alpha_min) - d1",
            "beta = beta_min for da <= d2, beta_max for da >= d3, linear in between",
            "w < window_min: alpha = 1, beta = 1/2",
        ],
        parameters: &[
            Parameter::number("alpha_min", "increase at the largest delay", 0.1, 0.001..=1_000.0)
                .unit("packets")
                .source(SOURCE),
            Parameter::number("alpha_max", "increase without delay", 10.0, 0.001..=1_000.0)
                .unit("packets")
                .source(SOURCE),
            Parameter::number(
                "beta_min",
                "fraction by which a loss at a short delay decreases the window",
                0.125,
                0.0..=1.0,
            )
            .source(SOURCE),
            Parameter::number(
                "beta_max",
                "fraction by which a loss at a long delay decreases the window",
                0.5,
                0.0..=1.0,
            )
            .source(SOURCE),
            Parameter::number(
                "eta1",
                "part of the largest delay up to which alpha is alpha_max",
                0.01,
                0.0..=1.0,
            )
            .source(SOURCE),
            Parameter::number(
                "eta2",
                "part of the largest delay up to which beta is beta_min",
                0.1,
                0.0..=1.0,
            )
            .source(SOURCE),
            Parameter::number(
                "eta3",
                "part of the largest delay from which beta is beta_max",
                0.8,
                0.0..=1.0,
            )
            .source(SOURCE),
            Parameter::number(
                "window_min",
                "W_th: below this window the rule is Reno's (15 in Linux)",
                10.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source(SOURCE),
            Parameter::number(
                "theta",
                "rounds with a short delay before alpha is alpha_max again",
                5.0,
                1.0..=1_000.0,
            )
            .unit("round trips")
            .source(SOURCE),
        ],
        variables: &[
            Variable { name: "alpha", unit: "packets", meaning: "alpha, the increase per round trip" },
            Variable {
                name: "beta",
                unit: "",
                meaning: "beta, the fraction by which a loss decreases the window",
            },
        ],
        deviations: &[
            "Tmin and Tmax are those of samples, as in Linux; they are kept for the connection",
            "below window_min alpha is 1 and beta 1/2 at once, as in the paper; in Linux from the end of the round on",
            "a timeout sets alpha to 1 and beta to 1/2 until the next round ends, as in Linux",
            "Linux has alpha_min = 0.297 (0.3 in its fixed point) and window_min = 15",
            "Linux adds up rounds with a short delay even if others lie between, and leaves recovery out: its rounds are counted between losses",
            "Linux grows in whole packets, and discards what is left of the count at each",
        ],
    },
    style: Some(Style(Hue::Green, Dash::DashDotDot)),
    needs: |_| Needs::RELIABLE,
    build,
};

/// Source of the parameters.
const SOURCE: &str = "Liu et al. 2008";

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Illinois {
        options: Options {
            alpha: (values.number("alpha_min"), values.number("alpha_max")),
            beta: (values.number("beta_min"), values.number("beta_max")),
            eta: ["eta1", "eta2", "eta3"].map(|name| values.number(name)),
            window_min: values.number("window_min"),
            theta: values.number("theta"),
        },
        alpha: RENO.0,
        beta: RENO.1,
        round: None,
        sum: 0,
        samples: 0,
        extremes: None,
        delayed: false,
        short_rounds: 0.0,
    };
    Box::new(Windowed::new(rule, setup))
}

/// `α` and `β` of Reno.
const RENO: (f64, f64) = (1.0, 0.5);
