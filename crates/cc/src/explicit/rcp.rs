// SPDX-License-Identifier: Apache-2.0
//! RCP's end host (Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005): every flow sends at the rate that the routers
//! of its path offer, which is the same for all flows of a router.
//!
//! Each packet carries the round-trip time and a request for an unlimited rate, which each router lowers to its own. The
//! sender paces at the rate `R` that acknowledgements carry, `R · mss / packet` of payload, and has no window. Losses do not
//! change the rate, since routers respond to their queues. The SYN carries a request, too, so that the first data leaves at
//! the offered rate.

use super::{bounded, rtt_seconds};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Limits, Loss, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Values};
use narrows_units::{Bytes, Rate};
use narrows_wire::{Feedback, Request};

/// The state of an RCP sender (Dukkipati et al., IWQoS 2005).
#[derive(Clone, Debug)]
pub struct Rcp {
    /// The rate last offered, bits of payload per second; `None` before the first offer.
    rate: Option<Rate>,
    /// Window before the first offer, packets.
    window: f64,
    /// Payload of a full packet over its size on the wire.
    payload_share: f64,
    mss: Bytes,
}

impl Rcp {
    /// Creates the state before the first acknowledgement of a flow with this setup.
    pub fn new(setup: &Setup) -> Self {
        Self {
            rate: None,
            window: bounded(setup.initial_window),
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
        Some(Request::Rate { rate: f32::INFINITY, rtt: rtt_seconds(path) })
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `rcp`.
pub(crate) const RCP: Entry = Entry {
    card: Card {
        name: "rcp",
        family: "explicit",
        summary: "RCP's end host: sends at the rate that routers with an rcp queue offer to all flows",
        source: "Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005",
        equations: &[
            "request, from the SYN on: rtt, an unlimited rate",
            "acknowledgement: pacing rate = smallest rate offered on the path",
        ],
        parameters: &[],
        variables: &[],
        deviations: &[
            "on a path without an rcp queue the window is the initial window, and one packet after a timeout",
        ],
    },
    style: Some(Style(Hue::Green, Dash::Long)),
    needs: |_| Needs::routers("rcp"),
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Rcp::new(setup))
}
