//! XCP's end host (Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03): the routers say by how much the
//! throughput may change.
//!
//! Each packet carries the smoothed round-trip time, the time between packets `rtt / w`, and an unlimited wish. Each
//! acknowledgement brings the change allowed, `Δ` bytes per second: `w += Δ · rtt / packet`, at least one packet. A loss
//! is a standard flow's: `w = w / 2`, after a timeout 1; until the episode is over the window does not grow.
//!
//! Deviations: a path without an XCP router leaves the window as it is; the draft's sender would take its wish for
//! granted. Feedback counts on acknowledgements that deliver something new, selective ones included, where ns-2 reads
//! those that advance; while a loss is repaired only a decrease does. The SYN tells no
//! round-trip time, so that routers answer it with nothing; the handshake has measured it when the first data leaves.

use super::{floored, seconds};
use crate::catalogue::{Entry, Needs, Setup, Values};
use crate::{Ack, Cause, CongestionControl, Limits, Loss, Path};
use narrows_units::Bytes;
use narrows_wire::{Feedback, Request};

/// One XCP flow.
#[derive(Clone, Debug)]
pub struct Xcp {
    /// Packets.
    window: f64,
    /// The window before the last cut, until it is certain that the cut was right.
    before_cut: Option<f64>,
    /// A loss is being repaired.
    recovering: bool,
    initial_window: f64,
    /// Bytes of a full packet on the wire.
    packet: f64,
    burst: Bytes,
}

impl Xcp {
    /// A flow set up as asked.
    pub fn new(setup: &Setup) -> Self {
        Self {
            window: floored(setup.initial_window),
            before_cut: None,
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
        if allowed.is_finite() && (allowed < 0.0 || !self.recovering) {
            let change = f64::from(allowed) * rtt.smoothed.as_secs_f64() / self.packet;
            self.window = floored(self.window + change);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.new_episode {
            self.before_cut = Some(self.window);
            self.window = floored(self.window / 2.0);
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
        if let Some(before) = self.before_cut.take() {
            self.window = self.window.max(before);
            self.recovering = false;
        }
    }

    fn on_idle_restart(&mut self, _path: &Path) {
        // RFC 5681 §4.1: what the routers had allowed may since have gone to others.
        self.window = floored(self.window.min(self.initial_window));
    }

    fn request(&mut self, path: &Path) -> Option<Request> {
        let rtt = seconds(path);
        let delta = if rtt > 0.0 { f32::INFINITY } else { 0.0 };
        Some(Request::Xcp { rtt, spacing: rtt / self.window as f32, delta })
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `xcp`.
pub(crate) const XCP: Entry = Entry {
    name: "xcp",
    family: "explicit",
    summary: "XCP's end host: routers with an xcp queue say by how much each flow may change its throughput",
    source: "Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03; as in ns-2.35",
    equations: &[
        "request: rtt, rtt / w, an unlimited change",
        "acknowledgement: w = max(1, w + feedback rtt / packet)",
        "loss: w = w / 2; timeout: w = 1",
    ],
    parameters: &[],
    deviations: &[
        "a path without an xcp queue leaves the window as it is",
        "while a loss is repaired the window may shrink and not grow; ns-2 reads no feedback of duplicate acknowledgements",
        "routers answer nothing to the SYN, which knows no round-trip time; the first data knows it from the handshake",
        "windows jump and packets leave in bursts, as in ns-2; the flow's key pacing spreads them",
    ],
    validation: Some(
        "ns-2.35: start on an idle link, utilisation 0.885 against 0.882, no drops; two flows, one late, Jain 1.000 and utilisation 1.000 against 0.9997; an idle link is filled in 1 / alpha round trips, within 5 % for alpha up to 0.2; round trips of 40 and 200 ms share alike within 2 %",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Xcp::new(setup))
}
