//! A constant-rate source: it hears nothing and changes nothing.

use super::payload_rate;
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Ack, CongestionControl, Limits, Loss, Path, Reports, Transport};
use narrows_units::{Bytes, Rate};

/// Its rate.
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

    fn transport(&self) -> Transport {
        Transport::Datagram(Reports::Nothing)
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `constant`.
pub(crate) const CONSTANT: Entry = Entry {
    name: "constant",
    family: "rate",
    summary: "datagrams at a constant rate, whatever becomes of them; the receiver sends nothing back",
    source: "constant bit rate over UDP; Agent/UDP with Application/Traffic/CBR in ns-2",
    equations: &["a packet every mss / rate"],
    parameters: &[Parameter {
        name: "rate",
        meaning: "payload sent a second",
        unit: "",
        source: "no source: a choice of the scenario",
        domain: Domain::Rate { default: "1Mbps" },
    }],
    deviations: &["packets are exactly spaced; ns-2 can draw a random jitter"],
    validation: Some(
        "rate sent and received on a link twice as fast, and half as fast: equal within 0.01 % and 0.1 %",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rate = values.rate("rate").max(payload_rate(0.0, setup.mss));
    Box::new(Constant { rate, mss: setup.mss })
}
