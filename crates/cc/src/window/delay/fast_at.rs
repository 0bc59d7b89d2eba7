//! FAST with tuning of `α` (NIST SP 500-282, §10.1.2.4): a flow that sends faster keeps more packets in the queue.
//!
//! The throughput is measured in every round trip and smoothed by 1/8; every 200 s `α` moves one of its three levels up
//! where the throughput is above the upper threshold of the level, down where it is below the lower.
//!
//! Deviations: the source prints the levels and the periods, not the thresholds; these are the ones remembered of the FAST
//! prototype, 1500 and 15000 packets/s up, 1250 and 12500 down, as parameters.

use super::fast::{self, Target};
use crate::catalogue::{Domain, Entry, Parameter, Values};
use crate::{Ack, Path};
use narrows_units::{Span, Time};

/// The levels of `α` and what moves it.
#[derive(Clone, Debug)]
pub(super) struct Tuning {
    /// Packets, lowest first.
    levels: [f64; 3],
    /// Packets per second: above these `α` leaves the first and the second level upwards.
    up: [f64; 2],
    /// Packets per second: below these `α` leaves the second and the third level downwards.
    down: [f64; 2],
    period: Span,
    /// The present one.
    level: usize,
    /// The next move; `None` before the first acknowledgement.
    next: Option<Time>,
    /// [`Path::round`] and its start.
    round: (u64, Time),
    /// Packets acknowledged in the round.
    acked: u64,
    /// Packets per second; `None` before the first round is over.
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

    pub(super) fn alpha(&self) -> f64 {
        self.levels[self.level]
    }

    pub(super) fn throughput(&self) -> f64 {
        self.throughput.unwrap_or(0.0)
    }

    pub(super) fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
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
            self.step();
        }
    }

    /// Moves `α` by one level at most.
    fn step(&mut self) {
        let Some(throughput) = self.throughput else { return };
        if self.level < 2 && throughput > self.up[self.level] {
            self.level += 1;
        } else if self.level > 0 && throughput < self.down[self.level - 1] {
            self.level -= 1;
        }
    }
}

/// The card of `fast-at`.
pub(crate) const FAST_AT: Entry = Entry {
    name: "fast-at",
    summary: "FAST with alpha tuning: 200 packets in the queue, 20 or 8 where the flow is slow",
    source: "Mills et al., NIST SP 500-282, §10.1.2.4; Wei et al. 2006",
    equations: &[
        "as fast, with alpha one of low, middle, high, at first high",
        "every tuning_period: alpha one level up where throughput > up, one down where throughput < down",
        "throughput += 1/8 (packets acknowledged in a round trip / its time - throughput)",
    ],
    parameters: &[
        alpha("low", 8.0),
        alpha("middle", 20.0),
        alpha("high", 200.0),
        threshold("low_up", "throughput above which alpha goes from low to middle", 1_500.0),
        threshold("middle_up", "throughput above which alpha goes from middle to high", 15_000.0),
        threshold("middle_down", "throughput below which alpha goes from middle to low", 1_250.0),
        threshold("high_down", "throughput below which alpha goes from high to middle", 12_500.0),
        Parameter {
            name: "tuning_period",
            meaning: "time between moves of alpha",
            unit: "s",
            source: "NIST SP 500-282 §10.1.2.4",
            domain: Domain::Number { default: 200.0, minimum: 0.01, maximum: 1_000_000.0 },
        },
        fast::GAIN,
        fast::PERIOD,
        fast::UPDATE,
    ],
    deviations: &[
        "the thresholds are not in the source; these are remembered of the FAST prototype",
        "the throughput is smoothed by 1/8, on which the source is silent",
        fast::DEVIATIONS[0],
        fast::DEVIATIONS[1],
        fast::DEVIATIONS[2],
    ],
    validation: Some(
        "packets in the queue of a lone flow of 1000 packets/s, one update in a round trip: 200, then 20, then 8, each for 200 s (error below 0.1 %)",
    ),
    build: |values, setup| fast::build(Target::Tuned(Tuning::new(values)), values, setup),
    ..fast::FAST
};

const fn alpha(name: &'static str, default: f64) -> Parameter {
    Parameter {
        name,
        meaning: "packets that a flow keeps in the queue at this level",
        unit: "packets",
        source: "NIST SP 500-282 §10.1.2.4",
        domain: Domain::Number { default, minimum: 1.0, maximum: 1_000_000.0 },
    }
}

const fn threshold(name: &'static str, meaning: &'static str, default: f64) -> Parameter {
    Parameter {
        name,
        meaning,
        unit: "packets/s",
        source: "remembered of the FAST prototype, unconfirmed",
        domain: Domain::Number { default, minimum: 0.0, maximum: 1e9 },
    }
}

/// Weight of a new throughput sample.
const SMOOTHING: f64 = 0.125;
