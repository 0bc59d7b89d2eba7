// SPDX-License-Identifier: Apache-2.0
//! The part of a window algorithm that differs between algorithms: increase in congestion avoidance and decrease.
//!
//! Everything else (slow start, recovery, timeouts, undo, lower bounds) is in the [frame](super::frame). The provided
//! methods are for rules that need more: each acknowledgement, a timer, counts of marks.

use crate::{Ack, Cause, EcnUse, Idle, Path};
use core::fmt::Debug;
use narrows_units::{Rate, Time};
use narrows_wire::Request;

/// Congestion window and slow-start threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window, packets, at least 1.
    pub size: f64,
    /// Slow-start threshold, packets, at least 2; infinite while unset.
    pub ssthresh: f64,
}

impl Window {
    /// Whether the flow is in slow start: the window is below ssthresh (RFC 5681 §3.1).
    pub fn in_slow_start(&self) -> bool {
        self.size < self.ssthresh
    }
}

/// The formulas of a window algorithm.
pub trait WindowRule: Clone + Debug + Send + 'static {
    /// The factor by which a mark multiplies the window under ABE (RFC 8511 §3.1); `None` if the RFC has none for the rule.
    const ABE_FACTOR: Option<f64> = None;

    /// Returns the packets to add to the window in congestion avoidance for `acked` packets acknowledged. If negative,
    /// ssthresh falls with the window.
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64;

    /// Returns the packets to add to the window in slow start, in which the variant of slow start adds `growth`.
    fn in_slow_start(&self, growth: f64) -> f64 {
        growth
    }

    /// Returns the window after a loss episode starts, packets; it also becomes ssthresh. After a timeout it becomes
    /// ssthresh alone. If it exceeds the window, the window stays and ssthresh is set to it. If the window is not filled,
    /// `window` is the part in use if the host applies decreases to that part ([`Loss::flight`](crate::Loss::flight)).
    fn decrease(&mut self, window: &Window, cause: Cause, path: &Path) -> f64;

    /// Returns the window after `lost` packets were declared lost, at the start of an episode after [`decrease`](Self::decrease) or in
    /// its course; it also becomes ssthresh. `None` to keep both.
    fn on_lost(&mut self, _window: &Window, _lost: u64) -> Option<f64> {
        None
    }

    /// The last episode was spurious, and the host restores the window alone. Restores from `before`, the rule before the
    /// episode, the state that Linux's module restores.
    fn on_undo(&mut self, _before: &Self) {}

    /// Returns the lower bound of the window after a decrease, packets.
    fn floor(&self, _cause: Cause) -> f64 {
        2.0
    }

    /// Returns the largest window, packets, that it grows to.
    fn clamp(&self) -> f64 {
        f64::INFINITY
    }

    /// Called for every acknowledgement, before the window grows.
    fn on_ack(&mut self, _window: &Window, _ack: &Ack<'_>, _path: &Path) {}

    /// Returns the request to the routers in the next packet; `None` for a rule that asks them nothing.
    fn request(&self) -> Option<Request> {
        None
    }

    /// Returns the window and ssthresh from which slow start begins again because a router asked for less; `None` to keep both.
    /// Called after [`on_ack`](Self::on_ack), in recovery, too.
    fn answer(&mut self, _window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<Window> {
        None
    }

    /// Returns a smaller window, in packets, to continue with in congestion avoidance; `None` to keep the window.
    /// Called after [`on_ack`](Self::on_ack), except in recovery, for rules that respond to counts of marks or to
    /// delay.
    fn step_down(&mut self, _window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        None
    }

    /// Returns a smaller window, in packets, from which slow start leads back to the present one; `None` to keep the
    /// window. Called as [`step_down`](Self::step_down).
    fn slow_down(&mut self, _window: &Window) -> Option<f64> {
        None
    }

    /// The window does not grow with this acknowledgement because the window is not what limits the sender.
    fn on_unlimited(&mut self, _path: &Path) {}

    /// The sender was idle and is about to send; `window` is the one with which it does.
    fn on_idle(&mut self, _window: &Window, _idle: &Idle, _path: &Path) {}

    /// Congestion avoidance begins, after slow start or a restart of the window: what [`increase`](Self::increase) kept of a stage
    /// before is void. Called before the first increase.
    fn on_avoidance(&mut self) {}

    /// Loss recovery is over, and congestion avoidance continues.
    fn on_recovered(&mut self, _window: &Window, _path: &Path) {}

    /// Returns the window to continue with after [`on_recovered`](Self::on_recovered), packets; it also becomes
    /// ssthresh. `None` to keep both.
    fn window_after_recovery(&self) -> Option<f64> {
        None
    }

    /// The losses of a timeout are repaired. Also called at the end of an episode that was undone.
    fn on_repaired(&mut self, _path: &Path) {}

    /// Returns when [`on_timer`](Self::on_timer) is to be called; `None` for not at all.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The timer expired. Returns the new window, packets; ignored in slow start and in recovery.
    fn on_timer(&mut self, window: &Window, _path: &Path) -> f64 {
        window.size
    }

    /// Returns the pacing rate of payload; `None` leaves pacing to the host.
    fn pacing(&self, _window: &Window) -> Option<Rate> {
        None
    }

    /// How the algorithm uses ECN on flows that have it enabled.
    fn ecn(&self) -> EcnUse {
        EcnUse::Classic
    }

    /// Calls `record` with name and value of each internal variable that records may hold.
    fn observe(&self, _record: &mut dyn FnMut(&str, f64)) {}
}
