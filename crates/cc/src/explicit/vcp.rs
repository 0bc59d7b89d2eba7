// SPDX-License-Identifier: Apache-2.0
//! VCP's sender (Xia, Subramanian, Stoica and Kalyanaraman, "One more bit is enough", SIGCOMM 2005): multiplicative
//! increase while the load of the path is low, additive while it is high, and a multiplicative decrease if it is above
//! the rate.
//!
//! With `ξ = k (100/80 − 1)` and `s = min(RTT / T, 2.5)` for an acknowledgement of `n` packets: low `w += n ((1 + ξ)^s − 1)`, which is a
//! factor of `1 + ξ` in each interval; high `w += n g α / w`, `g = (RTT / 100 ms)²`; overload `w = β w`, then no change for an
//! interval, and for a round trip after it overload counts as high. From a load of 0.001 to 0.8 this takes
//! `ln 800 / ln 1.0625` intervals, 22 s.

use super::load::{LoadSender, LoadWindow, Region, Signal};
use crate::{CongestionControl, Dash, Entry, Hue, Needs, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values};
use narrows_units::Span;
use narrows_wire::{Feedback, Request};

/// VCP's code (Xia et al. 2005).
#[derive(Clone, Debug)]
struct Code {
    /// `ξ`.
    xi: f64,
    /// `β`.
    beta: f64,
}

impl Signal for Code {
    fn request(&mut self) -> Request {
        Request::Level(LOW)
    }

    fn region(&mut self, feedback: Feedback) -> Option<Region> {
        match feedback {
            Feedback::Level(..=LOW) => Some(Region::Multiply(self.xi)),
            Feedback::Level(HIGH) => Some(Region::Add),
            Feedback::Level(_) => Some(Region::Decrease(self.beta)),
            _ => None,
        }
    }
}

/// The card of `vcp`.
pub(crate) const VCP: Entry = Entry {
    card: Card {
        name: "vcp",
        family: "explicit",
        summary: "VCP's sender: increases and decreases by the region of the load that routers with a vcp queue write into packets",
        source: "Xia, Subramanian, Stoica and Kalyanaraman, SIGCOMM 2005; vcp-src.cc of the authors' ns-2 code",
        equations: &[
            "xi = k (100/80 - 1), s = min(RTT / interval, 2.5), g = (RTT / 100 ms)^2 between 20 and 500 ms, linear outside",
            "low: w += acked ((1 + xi)^s - 1); high: w += acked g alpha / w",
            "overload: w = max(1, beta w), no change for an interval; for an RTT after it overload counts as high",
            "loss: w = w / 2; timeout: w = 1",
        ],
        parameters: &[
            INTERVAL,
            Parameter::number("k", "gain of the multiplicative increase", 0.25, 0.0..=1.0)
                .source("Xia et al. 2005"),
            ALPHA,
            Parameter::number("beta", "factor of the window at overload", 0.875, 0.0..=1.0)
                .source("Xia et al. 2005"),
        ],
        variables: &[],
        deviations: &[
            "the code has a field of its own, where the source uses the two bits of ECN; it is low on a path without a vcp queue, too",
            "a window that is not what limits the sender does not grow",
            "a loss halves the window as in the source, and additive increase is slow: at random losses of 1 % over 10 Mbps and 20 ms the utilization is 0.06",
            "windows up to 64 packets are not paced, unless the flow has pacing enabled",
        ],
    },
    style: Some(Style(Hue::Cyan, Dash::LongShort)),
    needs: |_| Needs::routers("vcp"),
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(LoadSender {
        window: LoadWindow::new(interval(values), values.number("alpha"), setup),
        signal: Code { xi: values.number("k") * 0.25, beta: values.number("beta") },
    })
}

/// Returns the value of [`INTERVAL`].
pub(super) fn interval(values: &Values) -> Span {
    Span::from_secs_f64(values.number("interval"))
}

/// `T`.
pub(super) const INTERVAL: Parameter = Parameter::number(
    "interval",
    "T: interval in which routers measure their load, as their queue has it",
    0.2,
    0.001..=60.0,
)
.unit("s")
.source("Xia et al. 2005");

/// `α`.
pub(super) const ALPHA: Parameter =
    Parameter::number("alpha", "additive increase in a round trip of 100 ms", 1.0, 0.0..=1_000_000.0)
        .unit("packets")
        .source("Xia et al. 2005");

/// The codes of a load below four fifths of the rate, and below the rate.
const LOW: u8 = 1;
const HIGH: u8 = 2;
