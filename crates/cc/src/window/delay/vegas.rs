// SPDX-License-Identifier: Apache-2.0
//! TCP Vegas (Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", JSAC 13, 1995), which
//! keeps between `α` and `β` packets in the queue.
//!
//! Once per round, with `diff = w (1 − base / rtt)`: the window grows by one packet if `diff < α`, and falls by one if
//! `diff > β`. Slow start ends when `diff > γ`, with `w = min(w, w base / rtt + 1)`. Loss: half, as Reno.

use super::round::{Round, Rounds};
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values};

/// The parameters and the state of Vegas (Brakmo and Peterson 1995).
#[derive(Clone, Debug)]
pub struct Vegas {
    /// `α`, packets.
    alpha: f64,
    /// `β`, packets.
    beta: f64,
    /// `γ`, packets.
    gamma: f64,
    rounds: Rounds,
    /// The round that ended with the current acknowledgement.
    closed: Option<Round>,
}

impl WindowRule for Vegas {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        let Some(round) = self.closed else { return 0.0 };
        match round.queued.map(|part| part * window.size) {
            None => acked / window.size,
            Some(queued) if queued < self.alpha => 1.0,
            Some(queued) if queued > self.beta => -1.0_f64.min(window.size - 2.0),
            Some(_) => 0.0,
        }
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size / 2.0
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        self.closed = self.rounds.on_ack(ack, path);
    }

    fn step_down(&mut self, window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        let part = self.closed.filter(|_| window.in_slow_start())?.queued?;
        let without_queue = window.size * (1.0 - part);
        (window.size - without_queue > self.gamma).then_some(without_queue + 1.0)
    }

    fn on_recovered(&mut self, _window: &Window, _path: &Path) {
        self.rounds.restart();
    }

    fn on_idle(&mut self, _window: &Window, _idle: &Idle, _path: &Path) {
        self.rounds.restart();
    }
}

/// The card of `vegas`.
pub(crate) const VEGAS: Entry = Entry {
    card: Card {
        name: "vegas",
        family: "delay-based",
        summary: "Vegas: keeps two to four packets in the queue",
        source: "Brakmo and Peterson, JSAC 13(8), 1995; Linux tcp_vegas.c",
        equations: &[
            "round trip: diff = w (1 - base / rtt), rtt the smallest of the round, base of the connection",
            "diff < alpha: w = w + 1; diff > beta: w = w - 1",
            "slow start: over where diff > gamma, w = min(w, w base / rtt + 1); loss: w = w / 2",
        ],
        parameters: &[
            Parameter::number(
                "alpha",
                "with fewer packets in the queue the window grows",
                2.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source("Linux tcp_vegas.c (paper: 1 or 2)"),
            Parameter::number(
                "beta",
                "with more packets in the queue the window falls",
                4.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source("Linux tcp_vegas.c (paper: 3 or 4)"),
            Parameter::number(
                "gamma",
                "with more packets in the queue slow start ends",
                1.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source("Brakmo and Peterson 1995 §III.C"),
        ],
        variables: &[],
        deviations: &[
            "the window grows in every round of slow start, as in Linux; in the paper in every other",
            "a round with fewer than 3 samples adds Reno's increase for its last acknowledgement, as in Linux",
            "diff is the paper's, as in Linux 2.6.22; later versions divide by base instead of rtt and estimate a longer queue",
            "the minimum RTT is kept after idle periods, where Linux resets it; loss detection is the flow's",
            "as in the paper the minimum RTT never rises: after the path becomes longer, the additional propagation delay counts as queueing delay",
        ],
    },
    style: Some(Style(Hue::Cyan, Dash::DashDot)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Vegas {
        alpha: values.number("alpha"),
        beta: values.number("beta"),
        gamma: values.number("gamma"),
        rounds: Rounds::default(),
        closed: None,
    };
    Box::new(Windowed::new(rule, setup))
}
