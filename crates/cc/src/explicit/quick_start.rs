//! Quick-Start (RFC 4782; Sarolahti, Allman and Floyd, Computer Networks 51, 2007): a start-up around any algorithm that
//! has a window.
//!
//! The SYN asks the routers for a rate. What the SYN-ACK brings back as approved, `R`, becomes the window
//! `w = R · rtt / packet` if that is more than the algorithm has, and leaves paced at `R` (§4.4). The first
//! acknowledgement of this data ends the pacing, and the window becomes what is in flight, if that is less (§4.4). A loss
//! among this data returns to the initial window (§4.6). ssthresh is left alone, so that slow start goes on; or it
//! becomes `w` (Welzl, Abfalterer and Gjessing, "XCP vs. CUBIC with Quick-Start": TCP ADA).
//!
//! Deviations: the SYN is sent again without the request, and an answer that has measured no round trip is not used;
//! neither the nonce nor the report of the approved rate is sent, for nobody cheats; after a loss the algorithm's own
//! cut has set ssthresh, on which RFC 4782 leaves the choice.

use crate::catalogue::Setup;
use crate::{
    Ack, Cause, CongestionControl, EcnUse, Failure, Limits, Loss, Path, Report, SentPacket, Transport,
};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Feedback, Request};

/// What a flow asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartUp {
    /// Bits per second on the wire.
    pub rate: Rate,
    /// An approval ends slow start.
    pub ends_slow_start: bool,
}

/// An algorithm that starts up by Quick-Start.
#[derive(Debug)]
pub struct QuickStart {
    inner: Box<dyn CongestionControl>,
    ask: StartUp,
    phase: Phase,
    /// The phase that the last episode ended.
    before_loss: Phase,
    initial_window: f64,
    /// Bytes of a full packet on the wire.
    packet: f64,
    mss: Bytes,
}

/// How far the start-up has come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// No SYN has left.
    Asking,
    /// The request is under way.
    Asked,
    /// Approved data leaves at this rate of payload; the round in which it began.
    Pacing { rate: Rate, round: u64 },
    /// Approved data is still under way; the round in which its first acknowledgement came.
    Outstanding { round: u64 },
    /// The algorithm is on its own.
    Over,
}

impl QuickStart {
    /// `inner`, which starts up as `ask` says.
    pub fn new(inner: Box<dyn CongestionControl>, ask: StartUp, setup: &Setup) -> Self {
        Self {
            inner,
            ask,
            phase: Phase::Asking,
            before_loss: Phase::Asking,
            initial_window: setup.initial_window,
            packet: setup.packet.count() as f64,
            mss: setup.mss,
        }
    }

    /// The routers approved `rate` bits per second.
    fn approved(&mut self, rate: f32, path: &Path) {
        self.phase = Phase::Over;
        let (Some(rtt), Some(before)) = (path.rtt, self.inner.window()) else { return };
        let window = f64::from(rate) / 8.0 * rtt.smoothed.as_secs_f64() / self.packet;
        if !rate.is_finite() || window <= before {
            return;
        }
        self.inner.set_window(window, self.ask.ends_slow_start);
        if self.inner.window() > Some(before) {
            let payload = Rate::from_bps_f64(f64::from(rate) * self.mss.count() as f64 / self.packet);
            self.phase = Phase::Pacing { rate: payload.max(Rate::from_bps(1)), round: path.round };
        }
    }

    /// Follows approved data by the rounds that the transport counts: the next one begins with the acknowledgement of
    /// a packet that left after the approval, and one more when all that left in the meantime is acknowledged.
    fn follow(&mut self, acked: u64, path: &Path) {
        match self.phase {
            Phase::Pacing { round, .. } if path.round > round => {
                let used = (path.in_flight + acked) as f64;
                if self.inner.window().is_some_and(|window| used < window) {
                    self.inner.set_window(used, false);
                }
                self.phase = Phase::Outstanding { round: path.round };
            }
            Phase::Outstanding { round } if path.round > round => self.phase = Phase::Over,
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

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.follow(ack.newly_acked, path);
        self.inner.on_ack(ack, path);
    }

    fn on_answer(&mut self, feedback: Feedback, path: &Path) {
        match (self.phase, feedback) {
            (Phase::Asked, Feedback::Rate(rate)) => self.approved(rate, path),
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
        self.before_loss = self.phase;
        let approved = matches!(self.phase, Phase::Pacing { .. } | Phase::Outstanding { .. });
        if approved && loss.cause != Cause::Timeout {
            let initial = self.inner.window().map_or(1.0, |window| window.min(self.initial_window));
            self.inner.set_window(initial, false);
        }
        self.phase = Phase::Over;
    }

    fn on_recovered(&mut self, path: &Path) {
        self.inner.on_recovered(path);
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.inner.on_sent(packet, path);
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        self.inner.on_spurious_loss(path);
        if self.phase == Phase::Over {
            self.phase = self.before_loss;
        }
    }

    fn on_idle_restart(&mut self, path: &Path) {
        self.inner.on_idle_restart(path);
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }

    fn on_timer(&mut self, path: &Path) {
        self.inner.on_timer(path);
    }

    fn request(&mut self, path: &Path) -> Option<Request> {
        if self.phase == Phase::Asking {
            self.phase = Phase::Asked;
            return Some(Request::QuickStart { rate: self.ask.rate.as_bps() as f32, ttl_difference: 0 });
        }
        self.inner.request(path)
    }

    fn set_window(&mut self, window: f64, ends_slow_start: bool) {
        self.inner.set_window(window, ends_slow_start);
    }

    fn ecn(&self) -> EcnUse {
        self.inner.ecn()
    }

    fn transport(&self) -> Transport {
        self.inner.transport()
    }

    fn failure(&self) -> Option<&Failure> {
        self.inner.failure()
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        self.inner.observe(tell);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(Self { inner: self.inner.boxed_clone(), ..*self })
    }
}
