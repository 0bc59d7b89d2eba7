// SPDX-License-Identifier: Apache-2.0
//! The state machine: the conditions for each transition, and the actions on it. No other file changes the mode.

use super::Bbr1;
use super::bandwidth::Gain;
use super::cwnd::CWND_MIN_TARGET;
use super::mode::Mode;
use crate::Path;
use narrows_units::{Span, Time};

impl Bbr1 {
    /// Implements `bbr_check_drain`.
    pub(super) fn check_drain(&mut self, path: &Path) {
        if self.mode.is(Mode::Startup) && self.full_bw.full_bw_reached() {
            self.mode.transition_to(Mode::Drain);
        }
        if self.mode.is(Mode::Drain)
            && self.packets_in_net_at_edt(path.in_flight, path)
                <= self.inflight(self.delivery.max_bw(), Gain::UNIT)
        {
            self.reset_probe_bw_mode();
        }
    }

    /// Implements `bbr_update_min_rtt`.
    pub(super) fn update_min_rtt(&mut self, rtt: Option<Span>, path: &Path) {
        let filter_expired = self.min_rtt.update_min_rtt(rtt, path.now);
        if filter_expired && !self.idle_restart && !self.mode.is(Mode::ProbeRtt) {
            self.mode.transition_to(Mode::ProbeRtt);
            self.window.save_cwnd(true);
            self.probe_rtt.enter();
        }
        if self.mode.is(Mode::ProbeRtt) {
            self.handle_probe_rtt(path);
        }
        self.idle_restart = false;
    }

    /// The part of `bbr_update_min_rtt` in ProbeRTT.
    fn handle_probe_rtt(&mut self, path: &Path) {
        self.delivery.mark_app_limited(path.in_flight);
        if !self.probe_rtt.is_timed() {
            if path.in_flight <= CWND_MIN_TARGET {
                self.probe_rtt.start_timing(path.now);
                self.delivery.start_round();
            }
        } else if self.probe_rtt.update_round_done(self.delivery.round_start()) {
            self.check_probe_rtt_done(path.now);
        }
    }

    /// Implements `bbr_check_probe_rtt_done`.
    pub(super) fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt.has_elapsed(now) {
            self.min_rtt.restamp(now);
            self.window.restore_cwnd();
            self.reset_mode();
        }
    }

    /// `bbr_reset_mode`.
    fn reset_mode(&mut self) {
        if self.full_bw.full_bw_reached() {
            self.reset_probe_bw_mode();
        } else {
            self.mode.transition_to(Mode::Startup);
        }
    }

    /// Implements `bbr_reset_probe_bw_mode`.
    pub(super) fn reset_probe_bw_mode(&mut self) {
        self.mode.transition_to(Mode::ProbeBw);
        self.gain_cycle.restart(self.delivery.delivered_stamp());
    }
}
