// SPDX-License-Identifier: Apache-2.0
//! Binomial congestion control, slowly responsive alternatives to TCP (Bansal and Balakrishnan, INFOCOM 2001), and those
//! compared in "Dynamic behavior of slowly-responsive congestion control algorithms" (Bansal, Balakrishnan, Floyd and
//! Shenker, SIGCOMM 2001).
//!
//! `w += a / w^k` for each round trip without loss, `w -= b w^l` for each loss episode. `(k, l)` is (0, 1) for TCP(b),
//! (1/2, 1/2) for SQRT, (1, 0) for IIAD. With `k + l = 1` the mean window is `sqrt(a / (b p))` for small `b`, so that
//! `a = 1.5 b` gives the throughput of TCP. The `a` of TCP(b) is by Yang and Lam (GAIMD, ICNP 2000) or by Floyd, Handley
//! and Padhye (2000).

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter};

/// The exponents and factors of a binomial control (Bansal and Balakrishnan 2001), and the increase of the current
/// round.
#[derive(Clone, Debug)]
pub struct Binomial {
    /// `k`: the increase is inversely proportional to this power of the window.
    k: f64,
    /// `l`: the decrease is proportional to this power of the window.
    l: f64,
    /// `a`, packets to the power `k + 1`.
    a: f64,
    /// `b`, packets to the power `1 − l`.
    b: f64,
    /// [`Path::round`] for which `slope` holds; `None` after a decrease.
    round: Option<u64>,
    /// Packets added for each packet acknowledged in this round.
    slope: f64,
}

impl Binomial {
    /// Creates the control that increases the window by `a / w^k` per round trip and decreases it by `b w^l` per loss
    /// episode, for a window of `w` packets.
    pub fn new((k, l): (f64, f64), (a, b): (f64, f64)) -> Self {
        Self { k, l, a, b, round: None, slope: 0.0 }
    }
}

impl WindowRule for Binomial {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        if self.round != Some(path.round) {
            self.round = Some(path.round);
            self.slope = self.a / libm::pow(window.size, self.k + 1.0);
        }
        acked * self.slope
    }

    fn on_avoidance(&mut self) {
        self.round = None;
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.round = None;
        window.size - self.b * libm::pow(window.size, self.l)
    }

    fn floor(&self, _cause: Cause) -> f64 {
        1.0
    }
}

/// Increase of TCP(b) per round trip, packets, for the throughput of TCP at any loss rate, with timeouts (Yang and Lam
/// 2000).
fn gaimd(b: f64) -> f64 {
    4.0 * (2.0 * b - b * b) / 3.0
}

/// Increase of TCP(b) per round trip, packets, for the throughput of TCP without timeouts (Floyd, Handley and Padhye 2000;
/// RFC 9438 §4.3).
fn fhp(b: f64) -> f64 {
    3.0 * b / (2.0 - b)
}

/// The card of `binomial`.
pub(crate) const BINOMIAL: Entry = Entry {
    card: Card {
        name: "binomial",
        family: "slowly responsive",
        summary: "increase inversely proportional to w^k, decrease proportional to w^l; TCP's throughput for k + l = 1 and a = 1.5 b",
        source: "Bansal and Balakrishnan, INFOCOM 2001",
        equations: &["round trip: w = w + a / w^k", "loss: w = w - b w^l"],
        parameters: &[
            Parameter::number("k", "exponent of the increase, a / w^k", 0.0, -1.0..=4.0)
                .source("Bansal and Balakrishnan 2001 §3; 0 as TCP"),
            Parameter::number("l", "exponent of the decrease, b w^l", 1.0, 0.0..=1.0)
                .source("Bansal and Balakrishnan 2001 §3; 1 as TCP"),
            Parameter { source: "RFC 5681 §3.1 (standard TCP)", ..ADDED },
            Parameter {
                source: "RFC 5681 §3.1 (standard TCP)",
                domain: Domain::Number { default: 0.5, minimum: 0.0, maximum: 1000.0 },
                ..TAKEN
            },
        ],
        variables: &[],
        deviations: DEVIATIONS,
    },
    style: Some(Style(Hue::Cyan, Dash::Dashed)),
    needs: |_| Needs::RELIABLE,
    build: |values, setup| {
        let exponents = (values.number("k"), values.number("l"));
        build(exponents, (values.number("a"), values.number("b")), setup)
    },
};

