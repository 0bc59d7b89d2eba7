// SPDX-License-Identifier: Apache-2.0
//! TCP Veno (Fu and Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", JSAC 21, 2003): Reno,
//! but with few packets in the queue a loss is taken for random and costs a fifth of the window, and with many the window
//! grows at half the rate.
//!
//! * `N = w (RTT − BaseRTT) / RTT`: packets in the queue, with the smoothed round-trip time and the minimum since the last
//!   loss.
//! * `w += n / w` for an acknowledgement of `n` packets if `N < β`, else half of that: the paper grows with every other
//!   acknowledgement.
//! * Loss: `w = 4/5 w` if `N < β`, else half. Timeout: half.

use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Values, Variable};
use narrows_units::Span;

/// The parameters and the state of Veno (Fu and Liew 2003).
#[derive(Clone, Debug)]
pub struct Veno {
    /// `β`, packets.
    beta: f64,
    /// Factor by which a loss with fewer than `β` packets in the queue multiplies the window.
    random: f64,
    /// `RTT` is the latest sample, not the smoothed time.
    latest: bool,
    /// A loss resets `BaseRTT`.
    reset: bool,
    /// `BaseRTT`; `None` before the first sample and after a reset.
    base: Option<Span>,
    /// `(RTT − BaseRTT) / RTT`.
    queued: f64,
}

impl Veno {
    /// Whether `N ≥ β`.
    fn is_congested(&self, window: &Window) -> bool {
        window.size * self.queued >= self.beta
    }
}

impl WindowRule for Veno {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        acked / window.size * if self.is_congested(window) { 0.5 } else { 1.0 }
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        let is_random = cause != Cause::Timeout && !self.is_congested(window);
        if self.reset {
            (self.base, self.queued) = (None, 0.0);
        }
        window.size * if is_random { self.random } else { 0.5 }
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        let Some(sample) = ack.rtt else { return };
        let base = self.base.map_or(sample, |base| base.min(sample));
        self.base = Some(base);
        let rtt = if self.latest { sample } else { path.rtt.map_or(sample, |rtt| rtt.smoothed) };
        // The smoothed time may be of round trips before a reset, or shorter than the first after it.
        self.queued = if rtt > base { 1.0 - base.as_secs_f64() / rtt.as_secs_f64() } else { 0.0 };
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("queued", self.queued);
    }
}

/// The card of `veno`.
pub(crate) const VENO: Entry = Entry {
    card: Card {
        name: "veno",
        family: "loss- and delay-based",
        summary: "Veno: Reno, but decreases by a fifth at a loss with a short queue, and grows at half the rate with a long one",
        source: "Fu and Liew, JSAC 21(2), 2003",
        equations: &[
            "N = w (RTT - BaseRTT) / RTT",
            "N < beta: w += acked / w; else: w += acked / (2 w)",
            "loss: N < beta: w = random w; else: w = w / 2; timeout: ssthresh = w / 2, w = 1",
        ],
        parameters: &[
            Parameter::number(
                "beta",
                "packets in the queue from which a loss is taken for congestion",
                3.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source("Fu and Liew 2003 §III"),
            Parameter::number(
                "random",
                "factor of the window at a loss with fewer packets in the queue",
                0.8,
                0.0..=1.0,
            )
            .source("Fu and Liew 2003 §III"),
            Parameter {
                name: "rtt",
                meaning: "RTT: the smoothed round-trip time, or the latest sample as in Linux",
                unit: "",
                source: "Fu and Liew 2003 §III; Linux tcp_veno.c",
                domain: Domain::Choice { default: "smoothed", allowed: &["smoothed", "latest"] },
            },
            Parameter::flag(
                "reset",
                "BaseRTT is the minimum since the last loss; otherwise of the connection as in Linux",
                true,
            )
            .source("Fu and Liew 2003 §III; Linux tcp_veno.c"),
        ],
        variables: &[Variable {
            name: "queued",
            unit: "share",
            meaning: "(RTT - BaseRTT) / RTT, the part of the window that is in the queue",
        }],
        deviations: &[
            "half of Reno's increase for every acknowledgement, where the paper has all of it for every other",
            "Linux takes the latest sample for RTT and never resets BaseRTT (rtt = latest, reset = false)",
            "Linux decreases by a fifth at a timeout, too, if the queue is short; it evaluates N in half packets, and only when the window may grow",
            "Linux adds Reno's increase alone for the first two samples",
        ],
    },
    style: Some(Style(Hue::Purple, Dash::DashDotDot)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Veno {
        beta: values.number("beta"),
        random: values.number("random"),
        latest: values.word("rtt") == "latest",
        reset: values.flag("reset"),
        base: None,
        queued: 0.0,
    };
    Box::new(Windowed::new(rule, setup))
}
