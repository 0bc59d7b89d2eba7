// SPDX-License-Identifier: Apache-2.0
//! The frame of all window algorithms: slow start, congestion avoidance, recovery, timeout, undo (RFC 5681, RFC 6298).
//!
//! * Slow start while the window is below ssthresh. The packets of an acknowledgement that would take the window beyond
//!   ssthresh count for congestion avoidance (as in Linux; RFC 5681 does not say).
//! * One decrease for each loss episode that the recovery policy declares. The window does not grow from there to the end
//!   of the episode, nor on a duplicate ACK (RFC 5681 §3.1, §3.2), nor while the window is not what limits the sender
//!   (RFC 2861, RFC 9438 §5.8).
//! * The count of an acknowledgement of several packets is the host's choice ([`AckCounting`]): as many packets, or
//!   one, or one while the losses of a timeout are repaired.
//! * The first loss or mark of a [Rapid Start](crate::slow_start::Rapid) reduces the window step by step over the recovery; the rule
//!   decreases it at the end.
//! * ABE, if the flow asks for it: a mark multiplies the window by the factor of RFC 8511 §3.1, unless the rule leaves more.
//! * Timeout: ssthresh by the rule, window 1, then slow start (RFC 5681 §3.1). When the same segment times out again the
//!   recovery policy declares no new episode: ssthresh stays, and the window is 1 again.
//! * A rule may decrease its window without a loss episode, by delay or by counts of marks. ssthresh follows, so that
//!   congestion avoidance continues.
//! * After an idle time of a retransmission timeout the window is at most the initial window (RFC 5681 §4.1), or half for each
//!   timeout, with ssthresh at three quarters of it or more (RFC 2861): the host's choice ([`RestartWindow`]).
//! * Congestion avoidance after a slow start or a restart is a new stage, which the rule starts without the state of the one before.
//! * After a spurious episode the host chooses ([`UndoRestores`]): all state that the episode changed is restored (as in RFC
//!   4015, RFC 9438 §4.9), unless the sender was idle since; or the window alone, as in Linux.
//! * A decrease applies to the window, as in Linux, ns-2 and RFC 9002, or to the data in flight if that is less (RFC 5681 eq. 4).
//!   The host chooses ([`Loss::flight`]); RFC 9438 §4.6 allows both for CUBIC.

use super::rule::{Window, WindowRule};
use crate::slow_start::rapid::{self, Reduction};
use crate::slow_start::{self, SlowStart};
use crate::{
    Ack, AckCounting, Cause, CongestionControl, EcnUse, FirstCut, Idle, Limits, Loss, Path, RestartWindow,
    Setup, UndoRestores,
};
use alloc::boxed::Box;
use narrows_units::{Bytes, Time};
use narrows_wire::Request;

/// A window algorithm: the state that all of them share, and the rule of this one.
#[derive(Clone, Debug)]
pub struct Windowed<R> {
    stage: Stage<R>,
    /// In recovery, but not after a timeout: the window is constant.
    recovering: bool,
    /// The losses of a timeout are being repaired.
    repairing: bool,
    /// The stage before the last episode, restored if it was spurious.
    undo: Option<Stage<R>>,
    /// The reduction after a Rapid Start, with its cause; the rule decreases the window at its end.
    reduction: Option<(Cause, Reduction)>,
    first_cut: FirstCut,
    /// The factor of a mark under ABE; `None` without it.
    abe: Option<f64>,
    ack_counting: AckCounting,
    initial_window: f64,
    restart_window: RestartWindow,
    undo_restores: UndoRestores,
    mss: Bytes,
}

/// The state that an episode changes.
#[derive(Clone, Debug)]
struct Stage<R> {
    rule: R,
    window: Window,
    slow_start: SlowStart,
    /// The window has not been decreased on this connection.
    undiminished: bool,
    /// The variant of slow start, not a loss, ended the last slow start.
    left_slow_start: bool,
    /// The next increase in congestion avoidance is the first of a stage.
    new_avoidance: bool,
}

