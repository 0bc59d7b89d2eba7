// SPDX-License-Identifier: Apache-2.0
//! Reno's additive increase and multiplicative decrease (Jacobson, SIGCOMM 1988; RFC 5681 §3.1).
//!
//! `w += acked / w` for each acknowledgement: one packet for each round trip. `w = w / 2` for each loss episode.

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Values};

/// The rule of RFC 5681 §3.1, which has no state.
#[derive(Clone, Debug)]
pub struct Reno;

impl WindowRule for Reno {
    const ABE_FACTOR: Option<f64> = Some(0.8);

    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        acked / window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size / 2.0
    }
}

/// The card of `reno`.
pub(crate) const RENO: Entry = Entry {
    card: Card {
        name: "reno",
        family: "standard",
        summary: "adds one packet per round trip and halves the window at a loss; newreno has the same rule, and the flow's recovery policy makes the difference",
        source: "RFC 5681 §3.1; Jacobson, SIGCOMM 1988",
        equations: &[
            "slow start: w += acked",
            "congestion avoidance: w += acked / w",
            "loss: ssthresh = w = w / 2; timeout: ssthresh = w / 2, w = 1",
            "mark, with the flow's key abe: ssthresh = w = 0.8 w (RFC 8511 §3.1)",
        ],
        parameters: &[],
        variables: &[],
        deviations: &[
            "packets acknowledged are counted, not acknowledgements, so that delayed acknowledgements do not slow the increase (as in Linux; ns-2 counts acknowledgements)",
            "if the flow's `reduction_from` is window, as in Linux and ns-2, the window is halved, not the data in flight (RFC 5681 eq. 4); a window that is not fully used does not grow",
            "windows are real numbers, where ns-2 truncates ssthresh and Linux the window; the number of packets that may be in flight is rounded down",
        ],
    },
    style: Some(Style(Hue::Blue, Dash::Solid)),
    needs: |_| Needs { abe_factor: Reno::ABE_FACTOR, ..Needs::RELIABLE },
    build,
};

/// The card of `newreno`.
pub(crate) const NEWRENO: Entry = Entry {
    card: Card {
        name: "newreno",
        summary: "the window rule of reno under its usual name; the flow's recovery policy (RFC 6582 or another) makes the difference",
        source: "RFC 5681 §3.1; recovery by RFC 6582",
        ..RENO.card
    },
    style: Some(Style(Hue::Vermilion, Dash::Solid)),
    ..RENO
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(Reno, setup))
}
