// SPDX-License-Identifier: Apache-2.0
//! Layered TCP (Bhandarkar, Jain and Reddy, "LTCP: improving the performance of TCP in highspeed networks", Computer Communication
//! Review 36, 2006): a flow behaves like as many TCP flows as it has layers.
//!
//! * Layer `K` begins at a window of `W_K = W_T K (K + 1) (K − 1) / 6` packets, the first at 0: 50, 200, 500, 1000 …
//! * `w += K_R K n / w` for an acknowledgement of `n` packets; where `w` reaches `W_{K+1}` a layer is added.
//! * Loss: `w −= β w`, half in the first layer; if that is below `W_K` one layer is dropped. Timeout: half, and one
//!   layer.
//!
//! Without a loss the window has grown from `W_T` to `W_K` after `(W_T / 2) (K (K + 1) / 2 − 3)` round trips. With one loss in
//! `1 / p` packets and `b = β (1 − β / 2)` the mean window is near `(1 − β / 2) (1 / (p b (W_T / 6)^(1/3)))^(3/5)`.

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The parameters and the layer of LTCP (Bhandarkar et al. 2006).
#[derive(Clone, Debug)]
pub struct Layered {
    /// `W_T`, packets.
    threshold: f64,
    /// `β`.
    beta: f64,
    /// `RTT_0`, seconds; `None` for no compensation.
    reference: Option<f64>,
    /// `K`, from 1.
    layer: f64,
}

impl Layered {
    /// `W_K`, packets: the window at which layer `layer` begins.
    fn beginning(&self, layer: f64) -> f64 {
        self.threshold * layer * (layer + 1.0) * (layer - 1.0) / 6.0
    }

    /// Adds the layers that begin at or below a window.
    fn reach(&mut self, window: f64) {
        while window >= self.beginning(self.layer + 1.0) {
            self.layer += 1.0;
        }
    }

    /// `K_R`, which makes shares over unequal round trips equal to TCP's.
    fn compensation(&self, path: &Path) -> f64 {
        let Some((reference, rtt)) = self.reference.zip(path.rtt) else { return 1.0 };
        libm::cbrt(rtt.smoothed.as_secs_f64() / reference).max(1.0)
    }
}

impl WindowRule for Layered {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        self.reach(window.size);
        acked * self.layer * self.compensation(path) / window.size
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        if cause == Cause::Timeout {
            self.layer = 1.0;
            return window.size / 2.0;
        }
        if window.in_slow_start() {
            self.layer = 1.0;
            self.reach(window.size);
        }
        let left = window.size * if self.layer > 1.0 { 1.0 - self.beta } else { 0.5 };
        if left < self.beginning(self.layer) {
            self.layer -= 1.0;
        }
        left
    }

    fn on_avoidance(&mut self) {
        self.layer = 1.0;
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("layer", self.layer);
    }
}

/// The card of `ltcp`.
pub(crate) const LTCP: Entry = Entry {
    card: Card {
        name: "ltcp",
        family: "high-speed",
        summary: "Layered TCP: behaves like as many TCP flows as it has layers, which the window adds one by one",
        source: "Bhandarkar, Jain and Reddy, Computer Communication Review 36(1), 2006; draft-bhandarkar-ltcp-01",
        equations: &[
            "W_K = threshold K (K + 1) (K - 1) / 6, W_1 = 0",
            "w += K_R K acked / w; w >= W_(K+1): K = K + 1",
            "loss: w = (1 - beta) w, w / 2 if K = 1; then w < W_K: K = K - 1; timeout: ssthresh = w / 2, K = 1",
            "K_R = max(1, (RTT / reference)^(1/3)); 1 without rtt_scaling",
        ],
        parameters: &[
            Parameter::number(
                "threshold",
                "W_T: window at which the second layer begins; TCP below",
                50.0,
                2.0..=1_000_000.0,
            )
            .unit("packets")
            .source("Bhandarkar et al. 2006"),
            Parameter::number("beta", "fraction by which a loss decreases the window", 0.15, 0.0..=0.5)
                .source("Bhandarkar et al. 2006: at most 3 / (K + 1), here with K = 19"),
            Parameter::flag("rtt_scaling", "K_R follows the round-trip time; otherwise it is 1", false)
                .source("Bhandarkar et al. 2006: an option; off is ours"),
            Parameter::number(
                "reference",
                "round-trip time up to which K_R is 1 with rtt_scaling",
                0.025,
                0.000_001..=100.0,
            )
            .unit("s")
            .source("exponent: Bhandarkar et al. 2006; scale: ours"),
        ],
        variables: &[Variable { name: "layer", unit: "", meaning: "K, the number of layers" }],
        deviations: &[
            "the paper's text could not be read: its constants and equations are recalled, and follow from what its abstract claims (convergence of two flows, at most one layer lost at a loss, shares as TCP's over unequal round trips)",
            "the paper states K_R up to a factor; here it is 1 at round-trip times up to reference",
            "after slow start K is the largest whose beginning the window has reached, and 1 after a timeout: ours",
        ],
    },
    style: Some(Style(Hue::Blue, Dash::LongShort)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Layered {
        threshold: values.number("threshold"),
        beta: values.number("beta"),
        reference: values.flag("rtt_scaling").then(|| values.number("reference")),
        layer: 1.0,
    };
    Box::new(Windowed::new(rule, setup))
}
