//! Scalable TCP (Kelly, "Scalable TCP: improving performance in highspeed wide area networks", Computer Communication
//! Review 33, 2003): growth and cut are parts of the window, so the time between losses does not depend on it.
//!
//! `w += 0.01 n` for an acknowledgement of `n` packets, `w -= w / 8` for each episode; at and below `low_window` Reno's
//! rule. The window doubles in `ln 2 / ln 1.01 = 69.7` round trips.
//!
//! Deviations: Linux adds one packet for each `min(w, 50)` acknowledgements, 50 and not 100 to make up for delayed ones,
//! and so has no low window but where 50 exceeds the window; here packets are counted and the constant is Kelly's.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Cause, CongestionControl, Path};

/// Kelly's rule.
#[derive(Clone, Debug)]
pub struct Scalable {
    /// Packets added for each packet acknowledged.
    a: f64,
    /// Part of the window that is given up.
    b: f64,
    /// At and below this window, packets, Reno's rule holds.
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
    name: "scalable",
    family: "high-speed",
    summary: "Scalable TCP: adds a hundredth of a packet for each acknowledged and gives up an eighth at a loss",
    source: "Kelly, Computer Communication Review 33(2), 2003",
    equations: &[
        "w > low_window: w += a acked; loss: w = (1 - b) w",
        "else: w += acked / w; loss: w = w / 2",
    ],
    parameters: &[
        Parameter {
            name: "a",
            meaning: "added to the window for each packet acknowledged",
            unit: "packets",
            source: "Kelly 2003 §2",
            domain: Domain::Number { default: 0.01, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "b",
            meaning: "part of the window that is given up at a loss",
            unit: "",
            source: "Kelly 2003 §2",
            domain: Domain::Number { default: 0.125, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "low_window",
            meaning: "at and below this window the rule is Reno's",
            unit: "packets",
            source: "Kelly 2003 §2; Mills et al., NIST SP 500-282",
            domain: Domain::Number { default: 16.0, minimum: 0.0, maximum: 1_000_000.0 },
        },
    ],
    deviations: &[
        "packets acknowledged are counted; Linux adds one packet for each min(w, 50) acknowledgements, which makes up for delayed ones",
        "low_window is a switch, as in the source; in Linux the minimum with the window has nearly its effect",
    ],
    validation: Some(
        "doubles in 69.7 round trips (-0.9 %); mean window under periodic loss against 1 / (p (1 + ln(8/7) / ln 1.01)): -0.7 % to -0.4 %; ns-2.35 with the module of Linux 2.6.22: DropTail loss +4.3 %, queue +11 %, goodput at 0.02 % random loss +15 %, for Linux's window then fell to half of ssthresh in each recovery",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule =
        Scalable { a: values.number("a"), b: values.number("b"), low_window: values.number("low_window") };
    Box::new(Windowed::new(rule, setup))
}
