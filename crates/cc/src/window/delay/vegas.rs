//! TCP Vegas (Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", JSAC 13, 1995): keep
//! a few packets in the queue, no more and no fewer.
//!
//! Once in a round, `diff = w (1 − base / rtt)`: below `α` the window grows by a packet, above `β` it shrinks by one.
//! Slow start is over where `diff > γ`, with `w = min(w, w base / rtt + 1)`. Loss: half, as Reno.
//!
//! Deviations, all as Linux: slow start grows in every round, where the paper lets it rest in every other to measure; loss
//! detection stays the host's; a round of fewer than 3 samples adds Reno's part of its last acknowledgement. `diff` is
//! the paper's, as in Linux 2.6.22; later ones have `w (rtt − base) / base`, which is larger. After silence `base` stays.

use super::round::{Round, Rounds};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Path};

/// The rule of 1995.
#[derive(Clone, Debug)]
pub struct Vegas {
    /// Packets.
    alpha: f64,
    /// Packets.
    beta: f64,
    /// Packets.
    gamma: f64,
    rounds: Rounds,
    /// The round that the present acknowledgement closed.
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
}

/// The card of `vegas`.
pub(crate) const VEGAS: Entry = Entry {
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
        Parameter {
            name: "alpha",
            meaning: "fewer packets in the queue let the window grow",
            unit: "packets",
            source: "Linux tcp_vegas.c (paper: 1 or 2)",
            domain: Domain::Number { default: 2.0, minimum: 0.0, maximum: 1_000_000.0 },
        },
        Parameter {
            name: "beta",
            meaning: "more packets in the queue make the window shrink",
            unit: "packets",
            source: "Linux tcp_vegas.c (paper: 3 or 4)",
            domain: Domain::Number { default: 4.0, minimum: 0.0, maximum: 1_000_000.0 },
        },
        Parameter {
            name: "gamma",
            meaning: "more packets in the queue end slow start",
            unit: "packets",
            source: "Brakmo and Peterson 1995 §III.C",
            domain: Domain::Number { default: 1.0, minimum: 0.0, maximum: 1_000_000.0 },
        },
    ],
    deviations: &[
        "slow start grows in every round, as in Linux; the paper rests in every other",
        "a round of fewer than 3 samples adds Reno's part of its last acknowledgement, as in Linux",
        "diff is the paper's, as in Linux 2.6.22; later ones divide by base, not by rtt, and so see a longer queue",
        "the smallest RTT is kept after silence, where Linux forgets it; loss detection is the flow's",
    ],
    validation: Some(
        "a lone flow rests with 3.9 packets in the queue, between alpha and beta, and 4 flows with 2.9 each (with delayed \
         acknowledgements 4.5 to 5.1, above beta); ns-2.35, (1, 3, 1): mean queue 2.75 packets against 2.86, no loss",
    ),
    needs: Needs { packets: false, rate_samples: false },
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
