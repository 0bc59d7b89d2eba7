// SPDX-License-Identifier: Apache-2.0
//! AILD (Venkitaraman et al., poster at SIGMETRICS 1999, as
//! Akella et al. 2002, §6, describe it): the decrease is proportional to the fraction of packets lost, not to the window.
//!
//! `w += n / w` for an acknowledgement of `n` packets. In a loss episode `w −= β f`, where `f` is the packets lost in it so far over
//! the window at its start. Timeout: `w / 2`. With a packet gained in a round trip the mean of `f` is near `1 / β`.

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The parameter and the losses of AILD.
#[derive(Clone, Debug)]
pub struct Aild {
    /// `β`, packets.
    beta: f64,
    /// The window at the start of the episode, packets.
    window: f64,
    /// Packets lost in the episode.
    lost: u64,
    /// The episode began with a timeout.
    repairing: bool,
}

impl Aild {
    /// `f`, at most 1.
    fn loss_ratio(&self) -> f64 {
        (self.lost as f64 / self.window).min(1.0)
    }
}

impl WindowRule for Aild {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        acked / window.size
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        (self.window, self.lost) = (window.size, 0);
        self.repairing = cause == Cause::Timeout;
        if cause == Cause::Timeout { window.size / 2.0 } else { window.size }
    }

    fn on_lost(&mut self, window: &Window, lost: u64) -> Option<f64> {
        self.lost += lost;
        let left = (self.window - self.beta * self.loss_ratio()).max(WINDOW_MIN);
        (left < window.size && !self.repairing).then_some(left)
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("f", self.loss_ratio());
    }
}

/// The card of `aild`.
pub(crate) const AILD: Entry = Entry {
    card: Card {
        name: "aild",
        family: "linear",
        summary: "additive increase, decrease in proportion to the fraction of packets lost, whatever the window",
        source: "Venkitaraman et al., SIGMETRICS 1999 (poster), as described by Akella et al. 2002, §6",
        equations: &[
            "w += acked / w",
            "loss episode from a window W: f = lost / W, w = W - beta f; timeout: ssthresh = w / 2, w = 1",
        ],
        parameters: &[Parameter::number(
            "beta",
            "decrease of the window if all packets of a round trip are lost",
            100.0,
            0.0..=1_000_000.0,
        )
        .unit("packets")
        .source("ours: the source's is not known; the mean of f is near 1 / beta")],
        variables: &[Variable {
            name: "f",
            unit: "share",
            meaning: "packets lost in the last loss episode over the window at its start",
        }],
        deviations: &[
            "the poster could not be read: the rule is that of the text that cites it, and beta is our choice",
            "the window decreases as losses are found, and has lost beta f at the end of the episode; a mark has no lost packet and decreases nothing",
        ],
    },
    style: Some(Style(Hue::Ochre, Dash::LongShort)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(
        Aild { beta: values.number("beta"), window: setup.initial_window, lost: 0, repairing: false },
        setup,
    ))
}

/// Least window after a decrease, packets.
const WINDOW_MIN: f64 = 2.0;
