// SPDX-License-Identifier: Apache-2.0
//! CUBIC (RFC 9438): the window grows by a cubic function of the time since the last loss, with its plateau at the window
//! of that loss.
//!
//! * `W(t) = C (t − K)³ + W_max`, `K = cbrt((W_max − cwnd_epoch) / C)`; an acknowledgement of `n` packets adds
//!   `n (target − w) / w` with `target = clamp(W(t + SRTT), w, 1.5 w)` (§4.2, §4.4, §4.5).
//! * Reno-friendly: `W_est += α n / w`; where `W(t) < W_est` the window is `W_est` (§4.3).
//! * Loss: `w = ssthresh = β w` (§4.6), and `W_max = w (1 + β) / 2` if `w < W_max`, else `w` (§4.7).
//!
//! * A stage begins with the first increase after a loss or after slow start (§4.2); idle time and time in which the window does
//!   not limit the sender are no part of it (§5.8).

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Idle, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::Time;

/// The parameters and the state of CUBIC (RFC 9438).
#[derive(Clone, Debug)]
pub struct Cubic {
    /// `C`, packets per second cubed.
    c: f64,
    /// `β_cubic`: factor by which a loss multiplies the window.
    beta: f64,
    /// `α_cubic` below `cwnd_prior`, packets per round trip.
    alpha: f64,
    fast_convergence: bool,
    /// `W_max`, packets; 0 before the first loss and after a timeout.
    w_max: f64,
    /// `cwnd_prior`: window just before the last decrease, packets; 0 before the first.
    cwnd_prior: f64,
    /// Current congestion avoidance stage; `None` until its first acknowledgement.
    epoch: Option<Epoch>,
}

/// A congestion avoidance stage.
#[derive(Clone, Debug)]
struct Epoch {
    /// `t_epoch`, later by the periods in which the window did not limit the sender (§5.8).
    start: Time,
    /// `K`, seconds.
    k: f64,
    /// `W_est`: estimated window of a Reno flow, packets.
    w_est: f64,
    /// Time of the last acknowledgement with which the window grew.
    grown_at: Time,
    /// The window has not limited the sender since then.
    unlimited: bool,
}

impl Cubic {
    /// Returns CUBIC with the constant `c` in packets per second cubed and the factor `beta`, 0 to 1, by which a loss
    /// multiplies the window (RFC 9438 §4).
    pub fn new(c: f64, beta: f64, fast_convergence: bool) -> Self {
        // RFC 9438 §4.3, eq. 4.
        let alpha = 3.0 * (1.0 - beta) / (1.0 + beta);
        Self { c, beta, alpha, fast_convergence, w_max: 0.0, cwnd_prior: 0.0, epoch: None }
    }

    /// Starts a stage at its first acknowledgement.
    #[cold]
    fn start_epoch(&mut self, window: &Window, now: Time) -> Epoch {
        // RFC 9438 §4.8 and §4.10: after a timeout or a slow start without loss, K = 0 and W_max is the window.
        self.w_max = self.w_max.max(window.size);
        Epoch {
            start: now,
            k: libm::cbrt((self.w_max - window.size) / self.c),
            w_est: window.size,
            grown_at: now,
            unlimited: false,
        }
    }
}

impl WindowRule for Cubic {
    const ABE_FACTOR: Option<f64> = Some(0.85);

    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        let epoch = if let Some(epoch) = &mut self.epoch {
            epoch
        } else {
            let epoch = self.start_epoch(window, path.now);
            self.epoch.insert(epoch)
        };
        if epoch.unlimited {
            // RFC 9438 §5.8: time in which the window does not limit the sender does not count.
            epoch.start += path.now.since(epoch.grown_at);
            epoch.unlimited = false;
        }
        epoch.grown_at = path.now;

