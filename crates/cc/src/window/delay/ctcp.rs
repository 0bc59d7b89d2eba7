// SPDX-License-Identifier: Apache-2.0
//! Compound TCP (Tan, Song, Zhang and Sridharan, "A compound TCP approach for high-speed and long distance networks",
//! INFOCOM 2006; draft-sridharan-tcpm-ctcp-02): the sum of Reno's window and a delay-based one, `W = cwnd + dwnd`.
//!
//! * `cwnd += n / W` for an acknowledgement of `n` packets.
//! * Once per round, if `W ≥ low_window`, with `diff = W (1 − base / rtt)`: `dwnd += max(0, α W^k − 1)` if `diff < γ`, else
//!   `dwnd = max(0, dwnd − ζ diff)`, with the minimum `rtt` of the last round. `acked`: `W` is the number of packets acknowledged
//!   in it.
//! * Loss: `cwnd = cwnd / 2`, `dwnd = max(0, (1 − β) W − cwnd / 2)` with the old `cwnd`; timeout: `dwnd = 0`.
//! * `tuning`: at a loss, once for each round measured, `γ = clamp(γ + (3/4 d − γ) / 2, 5, 30)` with
//!   `d = cwnd (1 − base / rtt)`, the packets that a Reno flow has in the queue (the draft's TUBE as in Andrew's module for
//!   Linux).

use super::round::{Round, Rounds};
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The parameters and the state of Compound TCP (Tan et al. 2006).
#[derive(Clone, Debug)]
pub struct Ctcp {
    options: Options,
    /// `dwnd`, packets.
    delay_window: f64,
    /// `γ`, packets.
    gamma: f64,
    rounds: Rounds,
    /// The round that ended with the current acknowledgement.
    closed: Option<Round>,
    /// `cwnd (1 − base / rtt)` of the last round, packets; `None` once it has been used for tuning.
    reno_queued: Option<f64>,
}

/// The parameters of the card.
#[derive(Clone, Debug)]
struct Options {
    alpha: f64,
    beta: f64,
    k: f64,
    zeta: f64,
    low_window: f64,
    dwnd_max: f64,
    /// Largest `dwnd` in units of `cwnd`; infinite for no bound.
    dwnd_ratio: f64,
    /// Whether `W` is the number of packets acknowledged in a round.
    acked: bool,
    tuning: bool,
}

impl Ctcp {
    /// `cwnd`: the window without `dwnd`, packets.
    fn loss_window(&self, window: &Window) -> f64 {
        (window.size - self.delay_window).max(1.0)
    }

    /// `dwnd` of a window of `size` after a round, packets; `queued` is the fraction of the round-trip time due to queueing.
    fn next_delay_window(&self, size: f64, queued: f64) -> f64 {
        let diff = size * queued;
        if diff < self.gamma {
            let step = self.options.alpha * libm::pow(size, self.options.k) - 1.0;
            self.delay_window + step.max(0.0)
        } else {
            (self.delay_window - self.options.zeta * diff).max(0.0)
        }
    }
}

impl WindowRule for Ctcp {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        let added = acked / window.size;
        let Some((round, queued)) = self.closed.and_then(|round| Some((round, round.queued?))) else {
            return added;
        };
        let loss_window = self.loss_window(window);
        self.delay_window = window.size - loss_window;
        self.reno_queued = Some(loss_window * queued);
        if window.size < self.options.low_window {
            return added;
        }
        let bound = self.options.dwnd_max.min(self.options.dwnd_ratio * loss_window);
        let before = self.delay_window;
        let size = if self.options.acked { round.packets } else { window.size };
        self.delay_window = self.next_delay_window(size, queued).min(bound);
        added + self.delay_window - before
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        let half = self.loss_window(window) / 2.0;
        let kept = (1.0 - self.options.beta) * window.size;
        self.delay_window = if cause == Cause::Timeout { 0.0 } else { (kept - half).max(0.0) };
        if let (true, Some(queued)) = (self.options.tuning, self.reno_queued.take()) {
            self.gamma = (self.gamma + (0.75 * queued - self.gamma) / 2.0).clamp(GAMMA_LOW, GAMMA_HIGH);
        }
        kept.max(half)
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        self.closed = self.rounds.on_ack(ack, path);
    }

    fn on_recovered(&mut self, _window: &Window, _path: &Path) {
        self.rounds.restart();
    }

    fn on_idle(&mut self, _window: &Window, idle: &Idle, _path: &Path) {
        self.rounds.restart();
        if idle.timeouts > 0 {
            self.delay_window = 0.0;
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("dwnd", self.delay_window);
        record("gamma", self.gamma);
    }
}

