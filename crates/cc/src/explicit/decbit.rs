// SPDX-License-Identifier: Apache-2.0
//! DECbit's sender (Ramakrishnan and Jain, SIGCOMM 1988; Jain, Ramakrishnan and Chiu, "Congestion avoidance in computer networks with
//! a connectionless network layer", 1987): the window changes by the share of packets that routers set a bit in.
//!
//! After a change the packets of the window before it are awaited, then the packets of the present one: `w += 1` if
//! fewer than half of the latter have the bit, else `w = 7/8 w`.

use super::bounded;
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Limits, Loss, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::Bytes;
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_wire::{Feedback, Request};

/// The state of a DECbit sender (Ramakrishnan and Jain 1988).
#[derive(Clone, Debug)]
pub struct DecBit {
    /// Share of set bits from which the window decreases.
    share: f64,
    /// Factor of a decrease.
    beta: f64,
    window: f64,
    /// The window before the last loss episode, for undo.
    undo: Option<f64>,
    /// Packets of the window before the last change that are still awaited.
    awaited: f64,
    /// Packets of the present window, and those with the bit.
    counted: (f64, f64),
    initial_window: f64,
    burst: Bytes,
}

impl DecBit {
    /// Sets the window, and awaits the packets of the one before.
    fn change(&mut self, window: f64) {
        self.awaited = self.window;
        self.counted = (0.0, 0.0);
        self.window = bounded(window);
    }

    fn decide(&mut self, limited: bool) {
        let (packets, set) = self.counted;
        if packets < self.window.floor() {
            return;
        }
        if set >= self.share * packets {
            self.change(self.window * self.beta);
        } else {
            self.change(self.window + if limited { 1.0 } else { 0.0 });
        }
    }
}

impl CongestionControl for DecBit {
    fn limits(&self) -> Limits {
        Limits { window: Some(self.window as u64), pacing: None, burst: self.burst }
    }

    fn window(&self) -> Option<f64> {
        Some(self.window)
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let acked = ack.newly_acked as f64;
        if self.awaited > 0.0 {
            self.awaited -= acked;
            return;
        }
        let Some(Feedback::Level(level)) = ack.feedback else { return };
        self.counted.0 += acked;
        self.counted.1 += if level > 0 { acked } else { 0.0 };
        self.decide(path.window_limited);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.new_episode {
            self.undo = Some(self.window);
            self.change(self.window * self.beta);
        }
        if loss.cause == Cause::Timeout {
            self.change(1.0);
        }
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        if let Some(before) = self.undo.take() {
            self.change(self.window.max(before));
        }
    }

    fn on_idle(&mut self, idle: &Idle, _path: &Path) {
        if idle.timeouts > 0 {
            self.change(self.window.min(self.initial_window));
            self.undo = None;
        }
        self.awaited = 0.0;
    }

    fn request(&mut self, _path: &Path) -> Option<Request> {
        Some(Request::Level(0))
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("set", if self.counted.0 > 0.0 { self.counted.1 / self.counted.0 } else { 0.0 });
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `decbit`.
pub(crate) const DECBIT: Entry = Entry {
    card: Card {
        name: "decbit",
        family: "explicit",
        summary: "DECbit's sender: one packet more while routers with a decbit queue set the bit of fewer than half of the packets, else an eighth less",
        source: "Ramakrishnan and Jain, SIGCOMM 1988",
        equations: &[
            "after the packets of the window before a change and those of the present one: set < share: w = w + 1, else w = beta w",
            "loss: w = beta w; timeout: w = 1",
        ],
        parameters: &[
            Parameter::number("share", "share of set bits from which the window decreases", 0.5, 0.0..=1.0)
                .source("Ramakrishnan and Jain 1988"),
            Parameter::number("beta", "factor of a decrease", 0.875, 0.0..=1.0)
                .source("Ramakrishnan and Jain 1988"),
        ],
        variables: &[Variable {
            name: "set",
            unit: "share",
            meaning: "share of the packets of the present window with the bit set",
        }],
        deviations: &[
            "with delayed acknowledgements a bit of one packet counts for all that an acknowledgement covers",
            "packets of a burst are a queue: without pacing a flow of 80 ms uses 2 % of 100 Mbps, with pacing 52 %",
            "the source has no losses: a loss decreases as a set bit does, and a timeout leaves one packet",
        ],
    },
    style: Some(Style(Hue::Vermilion, Dash::Sparse)),
    needs: |_| Needs::routers("decbit"),
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(DecBit {
        share: values.number("share"),
        beta: values.number("beta"),
        window: bounded(setup.initial_window),
        undo: None,
        awaited: 0.0,
        counted: (0.0, 0.0),
        initial_window: setup.initial_window,
        burst: setup.mss * 2,
    })
}