impl<R: WindowRule> Windowed<R> {
    /// Creates a window algorithm with `rule`, for a flow with this setup.
    pub fn new(rule: R, setup: &Setup) -> Self {
        Self {
            stage: Stage {
                rule,
                window: Window {
                    size: bounded(setup.initial_window),
                    ssthresh: setup.initial_ssthresh.max(SSTHRESH_MIN),
                },
                slow_start: SlowStart::new(setup.slow_start, setup.paced),
                undiminished: true,
                left_slow_start: false,
                new_avoidance: true,
            },
            recovering: false,
            repairing: false,
            undo: None,
            reduction: None,
            first_cut: setup.first_cut,
            abe: R::ABE_FACTOR.filter(|_| setup.abe),
            ack_counting: setup.ack_counting,
            initial_window: setup.initial_window,
            restart_window: setup.restart_window,
            undo_restores: setup.undo_restores,
            mss: setup.mss,
        }
    }

    /// A loss episode starts with `flight` packets in use; `None` for the window. `lost` of them are lost.
    fn decrease(&mut self, cause: Cause, flight: Option<u64>, lost: u64, path: &Path) {
        self.undo = Some(self.stage.clone());
        let mut used = self.stage.window;
        if let Some(flight) = flight.map(|flight| flight as f64).filter(|flight| *flight < used.size.floor())
        {
            used.size = bounded(flight);
        }
        if cause != Cause::Timeout && self.stage.slow_start.is_rapid(used.ssthresh) {
            let third = Window { size: bounded(used.size / rapid::LARGEST_GROWTH), ..used };
            let kept = self.stage.rule.clone().decrease(&third, cause, path);
            let beta = rapid::factor(self.kept(kept, &third, cause), third.size);
            let least = self.stage.rule.floor(cause).max(beta * self.initial_window);
            let reduction = Reduction::new(used.size, beta, least, lost, path);
            self.reduce(reduction.begin(used.size));
            self.reduction = Some((cause, reduction));
        } else {
            let by_rule = self.stage.rule.decrease(&used, cause, path);
            let target = self.kept(by_rule, &used, cause);
            self.stage.window.ssthresh = target.max(SSTHRESH_MIN);
            self.stage.window.size = target.max(self.stage.rule.floor(cause)).min(self.stage.window.size);
        }
        self.stage.undiminished = false;
    }

    /// Returns the window after a decrease from `used`, for which the rule has `by_rule`, packets.
    fn kept(&self, by_rule: f64, used: &Window, cause: Cause) -> f64 {
        let half = self.first_cut == FirstCut::Half
            && (self.stage.undiminished || self.stage.window.in_slow_start() || cause == Cause::Timeout);
        match self.abe.filter(|_| cause == Cause::Mark) {
            _ if half => used.size / 2.0,
            Some(factor) => by_rule.max(factor * used.size),
            None => by_rule,
        }
    }

    /// Reduces the window without a rule, in recovery.
    fn reduce(&mut self, size: f64) {
        self.stage.window.size = bounded(size).min(self.stage.window.size);
        self.stage.window.ssthresh = self.stage.window.size.max(SSTHRESH_MIN);
    }

    /// The recovery after a Rapid Start is over: the rule decreases the window, from as much as path and buffer hold.
    fn end_reduction(&mut self, path: &Path) {
        if let Some((cause, reduction)) = self.reduction.take() {
            let product = bounded(reduction.product(self.stage.window.size));
            let before = Window { size: product, ssthresh: f64::INFINITY };
            self.stage.rule.decrease(&before, cause, path);
        }
    }

    /// The sender was idle for so many retransmission timeouts, at least one.
    fn restart(&mut self, timeouts: u64) {
        let Window { size, ssthresh } = self.stage.window;
        let (size, ssthresh) = self.restart_window.after(size, ssthresh, self.initial_window, timeouts);
        self.stage.window = Window { size, ssthresh };
        self.stage.new_avoidance = true;
        self.stage.slow_start.on_idle();
        // Earlier packets no longer count: no late sign that its loss was spurious raises the window.
        self.undo = None;
    }

