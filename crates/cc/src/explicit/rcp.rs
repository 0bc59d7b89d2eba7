//! RCP's end host (Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005): every flow sends at the one rate that the
//! routers of its path offer to all.
//!
//! Each packet carries the round-trip time and asks for any rate; each router lowers it to its own. The sender paces at
//! what comes back, `payload = R · mss / packet`, and has no window. A loss is repaired and changes nothing: the
//! routers see their queues.
//!
//! Deviations: the request leaves with the first data instead of the SYN, so that the flow begins with the initial
//! window and takes the offered rate a round trip later. A path without an RCP router leaves the flow at that window,
//! one packet after a timeout.

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

    fn on_ack(&mut self, ack: &Ack<'_>, _path: &Path) {
        if let Some(Feedback::Rate(offered)) = ack.feedback
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
    equations: &["request: rtt, any rate", "acknowledgement: pacing rate = least rate offered on the path"],
    parameters: &[],
    deviations: &[
        "the request leaves with the first data instead of the SYN: the offered rate is reached one round trip later",
        "a path without an rcp queue leaves the flow at its initial window",
    ],
    validation: Some(
        "four flows with round trips of 40 and 200 ms share alike within 2 %, at a utilisation above 0.98 and without a drop",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Rcp::new(setup))
}
