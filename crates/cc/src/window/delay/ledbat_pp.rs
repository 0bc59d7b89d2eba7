// SPDX-License-Identifier: Apache-2.0
//! LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus-01, Balasubramanian, Ertugay, Havey): LEDBAT that does not outlast others in the
//! queue, by a gain below Reno's, a multiplicative decrease and periodic slowdowns.
//!
//! With `q` the queueing delay and `base` its reference as of [LEDBAT](super::ledbat):
//!
//! * `GAIN = 1 / min(16, ⌈2 TARGET / base⌉)` (§4.2).
//! * Slow start adds GAIN packets for each acknowledged one; the first one ends when `q > 3/4 TARGET` (§4.1).
//! * `q ≤ TARGET`: `w += GAIN / w` for each acknowledged packet. Otherwise, once per round trip,
//!   `w += max(GAIN − C w (q / TARGET − 1), −w / 2)` (§4.3).
//! * Slowdown (§4.4): two round trips after the first slow start, and then periodically, ssthresh is w, w is two packets for two
//!   round trips, and slow start leads back. The next slowdown starts after nine times its duration.

use super::ledbat::{DELAYS, Delays};
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values};
use narrows_units::{Span, Time};

/// The parameters and the state of LEDBAT++.
#[derive(Clone, Debug)]
pub struct LedbatPlusPlus {
    /// `TARGET`, seconds.
    target: f64,
    /// `C`, the constant of the multiplicative decrease.
    decrease: f64,
    delays: Delays,
    /// `GAIN`, and the base delay to which it belongs.
    gain: f64,
    base: Span,
    phase: Phase,
    /// [`Path::round`] of the last acknowledgement.
    round: u64,
    /// The window decreases, to this.
    smaller: Option<f64>,
    /// A slowdown starts.
    slows_down: bool,
    /// Change of the window for the current acknowledgement, packets, while it grows.
    growth: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The first slow start.
    Starting,
    /// A slowdown is due in this round.
    Waiting { until: u64 },
    /// The window is two packets up to this round.
    Frozen { until: u64, since: Time },
    /// Slow start leads back.
    Returning { since: Time },
    /// A slowdown is due at this time.
    Steady { until: Time },
}

impl LedbatPlusPlus {
    /// Sets `GAIN` for the base delay, if that has changed.
    fn update_gain(&mut self) {
        let base = self.delays.base();
        if base != self.base && base < Span::MAX {
            let parts = (2 * Span::from_secs_f64(self.target).as_ps()).div_ceil(base.as_ps().max(1));
            (self.base, self.gain) = (base, 1.0 / parts.clamp(1, GAIN_MOST) as f64);
        }
    }

    /// The phase that follows a slowdown which started at `since`.
    fn steady(since: Time, now: Time) -> Phase {
        Phase::Steady { until: now + (now - since) * PAUSE }
    }

    /// Moves to the next phase if that is due.
    fn advance(&mut self, window: &Window, path: &Path) {
        match self.phase {
            Phase::Starting if !window.in_slow_start() => {
                self.phase = Phase::Waiting { until: path.round + ROUNDS };
            }
            Phase::Starting => {
                if self.delays.queueing().is_some_and(|queueing| queueing > SLOW_START_SHARE * self.target) {
                    self.smaller = Some(window.size);
                    self.phase = Phase::Waiting { until: path.round + ROUNDS };
                }
            }
            Phase::Waiting { until } if path.round >= until => self.begin_slowdown(path),
            Phase::Steady { until } if path.now >= until && !window.in_slow_start() => {
                self.begin_slowdown(path);
            }
            Phase::Frozen { until, since } if path.round >= until => self.phase = Phase::Returning { since },
            Phase::Returning { since } if !window.in_slow_start() => {
                self.phase = Self::steady(since, path.now);
            }
            Phase::Waiting { .. } | Phase::Steady { .. } | Phase::Frozen { .. } | Phase::Returning { .. } => {
            }
        }
    }

    fn begin_slowdown(&mut self, path: &Path) {
        self.slows_down = true;
        self.phase = Phase::Frozen { until: path.round + ROUNDS, since: path.now };
    }
}

