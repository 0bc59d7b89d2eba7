//! FAST TCP (Wei, Jin, Low and Hegde, "FAST TCP: motivation, architecture, algorithms, performance", ToN 14, 2006): keep
//! `α` packets in the queue, with steps in proportion to the distance from there.
//!
//! `w = min(2 w, (1 − γ) w + γ (base / rtt · w + α))`, every `period` or once in a round; `rtt` is smoothed with the
//! weight `min(3 / w, 1/4)` for each sample. Equilibrium: `w (1 − base / rtt) = α`, at a rate of `α` over the queueing
//! delay. Loss: half.
//!
//! Deviations: slow start is the flow's and ends by loss or ssthresh. The paper's prototype updates once in a round trip;
//! every 20 ms, the default, is NIST SP 500-282's, so that on a longer path the effective gain is higher. A window that
//! is not the limit does not grow.

use super::fast_at::Tuning;
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Path};
use narrows_units::{Span, Time};

/// The rule of 2006.
#[derive(Clone, Debug)]
pub struct Fast {
    target: Target,
    /// `γ`.
    gain: f64,
    /// Time between updates; `None` for once in a round.
    period: Option<Span>,
    /// The next update; `None` before the first sample, and where rounds decide.
    next_update: Option<Time>,
    /// [`Path::round`] at the last acknowledgement.
    round: u64,
    /// Seconds; `None` before the first sample.
    rtt: Option<Rtt>,
}

/// `α`, packets.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Fixed(f64),
    Tuned(Tuning),
}

#[derive(Clone, Copy, Debug)]
struct Rtt {
    base: f64,
    smoothed: f64,
}

impl Fast {
    fn alpha(&self) -> f64 {
        match &self.target {
            Target::Fixed(alpha) => *alpha,
            Target::Tuned(tuning) => tuning.alpha(),
        }
    }

    /// The window after an update.
    fn updated(&self, window: f64, path: &Path) -> f64 {
        let Some(rtt) = self.rtt else { return window };
        let without_queue = rtt.base / rtt.smoothed * window;
        let next = (1.0 - self.gain) * window + self.gain * (without_queue + self.alpha());
        if path.window_limited { next.min(2.0 * window) } else { next.min(window) }
    }
}

impl WindowRule for Fast {
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
        if let Target::Tuned(tuning) = &mut self.target {
            tuning.on_ack(ack, path);
        }
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
        self.updated(window.size, path)
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("alpha", self.alpha());
        if let Target::Tuned(tuning) = &self.target {
            tell("throughput", tuning.throughput());
        }
    }
}

/// The card of `fast`.
pub(crate) const FAST: Entry = Entry {
    name: "fast",
    family: "delay-based",
    summary: "FAST: keeps alpha packets in the queue, never grows as TCP",
    source: "Wei, Jin, Low and Hegde, IEEE/ACM ToN 14(6), 2006",
    equations: &[
        "every period, or round trip: w = min(2 w, (1 - gamma) w + gamma (base / rtt w + alpha))",
        "rtt += min(3 / w, 1/4) (sample - rtt); base = the smallest sample",
        "loss: w = w / 2",
    ],
    parameters: &[
        Parameter {
            name: "alpha",
            meaning: "packets that a flow keeps in the queue",
            unit: "packets",
            source: "NIST SP 500-282 §10.1.2.4 (its FAST-AT starts there)",
            domain: Domain::Number { default: 200.0, minimum: 1.0, maximum: 1_000_000.0 },
        },
        GAIN,
        PERIOD,
        UPDATE,
    ],
    deviations: DEVIATIONS,
    validation: Some(
        "packets in the queue of a lone flow, 100 ms: alpha = 200 by timer and by round, 50 by round (error below 0.1 %); by timer 50 swings for ever",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build: |values, setup| build(Target::Fixed(values.number("alpha")), values, setup),
};

/// FAST with that target and the parameters that both of its entries have.
pub(super) fn build(target: Target, values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
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

pub(super) const GAIN: Parameter = Parameter {
    name: "gamma",
    meaning: "part of the way to the target that an update goes",
    unit: "",
    source: "Wei et al. 2006 §IV",
    domain: Domain::Number { default: 0.5, minimum: 0.001, maximum: 1.0 },
};

pub(super) const PERIOD: Parameter = Parameter {
    name: "period",
    meaning: "time between updates, where a timer makes them",
    unit: "s",
    source: "NIST SP 500-282 §10.1.2.3",
    domain: Domain::Number { default: 0.02, minimum: 0.001, maximum: 100.0 },
};

pub(super) const UPDATE: Parameter = Parameter {
    name: "update",
    meaning: "what makes the updates: a timer, or every round trip",
    unit: "",
    source: "NIST SP 500-282 §10.1.2.3; Wei et al. 2006 §IV",
    domain: Domain::Choice { default: "timer", allowed: &["timer", "round"] },
};

pub(super) const DEVIATIONS: &[&str] = &[
    "updates come every 20 ms, as in NIST SP 500-282; the paper has one in a round trip (update = round). Where a round trip holds several, and alpha is small against the path, the window swings without end",
    "slow start is the flow's and ends by loss or ssthresh",
    "a window that is not the limit does not grow; no update in slow start and recovery",
];
