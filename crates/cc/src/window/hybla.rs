// SPDX-License-Identifier: Apache-2.0
//! TCP Hybla (Caini and Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal of
//! Satellite Communications and Networking 22, 2004): a flow with a long round-trip time grows in time as Reno does at a
//! reference round-trip time `RTT_0`.
//!
//! With `ρ = max(RTT / RTT_0, 1)`: slow start `w += (2^ρ − 1) n`, congestion avoidance `w += ρ² n / w` for an acknowledgement
//! of `n` packets. Loss: half, as Reno. So `w = ρ` times the window of Reno at `RTT_0`, and the rate is the same.

use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The parameters and the state of Hybla (Caini and Firrincieli 2004).
#[derive(Clone, Debug)]
pub struct Hybla {
    /// `RTT_0`, seconds.
    reference: f64,
    /// Step to which `ρ` is rounded down; zero for none.
    step: f64,
    /// Largest window that it grows to, packets.
    clamp: f64,
    /// Minimum round-trip time of the connection, seconds; infinite before the first sample.
    least: f64,
    /// `ρ`.
    rho: f64,
    /// `2^ρ − 1`.
    slow_start: f64,
}

impl Hybla {
    fn set_rtt(&mut self, least: f64) {
        self.least = least;
        let rho = least / self.reference;
        let rho = if self.step > 0.0 { libm::floor(rho / self.step) * self.step } else { rho };
        self.rho = rho.max(1.0);
        self.slow_start = libm::exp2(self.rho.min(RHO_MAX)) - 1.0;
    }
}

impl WindowRule for Hybla {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        self.rho * self.rho * acked / window.size
    }

    fn in_slow_start(&self, growth: f64) -> f64 {
        self.slow_start * growth
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size / 2.0
    }

    fn clamp(&self) -> f64 {
        self.clamp
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, _path: &Path) {
        if let Some(rtt) = ack.rtt.map(narrows_units::Span::as_secs_f64)
            && rtt < self.least
        {
            self.set_rtt(rtt);
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("rho", self.rho);
    }
}

/// The card of `hybla`.
pub(crate) const HYBLA: Entry = Entry {
    card: Card {
        name: "hybla",
        family: "RTT-compensating",
        summary: "Hybla: grows in time as Reno does at a round-trip time of 25 ms, whatever the round-trip time is",
        source: "Caini and Firrincieli, International Journal of Satellite Communications and Networking 22(5), 2004",
        equations: &[
            "rho = max(RTT / rtt0, 1)",
            "slow start: w += (2^rho - 1) acked",
            "congestion avoidance: w += rho^2 acked / w; loss: w = w / 2",
        ],
        parameters: &[
            Parameter::number(
                "rtt0",
                "round-trip time of the flow that the rate is to be the same as",
                0.025,
                0.000_001..=100.0,
            )
            .unit("s")
            .source("Caini and Firrincieli 2004"),
            Parameter::number(
                "step",
                "rho is rounded down to a multiple of this; 0 for not at all, 0.125 as in Linux",
                0.0,
                0.0..=1.0,
            )
            .source("Linux tcp_hybla.c"),
            Parameter::number(
                "clamp",
                "largest window that it grows to: over a long path one round trip of slow start would exceed any other bound",
                65_535.0,
                1.0..=1_073_741_824.0,
            )
            .unit("packets")
            .source("Linux tcp_hybla.c"),
        ],
        variables: &[Variable { name: "rho", unit: "", meaning: "rho, the normalized round-trip time" }],
        deviations: &[
            "RTT is the minimum of the connection's samples; Linux takes the minimum of SRTT",
            "the initial window and the initial ssthresh are the flow's; the paper multiplies them by rho, and Linux starts with rho packets, rounded down",
            "in slow start rho is at most 16, as in Linux",
            "Linux rounds rho down to eighths (step = 0.125) and counts acknowledgements, not packets (ack_counting = acks): with delayed acknowledgements it grows half as fast",
            "Linux has Reno's rule while a loss is being repaired or suspected",
            "selective acknowledgements, timestamps and the spacing of packets, which the paper recommends, are the flow's",
        ],
    },
    style: Some(Style(Hue::Vermilion, Dash::DashDotDot)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Hybla {
        reference: values.number("rtt0"),
        step: values.number("step"),
        clamp: values.number("clamp"),
        least: f64::INFINITY,
        rho: 1.0,
        slow_start: 1.0,
    };
    Box::new(Windowed::new(rule, setup))
}

/// Upper bound of `ρ` in slow start, as in Linux.
const RHO_MAX: f64 = 16.0;