impl WindowRule for LedbatPlusPlus {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        if self.growth > 0.0 { self.growth * acked / window.size } else { 0.0 }
    }

    fn in_slow_start(&self, growth: f64) -> f64 {
        if matches!(self.phase, Phase::Frozen { .. }) { 0.0 } else { growth * self.gain }
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, path: &Path) -> f64 {
        if let Phase::Frozen { since, .. } | Phase::Returning { since } = self.phase {
            self.phase = Self::steady(since, path.now);
        }
        window.size / 2.0
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        self.delays.on_ack(ack, path.now);
        self.update_gain();
        (self.smaller, self.slows_down, self.growth) = (None, false, self.gain);
        let new_round = core::mem::replace(&mut self.round, path.round) != path.round;
        self.advance(window, path);
        let Some(excess) = self.delays.queueing().map(|queueing| queueing / self.target - 1.0) else {
            return;
        };
        if window.in_slow_start() || excess <= 0.0 {
            return;
        }
        self.growth = 0.0;
        if new_round {
            let change = (self.gain - self.decrease * window.size * excess).max(-window.size / 2.0);
            if change < 0.0 {
                self.smaller = Some((window.size + change).max(FROZEN));
            } else {
                // In full with this acknowledgement.
                self.growth = change * window.size / ack.newly_acked.max(1) as f64;
            }
        }
    }

    fn step_down(&mut self, _window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        self.smaller.take()
    }

    fn slow_down(&mut self, _window: &Window) -> Option<f64> {
        core::mem::take(&mut self.slows_down).then_some(FROZEN)
    }

    fn on_idle(&mut self, _window: &Window, idle: &Idle, _path: &Path) {
        if let Phase::Frozen { since, .. } | Phase::Returning { since } = self.phase {
            self.phase = Self::steady(since, idle.since.max(since));
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.delays.observe(record);
    }
}

/// Window of a slowdown, packets, and the least of all (§4.4).
const FROZEN: f64 = 2.0;

/// Round trips before the first slowdown, and of the frozen window (§4.4).
const ROUNDS: u64 = 2;

/// Time between slowdowns, durations of the last one (§4.4).
const PAUSE: u64 = 9;

/// Greatest divisor of the gain (§4.2).
const GAIN_MOST: u64 = 16;

/// Part of the target above which the first slow start ends (§4.1).
const SLOW_START_SHARE: f64 = 0.75;

/// The card of `ledbat-pp`.
pub(crate) const LEDBAT_PLUS_PLUS: Entry = Entry {
    card: Card {
        name: "ledbat-pp",
        family: "delay-based",
        summary: "LEDBAT++: LEDBAT with a smaller gain, multiplicative decrease and periodic slowdowns",
        source: "draft-irtf-iccrg-ledbat-plus-plus-01",
        equations: &[
            "gain = 1 / min(16, ceil(2 target / base))",
            "q <= target: ACK: w = w + gain / w; else round trip: w = w + max(gain - c w (q / target - 1), -w / 2)",
            "slow start: w = w + gain; the first one over where q > 3/4 target; loss: w = w / 2",
            "slowdown: ssthresh = w, w = 2 for two round trips, then slow start; again after nine times its duration",
        ],
        parameters: &[
            Parameter::number("target", "queueing delay that it aims at", 0.06, 0.001..=1.0)
                .unit("s")
                .source("draft-irtf-iccrg-ledbat-plus-plus-01 §4.5"),
            Parameter::number("c", "strength of the multiplicative decrease", 1.0, 0.0..=1_000.0)
                .source("draft-irtf-iccrg-ledbat-plus-plus-01 §4.3"),
        ],
        variables: DELAYS,
        deviations: &[
            "the window starts at the flow's initial window (draft: 2) and grows only while it limits the sender",
            "after the path becomes longer, the additional propagation delay counts as queueing delay until the shorter delay leaves the base history of the draft, minutes later",
            "a loss ends a slowdown, and so does a time without data, which the draft leaves open",
        ],
    },
    style: Some(Style(Hue::Ochre, Dash::Long)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = LedbatPlusPlus {
        target: values.number("target"),
        decrease: values.number("c"),
        delays: Delays::default(),
        gain: 1.0,
        base: Span::MAX,
        phase: Phase::Starting,
        round: 0,
        smaller: None,
        slows_down: false,
        growth: 0.0,
    };
    Box::new(Windowed::new(rule, setup))
}
