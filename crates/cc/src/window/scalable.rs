// SPDX-License-Identifier: Apache-2.0
//! Scalable TCP (Kelly, "Scalable TCP: improving performance in highspeed wide area networks", Computer Communication
//! Review 33, 2003): increase and decrease are proportional to the window, so that the time between losses is independent
//! of it.
//!
//! `w += 0.01 n` for an acknowledgement of `n` packets, `w -= w / 8` for each loss episode; at and below `low_window`
//! Reno's rule. The window doubles in `ln 2 / ln 1.01 = 69.7` round trips.

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values};

/// The parameters of Scalable TCP (Kelly 2003).
#[derive(Clone, Debug)]
pub struct Scalable {
    /// Increase for each packet acknowledged, packets.
    a: f64,
    /// Fraction by which a loss decreases the window.
    b: f64,
    /// At and below this window, packets, the rule is Reno's.
    low_window: f64,
}

impl WindowRule for Scalable {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        acked * if window.size > self.low_window { self.a } else { 1.0 / window.size }
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size * if window.size > self.low_window { 1.0 - self.b } else { 0.5 }
    }
}

/// The card of `scalable`.
pub(crate) const SCALABLE: Entry = Entry {
    card: Card {
        name: "scalable",
        family: "high-speed",
        summary: "Scalable TCP: increase by 0.01 packets for each packet acknowledged, decrease by an eighth",
        source: "Kelly, Computer Communication Review 33(2), 2003",
        equations: &[
            "w > low_window: w += a acked; loss: w = (1 - b) w",
            "else: w += acked / w; loss: w = w / 2",
        ],
        parameters: &[
            Parameter::number("a", "increase of the window for each packet acknowledged", 0.01, 0.0..=1.0)
                .unit("packets")
                .source("Kelly 2003 §2"),
            Parameter::number("b", "fraction by which a loss decreases the window", 0.125, 0.0..=1.0)
                .source("Kelly 2003 §2"),
            Parameter::number(
                "low_window",
                "at and below this window the rule is Reno's",
                16.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source("Kelly 2003 §2; Mills et al., NIST SP 500-282"),
        ],
        variables: &[],
        deviations: &[
            "packets acknowledged are counted; Linux adds one packet for each min(w, 50) acknowledgements, 50 instead of 100 because of delayed acknowledgements",
            "low_window is a parameter, as in the source; in Linux the minimum with the window has a similar effect",
        ],
    },
    style: Some(Style(Hue::Green, Dash::Dashed)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule =
        Scalable { a: values.number("a"), b: values.number("b"), low_window: values.number("low_window") };
    Box::new(Windowed::new(rule, setup))
}