    fn grow(&mut self, acked: f64, path: &Path) {
        let before = self.stage.window.size;
        self.add(acked, path);
        let largest = self.stage.rule.clamp().max(before);
        self.stage.window.size = self.stage.window.size.min(largest);
    }

    /// Adds the increase for `acked` packets acknowledged.
    fn add(&mut self, acked: f64, path: &Path) {
        let mut acked = acked;
        if self.stage.window.in_slow_start() {
            let Window { size, ssthresh } = self.stage.window;
            self.stage.new_avoidance = true;
            let growth = self.stage.rule.in_slow_start(self.stage.slow_start.growth(size, ssthresh, acked));
            let (size, left) = slow_start::step(size, ssthresh, growth, acked);
            self.stage.window.size = bounded(size);
            let Some(left) = left else { return };
            acked = left;
        }
        if core::mem::take(&mut self.stage.new_avoidance) {
            self.stage.rule.on_avoidance();
        }
        let added = self.stage.rule.increase(&self.stage.window, acked, path);
        self.set_in_congestion_avoidance(self.stage.window.size + added);
    }

    /// Sets the window and continues in congestion avoidance: ssthresh falls with the window, since otherwise slow start would
    /// follow.
    fn set_in_congestion_avoidance(&mut self, size: f64) {
        self.stage.window.size = bounded(size);
        self.stage.window.ssthresh = self.stage.window.ssthresh.min(self.stage.window.size.max(SSTHRESH_MIN));
    }
}

impl<R: WindowRule> CongestionControl for Windowed<R> {
    fn limits(&self) -> Limits {
        Limits {
            window: Some(self.stage.window.size as u64),
            pacing: self.stage.rule.pacing(&self.stage.window).or_else(|| {
                let Window { size, ssthresh } = self.stage.window;
                self.stage.slow_start.pacing(size, ssthresh, self.mss)
            }),
            burst: self.mss * 2,
        }
    }

    fn window(&self) -> Option<f64> {
        Some(self.stage.window.size)
    }