        let share = acked / window.size;
        // RFC 9438 §4.3: alpha is 1 once W_est reaches cwnd_prior.
        epoch.w_est += share * if epoch.w_est >= self.cwnd_prior { 1.0 } else { self.alpha };
        let after_k = path.now.since(epoch.start).as_secs_f64() - epoch.k;
        if self.w_max + self.c * cube(after_k) < epoch.w_est {
            // No faster than slow start; the rest comes with the next acknowledgements.
            (epoch.w_est - window.size).clamp(0.0, acked)
        } else {
            let rtt = path.rtt.map_or(0.0, |rtt| rtt.smoothed.as_secs_f64());
            let target = self.w_max + self.c * cube(after_k + rtt);
            share * (target.clamp(window.size, 1.5 * window.size) - window.size)
        }
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        self.epoch = None;
        self.cwnd_prior = window.size;
        self.w_max = if cause == Cause::Timeout {
            0.0
        } else if self.fast_convergence && window.size < self.w_max {
            window.size * (1.0 + self.beta) / 2.0
        } else {
            window.size
        };
        self.beta * window.size
    }

    fn floor(&self, cause: Cause) -> f64 {
        // RFC 9438 §4.6: two segments after a loss, one after a mark.
        if cause == Cause::Mark { 1.0 } else { 2.0 }
    }

    fn on_unlimited(&mut self, _path: &Path) {
        if let Some(epoch) = &mut self.epoch {
            epoch.unlimited = true;
        }
    }

    fn on_idle(&mut self, _window: &Window, _idle: &Idle, path: &Path) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += path.now.since(epoch.grown_at);
            (epoch.grown_at, epoch.unlimited) = (path.now, false);
        }
    }

    fn on_avoidance(&mut self) {
        self.epoch = None;
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("w_max", self.w_max);
        if let Some(epoch) = &self.epoch {
            record("k", epoch.k);
            record("w_est", epoch.w_est);
        }
    }
}

fn cube(x: f64) -> f64 {
    x * x * x
}

/// The card of `cubic`.
pub(crate) const CUBIC: Entry = Entry {
    card: Card {
        name: "cubic",
        family: "high-speed",
        summary: "increase by a cubic function of the time since the last loss, at least Reno's",
        source: "RFC 9438",
        equations: &[
            "W(t) = c (t - K)^3 + W_max, K = cbrt((W_max - cwnd_epoch) / c)",
            "w += acked (clamp(W(t + SRTT), w, 1.5 w) - w) / w; w = W_est where W(t) < W_est",
            "W_est += alpha acked / w, alpha = 3 (1 - beta) / (1 + beta), 1 once W_est >= cwnd_prior",
            "loss: W_max = w (1 + beta) / 2 if w < W_max else w; ssthresh = w = beta w",
            "mark, with the flow's key abe: ssthresh = w = 0.85 w if beta is less (RFC 8511 §3.1)",
        ],
        parameters: &[
            Parameter::number("c", "coefficient of the cubic function", 0.4, 0.001..=1000.0)
                .unit("packets/s^3")
                .source("RFC 9438 §5.1"),
            Parameter::number("beta", "factor by which a loss multiplies the window", 0.7, 0.1..=0.99)
                .source("RFC 9438 §4.6"),
            Parameter::flag(
                "fast_convergence",
                "W_max is set lower than the window when a loss occurs below the previous W_max",
                true,
            )
            .source("RFC 9438 §4.7"),
        ],
        variables: &[
            Variable {
                name: "w_max",
                unit: "packets",
                meaning: "W_max, the window before the last decrease",
            },
            Variable { name: "k", unit: "s", meaning: "K, the time from the decrease to W_max" },
            Variable {
                name: "w_est",
                unit: "packets",
                meaning: "W_est, the window of the Reno-friendly region",
            },
        ],
        deviations: &[
            "the window is never decreased to W_est, which the wording of §4.3 allows",
            "if the decrease applies to the data in flight (`reduction_from`), W_max is the data in flight, too, not the unused window (§4.7)",
            "with abe, W_max and alpha stay those of beta: RFC 8511 names the decrease alone",
            "slow start is a setting of the flow; §4.10 recommends HyStart++",
        ],
    },
    style: Some(Style(Hue::Green, Dash::DashDot)),
    needs: |_| Needs { abe_factor: Cubic::ABE_FACTOR, ..Needs::RELIABLE },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Cubic::new(values.number("c"), values.number("beta"), values.flag("fast_convergence"));
    Box::new(Windowed::new(rule, setup))
}
