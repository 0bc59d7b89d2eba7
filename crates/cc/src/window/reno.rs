//! Reno's additive increase and multiplicative decrease (Jacobson, SIGCOMM 1988; RFC 5681 §3.1).
//!
//! `w += acked / w` for each acknowledgement: one packet for each round trip. `w = w / 2` for each episode.
//!
//! Deviations: windows are real numbers, where ns-2 truncates ssthresh and Linux the window. RFC 5681 halves the data in
//! flight, this halves the window (see the frame).

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Entry, Needs, Setup, Values};
use crate::{Cause, CongestionControl, Path};

/// RFC 5681's rule has no state.
#[derive(Clone, Debug)]
pub struct Reno;

impl WindowRule for Reno {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        acked / window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size / 2.0
    }
}

/// The card of `reno`.
pub(crate) const RENO: Entry = Entry {
    name: "reno",
    family: "standard",
    summary: "additive increase by one packet a round trip, halved at a loss; the window rule is the same as newreno's, recovery decides the rest",
    source: "RFC 5681 §3.1; Jacobson, SIGCOMM 1988",
    equations: &[
        "slow start: w += acked",
        "congestion avoidance: w += acked / w",
        "loss: ssthresh = w = w / 2; timeout: ssthresh = w / 2, w = 1",
    ],
    parameters: &[],
    deviations: &[
        "acknowledged packets are counted, not acknowledgements, so delayed acknowledgements do not slow growth (as Linux; ns-2 counts acknowledgements)",
        "the window is halved, not the data in flight (RFC 5681 eq. 4), as Linux and ns-2 do; a window that is not filled does not grow",
        "windows are real numbers; only what may be sent is rounded down",
    ],
    validation: Some(
        "mean window under periodic loss against sqrt(1.5 / p): -3.7 % at p = 1e-3, -1.6 % at 1e-4; ns-2.35 with SACK, NewReno and Reno recovery over DropTail, RED and random loss: loss rate, utilisation, queue and window within 5 %, except the loss of Reno recovery over RED, +6.4 %: ns-2 suppresses second fast retransmissions",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

/// The card of `newreno`.
pub(crate) const NEWRENO: Entry = Entry {
    name: "newreno",
    summary: "the window rule of reno under its other name; the flow's recovery (RFC 6582 or another) decides the rest",
    source: "RFC 5681 §3.1; recovery by RFC 6582",
    ..RENO
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(Reno, setup))
}
