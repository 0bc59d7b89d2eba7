// SPDX-License-Identifier: Apache-2.0
//! The state machine (draft-ietf-ccwg-bbr-06 §5.3): the conditions for each transition, and the actions on it. No other file
//! changes the state.

use super::delivery::Sample;
use super::state::State;
use super::{Bbr3, PROBE_RTT_CWND_GAIN};
use crate::Path;
use crate::model::real::greater;
use narrows_units::Time;

impl Bbr3 {
    /// Implements `EnterStartup`.
    pub(super) fn enter_startup(&mut self) {
        self.state.transition_to(State::Startup);
    }

    /// Implements `CheckStartupDone`.
    pub(super) fn check_startup_done(&mut self, sample: &Sample) {
        self.check_startup_high_loss(sample);
        if self.state.is(State::Startup) && self.full_bw.full_bw_reached() {
            self.enter_drain();
        }
    }

    /// `EnterDrain`.
    fn enter_drain(&mut self) {
        self.state.transition_to(State::Drain);
        self.drain_start_round = self.delivery.round_count();
    }

    /// Implements `CheckDrainDone`.
    pub(super) fn check_drain_done(&mut self, path: &Path) {
        if !self.state.is(State::Drain) {
            return;
        }
        let drained = path.in_flight as f64 <= self.inflight(self.bw());
        if drained || self.delivery.round_count() > self.drain_start_round + DRAIN_ROUNDS_MAX {
            self.start_probe_bw_down(path.now);
        }
    }

    /// Implements `StartProbeBW_DOWN`.
    pub(super) fn start_probe_bw_down(&mut self, now: Time) {
        self.signals.reset_congestion_signals();
        self.probe_bw.start_down(now);
        self.delivery.start_round();
        self.state.transition_to(State::ProbeBwDown);
    }

    /// `StartProbeBW_CRUISE`.
    fn start_probe_bw_cruise(&mut self) {
        self.state.transition_to(State::ProbeBwCruise);
    }

    /// Implements `StartProbeBW_REFILL`.
    pub(super) fn start_probe_bw_refill(&mut self) {
        self.bounds.reset_short_term_model();
        self.probe_bw.start_refill();
        self.delivery.start_round();
        self.state.transition_to(State::ProbeBwRefill);
    }

    /// `StartProbeBW_UP`.
    fn start_probe_bw_up(&mut self, sample: &Sample) {
        self.probe_bw.start_up();
        self.delivery.start_round();
        self.full_bw.reset_full_bw(sample.delivery_rate);
        self.state.transition_to(State::ProbeBwUp);
        self.probe_bw.raise_inflight_longterm_slope(self.window.cwnd());
    }

    /// Implements `UpdateProbeBWCyclePhase`.
    pub(super) fn update_probe_bw_cycle_phase(&mut self, sample: &Sample, path: &Path) {
        if !self.full_bw.full_bw_reached() || self.adapt_long_term_model(sample, path) {
            return;
        }
        match self.state.get() {
            State::ProbeBwDown | State::ProbeBwCruise if self.is_time_to_probe_bw(path) => {
                self.start_probe_bw_refill();
            }
            State::ProbeBwDown if self.is_time_to_cruise(path) => self.start_probe_bw_cruise(),
            State::ProbeBwRefill if self.delivery.round_start() => self.start_probe_bw_up(sample),
            State::ProbeBwUp if self.is_time_to_go_down(sample, path) => {
                self.probe_bw.set_prev_probe_too_high(false);
                self.start_probe_bw_down(path.now);
            }
            _ => {}
        }
    }

    /// `IsTimeToProbeBW`.
    fn is_time_to_probe_bw(&self, path: &Path) -> bool {
        self.probe_bw.is_time_to_probe_bw(self.target_inflight(), path.now)
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, path: &Path) -> bool {
        let in_flight = path.in_flight as f64;
        in_flight <= self.bounds.inflight_with_headroom(self.headroom)
            && in_flight <= self.inflight(self.delivery.max_bw())
    }

