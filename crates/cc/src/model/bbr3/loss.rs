// SPDX-License-Identifier: Apache-2.0
//! The response to losses (draft-ietf-ccwg-bbr-06 §5.3.1.3, §5.5.10, §5.5.11): in probes, in Startup, in the states that do
//! not probe; and its undo after spurious losses. The response to marks, which §3.7 requires and leaves open: that to losses
//! above the threshold.

use super::Bbr3;
use super::bounds::Bounds;
use super::delivery::Sample;
use super::state::State;
use crate::{Path, SentPacket};
use narrows_units::Time;

/// The variables saved when an episode of losses starts (§2.15).
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    /// `BBR.undo_state`: the state that losses ended.
    pub(super) state: Option<State>,
    /// `BBR.undo_bw_shortterm`, `BBR.undo_inflight_shortterm` and `BBR.undo_inflight_longterm`.
    bounds: Bounds,
}

impl Undo {
    /// Nothing has been saved.
    pub(super) const NONE: Self = Self { state: None, bounds: Bounds::ZERO };
}

impl Bbr3 {
    /// Implements `SaveStateUponLoss`, as an episode starts (§5.5.11.1).
    pub(super) fn save_state_upon_loss(&mut self) {
        self.window.save_cwnd(self.state.is(State::ProbeRtt));
        self.undo = Undo { state: None, bounds: self.bounds };
    }

    /// Implements `HandleLostPacket`.
    pub(super) fn handle_lost_packet(&mut self, packet: &SentPacket, now: Time) {
        self.signals.note_loss(packet, self.delivery.delivered());
        let sample = self.delivery.sample_of_lost_packet(packet);
        if self.probe_bw.is_bw_probe_sample() && self.is_inflight_too_high(&sample) {
            self.handle_inflight_too_high(self.inflight_at_loss(&sample), sample.is_app_limited, now);
        }
    }

    /// The first mark of a round trip: the data in flight is too much (§3.7: any CE mark is congestion).
    pub(super) fn handle_mark(&mut self, path: &Path) {
        self.signals.note_congestion(self.delivery.delivered());
        if self.state.is(State::Startup) {
            self.leave_startup();
        } else if self.probe_bw.is_bw_probe_sample() {
            self.handle_inflight_too_high(path.in_flight as f64, false, path.now);
        }
    }

    /// Ends Startup because of congestion.
    fn leave_startup(&mut self) {
        self.full_bw.set_full_bw_reached();
        self.bounds.set_inflight_longterm(self.bdp(self.bw()).max(self.signals.inflight_latest()));
    }

    /// Returns `IsInflightTooHigh`.
    pub(super) fn is_inflight_too_high(&self, sample: &Sample) -> bool {
        sample.lost > 0 && sample.lost as f64 > sample.tx_in_flight as f64 * self.loss_thresh
    }

    /// Packets in flight at which the losses exceeded `LossThresh` (`InflightAtLoss`).
    fn inflight_at_loss(&self, sample: &Sample) -> f64 {
        let (inflight_prev, lost_prev) = (sample.tx_in_flight as f64 - 1.0, sample.lost as f64 - 1.0);
        let lost_prefix = (self.loss_thresh * inflight_prev - lost_prev) / (1.0 - self.loss_thresh);
        inflight_prev + lost_prefix
    }

    /// `HandleInflightTooHigh`: `tx_in_flight` packets were in flight.
    fn handle_inflight_too_high(&mut self, tx_in_flight: f64, is_app_limited: bool, now: Time) {
        self.probe_bw.set_prev_probe_too_high(true);
        if !is_app_limited {
            let least = self.target_inflight() * self.beta;
            self.bounds.set_inflight_longterm(tx_in_flight.max(least));
        }
        if self.state.is(State::ProbeBwUp) {
            self.undo.state = Some(State::ProbeBwUp);
            self.start_probe_bw_down(now);
        }
    }

    /// Implements `AdaptLowerBoundsFromCongestion`.
    pub(super) fn adapt_lower_bounds_from_congestion(&mut self) {
        if self.signals.is_loss_in_round() && !self.state.get().is_probing_bw() {
            let (max_bw, cwnd) = (self.delivery.max_bw(), self.window.cwnd());
            self.bounds.adapt_lower_bounds(&self.signals, max_bw, cwnd, self.beta);
        }
    }

    /// Implements `CheckStartupHighLoss`.
    pub(super) fn check_startup_high_loss(&mut self, sample: &Sample) {
        if !self.signals.loss_round_start() {
            return;
        }
        if self.state.is(State::Startup)
            && self.window.in_fast_recovery()
            && self.signals.lost_ranges() >= STARTUP_FULL_LOSS_COUNT
            && self.is_inflight_too_high(sample)
        {
            self.undo.state = Some(State::Startup);
            self.leave_startup();
        }
        self.signals.reset_lost_ranges();
    }

    /// Implements `HandleSpuriousLossDetection`.
    pub(super) fn handle_spurious_loss_detection(&mut self) {
        self.window.restore_cwnd();
        self.signals.clear_loss_in_round();
        self.full_bw.reset_full_bw(0.0);
        self.bounds.restore(&self.undo.bounds);
        let state = self.state.get();
        match self.undo.state.take() {
            Some(State::Startup) if state != State::Startup => {
                self.full_bw.undo_full_bw_reached();
                if state != State::ProbeRtt {
                    self.enter_startup();
                }
            }
            Some(State::ProbeBwUp) if state != State::ProbeBwUp && state != State::ProbeRtt => {
                self.start_probe_bw_refill();
            }
            _ => {}
        }
        self.bound_cwnd_for_model();
        self.set_pacing_rate();
    }
}

/// `BBRStartupFullLossCnt`, ranges of lost packets in a round.
const STARTUP_FULL_LOSS_COUNT: u32 = 6;
