//! Binomial algorithms, slowly responsive alternatives to TCP (Bansal and Balakrishnan, INFOCOM 2001), and the members
//! that "Dynamic behavior of slowly-responsive congestion control algorithms" compares (Bansal, Balakrishnan, Floyd and
//! Shenker, SIGCOMM 2001).
//!
//! `w += a / w^k` for each round trip without loss, `w -= b w^l` for each episode. TCP(b) is (0, 1), SQRT (1/2, 1/2),
//! IIAD (1, 0); with `k + l = 1` the mean window is `sqrt(a / (b p))` for small `b`, so `a = 1.5 b` is as fast as TCP.
//! TCP(b) takes its `a` from Yang and Lam (GAIMD, ICNP 2000) or from Floyd, Handley and Padhye (2000).
//!
//! Deviations: an acknowledgement of `n` packets adds `n a / w₀^(k+1)`, with `w₀` the window with which the round began,
//! so that a full round gives exactly the formula; ns-2 (`wnd_option 6`) takes the running window, which differs by less
//! than one packet in `2 w` of a round's step.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup};
use crate::{Cause, CongestionControl, Path};

/// Two exponents, two factors and the slope of the present round.
#[derive(Clone, Debug)]
pub struct Binomial {
    /// `k`: how fast growth falls with the window.
    k: f64,
    /// `l`: how fast the cut rises with the window.
    l: f64,
    /// `a`, packets to the power `k + 1`.
    a: f64,
    /// `b`, packets to the power `1 − l`.
    b: f64,
    /// The round that `slope` belongs to; `None` after a cut.
    round: Option<u64>,
    /// Packets to add for each packet acknowledged in this round.
    slope: f64,
}

impl Binomial {
    /// `w += a / w^k` for each round trip, `w -= b w^l` for each episode.
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

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.round = None;
        window.size - self.b * libm::pow(window.size, self.l)
    }

    fn floor(&self, _cause: Cause) -> f64 {
        1.0
    }
}

/// What TCP(b) adds for each round trip to be as fast as TCP at any loss rate, timeouts included (Yang and Lam 2000).
fn gaimd(b: f64) -> f64 {
    4.0 * (2.0 * b - b * b) / 3.0
}

/// What TCP(b) adds for each round trip to be as fast as TCP where no loss times out (Floyd, Handley and Padhye 2000;
/// RFC 9438 §4.3).
fn fhp(b: f64) -> f64 {
    3.0 * b / (2.0 - b)
}

