//! RCP's end host (Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005): every flow sends at the one rate that the
//! routers of its path offer to all.
//!
//! Each packet carries the round-trip time and asks for any rate; each router lowers it to its own. The sender paces at
//! what comes back, `payload = R · mss / packet`, and has no window. A loss is repaired and changes nothing: the
//! routers see their queues.
//!
//! The SYN asks too, so that the first data leaves at the rate offered.
//!
//! Deviations: a path without an RCP router leaves the flow at the initial window, one packet after a timeout.

use super::{floored, seconds};
use crate::catalogue::{Entry, Needs, Setup, Values};
use crate::{Ack, Cause, CongestionControl, Limits, Loss, Path};
use narrows_units::{Bytes, Rate};
use narrows_wire::{Feedback, Request};

/// One RCP flow.
#[derive(Clone, Debug)]
pub struct Rcp {
    /// What the routers offered last, payload bits per second.
    rate: Option<Rate>,
    /// Packets, as long as there is no offer.
    window: f64,
    /// Payload of a packet over its size on the wire.
    payload_share: f64,
    mss: Bytes,
}

impl Rcp {
    /// A flow set up as asked.
    pub fn new(setup: &Setup) -> Self {
        Self {
            rate: None,
            window: floored(setup.initial_window),
            payload_share: setup.mss.count() as f64 / setup.packet.count() as f64,
            mss: setup.mss,
        }
    }
}

impl CongestionControl for Rcp {
    fn limits(&self) -> Limits {
        let window = if self.rate.is_none() { Some(self.window as u64) } else { None };
        Limits { window, pacing: self.rate, burst: self.mss }
    }

    fn window(&self) -> Option<f64> {
        if self.rate.is_none() { Some(self.window) } else { None }
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        if let Some(feedback) = ack.feedback {
            self.on_answer(feedback, path);
        }
    }

    fn on_answer(&mut self, feedback: Feedback, _path: &Path) {
        if let Feedback::Rate(offered) = feedback
            && offered.is_finite()
        {
            let rate = Rate::from_bps_f64(f64::from(offered) * self.payload_share);
            self.rate = Some(rate.max(Rate::from_bps(1)));
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.cause == Cause::Timeout {
            self.window = 1.0;
        }
    }

    fn request(&mut self, path: &Path) -> Option<Request> {
        Some(Request::Rate { rate: f32::INFINITY, rtt: seconds(path) })
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `rcp`.
pub(crate) const RCP: Entry = Entry {
    name: "rcp",
    family: "explicit",
    summary: "RCP's end host: sends at the one rate that routers with an rcp queue offer to every flow",
    source: "Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005",
    equations: &[
        "request, from the SYN on: rtt, any rate",
        "acknowledgement: pacing rate = least rate offered on the path",
    ],
    parameters: &[],
    deviations: &["a path without an rcp queue leaves the flow at its initial window"],
    validation: Some(
        "four flows with round trips of 40 and 200 ms share alike within 2 %, at a utilisation above 0.98 and without a drop",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Rcp::new(setup))
}
