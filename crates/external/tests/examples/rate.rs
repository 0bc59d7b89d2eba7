//! A rate that keeps the queue at a target.
//!
//! Source: an example. Once in a round trip the rate grows by `a` packets per round trip as long as the queueing delay is
//! below `target`, and falls in proportion to what exceeds it, as TIMELY does (Mittal et al., SIGCOMM 2015, algorithm 1,
//! without its gradient). At the start it doubles in each round trip. A loss episode takes the part `1 - b`.
//!
//! Deviations: none, as there is no other source.

use narrows_cc::card::{Card, Parameter, Values, Variable};
use narrows_cc::units::Rate;
use narrows_cc::{Ack, CongestionControl, Entry, Limits, Loss, Needs, Path, RttView, Setup};

/// A sender at a rate of its own, and a window that only limits what is in flight if acknowledgements stay away.
#[derive(Clone, Debug)]
pub struct Paced {
    setup: Setup,
    a: f64,
    b: f64,
    target_s: f64,
    /// Packets per second.
    rate: f64,
    /// Latest smoothed round-trip time, seconds.
    rtt_s: f64,
    /// Whether the rate still doubles.
    starting: bool,
    /// Number of the round trip of the last change.
    round: u64,
}

impl Paced {
    /// What is in flight at most: two round trips of the rate.
    fn cap(&self) -> f64 {
        (2.0 * self.rate * self.rtt_s).clamp(CAP_MIN, CAP_MAX)
    }

    fn set(&mut self, rate: f64) {
        self.rate = rate.clamp(RATE_MIN, RATE_MAX);
    }

    fn once_a_round(&mut self, rtt: RttView) {
        let queueing_s = rtt.smoothed.saturating_sub(rtt.min).as_secs_f64();
        if queueing_s > self.target_s {
            self.starting = false;
            self.set(self.rate * (1.0 - self.b * (1.0 - self.target_s / queueing_s)));
        } else if self.starting {
            self.set(2.0 * self.rate);
        } else {
            self.set(self.rate + self.a / self.rtt_s);
        }
    }
}

impl CongestionControl for Paced {
    fn limits(&self) -> Limits {
        let rate = Rate::from_bps_f64(self.rate * self.setup.mss.bits() as f64);
        Limits::new(Some(self.cap() as u64), Some(rate), self.setup.mss)
    }

    fn window(&self) -> Option<f64> {
        Some(self.cap())
    }

    // Without a threshold the host knows that this is no window algorithm.
    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, _ack: &Ack<'_>, path: &Path) {
        let Some(rtt) = path.rtt else { return };
        self.rtt_s = rtt.smoothed.as_secs_f64().max(RTT_MIN_S);
        if path.round > self.round {
            self.round = path.round;
            self.once_a_round(rtt);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.new_episode {
            self.starting = false;
            self.set(self.b * self.rate);
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("rate", self.rate);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// Its card, what it needs of its host, and its constructor.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "paced",
        family: "yours",
        summary: "a rate that keeps the queue at a target",
        source: "an example",
        equations: &[
            "start: r = 2 r per round trip",
            "d <= target: r += a / R per round trip; d > target: r *= 1 - b (1 - target / d)",
            "loss: r = b * r",
        ],
        parameters: &[
            Parameter::number(
                "a",
                "packets per round trip that the rate grows by in a round trip",
                1.0,
                0.01..=100.0,
            )
            .unit("packets")
            .source("your choice"),
            Parameter::number(
                "b",
                "share of the rate that a loss leaves, and gain of the reaction to delay",
                0.7,
                0.01..=0.99,
            )
            .source("your choice"),
            Parameter::number("target_ms", "queueing delay from which the rate falls", 5.0, 0.1..=1000.0)
                .unit("ms")
                .source("your choice"),
        ],
        variables: &[Variable { name: "rate", unit: "packets/s", meaning: "the sending rate" }],
        deviations: &[],
    },
    style: None,
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Paced {
        setup: *setup,
        a: values.number("a"),
        b: values.number("b"),
        target_s: values.number("target_ms") * 1e-3,
        // Before the first round-trip time, as RFC 6298 has it.
        rate: setup.initial_window / RTT_FIRST_S,
        rtt_s: RTT_FIRST_S,
        starting: true,
        round: 0,
    })
}

const RTT_FIRST_S: f64 = 1.0;
const RTT_MIN_S: f64 = 1e-6;
/// Packets per second.
const RATE_MIN: f64 = 1.0;
const RATE_MAX: f64 = 1e9;
/// Packets in flight.
const CAP_MIN: f64 = 4.0;
const CAP_MAX: f64 = 1e6;
