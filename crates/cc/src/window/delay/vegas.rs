// SPDX-License-Identifier: Apache-2.0
//! TCP Vegas (Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", JSAC 13, 1995), which
//! keeps between `α` and `β` packets in the queue.
//!
//! Once per round, with `diff = w (1 − base / rtt)`: the window grows by one packet if `diff < α`, and falls by one if
//! `diff > β`. Slow start ends when `diff > γ`, with `w = min(w, w base / rtt + 1)`. Loss: half, as Reno.
//!
//! With `ns2`, as ns-2's `Agent/TCP/Vegas` (`tcp/tcp-vegas.cc`): `rtt` is the mean of the round and `diff` is rounded to whole
//! packets, so that the queue has between `α − 1/2` and `β + 1/2` packets; the packet of an increase is spread over the next
//! round; slow start grows in every other round, and ends with `w = 7/8 w`; loss: three quarters.

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
    /// Estimates, grows and reduces as ns-2 does.
    ns2: bool,
    rounds: Rounds,
    /// The round that ended with the current acknowledgement.
    closed: Option<Round>,
    /// In ns-2, the window grows in this round.
    growing: bool,
}

impl Vegas {
    /// Returns the packets in the queue by the round that has just ended; `None` if none has, or if it has no estimate.
    fn queued(&self, window: &Window) -> Option<f64> {
        let round = self.closed?;
        if self.ns2 {
            return round.queued_mean.map(|part| libm::floor(part * window.size + 0.5));
        }
        round.queued.map(|part| part * window.size)
    }
}

impl WindowRule for Vegas {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        let queued = self.queued(window);
        if self.ns2 {
            if let Some(queued) = queued {
                self.growing = queued < self.alpha;
                if queued > self.beta {
                    return -1.0_f64.min(window.size - 2.0);
                }
            }
            return if self.growing { acked / window.size } else { 0.0 };
        }
        if self.closed.is_none() {
            return 0.0;
        }
        match queued {
            None => acked / window.size,
            Some(queued) if queued < self.alpha => 1.0,
            Some(queued) if queued > self.beta => -1.0_f64.min(window.size - 2.0),
            Some(_) => 0.0,
        }
    }

    fn in_slow_start(&self, growth: f64) -> f64 {
        if self.ns2 && !self.growing { 0.0 } else { growth }
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        if self.ns2 && cause != Cause::Timeout { window.size * 0.75 } else { window.size / 2.0 }
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        self.closed = self.rounds.on_ack(ack, path);
    }

    fn step_down(&mut self, window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        if !window.in_slow_start() {
            return None;
        }
        if self.ns2 {
            let queued = self.queued(window)?;
            self.growing = !self.growing;
            return (self.growing && queued > self.gamma).then_some(window.size * 0.875);
        }
        let part = self.closed?.queued?;
        let without_queue = window.size * (1.0 - part);
        (window.size - without_queue > self.gamma).then_some(without_queue + 1.0)
    }

    fn on_avoidance(&mut self) {
        self.growing = false;
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
            Parameter::flag(
                "ns2",
                "rtt is the mean of the round, diff is in whole packets, growth and reductions are as in ns-2",
                false,
            )
            .source("ns-2.35 tcp/tcp-vegas.cc"),
        ],
        variables: &[],
        deviations: &[
            "the window grows in every round of slow start, as in Linux; in the paper in every other",
            "a round with fewer than 3 samples adds Reno's increase for its last acknowledgement, as in Linux",
            "diff is the paper's, as in Linux 2.6.22; later versions divide by base instead of rtt and estimate a longer queue",
            "ns2: beside Reno over 1.5 Mbps and 60 ms, Reno has 4.8 and 11.1 times as much over 25 and 50 packets of buffer (ns-2 4.9 and \
             11.0; without ns2 8.1 and 14.6), but 0.2 and 0.6 times over 4 and 7 (ns-2 0.5 and 0.8): the fine timeouts of ns-2 are left out",
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
        ns2: values.flag("ns2"),
        rounds: Rounds::default(),
        closed: None,
        growing: true,
    };
    Box::new(Windowed::new(rule, setup))
}
