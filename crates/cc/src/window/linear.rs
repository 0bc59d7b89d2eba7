// SPDX-License-Identifier: Apache-2.0
//! Linear controls: increase and decrease are linear functions of the window (Chiu and Jain, Computer Networks 17, 1989;
//! Akella, Seshan, Shenker and Stoica, "Exploring congestion control", CMU-CS-02-139, 2002).
//!
//! `w = a_I + b_I w` for each round trip without loss, `w = a_D + b_D w` for each loss episode. An acknowledgement of `n`
//! packets adds `n (a_I + (b_I − 1) w₀) / w₀`, where `w₀` is the window at the start of the round, so that the
//! acknowledgements of a round add up to the linear function.

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter};

/// The four coefficients of a linear control (Chiu and Jain 1989), and the increase of the current round.
#[derive(Clone, Debug)]
pub struct Linear {
    /// `a_I`, packets.
    increase_by: f64,
    /// `b_I`.
    increase_factor: f64,
    /// `a_D`, packets.
    decrease_by: f64,
    /// `b_D`.
    decrease_factor: f64,
    /// [`Path::round`] for which `slope` holds; `None` after a decrease.
    round: Option<u64>,
    /// Packets added for each packet acknowledged in this round.
    slope: f64,
}

impl Linear {
    /// Creates the control that sets the window to `a_i + b_i w` per round trip and to `a_d + b_d w` per loss episode,
    /// for a window of `w` packets; `a_i` and `a_d` are in packets.
    pub fn new((a_i, b_i): (f64, f64), (a_d, b_d): (f64, f64)) -> Self {
        Self {
            increase_by: a_i,
            increase_factor: b_i,
            decrease_by: a_d,
            decrease_factor: b_d,
            round: None,
            slope: 0.0,
        }
    }
}

impl WindowRule for Linear {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        if self.round != Some(path.round) {
            self.round = Some(path.round);
            self.slope = self.increase_by / window.size + (self.increase_factor - 1.0);
        }
        acked * self.slope
    }

    fn on_avoidance(&mut self) {
        self.round = None;
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.round = None;
        self.decrease_by + self.decrease_factor * window.size
    }

    fn floor(&self, _cause: Cause) -> f64 {
        1.0
    }
}

/// The card of `aimd`.
pub(crate) const AIMD: Entry = Entry {
    card: Card {
        name: "aimd",
        family: "linear",
        summary: "additive increase, multiplicative decrease",
        source: "Chiu and Jain 1989; Akella et al. 2002 §3.2",
        equations: &["round trip: w = w + a", "loss: w = b w"],
        parameters: &[ADDED, Parameter { source: "RFC 5681 §3.1 (standard TCP)", domain: part(0.5), ..KEPT }],
        variables: &[],
        deviations: DEVIATIONS,
    },
    style: Some(Style(Hue::Purple, Dash::Solid)),
    needs: |_| Needs::RELIABLE,
    build: |values, setup| build((values.number("a"), 1.0), (0.0, values.number("b")), setup),
};

/// The card of `aiad`.
pub(crate) const AIAD: Entry = Entry {
    card: Card {
        name: "aiad",
        summary: "additive increase, additive decrease",
        equations: &["round trip: w = w + a", "loss: w = w - b"],
        parameters: &[ADDED, TAKEN],
        ..AIMD.card
    },
    style: Some(Style(Hue::Ochre, Dash::Solid)),
    build: |values, setup| build((values.number("a"), 1.0), (-values.number("b"), 1.0), setup),
    ..AIMD
};

/// The card of `mimd`.
pub(crate) const MIMD: Entry = Entry {
    card: Card {
        name: "mimd",
        summary: "multiplicative increase, multiplicative decrease",
        equations: &["round trip: w = a w", "loss: w = b w"],
        parameters: &[FACTOR, KEPT],
        ..AIMD.card
    },
    style: Some(Style(Hue::Cyan, Dash::Solid)),
    build: |values, setup| build((0.0, values.number("a")), (0.0, values.number("b")), setup),
    ..AIMD
};

