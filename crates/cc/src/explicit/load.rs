// SPDX-License-Identifier: Apache-2.0
//! What VCP and BMCC have in common: a window that grows in proportion to itself, by a packet, or shrinks, by the load of the path.

use super::bounded;
use crate::{Ack, Cause, CongestionControl, Idle, Limits, Loss, Path, Setup};
use alloc::boxed::Box;
use core::fmt::Debug;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Feedback, Request};

/// The change of a window that the load of the path requires.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Region {
    /// Growth by this factor, less one, in each interval of the router.
    Multiply(f64),
    /// Growth by `α` packets in a round trip of `t_d`.
    Add,
    /// A decrease to this part of the window.
    Decrease(f64),
}

/// A window under the laws of VCP's sender.
#[derive(Clone, Debug)]
pub(super) struct LoadWindow {
    window: f64,
    /// The window before the last loss episode, for undo.
    undo: Option<f64>,
    /// In loss recovery, but not after a timeout.
    recovering: bool,
    /// `T`: interval of the router.
    interval: Span,
    /// `α`, packets.
    alpha: f64,
    /// End of the time in which the window stays after a decrease; the router has measured its effect then.
    held_until: Option<Time>,
    /// End of the time in which overload counts as high load; packets sent since are answered then.
    excused_until: Option<Time>,
    initial_window: f64,
    burst: Bytes,
}

impl LoadWindow {
    /// Creates the window of a flow with this setup.
    pub fn new(interval: Span, alpha: f64, setup: &Setup) -> Self {
        Self {
            window: bounded(setup.initial_window),
            undo: None,
            recovering: false,
            interval,
            alpha,
            held_until: None,
            excused_until: None,
            initial_window: setup.initial_window,
            burst: setup.mss * 2,
        }
    }

    /// Returns the window, packets.
    pub fn packets(&self) -> f64 {
        self.window
    }

    /// Returns the limits, as [`CongestionControl::limits`](crate::CongestionControl::limits).
    pub fn limits(&self) -> Limits {
        Limits { window: Some(self.window as u64), pacing: None, burst: self.burst }
    }

    /// Changes the window by the region of the load that an acknowledgement reported.
    pub fn follow(&mut self, region: Region, ack: &Ack<'_>, path: &Path) {
        let Some(rtt) = path.rtt.map(|rtt| rtt.smoothed) else { return };
        if self.held_until.is_some_and(|end| path.now >= end) {
            self.held_until = None;
            self.excused_until = Some(path.now + rtt);
        }
        if self.excused_until.is_some_and(|end| path.now >= end) {
            self.excused_until = None;
        }
        if self.held_until.is_some() {
            return;
        }
        let acked = ack.newly_acked as f64;
        let growth = match region {
            Region::Decrease(kept) if self.excused_until.is_none() => {
                self.window = bounded(self.window * kept);
                self.held_until = Some(path.now + hold(self.interval));
                return;
            }
            Region::Multiply(xi) => {
                let intervals = (rtt.as_secs_f64() / self.interval.as_secs_f64()).min(INTERVALS_MAX);
                acked * (libm::pow(1.0 + xi, intervals) - 1.0)
            }
            Region::Add | Region::Decrease(_) => acked * scale(rtt) * self.alpha / self.window,
        };
        if path.window_limited && !self.recovering {
            self.window = bounded(self.window + growth);
        }
    }

    /// Reno's reaction.
    pub fn on_loss(&mut self, loss: &Loss<'_>) {
        if loss.new_episode {
            self.undo = Some(self.window);
            self.window = bounded(self.window / 2.0);
            self.recovering = true;
        }
        if loss.cause == Cause::Timeout {
            self.window = 1.0;
            self.recovering = false;
        }
    }

    /// A loss episode is over.
    pub fn on_recovered(&mut self) {
        self.recovering = false;
    }

    /// The last loss episode was spurious.
    pub fn on_spurious_loss(&mut self) {
        if let Some(before) = self.undo.take() {
            self.window = self.window.max(before);
            self.recovering = false;
        }
    }

    /// The window starts anew after an idle time of a retransmission timeout (RFC 5681 §4.1).
    pub fn on_idle(&mut self) {
        self.window = bounded(self.window.min(self.initial_window));
        self.undo = None;
    }
}

/// A sender's request to the routers of its path, and the meaning of their answer for its window.
pub(super) trait Signal: Clone + Debug + Send + 'static {
    /// Returns the request of the next packet.
    fn request(&mut self) -> Request;

    /// Returns the change of the window that an answer requires; `None` if the answer is not to such a request.
    fn region(&mut self, feedback: Feedback) -> Option<Region>;

    /// Calls `record` with name and value of each internal variable.
    fn observe(&self, _record: &mut dyn FnMut(&str, f64)) {}
}

/// A sender whose window follows the load of its path.
#[derive(Clone, Debug)]
pub(super) struct LoadSender<S> {
    pub window: LoadWindow,
    pub signal: S,
}

impl<S: Signal> CongestionControl for LoadSender<S> {
    fn limits(&self) -> Limits {
        self.window.limits()
    }

    fn window(&self) -> Option<f64> {
        Some(self.window.packets())
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        if let Some(region) = ack.feedback.and_then(|feedback| self.signal.region(feedback)) {
            self.window.follow(region, ack, path);
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        self.window.on_loss(loss);
    }

    fn on_recovered(&mut self, _path: &Path) {
        self.window.on_recovered();
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        self.window.on_spurious_loss();
    }

    fn on_idle(&mut self, idle: &Idle, _path: &Path) {
        if idle.timeouts > 0 {
            self.window.on_idle();
        }
    }

    fn request(&mut self, _path: &Path) -> Option<Request> {
        Some(self.signal.request())
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.signal.observe(record);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// `g`: `(RTT / t_d)²` with `t_d` of 100 ms between 20 and 500 ms, linear outside.
fn scale(rtt: Span) -> f64 {
    let ratio = rtt.as_secs_f64() / 0.1;
    if ratio < 0.2 {
        0.2 * ratio
    } else if ratio > 5.0 {
        ratio + 20.0
    } else {
        ratio * ratio
    }
}

/// `T`, rounded up to 10 ms.
fn hold(interval: Span) -> Span {
    Span::from_ms(10) * interval.as_ps().div_ceil(Span::from_ms(10).as_ps())
}

/// Most intervals of the router that a round trip counts for.
const INTERVALS_MAX: f64 = 2.5;

#[cfg(test)]
mod tests {
    use super::{hold, scale};
    use narrows_units::Span;

    #[test]
    fn the_scale_is_the_square_of_the_round_trip_time_and_continuous() {
        for (ms, expected) in [(10, 0.02), (20, 0.04), (100, 1.0), (200, 4.0), (500, 25.0), (600, 26.0)] {
            assert!((scale(Span::from_ms(ms)) - expected).abs() < 1e-9, "{ms} ms");
        }
    }

    #[test]
    fn the_window_is_held_for_an_interval_in_steps_of_10_ms() {
        for (interval, held) in [(200, 200), (195, 200), (5, 10)] {
            assert_eq!(hold(Span::from_ms(interval)), Span::from_ms(held));
        }
    }
}
