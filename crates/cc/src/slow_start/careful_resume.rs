// SPDX-License-Identifier: Apache-2.0
//! Careful Resume (RFC 9959, Kuhn, Stephan, Fairhurst, Secchi and Huitema; read as draft-ietf-tsvwg-careful-resume-23): a window
//! algorithm that begins with half of the window of an earlier connection over the same path.
//!
//! * Reconnaissance: slow start as without it. It is over, and Careful Resume with it, by congestion, by the end of
//!   slow start, and if the least round-trip time is at most half of the saved one or more than ten times it. When the
//!   initial window has been acknowledged and the window is what limits the sender, Unvalidated follows.
//! * Unvalidated: the window is half of the saved one and does not grow; packets are paced over a round trip.
//!   `PipeSize` is the data in flight before, and grows by the acknowledged unvalidated packets. It is over when as
//!   much is in flight as the window, an unvalidated packet is acknowledged, or a round trip has passed. If no more is
//!   in flight than `PipeSize`, or less than the initial window, the window is set to `PipeSize`, at least the initial
//!   window, and Careful Resume is over; else to the packets in flight, and Validating follows.
//! * Validating: slow start goes on, until all unvalidated packets are acknowledged.
//! * Safe Retreat, after congestion in these two: the window is at most half of `PipeSize` to the end of the recovery; then ssthresh
//!   is at most half of what `PipeSize` is by then. A timeout ends Careful Resume.
//!
//! Deviations: packets are counted in the order of their acknowledgements, and Safe Retreat ends with the recovery,
//! which covers all unvalidated packets. Lifetime and number of users of the saved values come from the scenario. After
//! Safe Retreat the values are not removed, since no later connection shares them. ssthresh after Safe Retreat is of `β
//! = 1/2` for all algorithms.

use crate::{
    Ack, Cause, CongestionControl, EcnUse, Failure, Idle, Limits, Loss, Path, Report, SavedPath, SentPacket,
    Setup,
};
use alloc::boxed::Box;
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Feedback, Request};

/// A window algorithm whose slow start may jump to half of a saved window (RFC 9959).
#[derive(Debug)]
pub struct CarefulResume {
    inner: Box<dyn CongestionControl>,
    saved: SavedPath,
    phase: Phase,
    /// The phase before the last loss episode, for undo.
    undo: Option<Phase>,
    initial_window: f64,
    mss: Bytes,
    /// Packets acknowledged so far.
    acked: u64,
    /// Packets in flight when Unvalidated began, and how many are acknowledged when they are.
    in_flight_before: u64,
    acked_before: u64,
}

/// The phases (RFC 9959 §3).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The path is being compared with the saved one; `least` is its least round-trip time.
    Reconnaissance { least: Span },
    /// More than slow start permits is being sent, paced at `rate`, since `since`, for a round trip `rtt`.
    Unvalidated { rate: Rate, since: Time, rtt: Span },
    /// All unvalidated packets are acknowledged when `all` packets have been.
    Validating { all: u64 },
    /// The excess packets are leaving the path.
    SafeRetreat,
    /// Careful Resume is over.
    Normal,
}

impl CarefulResume {
    /// Returns `inner` with the saved path of `setup`; `inner` itself if there is none, or it is not a window
    /// algorithm.
    pub fn around(inner: Box<dyn CongestionControl>, setup: &Setup) -> Box<dyn CongestionControl> {
        let Some(saved) = setup.saved_path.filter(|_| inner.ssthresh().is_some()) else { return inner };
        let phase = Phase::Reconnaissance { least: Span::MAX };
        Box::new(Self {
            inner,
            saved,
            phase,
            undo: None,
            initial_window: setup.initial_window,
            mss: setup.mss,
            acked: 0,
            in_flight_before: 0,
            acked_before: 0,
        })
    }

    /// `jump_cwnd`, packets.
    fn jump(&self) -> f64 {
        self.saved.window / 2.0
    }

    /// `PipeSize`, packets.
    fn pipe(&self) -> f64 {
        (self.in_flight_before + self.acked.saturating_sub(self.acked_before)) as f64
    }

    fn in_slow_start(&self) -> bool {
        self.inner.window() < self.inner.ssthresh()
    }

    /// The path may be confirmed; `least` is its least round-trip time.
    fn confirm(&mut self, least: Span, path: &Path) {
        let changed = self.saved.rtt.is_some_and(|saved| least <= saved / 2 || least > saved * MOST_RTTS);
        if changed || !self.in_slow_start() || self.inner.window() >= Some(self.jump()) {
            self.phase = Phase::Normal;
            return;
        }
        let Some(rtt) = path.rtt.map(|rtt| rtt.latest).filter(|rtt| *rtt > Span::ZERO) else { return };
        if !path.window_limited {
            return;
        }
        (self.in_flight_before, self.acked_before) = (path.in_flight, self.acked + path.in_flight);
        let rate = self.jump() * self.mss.bits() as f64 / rtt.as_secs_f64();
        let rate = Rate::from_bps_f64(rate.max(1.0));
        self.phase = Phase::Unvalidated { rate, since: path.now, rtt };
        self.inner.set_window(self.jump(), false);
    }