/// The card of `sqrt`.
pub(crate) const SQRT: Entry = Entry {
    card: Card {
        name: "sqrt",
        summary: "SQRT(1/gamma): increase inversely proportional, decrease proportional to the square root of the window",
        source: "Bansal and Balakrishnan, INFOCOM 2001; SQRT(1/gamma) by Bansal et al., SIGCOMM 2001 §3",
        equations: &["round trip: w = w + 1.5 / (gamma sqrt(w))", "loss: w = w - sqrt(w) / gamma"],
        parameters: &[GAMMA],
        variables: &[],
        deviations: &[
            DEVIATIONS[0],
            DEVIATIONS[1],
            DEVIATIONS[2],
            DEVIATIONS[3],
            "the source gives gamma and not a; a = 1.5 b gives the mean window of TCP (ns-2's test of SQRT has a = 1 and b = 0.67, which is gamma = 1.5)",
        ],
        ..BINOMIAL.card
    },
    style: Some(Style(Hue::Rose, Dash::Dashed)),
    build: |values, setup| {
        let b = 1.0 / values.number("gamma");
        build((0.5, 0.5), (1.5 * b, b), setup)
    },
    ..BINOMIAL
};

/// The card of `iiad`.
pub(crate) const IIAD: Entry = Entry {
    card: Card {
        name: "iiad",
        summary: "inverse increase, additive decrease: increase inversely proportional to the window, constant decrease",
        source: "Bansal and Balakrishnan, INFOCOM 2001; constants of ns-2's test-suite-aimd",
        equations: &["round trip: w = w + a / w", "loss: w = w - b"],
        parameters: &[ADDED, TAKEN],
        ..BINOMIAL.card
    },
    style: Some(Style(Hue::Slate, Dash::Dashed)),
    build: |values, setup| build((1.0, 0.0), (values.number("a"), values.number("b")), setup),
    ..BINOMIAL
};

/// The card of `tcp`.
pub(crate) const TCP: Entry = Entry {
    card: Card {
        name: "tcp",
        summary: "TCP(b), TCP(1/gamma): decrease by the fraction b, and the increase that gives TCP's throughput; TCP(1/2) is standard TCP",
        source: "Bansal et al., SIGCOMM 2001 §3; Yang and Lam, ICNP 2000; Floyd, Handley and Padhye 2000",
        equations: &[
            "round trip: w = w + a",
            "loss: w = (1 - b) w",
            "gaimd: a = 4 (2 b - b^2) / 3; fhp: a = 3 b / (2 - b)",
        ],
        parameters: &[
            GAMMA,
            Parameter::number(
                "b",
                "fraction by which a loss decreases the window; 0: 1 / gamma",
                0.0,
                0.0..=1.0,
            )
            .source("Bansal et al. 2001 §3"),
            Parameter {
                name: "compat",
                meaning: "formula for the increase: the throughput of TCP with timeouts (gaimd) or without (fhp)",
                unit: "",
                source: "Yang and Lam 2000; Floyd, Handley and Padhye 2000",
                domain: Domain::Choice { default: "gaimd", allowed: &["gaimd", "fhp"] },
            },
        ],
        ..BINOMIAL.card
    },
    style: Some(Style(Hue::Ochre, Dash::Dashed)),
    build: |values, setup| {
        let given = values.number("b");
        let b = if given > 0.0 { given } else { 1.0 / values.number("gamma") };
        let a = if values.word("compat") == "gaimd" { gaimd(b) } else { fhp(b) };
        build((0.0, 1.0), (a, b), setup)
    },
    ..BINOMIAL
};

fn build(exponents: (f64, f64), factors: (f64, f64), setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(Binomial::new(exponents, factors), setup))
}

const GAMMA: Parameter =
    Parameter::number("gamma", "1 / b: the larger, the slower the response", 2.0, 1.0..=4096.0)
        .source("Bansal et al. 2001 §3; 2 as standard TCP");

const ADDED: Parameter = Parameter::number(
    "a",
    "increase of the window in each round trip without loss, times w^k",
    1.0,
    0.0..=1000.0,
)
.unit("packets^(k+1)")
.source("ns-2 test-suite-aimd");

const TAKEN: Parameter =
    Parameter::number("b", "decrease of the window at a loss, over w^l", 0.67, 0.0..=1000.0)
        .unit("packets^(1-l)")
        .source("ns-2 test-suite-aimd");

const DEVIATIONS: &[&str] = &[
    "an acknowledgement adds its share of the round's increase, computed with the window at the start of the round; ns-2 takes the current window, and its increase in a round is smaller by less than one part in 2 w",
    "a decrease leaves a window of at least 1 packet and ssthresh of at least 2",
    "packets acknowledged are counted, not acknowledgements",
    "the loss that ends slow start decreases the window by this rule, or to half as in ns-2 (key first_cut); a rule that subtracts a packet or two does not undo an overshoot",
];