/// The card of `ctcp`.
pub(crate) const CTCP: Entry = Entry {
    card: Card {
        name: "ctcp",
        family: "high-speed",
        summary: "Compound TCP: Reno's window plus a delay-based one, which grows while the queue is short",
        source: "Tan, Song, Zhang and Sridharan, INFOCOM 2006; draft-sridharan-tcpm-ctcp-02",
        equations: &[
            "W = cwnd + dwnd; cwnd += acked / W",
            "round trip, W >= low_window: diff = W (1 - base / rtt); diff < gamma: dwnd += max(0, alpha W^k - 1), else dwnd = max(0, dwnd - zeta diff)",
            "loss: dwnd = max(0, (1 - beta) W - cwnd / 2), cwnd = cwnd / 2; timeout: dwnd = 0",
        ],
        parameters: &[
            Parameter::number("alpha", "dwnd grows by alpha W^k - 1 per round trip", 0.125, 0.0..=10.0)
                .unit("packets^(1-k)")
                .source(SOURCE),
            Parameter::number("beta", "fraction by which a loss decreases the window", 0.5, 0.0..=1.0)
                .source(SOURCE),
            Parameter::number("k", "dwnd grows by alpha W^k - 1 per round trip", 0.75, 0.0..=1.0)
                .source(SOURCE),
            Parameter::number("gamma", "packets in the queue from which dwnd falls", 30.0, 0.0..=1_000_000.0)
                .unit("packets")
                .source(SOURCE),
            Parameter::number("zeta", "dwnd falls by zeta diff", 1.0, 0.0..=100.0).source(SOURCE),
            Parameter::number("low_window", "below this window dwnd is constant", 41.0, 0.0..=1_000_000.0)
                .unit("packets")
                .source(SOURCE),
            Parameter::number("dwnd_max", "largest dwnd", WINDOW_MAX, 0.0..=WINDOW_MAX)
                .unit("packets")
                .source("NIST SP 500-282 §10 asks for a bound; off"),
            Parameter::number(
                "dwnd_ratio",
                "largest dwnd, in units of cwnd; 0: no bound",
                0.0,
                0.0..=1_000_000.0,
            )
            .source("NIST SP 500-282 §10 asks for a bound; off"),
            Parameter::flag(
                "acked",
                "W of a round is the number of packets acknowledged in it, which is less than the window of a sender that does not \
                 fill it",
                false,
            )
            .source("Andrew's module for Linux; off"),
            Parameter::flag(
                "tuning",
                "gamma follows the number of packets that a Reno flow keeps in the queue, from 5 to 30",
                false,
            )
            .source("draft-sridharan-tcpm-ctcp-02; Andrew's module for Linux; off"),
        ],
        variables: &[
            Variable { name: "dwnd", unit: "packets", meaning: "delay-based part of the window" },
            Variable { name: "gamma", unit: "packets", meaning: "gamma, the queue above which dwnd shrinks" },
        ],
        deviations: &[
            "the sources do not bound dwnd; dwnd_max and dwnd_ratio do if given",
            "at a loss the draft's rule for dwnd is applied directly; Andrew's module for Linux halves the sum and corrects the shares later",
            "dwnd is zero after an idle time of a retransmission timeout, as after a timeout; the sources do not say",
            "rounds with fewer than 3 samples do not change dwnd, as in Linux",
        ],
    },
    style: Some(Style(Hue::Ochre, Dash::DashDot)),
    needs: |_| Needs::RELIABLE,
    build,
};

/// Source of the parameters that name no other.
const SOURCE: &str = "draft-sridharan-tcpm-ctcp-02 §3";

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let ratio = values.number("dwnd_ratio");
    let rule = Ctcp {
        options: Options {
            alpha: values.number("alpha"),
            beta: values.number("beta"),
            k: values.number("k"),
            zeta: values.number("zeta"),
            low_window: values.number("low_window"),
            dwnd_max: values.number("dwnd_max"),
            dwnd_ratio: if ratio > 0.0 { ratio } else { f64::INFINITY },
            acked: values.flag("acked"),
            tuning: values.flag("tuning"),
        },
        delay_window: 0.0,
        gamma: values.number("gamma"),
        rounds: Rounds::default(),
        closed: None,
        reno_queued: None,
    };
    Box::new(Windowed::new(rule, setup))
}

/// Lower bound of `γ` with tuning, packets.
const GAMMA_LOW: f64 = 5.0;
/// Upper bound of `γ` with tuning, packets.
const GAMMA_HIGH: f64 = 30.0;
/// The frame's upper bound of the window, packets.
const WINDOW_MAX: f64 = 1_073_741_824.0;
