// SPDX-License-Identifier: Apache-2.0
//! Slow start, the restart after an idle time and the counting of acknowledgements by the host, for an algorithm that gives only
//! its rule of congestion avoidance.
//!
//! All of them follow the flow's [`Setup`], as in the [frame](crate::window::Windowed), so that an algorithm outside this
//! crate and a window algorithm of it differ in their rules alone. After a [Rapid Start](super::Rapid) the algorithm reduces its
//! window at the start of the recovery, from which the host takes its factor; a rule of this crate does so at the end.

use super::rapid::{self, Reduction};
use super::{SlowStart, step};
use crate::{Ack, AckCounting, Cause, Loss, Path, RestartWindow, Setup};
use narrows_units::{Bytes, Rate};

/// The state of a host's functions for one flow.
#[derive(Clone, Debug)]
pub struct Hosted {
    slow_start: SlowStart,
    ack_counting: AckCounting,
    restart_window: RestartWindow,
    initial_window: f64,
    mss: Bytes,
    /// The reduction after a Rapid Start.
    reduction: Option<Reduction>,
    /// In recovery, but not after a timeout: the window is constant.
    recovering: bool,
    /// The losses of a timeout are being repaired.
    repairing: bool,
    /// The variant of slow start, not a loss, ended the last slow start.
    ended: bool,
}

/// The effect of an acknowledgement before the algorithm sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// Window, packets.
    pub window: f64,
    /// Slow-start threshold, packets.
    pub ssthresh: f64,
    /// Packets that the acknowledgement counts for in congestion avoidance; `None` if the window may not grow by it.
    pub acked: Option<f64>,
}

impl Hosted {
    /// Creates the state of a flow with this setup.
    pub fn new(setup: &Setup) -> Self {
        Self {
            slow_start: SlowStart::new(setup.slow_start, setup.paced),
            ack_counting: setup.ack_counting,
            restart_window: setup.restart_window,
            initial_window: setup.initial_window,
            mss: setup.mss,
            reduction: None,
            recovering: false,
            repairing: false,
            ended: false,
        }
    }

    /// Returns the packets that an acknowledgement counts for when a window grows; `None` if it may not grow by it.
    pub fn count(&self, ack: &Ack<'_>, path: &Path) -> Option<f64> {
        let may_grow = ack.advanced && path.window_limited && !self.recovering;
        may_grow.then(|| self.ack_counting.counted(ack.newly_acked as f64, self.repairing))
    }

    /// Does the slow start of a window of `window` packets below `ssthresh`.
    pub fn on_ack(&mut self, window: f64, ssthresh: f64, ack: &Ack<'_>, path: &Path) -> Counted {
        let acked = self.count(ack, path);
        if let Some(reduction) = &mut self.reduction {
            let window = reduction.on_acked(window, ack.newly_acked, path.now);
            return Counted { window, ssthresh: ssthresh.min(window.max(SSTHRESH_MIN)), acked };
        }
        if self.recovering || window >= ssthresh {
            return Counted { window, ssthresh, acked };
        }
        let ends = self.slow_start.is_over(window, ssthresh, ack, path);
        self.ended |= ends;
        let ssthresh = if ends { window.max(SSTHRESH_MIN) } else { ssthresh };
        match acked {
            Some(acked) if window < ssthresh => {
                let growth = self.slow_start.growth(window, ssthresh, acked);
                let (window, acked) = step(window, ssthresh, growth, acked);
                Counted { window, ssthresh, acked }
            }
            _ => Counted { window, ssthresh, acked },
        }
    }

    /// Packets were declared lost, or a mark started an episode.
    pub fn on_loss(&mut self, loss: &Loss<'_>) {
        if loss.new_episode || loss.cause == Cause::Timeout {
            self.reduction = None;
        }
        if loss.new_episode {
            self.recovering = true;
            self.ended = false;
        }
        if loss.cause == Cause::Timeout {
            self.slow_start.on_timeout();
            self.recovering = false;
            self.repairing = true;
        }
    }

    /// The algorithm has responded to `loss`, after [`on_loss`](Self::on_loss): its window was `before` packets below `ssthresh`, and is
    /// `after` packets. Returns the window and ssthresh, packets, that take the place of its own; `None` if these stay.
    pub fn on_reduced(
        &mut self,
        (before, ssthresh): (f64, f64),
        after: f64,
        loss: &Loss<'_>,
        path: &Path,
    ) -> Option<(f64, f64)> {
        let window = if loss.new_episode && loss.cause != Cause::Timeout && self.slow_start.is_rapid(ssthresh)
        {
            let flight = loss.flight.map(|flight| flight as f64).filter(|flight| *flight < before.floor());
            let used = flight.unwrap_or(before);
            let beta = rapid::factor(after, used);
            let least = WINDOW_MIN.max(beta * self.initial_window);
            let reduction = self.reduction.insert(Reduction::new(used, beta, least, loss.lost, path));
            let begun = reduction.begin(used).min(before);
            reduction.on_lost(begun, loss.lost)
        } else {
            self.reduction.as_mut()?.on_lost(after, loss.lost)
        };
        Some((window, window.max(SSTHRESH_MIN)))
    }

    /// Whether the window falls over the present loss episode, step by step.
    pub fn reduces_gradually(&self) -> bool {
        self.reduction.is_some()
    }

    /// Returns the pacing rate of payload of a window of `window` packets below `ssthresh`; `None` for the rate of the algorithm.
    pub fn pacing(&self, window: f64, ssthresh: f64) -> Option<Rate> {
        self.slow_start.pacing(window, ssthresh, self.mss)
    }

    /// The last loss episode is over, or was spurious.
    pub fn on_recovered(&mut self) {
        self.reduction = None;
        self.recovering = false;
        self.repairing = false;
    }

    /// Whether a loss episode is being repaired, but not one of a timeout.
    pub fn is_recovering(&self) -> bool {
        self.recovering
    }

    /// Returns window and ssthresh after an idle time of `timeouts` retransmission timeouts, at least one.
    pub fn on_idle(&mut self, window: f64, ssthresh: f64, timeouts: u64) -> (f64, f64) {
        self.slow_start.on_idle();
        self.restart_window.after(window, ssthresh, self.initial_window, timeouts)
    }

    /// Returns the name of the state of a window of `window` packets, for records.
    pub fn state(&self, window: f64, ssthresh: f64) -> &'static str {
        if window < ssthresh { self.slow_start.phase(ssthresh) } else { "congestion-avoidance" }
    }

    /// Returns the rule by which that state was entered, for records; `""` if the previous state implies it.
    pub fn state_rule(&self, window: f64, ssthresh: f64) -> &'static str {
        if self.ended && window >= ssthresh { self.slow_start.rule() } else { "" }
    }
}

/// Lower bound of the window after a loss, packets (RFC 5681 §3.2, RFC 9002 §7.2).
const WINDOW_MIN: f64 = 2.0;
/// Lower bound of ssthresh, packets (RFC 5681 eq. 4).
const SSTHRESH_MIN: f64 = 2.0;
