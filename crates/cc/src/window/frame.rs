//! The frame of all window algorithms: slow start, congestion avoidance, recovery, timeout, undo (RFC 5681, RFC 6298).
//!
//! * Slow start while the window is below ssthresh. The packets of an acknowledgement that would take the window beyond
//!   ssthresh count for congestion avoidance (as in Linux; RFC 5681 does not say).
//! * One decrease for each loss episode that the recovery policy declares. The window does not grow from there to the end
//!   of the episode, nor on a duplicate ACK (RFC 5681 §3.1, §3.2), nor while the window is not what limits the sender
//!   (RFC 2861, RFC 9438 §5.8).
//! * What an acknowledgement of several packets counts for is the host's choice ([`AckCounting`]): as many packets, or one.
//! * Timeout: ssthresh by the rule, window 1, then slow start (RFC 5681 §3.1). When the same segment times out again the
//!   recovery policy declares no new episode: ssthresh stays, and the window is 1 again.
//! * A rule may decrease its window without a loss episode, by delay or by counts of marks. ssthresh follows, so that
//!   congestion avoidance continues.
//! * After an idle period the window is at most the initial window (RFC 5681 §4.1).
//! * After a spurious episode window, ssthresh and the state of the rule are restored (as in RFC 4015).
//!
//! Deviations: RFC 5681 eq. 4 halves the data in flight; here the window is halved, as in Linux and ns-2. RFC 9438 §4.6
//! allows this where a window that is not fully used does not grow. Linux halves the window once for each timeout of an
//! idle period (RFC 2861), which differs in short ones only.

use super::rule::{Window, WindowRule};
use crate::slow_start::SlowStart;
use crate::{Ack, AckCounting, Cause, CongestionControl, EcnUse, FirstCut, Limits, Loss, Path, Setup};
use narrows_units::{Bytes, Time};

/// A window algorithm: the state that all of them share, and the rule of this one.
#[derive(Clone, Debug)]
pub struct Windowed<R> {
    rule: R,
    window: Window,
    slow_start: SlowStart,
    /// In recovery, but not after a timeout: the window is constant.
    recovering: bool,
    /// The state before the last episode, restored if it was spurious.
    undo: Option<Undo<R>>,
    /// The window has not been decreased on this connection.
    undiminished: bool,
    /// The variant of slow start, not a loss, ended the last slow start.
    left_slow_start: bool,
    first_cut: FirstCut,
    ack_counting: AckCounting,
    initial_window: f64,
    burst: Bytes,
}

/// The state that the start of an episode changes.
#[derive(Clone, Debug)]
struct Undo<R> {
    rule: R,
    window: Window,
    undiminished: bool,
}

impl<R: WindowRule> Windowed<R> {
    /// A window algorithm with `rule`, for a flow with this setup.
    pub fn new(rule: R, setup: &Setup) -> Self {
        Self {
            rule,
            window: Window {
                size: bounded(setup.initial_window),
                ssthresh: setup.initial_ssthresh.max(SSTHRESH_MIN),
            },
            slow_start: SlowStart::new(setup.slow_start, setup.paced),
            recovering: false,
            undo: None,
            undiminished: true,
            left_slow_start: false,
            first_cut: setup.first_cut,
            ack_counting: setup.ack_counting,
            initial_window: setup.initial_window,
            burst: setup.mss * 2,
        }
    }

    /// A loss episode starts.
    fn decrease(&mut self, cause: Cause, path: &Path) {
        let (rule, window, undiminished) = (self.rule.clone(), self.window, self.undiminished);
        self.undo = Some(Undo { rule, window, undiminished });
        let by_rule = self.rule.decrease(&self.window, cause, path);
        let half = self.first_cut == FirstCut::Half
            && (self.undiminished || self.window.in_slow_start() || cause == Cause::Timeout);
        let target = if half { self.window.size / 2.0 } else { by_rule };
        self.undiminished = false;
        self.window.ssthresh = target.max(SSTHRESH_MIN);
        self.window.size = target.max(self.rule.floor(cause)).min(self.window.size);
    }

