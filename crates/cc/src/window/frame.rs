//! The frame of all window algorithms: slow start, congestion avoidance, recovery, timeout, undo (RFC 5681, RFC 6298).
//!
//! * Slow start while the window is below ssthresh; what an acknowledgement brings beyond ssthresh already counts for
//!   congestion avoidance (as in Linux; RFC 5681 is silent).
//! * One cut for each episode that the recovery policy declares, none inferred. No growth from the cut to the end of
//!   the episode, nor on a duplicate ACK (RFC 5681 §3.1, §3.2), nor while something else than the window limits the
//!   sender (RFC 2861, RFC 9438 §5.8).
//! * Timeout: ssthresh by the rule, window 1, and slow start goes on at once (RFC 5681 §3.1). When the same segment
//!   times out again the recovery policy declares no new episode: ssthresh stays, the window is 1 again.
//! * A rule may shrink its window without an episode, by delay or by marks counted one by one; ssthresh goes with it, so
//!   that this is no slow start.
//! * After silence the window is at most the initial window (RFC 5681 §4.1).
//! * A false episode gives back window, ssthresh and the rule's state of before it (RFC 4015's idea).
//!
//! Deviations: RFC 5681 eq. 4 cuts the data in flight; here the window is cut, as in Linux and ns-2, which is safe
//! because a window that is not filled does not grow (RFC 9438 §4.6 asks for exactly this). Linux halves the window once
//! for each timeout of silence (RFC 2861), which comes to the same after a few.

use super::rule::{Window, WindowRule};
use crate::catalogue::{FirstCut, Setup};
use crate::slow_start::SlowStart;
use crate::{Ack, Cause, CongestionControl, EcnUse, Limits, Loss, Path};
use narrows_units::{Bytes, Time};

/// A window algorithm: the frame around a rule.
#[derive(Clone, Debug)]
pub struct Windowed<R> {
    rule: R,
    window: Window,
    slow_start: SlowStart,
    /// An episode without timeout is being repaired: the window stands still.
    recovering: bool,
    /// What to return to if the last episode proves false.
    before_cut: Option<BeforeCut<R>>,
    /// No cut has happened on this connection.
    uncut: bool,
    first_cut: FirstCut,
    initial_window: f64,
    burst: Bytes,
}

/// What an episode changes.
#[derive(Clone, Debug)]
struct BeforeCut<R> {
    rule: R,
    window: Window,
    uncut: bool,
}

impl<R: WindowRule> Windowed<R> {
    /// The frame around `rule`, set up as the flow asks.
    pub fn new(rule: R, setup: &Setup) -> Self {
        Self {
            rule,
            window: Window {
                size: bounded(setup.initial_window),
                ssthresh: setup.initial_ssthresh.max(SSTHRESH_FLOOR),
            },
            slow_start: SlowStart::new(setup.slow_start, setup.paced),
            recovering: false,
            before_cut: None,
            uncut: true,
            first_cut: setup.first_cut,
            initial_window: setup.initial_window,
            burst: setup.mss * 2,
        }
    }

    fn cut(&mut self, cause: Cause, path: &Path) {
        self.before_cut = Some(BeforeCut { rule: self.rule.clone(), window: self.window, uncut: self.uncut });
        let by_rule = self.rule.decrease(&self.window, cause, path);
        let half = self.first_cut == FirstCut::Half
            && (self.uncut || self.window.in_slow_start() || cause == Cause::Timeout);
        let target = if half { self.window.size / 2.0 } else { by_rule };
        self.uncut = false;
        self.window.ssthresh = target.max(SSTHRESH_FLOOR);
        self.window.size = target.max(self.rule.floor(cause)).min(self.window.size);
    }

    fn grow(&mut self, acked: f64, path: &Path) {
        let mut acked = acked;
        if self.window.in_slow_start() {
            let growth = self.slow_start.growth(self.window.size, acked);
            let room = self.window.ssthresh - self.window.size;
            self.window.size = bounded(self.window.size + growth.min(room));
            if growth <= room {
                return;
            }
            acked -= room * (acked / growth);
        }
        let added = self.rule.increase(&self.window, acked, path);
        self.avoid(self.window.size + added);
    }

    /// Goes on with a window of `size`, still in congestion avoidance: a rule that shrinks its window without a loss
    /// must not find itself in slow start.
    fn avoid(&mut self, size: f64) {
        self.window.size = bounded(size);
        self.window.ssthresh = self.window.ssthresh.min(self.window.size.max(SSTHRESH_FLOOR));
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
            self.window.ssthresh = self.window.size.max(SSTHRESH_FLOOR);
        }
        if let Some(size) = self.rule.step_down(&self.window, ack, path) {
            self.window.size = bounded(size).min(self.window.size);
            self.window.ssthresh = self.window.size.max(SSTHRESH_FLOOR);
        }
        if !ack.advanced {
            return;
        }
        if path.window_limited {
            self.grow(ack.newly_acked as f64, path);
        } else {
            self.rule.on_unlimited(path);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if loss.new_episode {
            self.cut(loss.cause, path);
            self.recovering = true;
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
        }
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        if let Some(before) = self.before_cut.take() {
            self.rule = before.rule;
            self.uncut = before.uncut;
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
            self.avoid(size);
        }
    }

    fn set_window(&mut self, window: f64, ends_slow_start: bool) {
        self.window.size = bounded(window);
        if ends_slow_start {
            self.window.ssthresh = self.window.size.max(SSTHRESH_FLOOR);
        }
    }

    fn minds_departures(&self) -> bool {
        false
    }

    fn ecn(&self) -> EcnUse {
        self.rule.ecn()
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        self.rule.observe(tell);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// A window between one packet and [`CEILING`]; what is no number becomes one packet.
fn bounded(size: f64) -> f64 {
    #[expect(clippy::manual_clamp, reason = "clamp would keep what is no number")]
    size.max(1.0).min(CEILING)
}

/// RFC 5681 §3.1: ssthresh is never below two segments.
const SSTHRESH_FLOOR: f64 = 2.0;

/// 2³⁰ packets: no path holds as many, and a window that nothing ever cuts stays a number.
const CEILING: f64 = 1_073_741_824.0;
