//! What a window algorithm has to say for itself: how the window grows in congestion avoidance and how it is cut.
//!
//! Everything else (slow start, recovery, timeouts, undo, floors) is the [frame](super::frame)'s. The optional hooks
//! carry what some rules need: samples of every acknowledgement, a timer, marks counted one by one.

use crate::{Ack, Cause, EcnUse, Path};
use narrows_units::{Rate, Time};
use std::fmt::Debug;

/// The congestion window as a rule sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The window in packets, at least 1.
    pub size: f64,
    /// The slow-start threshold in packets, at least 2; infinite before it is first set.
    pub ssthresh: f64,
}

impl Window {
    /// Slow start lasts while the window is below ssthresh (RFC 5681 §3.1).
    pub fn in_slow_start(&self) -> bool {
        self.size < self.ssthresh
    }
}

/// The two formulas of a window algorithm.
pub trait WindowRule: Clone + Debug + Send + 'static {
    /// Packets to add to the window in congestion avoidance when `acked` packets were acknowledged; may be negative,
    /// which takes ssthresh along.
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64;

    /// The window after a cut. For [`Cause::Timeout`] the answer becomes ssthresh only, and is where a rule forgets
    /// what a timeout makes worthless. It may exceed the window; the window then stays and ssthresh takes the answer.
    fn decrease(&mut self, window: &Window, cause: Cause, path: &Path) -> f64;

    /// Smallest window that a cut may leave, packets.
    fn floor(&self, _cause: Cause) -> f64 {
        2.0
    }

    /// Every acknowledgement, in every phase, before the window grows.
    fn on_ack(&mut self, _window: &Window, _ack: &Ack<'_>, _path: &Path) {}

    /// Asked after [`on_ack`](Self::on_ack), in every phase but recovery: a smaller window to go on from at once, in
    /// congestion avoidance. For rules that do not wait for an episode: marks counted one by one, delay.
    fn step_down(&mut self, _window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        None
    }

    /// An acknowledgement in congestion avoidance did not let the window grow because something else limits the
    /// sender, or the sender was silent.
    fn on_unlimited(&mut self, _path: &Path) {}

    /// The episode is over; congestion avoidance goes on.
    fn on_recovered(&mut self, _window: &Window, _path: &Path) {}

    /// When [`on_timer`](Self::on_timer) wants to be called.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The timer has come: the new window, which the frame ignores in slow start and during recovery.
    fn on_timer(&mut self, window: &Window, _path: &Path) -> f64 {
        window.size
    }

    /// The rate to pace at; `None` leaves that to the host.
    fn pacing(&self, _window: &Window) -> Option<Rate> {
        None
    }

    /// How the algorithm wants its packets marked.
    fn ecn(&self) -> EcnUse {
        EcnUse::Classic
    }

    /// Inner variables by name, for records only.
    fn observe(&self, _tell: &mut dyn FnMut(&'static str, f64)) {}
}