    fn grow(&mut self, acked: f64, path: &Path) {
        let mut acked = acked;
        if self.window.in_slow_start() {
            let growth = self.rule.in_slow_start(self.slow_start.growth(self.window.size, acked));
            let room = self.window.ssthresh - self.window.size;
            self.window.size = bounded(self.window.size + growth.min(room));
            if growth <= room {
                return;
            }
            acked -= room * (acked / growth);
        }
        let added = self.rule.increase(&self.window, acked, path);
        self.set_in_congestion_avoidance(self.window.size + added);
    }

    /// Sets the window and continues in congestion avoidance: ssthresh falls with the window, since otherwise slow start would
    /// follow.
    fn set_in_congestion_avoidance(&mut self, size: f64) {
        self.window.size = bounded(size);
        self.window.ssthresh = self.window.ssthresh.min(self.window.size.max(SSTHRESH_MIN));
    }
}

impl<R: WindowRule> CongestionControl for Windowed<R> {
    fn limits(&self) -> Limits {
        Limits {
            window: Some(self.window.size as u64),
            pacing: self.rule.pacing(&self.window),
            burst: self.burst,
        }
    }

    fn window(&self) -> Option<f64> {
        Some(self.window.size)
    }

    fn ssthresh(&self) -> Option<f64> {
        Some(self.window.ssthresh)
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.rule.on_ack(&self.window, ack, path);
        if self.recovering {
            return;
        }
        if self.window.in_slow_start() && self.slow_start.is_over(self.window.size, ack, path) {
            self.window.ssthresh = self.window.size.max(SSTHRESH_MIN);
            self.left_slow_start = true;
        }
        if let Some(size) = self.rule.step_down(&self.window, ack, path) {
            self.window.size = bounded(size).min(self.window.size);
            self.window.ssthresh = self.window.size.max(SSTHRESH_MIN);
        }
        if let Some(size) = self.rule.slow_down(&self.window) {
            self.window.ssthresh = self.window.size.max(SSTHRESH_MIN);
            self.window.size = bounded(size).min(self.window.size);
        }
        if !ack.advanced {
            return;
        }
        if path.window_limited {
            self.grow(self.ack_counting.counted(ack.newly_acked as f64), path);
        } else {
            self.rule.on_unlimited(path);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if loss.new_episode {
            self.decrease(loss.cause, path);
            self.recovering = true;
            self.left_slow_start = false;
        }
        if loss.cause == Cause::Timeout {
            self.window.size = 1.0;
            self.slow_start.restart();
            self.recovering = false;
        }
    }

    fn on_recovered(&mut self, path: &Path) {
        if self.recovering {
            self.recovering = false;
            self.rule.on_recovered(&self.window, path);
            if let Some(size) = self.rule.window_after_recovery() {
                self.window.size = bounded(size);
                self.window.ssthresh = self.window.size.max(SSTHRESH_MIN);
            }
        } else {
            self.rule.on_repaired(path);
        }
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        if let Some(before) = self.undo.take() {
            self.rule = before.rule;
            self.undiminished = before.undiminished;
            self.window.ssthresh = before.window.ssthresh;
            self.window.size = self.window.size.max(before.window.size);
            self.recovering = false;
        }
    }

    fn on_idle_restart(&mut self, path: &Path) {
        self.window.size = self.window.size.min(self.initial_window).max(1.0);
        self.rule.on_unlimited(path);
    }

    fn next_timer(&self) -> Option<Time> {
        self.rule.next_timer()
    }

    fn on_timer(&mut self, path: &Path) {
        let size = self.rule.on_timer(&self.window, path);
        if !self.recovering && !self.window.in_slow_start() {
            self.set_in_congestion_avoidance(size);
        }
    }

    fn set_window(&mut self, window: f64, ends_slow_start: bool) {
        self.window.size = bounded(window);
        if ends_slow_start {
            self.window.ssthresh = self.window.size.max(SSTHRESH_MIN);
        }
    }

    fn needs_sent_events(&self) -> bool {
        false
    }

    fn ecn(&self) -> EcnUse {
        self.rule.ecn()
    }

    fn state(&self) -> &'static str {
        if self.window.in_slow_start() { self.slow_start.phase() } else { "congestion-avoidance" }
    }

    fn state_rule(&self) -> &'static str {
        if self.left_slow_start && !self.window.in_slow_start() { self.slow_start.rule() } else { "" }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.rule.observe(record);
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
