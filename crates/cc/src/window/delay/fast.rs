// SPDX-License-Identifier: Apache-2.0
//! FAST TCP (Wei, Jin, Low and Hegde, "FAST TCP: motivation, architecture, algorithms, performance", ToN 14, 2006), which
//! keeps `α` packets in the queue, and changes its window in proportion to the distance from there.
//!
//! `w = min(2 w, (1 − γ) w + γ (base / rtt · w + α))`, every `period` or once per round; `rtt` is smoothed with the weight
//! `min(3 / w, 1/4)` for each sample. Equilibrium: `w (1 − base / rtt) = α`, with a throughput of `α` over the queueing
//! delay. Loss: half.

use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use core::fmt::Debug;
use narrows_card::{Card, Domain, Parameter, Values, Variable};
use narrows_units::{Span, Time};

/// FAST's parameters and state.
#[derive(Clone, Debug)]
pub(super) struct Fast<T> {
    target: T,
    /// `γ`.
    gain: f64,
    /// Time between updates; `None` for one update per round.
    period: Option<Span>,
    /// Time of the next update; `None` before the first sample, and with one update per round.
    next_update: Option<Time>,
    /// [`Path::round`] at the last acknowledgement.
    round: u64,
    /// `None` before the first sample.
    rtt: Option<Rtt>,
}

/// The source of `α`, the number of packets that the flow keeps in the queue.
pub(super) trait Target: Clone + Debug + Send + 'static {
    /// `α`, packets.
    fn alpha(&self) -> f64;

    /// Called for every acknowledgement, before the rule uses [`alpha`](Self::alpha).
    fn on_ack(&mut self, _ack: &Ack<'_>, _path: &Path) {}

    /// Calls `record` with name and value of each internal variable that records may hold.
    fn observe(&self, _record: &mut dyn FnMut(&str, f64)) {}
}

/// A constant `α`, packets.
#[derive(Clone, Debug)]
struct Fixed(f64);

impl Target for Fixed {
    fn alpha(&self) -> f64 {
        self.0
    }
}

/// Round-trip times, seconds.
#[derive(Clone, Copy, Debug)]
struct Rtt {
    /// Minimum of the connection.
    base: f64,
    smoothed: f64,
}

impl<T: Target> Fast<T> {
    /// The window after an update, packets.
    fn updated(&self, window: f64, path: &Path) -> f64 {
        let Some(rtt) = self.rtt else { return window };
        let without_queue = rtt.base / rtt.smoothed * window;
        let next = (1.0 - self.gain) * window + self.gain * (without_queue + self.target.alpha());
        if path.window_limited { next.min(2.0 * window) } else { next.min(window) }
    }
}

impl<T: Target> WindowRule for Fast<T> {
    fn increase(&mut self, window: &Window, _acked: f64, path: &Path) -> f64 {
        if self.period.is_some() || self.round == path.round {
            return 0.0;
        }
        self.round = path.round;
        self.updated(window.size, path) - window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size / 2.0
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        self.target.on_ack(ack, path);
        let Some(rtt) = ack.rtt.map(Span::as_secs_f64).filter(|rtt| *rtt > 0.0) else { return };
        self.rtt = Some(self.rtt.map_or(Rtt { base: rtt, smoothed: rtt }, |old| Rtt {
            base: old.base.min(rtt),
            smoothed: old.smoothed + (3.0 / window.size).min(0.25) * (rtt - old.smoothed),
        }));
        if let (None, Some(period)) = (self.next_update, self.period) {
            self.next_update = Some(path.now + period);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.next_update
    }

    fn on_timer(&mut self, window: &Window, path: &Path) -> f64 {
        let (Some(due), Some(period)) = (self.next_update, self.period) else { return window.size };
        if path.now < due {
            return window.size;
        }
        self.next_update = Some(path.now + period);
        // The path was last measured before an idle time: the window is what it was.
        if path.in_flight == 0 { window.size } else { self.updated(window.size, path) }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("alpha", self.target.alpha());
        self.target.observe(record);
    }
}

/// The card of `fast`.
pub(crate) const FAST: Entry = Entry {
    card: Card {
        name: "fast",
        family: "delay-based",
        summary: "FAST: keeps alpha packets in the queue",
        source: "Wei, Jin, Low and Hegde, IEEE/ACM ToN 14(6), 2006",
        equations: &[
            "every period, or round trip: w = min(2 w, (1 - gamma) w + gamma (base / rtt w + alpha))",
            "rtt += min(3 / w, 1/4) (sample - rtt); base = minimum of the samples",
            "loss: w = w / 2",
        ],
        parameters: &[
            Parameter::number("alpha", "packets that a flow keeps in the queue", 200.0, 1.0..=1_000_000.0)
                .unit("packets")
                .source("NIST SP 500-282 §10.1.2.4 (initial value of FAST-AT)"),
            GAIN,
            PERIOD,
            UPDATE,
        ],
        variables: &[Variable {
            name: "alpha",
            unit: "packets",
            meaning: "alpha, the packets to keep in the queue",
        }],
        deviations: DEVIATIONS,
    },
    style: Some(Style(Hue::Rose, Dash::DashDot)),
    needs: |_| Needs::RELIABLE,
    build: |values, setup| build(Fixed(values.number("alpha")), values, setup),
};

/// Returns FAST with `target` and the parameters common to both of its entries.
pub(super) fn build(target: impl Target, values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let by_timer = values.word("update") == "timer";
    let rule = Fast {
        target,
        gain: values.number("gamma"),
        period: by_timer.then(|| Span::from_secs_f64(values.number("period"))),
        next_update: None,
        round: 0,
        rtt: None,
    };
    Box::new(Windowed::new(rule, setup))
}

pub(super) const GAIN: Parameter =
    Parameter::number("gamma", "gain: fraction of the distance to the target per update", 0.5, 0.001..=1.0)
        .source("Wei et al. 2006 §IV");

pub(super) const PERIOD: Parameter =
    Parameter::number("period", "time between updates with update = timer", 0.02, 0.001..=100.0)
        .unit("s")
        .source("NIST SP 500-282 §10.1.2.3");

pub(super) const UPDATE: Parameter = Parameter {
    name: "update",
    meaning: "when the window is updated: by a timer, or once per round trip",
    unit: "",
    source: "NIST SP 500-282 §10.1.2.3; Wei et al. 2006 §IV",
    domain: Domain::Choice { default: "timer", allowed: &["timer", "round"] },
};

pub(super) const DEVIATIONS: &[&str] = &[
    "the window is updated every 20 ms, as in NIST SP 500-282; in the paper once per round trip (update = round). With several updates per round trip and an alpha small against the BDP the window oscillates",
    "slow start is that of the flow and ends with a loss or at ssthresh",
    "an alpha above the buffer keeps the queue full and permanently loses the excess packets: 41 % with the default of 200 packets over 10 Mbps, 40 ms and a buffer of 8; alpha must be below the smallest buffer of the path",
    "a window that does not limit the sender does not grow; no updates in slow start, in recovery and with nothing in flight",
];