/// The card of `miad`.
pub(crate) const MIAD: Entry = Entry {
    card: Card {
        name: "miad",
        summary: "multiplicative increase, additive decrease",
        equations: &["round trip: w = a w", "loss: w = w - b"],
        parameters: &[FACTOR, TAKEN],
        ..AIMD.card
    },
    style: Some(Style(Hue::Rose, Dash::Solid)),
    build: |values, setup| build((0.0, values.number("a")), (-values.number("b"), 1.0), setup),
    ..AIMD
};

/// The card of `aimad`.
pub(crate) const AIMAD: Entry = Entry {
    card: Card {
        name: "aimad",
        summary: "additive increase, multiplicative and additive decrease",
        source: "Akella et al. 2002 §5.2",
        equations: &["round trip: w = w + a", "loss: w = b w - d"],
        parameters: &[
            Parameter { source: "Akella et al. 2002 §5.2", ..ADDED },
            Parameter { source: "Akella et al. 2002 §5.2", domain: part(0.9), ..KEPT },
            Parameter { name: "d", source: "Akella et al. 2002 §5.2", domain: amount(1.0), ..TAKEN },
        ],
        ..AIMD.card
    },
    style: Some(Style(Hue::Slate, Dash::Solid)),
    build: |values, setup| build((values.number("a"), 1.0), (-values.number("d"), values.number("b")), setup),
    ..AIMD
};

/// The card of `maimd`.
pub(crate) const MAIMD: Entry = Entry {
    card: Card {
        name: "maimd",
        summary: "multiplicative and additive increase, multiplicative decrease",
        source: "Akella et al. 2002 §5.2; Gorinsky and Vin 2000, there with b = 0.5",
        equations: &["round trip: w = a + m w", "loss: w = b w"],
        parameters: &[
            Parameter { source: "Akella et al. 2002 §5.2", ..ADDED },
            Parameter { name: "m", source: "Akella et al. 2002 §5.2", domain: factor(1.1), ..FACTOR },
            Parameter { source: "Akella et al. 2002 §5.2", ..KEPT },
        ],
        ..AIMD.card
    },
    style: Some(Style(Hue::Purple, Dash::Dashed)),
    build: |values, setup| build((values.number("a"), values.number("m")), (0.0, values.number("b")), setup),
    ..AIMD
};

fn build(increase: (f64, f64), decrease: (f64, f64), setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(Linear::new(increase, decrease), setup))
}

const ADDED: Parameter = Parameter {
    name: "a",
    meaning: "increase of the window in each round trip without loss",
    unit: "packets",
    source: "Akella et al. 2002 §3.2",
    domain: amount(1.0),
};

const TAKEN: Parameter = Parameter {
    name: "b",
    meaning: "decrease of the window at a loss",
    unit: "packets",
    source: "Akella et al. 2002 §3.2",
    domain: amount(3.0),
};

const FACTOR: Parameter = Parameter {
    name: "a",
    meaning: "factor by which the window grows in each round trip without loss",
    unit: "",
    source: "Akella et al. 2002 §3.2",
    domain: factor(1.125),
};

const KEPT: Parameter = Parameter {
    name: "b",
    meaning: "factor by which a loss multiplies the window",
    unit: "",
    source: "Akella et al. 2002 §3.2",
    domain: part(0.8),
};

const fn amount(default: f64) -> Domain {
    Domain::Number { default, minimum: 0.0, maximum: 1000.0 }
}

const fn factor(default: f64) -> Domain {
    Domain::Number { default, minimum: 1.0, maximum: 2.0 }
}

const fn part(default: f64) -> Domain {
    Domain::Number { default, minimum: 0.0, maximum: 1.0 }
}

const DEVIATIONS: &[&str] = &[
    "an acknowledgement adds its share of the round's increase, computed with the window at the start of the round; ns-2 takes the current window, and its increase in a round is smaller by less than one part in 2 w",
    "a decrease leaves a window of at least 1 packet and ssthresh of at least 2",
    "after a loss the flow is in congestion avoidance; after a timeout it slow-starts to ssthresh, which is the window decreased by the rule (ns-2: to half; key first_cut)",
];