/// The card of `binomial`.
pub(crate) const BINOMIAL: Entry = Entry {
    name: "binomial",
    family: "slowly responsive",
    summary: "growth that falls and a cut that rises with powers of the window; as fast as TCP where k + l = 1 and a = 1.5 b",
    source: "Bansal and Balakrishnan, INFOCOM 2001",
    equations: &["round trip: w = w + a / w^k", "loss: w = w - b w^l"],
    parameters: &[
        Parameter {
            name: "k",
            meaning: "power of the window by which growth falls",
            unit: "",
            source: "Bansal and Balakrishnan 2001 §3; 0 as TCP",
            domain: Domain::Number { default: 0.0, minimum: -1.0, maximum: 4.0 },
        },
        Parameter {
            name: "l",
            meaning: "power of the window by which the cut rises",
            unit: "",
            source: "Bansal and Balakrishnan 2001 §3; 1 as TCP",
            domain: Domain::Number { default: 1.0, minimum: 0.0, maximum: 1.0 },
        },
        Parameter { source: "RFC 5681 §3.1 (standard TCP)", ..ADDED },
        Parameter {
            source: "RFC 5681 §3.1 (standard TCP)",
            domain: Domain::Number { default: 0.5, minimum: 0.0, maximum: 1000.0 },
            ..TAKEN
        },
    ],
    deviations: DEVIATIONS,
    validation: Some(
        "mean window under periodic loss against the ratio of the integrals of w^(k+1) and w^k over a cycle at p = 1e-3, for SQRT and IIAD: -2.2 % to -1.8 %; ns-2.35: goodput at 1 % random loss +1.7 % for both, RED loss +2.6 % and +1.1 %",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build: |values, setup| {
        let exponents = (values.number("k"), values.number("l"));
        build(exponents, (values.number("a"), values.number("b")), setup)
    },
};

/// The card of `sqrt`.
pub(crate) const SQRT: Entry = Entry {
    name: "sqrt",
    summary: "SQRT(1/gamma): growth falls and the cut rises with the square root of the window",
    source: "Bansal and Balakrishnan, INFOCOM 2001; SQRT(1/gamma) by Bansal et al., SIGCOMM 2001 §3",
    equations: &["round trip: w = w + 1.5 / (gamma sqrt(w))", "loss: w = w - sqrt(w) / gamma"],
    parameters: &[GAMMA],
    deviations: &[
        DEVIATIONS[0],
        DEVIATIONS[1],
        DEVIATIONS[2],
        DEVIATIONS[3],
        "the source names gamma and not a; a = 1.5 b makes the mean window TCP's (ns-2's test of SQRT: a = 1, b = 0.67, which is gamma = 1.5)",
    ],
    build: |values, setup| {
        let b = 1.0 / values.number("gamma");
        build((0.5, 0.5), (1.5 * b, b), setup)
    },
    ..BINOMIAL
};

/// The card of `iiad`.
pub(crate) const IIAD: Entry = Entry {
    name: "iiad",
    summary: "inverse increase, additive decrease: growth falls with the window, the cut is the same at any window",
    source: "Bansal and Balakrishnan, INFOCOM 2001; constants of ns-2's test-suite-aimd",
    equations: &["round trip: w = w + a / w", "loss: w = w - b"],
    parameters: &[ADDED, TAKEN],
    build: |values, setup| build((1.0, 0.0), (values.number("a"), values.number("b")), setup),
    ..BINOMIAL
};

/// The card of `tcp`.
pub(crate) const TCP: Entry = Entry {
    name: "tcp",
    summary: "TCP(b), TCP(1/gamma): gives up the part b at a loss and adds what makes it as fast as TCP; TCP(1/2) is standard TCP",
    source: "Bansal et al., SIGCOMM 2001 §3; Yang and Lam, ICNP 2000; Floyd, Handley and Padhye 2000",
    equations: &[
        "round trip: w = w + a",
        "loss: w = (1 - b) w",
        "gaimd: a = 4 (2 b - b^2) / 3; fhp: a = 3 b / (2 - b)",
    ],
    parameters: &[
        GAMMA,
        Parameter {
            name: "b",
            meaning: "part of the window that is given up at a loss; 0: 1 / gamma",
            unit: "",
            source: "Bansal et al. 2001 §3",
            domain: Domain::Number { default: 0.0, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "compat",
            meaning: "which formula for the increase: as fast as TCP with timeouts (gaimd) or without (fhp)",
            unit: "",
            source: "Yang and Lam 2000; Floyd, Handley and Padhye 2000",
            domain: Domain::Choice { default: "gaimd", allowed: &["gaimd", "fhp"] },
        },
    ],
    validation: Some(
        "mean window of TCP(1/8) against sqrt(a (2 - b) / (2 b p)) at p = 1e-3: -2.7 % with gaimd, -2.1 % with fhp; ns-2.35, gamma = 8: DropTail loss within 0.1 %, goodput at 1 % random loss +1.9 %, RED loss +2.5 %",
    ),
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

const GAMMA: Parameter = Parameter {
    name: "gamma",
    meaning: "how slowly the algorithm responds: 1 / b",
    unit: "",
    source: "Bansal et al. 2001 §3; 2 as standard TCP",
    domain: Domain::Number { default: 2.0, minimum: 1.0, maximum: 4096.0 },
};

const ADDED: Parameter = Parameter {
    name: "a",
    meaning: "added to the window, divided by its power k, in each round trip without loss",
    unit: "packets^(k+1)",
    source: "ns-2 test-suite-aimd",
    domain: Domain::Number { default: 1.0, minimum: 0.0, maximum: 1000.0 },
};

const TAKEN: Parameter = Parameter {
    name: "b",
    meaning: "taken from the window, multiplied by its power l, at a loss",
    unit: "packets^(1-l)",
    source: "ns-2 test-suite-aimd",
    domain: Domain::Number { default: 0.67, minimum: 0.0, maximum: 1000.0 },
};

const DEVIATIONS: &[&str] = &[
    "an acknowledgement adds its part of the round's step, taken at the window with which the round began; ns-2 takes the running window",
    "a cut leaves at least 1 packet and ssthresh at least 2",
    "packets acknowledged are counted, not acknowledgements",
    "what ends slow start is cut by this rule, or by half as in ns-2 (see the transport's first cut): a rule that takes a packet or two repairs no overshoot",
];
