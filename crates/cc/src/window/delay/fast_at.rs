// SPDX-License-Identifier: Apache-2.0
//! FAST with `α` tuning (NIST SP 500-282, §10.1.2.4): a flow with a higher throughput keeps more packets in the queue.
//!
//! The throughput is measured once per round trip and smoothed with weight 1/8. Every 200 s `α` moves to the next of its
//! three levels if the throughput is above the upper threshold of the current level, and to the one before if it is below
//! the lower threshold.

use super::fast::{self, Target};
use crate::{Ack, Dash, Entry, Hue, Path, Style};
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Span, Time};

/// The levels of `α`, the thresholds between them, and the measured throughput.
#[derive(Clone, Debug)]
struct Tuning {
    /// Levels of `α`, packets, ascending.
    levels: [f64; 3],
    /// Upper thresholds of the first and the second level, packets per second.
    up: [f64; 2],
    /// Lower thresholds of the second and the third level, packets per second.
    down: [f64; 2],
    /// Time between changes of the level.
    period: Span,
    /// Index of the current level.
    level: usize,
    /// Time of the next change; `None` before the first acknowledgement.
    next: Option<Time>,
    /// [`Path::round`] and the time of its start.
    round: (u64, Time),
    /// Packets acknowledged in the current round.
    acked: u64,
    /// Smoothed throughput, packets per second; `None` before the first round is over.
    throughput: Option<f64>,
}

impl Tuning {
    fn new(values: &Values) -> Self {
        let number = |name| values.number(name);
        Self {
            levels: [number("low"), number("middle"), number("high")],
            up: [number("low_up"), number("middle_up")],
            down: [number("middle_down"), number("high_down")],
            period: Span::from_secs_f64(number("tuning_period")),
            level: 2,
            next: None,
            round: (0, Time::ZERO),
            acked: 0,
            throughput: None,
        }
    }

    /// Changes `α` by at most one level.
    fn update_level(&mut self) {
        let Some(throughput) = self.throughput else { return };
        if self.level < 2 && throughput > self.up[self.level] {
            self.level += 1;
        } else if self.level > 0 && throughput < self.down[self.level - 1] {
            self.level -= 1;
        }
    }
}

impl Target for Tuning {
    fn alpha(&self) -> f64 {
        self.levels[self.level]
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let Some(next) = self.next else {
            self.next = Some(path.now + self.period);
            self.round = (path.round, path.now);
            return;
        };
        self.acked += ack.newly_acked;
        let (round, start) = self.round;
        if path.round != round && path.now > start {
            let sample = self.acked as f64 / path.now.since(start).as_secs_f64();
            self.throughput = Some(self.throughput.map_or(sample, |old| old + SMOOTHING * (sample - old)));
            self.round = (path.round, path.now);
            self.acked = 0;
        }
        if path.now >= next {
            self.next = Some(path.now + self.period);
            self.update_level();
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("throughput", self.throughput.unwrap_or(0.0));
    }
}

/// The card of `fast-at`.
pub(crate) const FAST_AT: Entry = Entry {
    card: Card {
        name: "fast-at",
        summary: "FAST with alpha tuning: keeps 200 packets in the queue, 20 or 8 at a low throughput",
        source: "Mills et al., NIST SP 500-282, §10.1.2.4; Wei et al. 2006",
        equations: &[
            "as fast, with alpha one of low, middle, high, initially high",
            "every tuning_period: alpha one level up where throughput > up, one down where throughput < down",
            "throughput += 1/8 (packets acknowledged in a round trip / its time - throughput)",
        ],
        parameters: &[
            alpha("low", 8.0),
            alpha("middle", 20.0),
            alpha("high", 200.0),
            threshold("low_up", "throughput above which alpha changes from low to middle", 1_500.0),
            threshold("middle_up", "throughput above which alpha changes from middle to high", 15_000.0),
            threshold("middle_down", "throughput below which alpha changes from middle to low", 1_250.0),
            threshold("high_down", "throughput below which alpha changes from high to middle", 12_500.0),
            Parameter::number("tuning_period", "time between changes of alpha", 200.0, 0.01..=1_000_000.0)
                .unit("s")
                .source("NIST SP 500-282 §10.1.2.4"),
            fast::GAIN,
            fast::PERIOD,
            fast::UPDATE,
        ],
        variables: &[
            Variable { name: "alpha", unit: "packets", meaning: "alpha, the packets to keep in the queue" },
            Variable { name: "throughput", unit: "packets/s", meaning: "smoothed throughput" },
        ],
        deviations: &[
            "the thresholds are not in the source; the defaults are those of the FAST prototype as far as known",
            "the throughput is smoothed with weight 1/8; the source does not say",
            fast::DEVIATIONS[0],
            fast::DEVIATIONS[1],
            fast::DEVIATIONS[2],
            fast::DEVIATIONS[3],
        ],
        ..fast::FAST.card
    },
    style: Some(Style(Hue::Slate, Dash::DashDot)),
    build: |values, setup| fast::build(Tuning::new(values), values, setup),
    ..fast::FAST
};

const fn alpha(name: &'static str, default: f64) -> Parameter {
    Parameter::number(
        name,
        "packets that a flow keeps in the queue at this level",
        default,
        1.0..=1_000_000.0,
    )
    .unit("packets")
    .source("NIST SP 500-282 §10.1.2.4")
}

const fn threshold(name: &'static str, meaning: &'static str, default: f64) -> Parameter {
    Parameter::number(name, meaning, default, 0.0..=1e9)
        .unit("packets/s")
        .source("FAST prototype, no published source")
}

/// Weight of the latest throughput sample.
const SMOOTHING: f64 = 0.125;
