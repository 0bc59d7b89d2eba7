// SPDX-License-Identifier: Apache-2.0
//! BMCC, a reconstruction (Qazi, Andrew and Znati, "Congestion control using efficient explicit feedback", INFOCOM 2009): the laws of
//! VCP, but with the load itself, which one bit of each packet reports ever more exactly (ADPM).
//!
//! * Packet `n` asks whether the load is above `τ(n)`: `n` with its 16 bits reversed over 2¹⁶, times 1.2. `f̂ = max(f̂, τ)` if it is, else
//!   `f̂ = min(f̂, τ)`: after `m` packets a load that stays is known within `1.2 / m`. A second bit reports a load of one or more.
//! * `f̂ < η`: a factor of `1 + ξ` in each interval, `ξ = min(1, k (1 − f̂) / f̂)`. `f̂ < 1`: `g α` packets in a round trip. Else
//!   `w = β w`, with `β` from `b_max` at a load of 1 to `b_min` at 1.2 and above. Scales and times of rest are VCP's.
//!
//! `1 − f` shrinks by `1 − k` in each interval: to 0.2 after `ln 0.2 / ln(1 − k)` of them, 1.1 s.

use super::load::{LoadSender, LoadWindow, Region, Signal};
use super::vcp::{ALPHA, INTERVAL, interval};
use crate::{CongestionControl, Dash, Entry, Hue, Needs, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_wire::{Feedback, Request};

/// ADPM's thresholds, and the known bounds of the load.
#[derive(Clone, Debug)]
struct Bmcc {
    options: Options,
    /// `n` of the next packet.
    number: u16,
    /// `f̂`; `None` before the first answer.
    load: Option<f64>,
}

/// The parameters of the card.
#[derive(Clone, Copy, Debug)]
struct Options {
    k: f64,
    eta: f64,
    b_max: f64,
    b_min: f64,
}

impl Bmcc {
    /// The change of the window that `f̂` requires.
    fn asked(&self, load: f64) -> Region {
        let Options { k, eta, b_max, b_min } = self.options;
        if load < eta {
            Region::Multiply((k * (1.0 - load) / load).min(1.0))
        } else if load < 1.0 {
            Region::Add
        } else {
            Region::Decrease(b_max - (b_max - b_min) * ((load - 1.0) / (LOAD_MAX - 1.0)).min(1.0))
        }
    }

    /// Adds the result of a packet with the threshold `threshold`.
    fn learn(&mut self, threshold: f64, above: bool, overload: bool) -> f64 {
        let before = self.load.unwrap_or(threshold);
        let bracketed = if above { before.max(threshold) } else { before.min(threshold) };
        let load = if overload { bracketed.max(1.0) } else { bracketed.min(BELOW_ONE) };
        self.load = Some(load);
        load
    }
}

impl Signal for Bmcc {
    fn request(&mut self) -> Request {
        self.number = self.number.wrapping_add(1);
        let threshold = (f64::from(self.number.reverse_bits()) / 65_536.0 * LOAD_MAX) as f32;
        Request::Load { threshold, above: false, overload: false }
    }

    fn region(&mut self, feedback: Feedback) -> Option<Region> {
        let Feedback::Load { threshold, above, overload } = feedback else { return None };
        let load = self.learn(f64::from(threshold), above, overload);
        Some(self.asked(load))
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if let Some(load) = self.load {
            record("load", load);
        }
    }
}

/// The card of `bmcc`.
pub(crate) const BMCC: Entry = Entry {
    card: Card {
        name: "bmcc",
        family: "explicit",
        summary: "reconstruction of BMCC: the laws of VCP by the load itself, which routers with an adpm queue report one bit a packet",
        source: "Qazi, Andrew and Znati, INFOCOM 2009 (abstract); Andrew et al., IEEE Communications Letters 10(11), 2006; Xia et al., SIGCOMM 2005",
        equations: &[
            "packet n: tau = 1.2 reversed(n) / 2^16; answer: f = max(f, tau) if marked, else min(f, tau); second bit: f >= 1",
            "f < eta: w += acked ((1 + xi)^s - 1), xi = min(1, k (1 - f) / f); f < 1: w += acked g alpha / w",
            "f >= 1: w = max(1, beta w), beta = b_max - (b_max - b_min) min(1, (f - 1) / 0.2), then as vcp",
            "s, g, loss and timeout as vcp",
        ],
        parameters: &[
            INTERVAL,
            Parameter::number("k", "gain of the multiplicative increase", 0.25, 0.0..=0.99)
                .source("Xia et al. 2005; 0.35 is recalled of MLCP"),
            ALPHA,
            Parameter::number("eta", "load from which the increase is additive", 0.8, 0.0..=1.0)
                .source("Qazi et al. 2009, recalled"),
            Parameter::number("b_max", "factor of the window at a load of one", 0.99, 0.0..=1.0)
                .source("ours"),
            Parameter::number("b_min", "factor of the window at a load of 1.2 and above", 0.75, 0.0..=1.0)
                .source("ours"),
        ],
        variables: &[Variable { name: "load", unit: "share", meaning: "f, the estimated load of the path" }],
        deviations: &[
            "a reconstruction from ADPM's and VCP's laws: BMCC's text could not be read, and its constants are ours but for k and alpha",
            "the packet carries its threshold and two marks, where the source uses the identification of IP and the two bits of ECN",
            "flows of unequal round trips do not share alike: one of 200 ms has 2.5 times the rate of one of 80 ms, since small decreases come once in an interval and a round trip",
            "a loss halves the window, as in VCP: at random losses of 1 % over 10 Mbps and 20 ms the utilization is 0.28",
            "with delayed acknowledgements the answer of the last packet counts",
            "on a path without an adpm queue no packet is marked, which is a load of 0",
        ],
    },
    style: Some(Style(Hue::Slate, Dash::LongShort)),
    needs: |_| Needs::routers("adpm"),
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let options = Options {
        k: values.number("k"),
        eta: values.number("eta"),
        b_max: values.number("b_max"),
        b_min: values.number("b_min"),
    };
    Box::new(LoadSender {
        window: LoadWindow::new(interval(values), values.number("alpha"), setup),
        signal: Bmcc { options, number: 0, load: None },
    })
}

/// The largest threshold, and the load from which the decrease is the largest.
const LOAD_MAX: f64 = 1.2;

/// The largest estimate of a load below one.
const BELOW_ONE: f64 = 0.999;
