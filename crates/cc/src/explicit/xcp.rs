// SPDX-License-Identifier: Apache-2.0
//! XCP's end host (Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03): routers determine the change of the
//! throughput.
//!
//! Each packet carries the smoothed round-trip time, the packet spacing `rtt / w`, and a request for an unlimited increase.
//! Each acknowledgement carries the change allowed, `Δ` bytes per second: `w += Δ · rtt / packet`, at least one packet. The
//! response to losses is Reno's: `w = w / 2`, after a timeout 1; the window does not grow in loss recovery.

use super::{bounded, rtt_seconds};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Limits, Loss, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Values};
use narrows_units::Bytes;
use narrows_wire::{Feedback, Request};

/// The state of an XCP sender (Katabi, Handley and Rohrs, SIGCOMM 2002).
#[derive(Clone, Debug)]
pub struct Xcp {
    /// Packets.
    window: f64,
    /// The window before the last loss episode, for undo.
    undo_window: Option<f64>,
    /// In loss recovery, but not after a timeout.
    recovering: bool,
    initial_window: f64,
    /// Size of a full packet on the wire, bytes.
    packet: f64,
    burst: Bytes,
}

impl Xcp {
    /// Creates the state before the first acknowledgement of a flow with this setup.
    pub fn new(setup: &Setup) -> Self {
        Self {
            window: bounded(setup.initial_window),
            undo_window: None,
            recovering: false,
            initial_window: setup.initial_window,
            packet: setup.packet.count() as f64,
            burst: setup.mss * 2,
        }
    }
}

impl CongestionControl for Xcp {
    fn limits(&self) -> Limits {
        Limits { window: Some(self.window as u64), pacing: None, burst: self.burst }
    }

    fn window(&self) -> Option<f64> {
        Some(self.window)
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let (Some(Feedback::Delta(allowed)), Some(rtt)) = (ack.feedback, path.rtt) else { return };
        if allowed.is_finite() && (allowed < 0.0 || path.window_limited && !self.recovering) {
            let change = f64::from(allowed) * rtt.smoothed.as_secs_f64() / self.packet;
            self.window = bounded(self.window + change);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.new_episode {
            self.undo_window = Some(self.window);
            self.window = bounded(self.window / 2.0);
            self.recovering = true;
        }
        if loss.cause == Cause::Timeout {
            self.window = 1.0;
            self.recovering = false;
        }
    }

    fn on_recovered(&mut self, _path: &Path) {
        self.recovering = false;
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        if let Some(before) = self.undo_window.take() {
            self.window = self.window.max(before);
            self.recovering = false;
        }
    }

    fn on_idle(&mut self, idle: &Idle, _path: &Path) {
        // RFC 5681 §4.1: the routers may have given the bandwidth to other flows since.
        if idle.timeouts > 0 {
            self.window = bounded(self.window.min(self.initial_window));
            self.undo_window = None;
        }
    }

    fn request(&mut self, path: &Path) -> Option<Request> {
        let rtt = rtt_seconds(path);
        let delta = if rtt > 0.0 { f32::INFINITY } else { 0.0 };
        Some(Request::Xcp { rtt, spacing: rtt / self.window as f32, delta })
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `xcp`.
pub(crate) const XCP: Entry = Entry {
    card: Card {
        name: "xcp",
        family: "explicit",
        summary: "XCP's end host: routers with an xcp queue determine the change of each flow's throughput",
        source: "Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03; as in ns-2.35",
        equations: &[
            "request: rtt, rtt / w, an unlimited increase",
            "acknowledgement: w = max(1, w + feedback rtt / packet)",
            "loss: w = w / 2; timeout: w = 1",
        ],
        parameters: &[],
        variables: &[],
        deviations: &[
            "on a path without an xcp queue the window is constant, where the sender of the draft would get all that it requests",
            "a window that does not limit the sender may decrease but not increase: the routers would offer it the unused bandwidth again and again",
            "in loss recovery the window may fall and not grow; ns-2 uses no feedback of duplicate acknowledgements",
            "routers give no feedback to the SYN, which has no round-trip time; the first data packet has that of the handshake",
            "the window changes at once and packets leave in bursts, as in ns-2, unless the flow has pacing enabled",
        ],
    },
    style: Some(Style(Hue::Vermilion, Dash::Long)),
    needs: |_| Needs::routers("xcp"),
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Xcp::new(setup))
}
