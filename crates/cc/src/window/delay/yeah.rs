// SPDX-License-Identifier: Apache-2.0
//! YeAH-TCP (Baiocchi, Castellani and Vacirca, "YeAH-TCP: yet another highspeed TCP", PFLDnet 2007): Scalable's rule while the
//! queue is short, Reno's otherwise, and a long queue is emptied before it overflows.
//!
//! * Once per round, with the minimum `rtt` of the round: `Q = w (rtt − base) / rtt` packets in the queue, and the delay
//!   `L = (rtt − base) / base`. The round is *fast* if `Q ≤ Q_max` and `L ≤ 1 / φ`, else *slow*.
//! * After a fast round `w += 0.01 n` for an acknowledgement of `n` packets, after a slow one `w += n / w`.
//! * Slow round with `Q > Q_max`: `w −= min(Q / γ, ε w)`, but not below `w_reno`, the window that a competing Reno flow would
//!   have: half the window at the first slow round, plus one for each further one; forgotten after `ζ` fast rounds, halved by
//!   a loss.
//! * Loss: after fewer than `ρ` slow rounds one after the other, no Reno flow is taken to compete, and
//!   `w −= min(max(Q, w / 8), w / 2)`; else `w = w / 2`.

use super::round::{Round, Rounds};
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The parameters and the state of YeAH-TCP (Baiocchi et al. 2007).
#[derive(Clone, Debug)]
pub struct Yeah {
    options: Options,
    rounds: Rounds,
    /// The round that ended with the current acknowledgement.
    closed: Option<Round>,
    /// `Q` of the last round, packets.
    queue: f64,
    /// Slow rounds, one after the other.
    slow: f64,
    /// Fast rounds since the last loss or since `w_reno` was forgotten.
    fast: f64,
    /// `w_reno`, packets.
    reno: f64,
}

/// The parameters of the card.
#[derive(Clone, Debug)]
struct Options {
    a: f64,
    q_max: f64,
    phi: f64,
    gamma: f64,
    epsilon: f64,
    delta: f64,
    rho: f64,
    zeta: f64,
}

impl Yeah {
    /// Counts a slow round and returns the window after it, packets.
    fn slow_round(&mut self, size: f64) -> f64 {
        let left = if self.queue > self.options.q_max && size > self.reno {
            let reduction = (self.queue / self.options.gamma).min(self.options.epsilon * size);
            (size - reduction).max(self.reno)
        } else {
            size
        };
        self.reno = if self.reno <= WINDOW_MIN { (left / 2.0).max(WINDOW_MIN) } else { self.reno + 1.0 };
        self.slow += 1.0;
        left
    }

    fn fast_round(&mut self) {
        self.slow = 0.0;
        self.fast += 1.0;
        if self.fast > self.options.zeta {
            (self.fast, self.reno) = (0.0, WINDOW_MIN);
        }
    }
}

impl WindowRule for Yeah {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        let reno = 1.0 / window.size;
        acked * if self.slow > 0.0 { reno } else { self.options.a.max(reno) }
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        let half = window.size / 2.0;
        let competes = self.slow >= self.options.rho;
        let reduction =
            if competes { half } else { self.queue.max(self.options.delta * window.size).min(half) };
        (self.fast, self.reno) = (0.0, (self.reno / 2.0).max(WINDOW_MIN));
        window.size - reduction
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        self.closed = self.rounds.on_ack(ack, path);
    }

    fn step_down(&mut self, window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        let queued = self.closed?.queued?;
        self.queue = window.size * queued;
        // L = (rtt − base) / base with queued = (rtt − base) / rtt.
        if self.queue <= self.options.q_max && queued * self.options.phi <= 1.0 - queued {
            self.fast_round();
            return None;
        }
        let left = self.slow_round(window.size);
        (left < window.size).then_some(left)
    }

    fn on_recovered(&mut self, _window: &Window, _path: &Path) {
        self.rounds.restart();
    }

    fn on_idle(&mut self, _window: &Window, _idle: &Idle, _path: &Path) {
        self.rounds.restart();
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("queue", self.queue);
        record("reno", self.reno);
    }
}