    /// `IsTimeToGoDown`.
    fn is_time_to_go_down(&mut self, sample: &Sample, path: &Path) -> bool {
        if self.probe_bw.prev_probe_too_high() && path.in_flight as f64 >= self.bounds.inflight_longterm() {
            self.probe_bw.set_prev_probe_precautionary();
            return true;
        }
        if self.is_limited_by_inflight_longterm(path) {
            self.full_bw.reset_full_bw(sample.delivery_rate);
        }
        self.full_bw.full_bw_now()
    }

    /// `AdaptLongTermModel`. Returns whether it changed the state.
    fn adapt_long_term_model(&mut self, sample: &Sample, path: &Path) -> bool {
        let in_a_probe_bw_state = self.state.get().is_in_a_probe_bw_state();
        if self.delivery.round_start() && self.probe_bw.advance_ack_phase() && in_a_probe_bw_state {
            if !sample.is_app_limited {
                self.delivery.advance_max_bw_filter();
            }
            if self.probe_bw.may_probe_again() {
                self.start_probe_bw_refill();
                return true;
            }
        }
        if !self.is_inflight_too_high(sample) && self.bounds.inflight_longterm().is_finite() {
            self.bounds.raise_inflight_longterm(sample.tx_in_flight as f64);
            if self.state.is(State::ProbeBwUp) {
                self.probe_inflight_longterm_upward(sample, path);
            }
        }
        false
    }

    /// `ProbeInflightLongtermUpward`.
    fn probe_inflight_longterm_upward(&mut self, sample: &Sample, path: &Path) {
        if !self.is_limited_by_inflight_longterm(path) {
            return;
        }
        let growth = self.probe_bw.inflight_longterm_growth(sample.newly_acked);
        self.bounds.raise_inflight_longterm(self.bounds.inflight_longterm() + growth);
        if self.delivery.round_start() {
            self.probe_bw.raise_inflight_longterm_slope(self.window.cwnd());
        }
    }

    /// Whether the window, and `inflight_longterm` in it, keeps the sender from sending more.
    fn is_limited_by_inflight_longterm(&self, path: &Path) -> bool {
        path.window_limited && self.window.cwnd() >= self.bounds.inflight_longterm()
    }

    /// Implements `CheckProbeRTT`; `probe_rtt_expired` is the result of `UpdateMinRTT`.
    pub(super) fn check_probe_rtt(&mut self, probe_rtt_expired: bool, sample: &Sample, path: &Path) {
        if probe_rtt_expired && !self.idle_restart && !self.state.is(State::ProbeRtt) {
            self.enter_probe_rtt();
        }
        if self.state.is(State::ProbeRtt) {
            self.handle_probe_rtt(path);
        }
        if sample.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// `EnterProbeRTT` and the steps of `CheckProbeRTT` after it.
    fn enter_probe_rtt(&mut self) {
        self.window.save_cwnd(false);
        self.state.transition_to(State::ProbeRtt);
        self.probe_rtt.enter();
        self.probe_bw.stop_probing();
        self.delivery.start_round();
    }

    /// `HandleProbeRTT`.
    fn handle_probe_rtt(&mut self, path: &Path) {
        self.delivery.mark_connection_app_limited(path.in_flight);
        if !self.probe_rtt.is_timed() {
            if path.in_flight as f64 <= self.probe_rtt_cwnd() {
                self.probe_rtt.start_timing(path.now);
                self.delivery.start_round();
            }
        } else if self.probe_rtt.update_round_done(self.delivery.round_start()) {
            self.check_probe_rtt_done(path.now);
        }
    }

    /// Implements `CheckProbeRTTDone`.
    pub(super) fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt.has_elapsed(now) {
            self.min_rtt.schedule_probe_rtt(now);
            self.window.restore_cwnd();
            self.exit_probe_rtt(now);
        }
    }

    /// `ExitProbeRTT`.
    fn exit_probe_rtt(&mut self, now: Time) {
        self.bounds.reset_short_term_model();
        if self.full_bw.full_bw_reached() {
            self.start_probe_bw_down(now);
            self.start_probe_bw_cruise();
        } else {
            self.enter_startup();
        }
    }

    /// Returns `ProbeRTTCwnd`, packets.
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        greater(PROBE_RTT_CWND_GAIN * self.bdp(self.bw()), super::MIN_PIPE_CWND)
    }
}

/// Rounds after which Drain ends with any number of packets in flight.
const DRAIN_ROUNDS_MAX: u64 = 3;