    fn ssthresh(&self) -> Option<f64> {
        Some(self.stage.window.ssthresh)
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.stage.rule.on_ack(&self.stage.window, ack, path);
        if let Some(Window { size, ssthresh }) = self.stage.rule.answer(&self.stage.window, ack, path) {
            self.stage.window = Window { size: bounded(size), ssthresh: ssthresh.max(SSTHRESH_MIN) };
            self.stage.slow_start.on_timeout();
            return;
        }
        if self.recovering {
            if let Some((_, reduction)) = &mut self.reduction {
                let size = reduction.on_acked(self.stage.window.size, ack.newly_acked, path.now);
                self.reduce(size);
            }
            return;
        }
        let Window { size, ssthresh } = self.stage.window;
        if self.stage.window.in_slow_start() && self.stage.slow_start.is_over(size, ssthresh, ack, path) {
            self.stage.window.ssthresh = self.stage.window.size.max(SSTHRESH_MIN);
            self.stage.left_slow_start = true;
        }
        if let Some(size) = self.stage.rule.step_down(&self.stage.window, ack, path) {
            self.stage.window.size = bounded(size).min(self.stage.window.size);
            self.stage.window.ssthresh = self.stage.window.size.max(SSTHRESH_MIN);
        }
        if let Some(size) = self.stage.rule.slow_down(&self.stage.window) {
            self.stage.window.ssthresh = self.stage.window.size.max(SSTHRESH_MIN);
            self.stage.window.size = bounded(size).min(self.stage.window.size);
        }
        if !ack.advanced {
            return;
        }
        if path.window_limited {
            self.grow(self.ack_counting.counted(ack.newly_acked as f64, self.repairing), path);
        } else {
            self.stage.rule.on_unlimited(path);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if loss.new_episode || loss.cause == Cause::Timeout {
            self.end_reduction(path);
        }
        if loss.new_episode {
            self.decrease(loss.cause, loss.flight, loss.lost, path);
            self.recovering = true;
            self.stage.left_slow_start = false;
        }
        if let Some((_, reduction)) = &mut self.reduction {
            let size = reduction.on_lost(self.stage.window.size, loss.lost);
            self.reduce(size);
        } else if let Some(size) = self.stage.rule.on_lost(&self.stage.window, loss.lost) {
            self.reduce(size);
        }
        if loss.cause == Cause::Timeout {
            self.stage.window.size = 1.0;
            self.stage.slow_start.on_timeout();
            self.recovering = false;
            self.repairing = true;
        }
    }

    fn on_recovered(&mut self, path: &Path) {
        self.repairing = false;
        self.end_reduction(path);
        if self.recovering {
            self.recovering = false;
            self.stage.rule.on_recovered(&self.stage.window, path);
            if let Some(size) = self.stage.rule.window_after_recovery() {
                self.stage.window.size = bounded(size);
                self.stage.window.ssthresh = self.stage.window.size.max(SSTHRESH_MIN);
            }
        } else {
            self.stage.rule.on_repaired(path);
        }
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        if let Some(before) = self.undo.take() {
            let size = self.stage.window.size.max(before.window.size);
            self.end_reduction(path);
            match self.undo_restores {
                UndoRestores::State => self.stage = before,
                UndoRestores::Window => {
                    // The rule is notified of the end here: a later `on_recovered` would end a reduction that no longer exists.
                    if self.recovering {
                        self.stage.rule.on_recovered(&self.stage.window, path);
                    } else if self.repairing {
                        self.stage.rule.on_repaired(path);
                    }
                    self.stage.rule.on_undo(&before.rule);
                    // `tcp_current_ssthresh`.
                    let kept = (before.window.size / 2.0).floor() + (before.window.size / 4.0).floor();
                    let ssthresh = before.window.ssthresh.max(kept);
                    self.stage.window.ssthresh = self.stage.window.ssthresh.max(ssthresh);
                }
            }
            self.stage.window.size = size;
            self.recovering = false;
            self.repairing = false;
        }
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        if idle.timeouts > 0 {
            self.end_reduction(path);
            self.restart(idle.timeouts);
        }
        self.stage.rule.on_idle(&self.stage.window, idle, path);
    }

    fn next_timer(&self) -> Option<Time> {
        self.stage.rule.next_timer()
    }

    fn on_timer(&mut self, path: &Path) {
        let size = self.stage.rule.on_timer(&self.stage.window, path);
        if !self.recovering && !self.stage.window.in_slow_start() {
            self.set_in_congestion_avoidance(size);
        }
    }

    fn set_window(&mut self, window: f64, ends_slow_start: bool) {
        self.stage.window.size = bounded(window);
        if ends_slow_start {
            self.stage.window.ssthresh = self.stage.window.size.max(SSTHRESH_MIN);
        }
    }

    fn reduces_gradually(&self) -> bool {
        self.reduction.is_some()
    }

    fn needs_sent_events(&self) -> bool {
        self.stage.rule.request().is_some()
    }

    fn request(&mut self, _path: &Path) -> Option<Request> {
        self.stage.rule.request()
    }

    fn ecn(&self) -> EcnUse {
        self.stage.rule.ecn()
    }

    fn state(&self) -> &'static str {
        if self.stage.window.in_slow_start() {
            self.stage.slow_start.phase(self.stage.window.ssthresh)
        } else {
            "congestion-avoidance"
        }
    }

    fn state_rule(&self) -> &'static str {
        if self.stage.left_slow_start && !self.stage.window.in_slow_start() {
            self.stage.slow_start.rule()
        } else {
            ""
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.stage.rule.observe(record);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// `size` between one packet and [`WINDOW_MAX`]; not a number becomes one packet.
fn bounded(size: f64) -> f64 {
    #[expect(clippy::manual_clamp, reason = "clamp would return NaN for NaN")]
    size.max(1.0).min(WINDOW_MAX)
}

/// Lower bound of ssthresh, packets (RFC 5681 eq. 4).
const SSTHRESH_MIN: f64 = 2.0;

/// Upper bound of the window, 2³⁰ packets: more than any path holds, so that a window without losses stays finite.
const WINDOW_MAX: f64 = 1_073_741_824.0;