/// The card of `yeah`.
pub(crate) const YEAH: Entry = Entry {
    card: Card {
        name: "yeah",
        family: "loss- and delay-based",
        summary: "YeAH-TCP: Scalable's increase with a short queue, Reno's with a long one, which is emptied before it overflows",
        source: "Baiocchi, Castellani and Vacirca, PFLDnet 2007; Linux tcp_yeah.c, by an author of the paper",
        equations: &[
            "round trip: Q = w (rtt - base) / rtt, L = (rtt - base) / base; fast if Q <= q_max and L <= 1 / phi, else slow",
            "fast: w += max(a, 1 / w) acked; slow: w += acked / w",
            "slow and Q > q_max: w = max(w_reno, w - min(Q / gamma, epsilon w))",
            "w_reno = w / 2 at the first slow round trip, + 1 at each further one; 2 after zeta fast ones; halved by a loss",
            "loss: after fewer than rho slow round trips in a row w = w - min(max(Q, delta w), w / 2), else w = w / 2",
        ],
        parameters: &[
            Parameter::number(
                "a",
                "increase for each packet acknowledged after a fast round",
                0.01,
                0.0..=1.0,
            )
            .unit("packets")
            .source(SOURCE),
            Parameter::number(
                "q_max",
                "packets in the queue with which a round is slow",
                80.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source(SOURCE),
            Parameter::number(
                "phi",
                "1 / phi: delay, in minimum round-trip times, with which a round is slow",
                8.0,
                0.001..=1_000_000.0,
            )
            .source(SOURCE),
            Parameter::number(
                "gamma",
                "part of the queue that is removed at once is 1 / gamma",
                1.0,
                1.0..=1_000.0,
            )
            .source(SOURCE),
            Parameter::number(
                "epsilon",
                "largest part of the window that is removed at once",
                0.5,
                0.0..=1.0,
            )
            .source(SOURCE),
            Parameter::number("delta", "least part of the window that a loss removes", 0.125, 0.0..=0.5)
                .source(SOURCE),
            Parameter::number(
                "rho",
                "slow rounds after which a Reno flow is taken to compete",
                16.0,
                0.0..=1_000_000.0,
            )
            .unit("round trips")
            .source(SOURCE),
            Parameter::number("zeta", "fast rounds after which w_reno is forgotten", 50.0, 0.0..=1_000_000.0)
                .unit("round trips")
                .source(SOURCE),
        ],
        variables: &[
            Variable { name: "queue", unit: "packets", meaning: "Q, the packets in the queue" },
            Variable {
                name: "reno",
                unit: "packets",
                meaning: "w_reno, the window of a competing Reno flow",
            },
        ],
        deviations: &[
            "the values of all parameters are those of the module for Linux, which an author of the paper wrote",
            "below 100 packets a fast round adds Reno's increase, which is the larger one, as in Linux",
            "a round with fewer than 3 samples is neither fast nor slow, as in Linux; rounds in which the sender is not limited by its window count here",
            "Linux compares whole packets and microseconds, and grows in whole packets",
        ],
    },
    style: Some(Style(Hue::Ochre, Dash::DashDotDot)),
    needs: |_| Needs::RELIABLE,
    build,
};

/// Source of the parameters.
const SOURCE: &str = "Baiocchi et al. 2007; Linux tcp_yeah.c";

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Yeah {
        options: Options {
            a: values.number("a"),
            q_max: values.number("q_max"),
            phi: values.number("phi"),
            gamma: values.number("gamma"),
            epsilon: values.number("epsilon"),
            delta: values.number("delta"),
            rho: values.number("rho"),
            zeta: values.number("zeta"),
        },
        rounds: Rounds::default(),
        closed: None,
        queue: 0.0,
        slow: 0.0,
        fast: 0.0,
        reno: WINDOW_MIN,
    };
    Box::new(Windowed::new(rule, setup))
}

/// `w_reno` while no Reno flow is taken to compete, packets.
const WINDOW_MIN: f64 = 2.0;
