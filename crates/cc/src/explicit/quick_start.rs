// SPDX-License-Identifier: Apache-2.0
//! Quick-Start (RFC 4782; Sarolahti, Allman and Floyd, Computer Networks 51, 2007) before any algorithm with a window.
//!
//! The SYN carries a request for a rate. With the rate `R` approved in the SYN-ACK the window is set to
//! `w = R · rtt / packet` if that is more than the current window, and packets are paced at `R` (§4.4). The first
//! acknowledgement of these packets ends the pacing, and the window is set to the data in flight if that is less (§4.4). A
//! loss of one of these packets sets the window to the initial window (§4.6). ssthresh is unchanged, so that slow start
//! continues, or set to `w` (Welzl, Abfalterer and Gjessing, "XCP vs. CUBIC with Quick-Start": TCP ADA).
//!
//! Deviations: a retransmitted SYN carries no request, and an answer without a round-trip time is not used; neither the
//! QS Nonce nor the Report of Approved Rate is sent, since no receiver misbehaves; after a loss the algorithm
//! determines ssthresh, which RFC 4782 leaves open.

use crate::{
    Ack, Cause, CongestionControl, EcnUse, Failure, Idle, Limits, Loss, Path, QuickStartRequest, Report,
    SentPacket, Setup,
};
use alloc::boxed::Box;
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Feedback, Request};

/// An algorithm that is preceded by a Quick-Start request (RFC 4782).
#[derive(Debug)]
pub struct QuickStart {
    inner: Box<dyn CongestionControl>,
    request: QuickStartRequest,
    phase: Phase,
    /// The phase before the last loss episode, for undo.
    undo_phase: Phase,
    initial_window: f64,
    /// Size of a full packet on the wire, bytes.
    packet: f64,
    mss: Bytes,
}

/// The phases of Quick-Start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The request has not been sent.
    NotRequested,
    /// The request has been sent and not been answered.
    Requested,
    /// The approved window is being sent, paced at `rate` bits of payload per second, since round `round`.
    Pacing { rate: Rate, round: u64 },
    /// Packets of the approved window are in flight; their first acknowledgement started round `round`.
    Outstanding { round: u64 },
    /// Quick-Start is over.
    Done,
}

impl QuickStart {
    /// Returns `inner` preceded by the Quick-Start request in `setup`; `inner` itself if the setup has no request.
    pub fn around(inner: Box<dyn CongestionControl>, setup: &Setup) -> Box<dyn CongestionControl> {
        let Some(request) = setup.quick_start else { return inner };
        Box::new(Self {
            inner,
            request,
            phase: Phase::NotRequested,
            undo_phase: Phase::NotRequested,
            initial_window: setup.initial_window,
            packet: setup.packet.count() as f64,
            mss: setup.mss,
        })
    }

    /// The routers approved `rate` bits per second.
    fn on_approved(&mut self, rate: f32, path: &Path) {
        self.phase = Phase::Done;
        let (Some(rtt), Some(before)) = (path.rtt, self.inner.window()) else { return };
        let window = f64::from(rate) / 8.0 * rtt.smoothed.as_secs_f64() / self.packet;
        if !rate.is_finite() || window <= before {
            return;
        }
        self.inner.set_window(window, self.request.ends_slow_start);
        if self.inner.window() > Some(before) {
            let payload = Rate::from_bps_f64(f64::from(rate) * self.mss.count() as f64 / self.packet);
            self.phase = Phase::Pacing { rate: payload.max(Rate::from_bps(1)), round: path.round };
        }
    }

    /// Moves the phase on by the rounds that the transport counts: the next round starts with the first acknowledgement of
    /// the approved window, the one after it when all packets sent before that are acknowledged.
    fn update_phase(&mut self, acked: u64, path: &Path) {
        match self.phase {
            Phase::Pacing { round, .. } if path.round > round => {
                let used = (path.in_flight + acked) as f64;
                if self.inner.window().is_some_and(|window| used < window) {
                    self.inner.set_window(used, false);
                }
                self.phase = Phase::Outstanding { round: path.round };
            }
            Phase::Outstanding { round } if path.round > round => self.phase = Phase::Done,
            _ => {}
        }
    }
}

impl CongestionControl for QuickStart {
    fn limits(&self) -> Limits {
        let limits = self.inner.limits();
        match self.phase {
            Phase::Pacing { rate, .. } => Limits { pacing: Some(rate), burst: self.mss, ..limits },
            _ => limits,
        }
    }

    fn window(&self) -> Option<f64> {
        self.inner.window()
    }

    fn ssthresh(&self) -> Option<f64> {
        self.inner.ssthresh()
    }

    fn target(&self) -> Option<Rate> {
        self.inner.target()
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.update_phase(ack.newly_acked, path);
        self.inner.on_ack(ack, path);
    }

    fn on_answer(&mut self, feedback: Feedback, path: &Path) {
        match (self.phase, feedback) {
            (Phase::Requested, Feedback::Rate(rate)) => self.on_approved(rate, path),
            _ => self.inner.on_answer(feedback, path),
        }
    }

    fn on_report(&mut self, report: &Report, path: &Path) {
        self.inner.on_report(report, path);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.inner.on_loss(loss, path);
        if !loss.new_episode {
            return;
        }
        self.undo_phase = self.phase;
        let approved = matches!(self.phase, Phase::Pacing { .. } | Phase::Outstanding { .. });
        if approved && loss.cause != Cause::Timeout {
            let initial = self.inner.window().map_or(1.0, |window| window.min(self.initial_window));
            self.inner.set_window(initial, false);
        }
        self.phase = Phase::Done;
    }

    fn on_recovered(&mut self, path: &Path) {
        self.inner.on_recovered(path);
    }

    fn reduces_gradually(&self) -> bool {
        self.inner.reduces_gradually()
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.inner.on_sent(packet, path);
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        self.inner.on_spurious_loss(path);
        if self.phase == Phase::Done {
            self.phase = self.undo_phase;
        }
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        self.inner.on_idle(idle, path);
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }

    fn on_timer(&mut self, path: &Path) {
        self.inner.on_timer(path);
    }

    fn request(&mut self, path: &Path) -> Option<Request> {
        if self.phase == Phase::NotRequested {
            self.phase = Phase::Requested;
            return Some(Request::QuickStart { rate: self.request.rate.as_bps() as f32, ttl_difference: 0 });
        }
        self.inner.request(path)
    }

    fn set_window(&mut self, window: f64, ends_slow_start: bool) {
        self.inner.set_window(window, ends_slow_start);
    }

    fn ecn(&self) -> EcnUse {
        self.inner.ecn()
    }

    fn failure(&self) -> Option<&Failure> {
        self.inner.failure()
    }

    fn state(&self) -> &'static str {
        self.inner.state()
    }

    fn state_rule(&self) -> &'static str {
        self.inner.state_rule()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.inner.observe(record);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(Self { inner: self.inner.boxed_clone(), ..*self })
    }
}