    /// The Unvalidated phase is over.
    fn check_flight(&mut self, path: &Path) {
        let in_flight = path.in_flight as f64;
        if in_flight <= self.pipe() || in_flight < self.initial_window {
            self.inner.set_window(self.pipe().max(self.initial_window).min(self.jump()), false);
            self.phase = Phase::Normal;
        } else {
            self.inner.set_window(in_flight, false);
            self.phase = Phase::Validating { all: self.acked + path.in_flight };
        }
    }

    fn on_congestion(&mut self, timeout: bool) {
        self.undo = Some(self.phase);
        self.phase = match self.phase {
            Phase::Unvalidated { .. } | Phase::Validating { .. } if !timeout => {
                let most = (self.pipe() / 2.0).max(WINDOW_MIN);
                self.inner.set_window(self.inner.window().map_or(most, |window| window.min(most)), false);
                Phase::SafeRetreat
            }
            _ => Phase::Normal,
        };
    }
}

impl CongestionControl for CarefulResume {
    fn limits(&self) -> Limits {
        let limits = self.inner.limits();
        match self.phase {
            Phase::Unvalidated { rate, .. } => Limits {
                pacing: Some(limits.pacing.map_or(rate, |inner| inner.min(rate))),
                burst: self.mss,
                ..limits
            },
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
        self.acked += ack.newly_acked;
        self.inner.on_ack(ack, path);
        match self.phase {
            Phase::Reconnaissance { least } => {
                let least = least.min(ack.rtt.unwrap_or(Span::MAX));
                self.phase = Phase::Reconnaissance { least };
                if self.acked as f64 >= self.initial_window && least < Span::MAX {
                    self.confirm(least, path);
                }
            }
            Phase::Unvalidated { since, rtt, .. } => {
                // The algorithm let it grow.
                self.inner.set_window(self.jump(), false);
                if self.acked > self.acked_before || path.now.since(since) > rtt {
                    self.check_flight(path);
                }
            }
            Phase::Validating { all } if self.acked >= all => self.phase = Phase::Normal,
            Phase::Validating { .. } | Phase::SafeRetreat | Phase::Normal => {}
        }
    }

    fn on_answer(&mut self, feedback: Feedback, path: &Path) {
        self.inner.on_answer(feedback, path);
    }

    fn on_report(&mut self, report: &Report, path: &Path) {
        self.inner.on_report(report, path);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.inner.on_loss(loss, path);
        let timeout = loss.cause == Cause::Timeout;
        if loss.new_episode || timeout {
            self.on_congestion(timeout);
        }
    }

    fn on_recovered(&mut self, path: &Path) {
        self.inner.on_recovered(path);
        if self.phase == Phase::SafeRetreat {
            self.phase = Phase::Normal;
            let most = (self.pipe() * BETA).max(WINDOW_MIN);
            let window = self.inner.window().unwrap_or(most);
            if self.inner.ssthresh() > Some(most) {
                self.inner.set_window(most, true);
                self.inner.set_window(window, false);
            }
        }
    }

    fn reduces_gradually(&self) -> bool {
        self.inner.reduces_gradually()
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.inner.on_sent(packet, path);
        if let Phase::Unvalidated { since, rtt, .. } = self.phase {
            let full = self.inner.window().is_some_and(|window| path.in_flight as f64 >= window.floor());
            if full || path.now.since(since) > rtt {
                self.check_flight(path);
            }
        }
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        self.inner.on_spurious_loss(path);
        if let Some(phase) = self.undo.take() {
            self.phase = phase;
        }
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        self.inner.on_idle(idle, path);
        if idle.timeouts > 0 && !matches!(self.phase, Phase::Reconnaissance { .. }) {
            (self.phase, self.undo) = (Phase::Normal, None);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }

    fn on_timer(&mut self, path: &Path) {
        self.inner.on_timer(path);
    }

    fn request(&mut self, path: &Path) -> Option<Request> {
        self.inner.request(path)
    }

    fn set_window(&mut self, window: f64, ends_slow_start: bool) {
        (self.phase, self.undo) = (Phase::Normal, None);
        self.inner.set_window(window, ends_slow_start);
    }

    fn ecn(&self) -> EcnUse {
        self.inner.ecn()
    }

    fn failure(&self) -> Option<&Failure> {
        self.inner.failure()
    }

    fn state(&self) -> &'static str {
        match self.phase {
            Phase::Unvalidated { .. } => "unvalidated",
            Phase::Validating { .. } => "validating",
            Phase::SafeRetreat => "safe-retreat",
            Phase::Reconnaissance { .. } | Phase::Normal => self.inner.state(),
        }
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

/// Saved round-trip times above which the path is another one (RFC 9959 §4.2.1).
const MOST_RTTS: u64 = 10;
/// `Beta`: ssthresh after Safe Retreat over `PipeSize`.
const BETA: f64 = 0.5;
/// Least window of Safe Retreat, packets.
const WINDOW_MIN: f64 = 2.0;
