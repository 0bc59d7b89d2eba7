// SPDX-License-Identifier: Apache-2.0
//! A constant rate without congestion control.

use super::payload_rate;
use crate::{Ack, CongestionControl, Dash, Entry, Hue, Limits, Loss, Needs, Path, Reports, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Values};
use narrows_units::{Bytes, Rate};

/// A sender at a constant rate.
#[derive(Clone, Debug)]
pub struct Constant {
    rate: Rate,
    mss: Bytes,
}

impl CongestionControl for Constant {
    fn limits(&self) -> Limits {
        Limits { window: None, pacing: Some(self.rate), burst: self.mss }
    }

    fn window(&self) -> Option<f64> {
        None
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, _ack: &Ack<'_>, _path: &Path) {}

    fn on_loss(&mut self, _loss: &Loss<'_>, _path: &Path) {}

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `constant`.
pub(crate) const CONSTANT: Entry = Entry {
    card: Card {
        name: "constant",
        family: "rate",
        summary: "datagrams at a constant rate without congestion control; the receiver sends no feedback",
        source: "constant bit rate over UDP; Agent/UDP with Application/Traffic/CBR in ns-2",
        equations: &["a packet every mss / rate"],
        parameters: &[Parameter {
            name: "rate",
            meaning: "rate of payload",
            unit: "",
            source: "none: set by the scenario",
            domain: Domain::Rate { default: "1Mbps" },
        }],
        variables: &[],
        deviations: &["packets are evenly spaced; ns-2 has an optional random jitter"],
    },
    style: Some(Style(Hue::Blue, Dash::DashDotDot)),
    needs: |_| Needs::datagrams(Reports::Nothing),
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rate = values.rate("rate").max(payload_rate(0.0, setup.mss));
    Box::new(Constant { rate, mss: setup.mss })
}
