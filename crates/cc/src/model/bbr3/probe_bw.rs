// SPDX-License-Identifier: Apache-2.0
//! The variables of the ProbeBW cycle (draft-ietf-ccwg-bbr-06 §2.14, §5.3.3): the time of the next probe, the meaning of
//! acknowledgements with respect to the current one, and the growth of `inflight_longterm` in it.

use crate::model::real::lesser;
use crate::model::state_machine::{StateMachine, States};
use crate::random::Random;
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Span, Time};

/// The variables of one flow.
#[derive(Clone, Debug)]
pub(super) struct ProbeBw {
    ack_phase: StateMachine<AckPhase>,
    is_bw_probe_sample: bool,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    rounds_since_probe_up: u32,
    bw_probe_wait: Span,
    cycle_stamp: Time,
    bw_probe_up_rounds: u32,
    /// Packets.
    bw_probe_up_acked: f64,
    /// Packets acknowledged for each packet that `inflight_longterm` grows by; infinite while it does not grow.
    probe_up_acked_per_inc: f64,
    random: Random,
}

/// `BBR.ack_phase`: the meaning of acknowledgements with respect to bandwidth probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    /// They are not of packets of a probe.
    Init,
    /// They are of packets sent in or before Refill; Up has not started.
    Refilling,
    /// Up has started; they are still of packets sent before it.
    ProbeStarting,
    /// They are of packets sent in Up.
    ProbeFeedback,
    /// Up is over; they are still of packets sent in it.
    ProbeStopping,
}

impl States for AckPhase {
    fn predecessors(self) -> &'static [Self] {
        use AckPhase::{Init, ProbeFeedback, ProbeStarting, ProbeStopping, Refilling};
        match self {
            Init => &[ProbeStopping],
            Refilling => &[Init, Refilling, ProbeStopping],
            ProbeStarting => &[Refilling],
            ProbeFeedback => &[ProbeStarting],
            // ProbeRTT may be entered in any phase.
            ProbeStopping => &[Init, Refilling, ProbeStarting, ProbeFeedback, ProbeStopping],
        }
    }
}

impl ProbeBw {
    /// Creates a flow that has not probed; waits are drawn from `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            ack_phase: StateMachine::new(AckPhase::Init),
            is_bw_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            rounds_since_probe_up: 0,
            bw_probe_wait: Span::ZERO,
            cycle_stamp: Time::ZERO,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: f64::INFINITY,
            random: Random::new(seed),
        }
    }

    /// Whether samples are of a probe that has not lost too much so far.
    pub(super) fn is_bw_probe_sample(&self) -> bool {
        self.is_bw_probe_sample
    }

    /// Whether the last probe lost too much.
    pub(super) fn prev_probe_too_high(&self) -> bool {
        self.prev_probe_too_high
    }

    /// Whether the last probe ended early by precaution and has lost little, so that another may follow at once.
    pub(super) fn may_probe_again(&self) -> bool {
        self.prev_probe_precautionary && !self.prev_probe_too_high
    }

    /// A round has started (`UpdateRound`).
    pub(super) fn on_round_start(&mut self) {
        self.rounds_since_probe_up += 1;
    }

    /// Implements `StartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: Time) {
        self.probe_up_acked_per_inc = f64::INFINITY;
        self.pick_probe_wait();
        self.cycle_stamp = now;
        self.stop_probing();
    }

    /// Implements `StartProbeBW_REFILL`.
    pub(super) fn start_refill(&mut self) {
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acked = 0.0;
        self.prev_probe_precautionary = false;
        self.ack_phase.transition_to(AckPhase::Refilling);
    }

    /// Implements `StartProbeBW_UP`.
    pub(super) fn start_up(&mut self) {
        self.is_bw_probe_sample = true;
        self.ack_phase.transition_to(AckPhase::ProbeStarting);
    }

    /// The packets that leave from now on do not probe.
    pub(super) fn stop_probing(&mut self) {
        self.ack_phase.transition_to(AckPhase::ProbeStopping);
    }

    /// The probe ends early, at the volume at which the previous one lost too much (`IsTimeToGoDown`).
    pub(super) fn set_prev_probe_precautionary(&mut self) {
        self.prev_probe_precautionary = true;
    }

    /// Whether the probe lost too much (`HandleInflightTooHigh`, `UpdateProbeBWCyclePhase`).
    pub(super) fn set_prev_probe_too_high(&mut self, too_high: bool) {
        self.prev_probe_too_high = too_high;
        if too_high {
            // React only once per probe.
            self.is_bw_probe_sample = false;
        }
    }

    /// A round has started: moves the phase on (`AdaptLongTermModel`). Returns whether the samples of a probe end here.
    pub(super) fn advance_ack_phase(&mut self) -> bool {
        match self.ack_phase.get() {
            AckPhase::ProbeStarting => self.ack_phase.transition_to(AckPhase::ProbeFeedback),
            AckPhase::ProbeStopping => {
                self.is_bw_probe_sample = false;
                self.ack_phase.transition_to(AckPhase::Init);
                return true;
            }
            AckPhase::Init | AckPhase::Refilling | AckPhase::ProbeFeedback => {}
        }
        false
    }

    /// `PickProbeWait`.
    fn pick_probe_wait(&mut self) {
        self.rounds_since_probe_up = self.random.below(2) as u32;
        self.bw_probe_wait = BW_PROBE_WAIT_MIN + Span::from_secs_f64(self.random.unit());
    }

    /// Whether it is time for the next probe, with `target_inflight` packets (`IsTimeToProbeBW`).
    pub(super) fn is_time_to_probe_bw(&self, target_inflight: f64, now: Time) -> bool {
        self.has_elapsed_in_phase(self.bw_probe_wait, now)
            || self.is_reno_coexistence_probe_time(target_inflight)
    }

    /// `HasElapsedInPhase`.
    fn has_elapsed_in_phase(&self, interval: Span, now: Time) -> bool {
        now > self.cycle_stamp + interval
    }

    /// `IsRenoCoexistenceProbeTime`.
    fn is_reno_coexistence_probe_time(&self, target_inflight: f64) -> bool {
        f64::from(self.rounds_since_probe_up) >= lesser(target_inflight, RENO_ROUNDS_MAX)
    }

    /// Returns the packets by which `inflight_longterm` grows when `newly_acked` packets are acknowledged
    /// (`ProbeInflightLongtermUpward`).
    pub(super) fn inflight_longterm_growth(&mut self, newly_acked: f64) -> f64 {
        self.bw_probe_up_acked += newly_acked;
        let delta = (self.bw_probe_up_acked / self.probe_up_acked_per_inc).floor();
        if delta >= 1.0 {
            self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc;
            delta
        } else {
            0.0
        }
    }

    /// Implements `RaiseInflightLongtermSlope`: `inflight_longterm` grows by 1, 2, 4 … packets in successive rounds of
    /// `cwnd` packets.
    pub(super) fn raise_inflight_longterm_slope(&mut self, cwnd: f64) {
        let growth_this_round = f64::from(1u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(BW_PROBE_UP_ROUNDS_MAX);
        self.probe_up_acked_per_inc = (cwnd / growth_this_round).max(1.0);
    }
}

/// Least `bw_probe_wait`; a time drawn from 0 to 1 s is added (`PickProbeWait`).
const BW_PROBE_WAIT_MIN: Span = Span::from_ms(2_000);
/// Rounds after which a probe is due on any path (`IsRenoCoexistenceProbeTime`).
const RENO_ROUNDS_MAX: f64 = 63.0;
/// Bound of `bw_probe_up_rounds` (`RaiseInflightLongtermSlope`).
const BW_PROBE_UP_ROUNDS_MAX: u32 = 30;

#[cfg(test)]
mod tests {
    use super::{AckPhase, ProbeBw};
    use narrows_units::Time;

    #[test]
    #[cfg(debug_assertions)]
    fn the_legal_transitions_are_those_of_the_draft() {
        use AckPhase::{Init, ProbeFeedback, ProbeStarting, ProbeStopping, Refilling};
        crate::model::state_machine::tests::assert_legal(
            &[Init, Refilling, ProbeStarting, ProbeFeedback, ProbeStopping],
            &[
                (Init, &[Refilling, ProbeStopping]),
                (Refilling, &[ProbeStarting, Refilling, ProbeStopping]),
                (ProbeStarting, &[ProbeFeedback, ProbeStopping]),
                (ProbeFeedback, &[ProbeStopping]),
                (ProbeStopping, &[Init, Refilling, ProbeStopping]),
            ],
        );
    }

    /// A flow after the calls named in `calls`, and the phases that it went through.
    fn phases(calls: &str) -> (ProbeBw, Vec<AckPhase>) {
        let mut probe_bw = ProbeBw::new(1);
        let phases = calls.split_whitespace().map(|call| {
            match call {
                "down" => probe_bw.start_down(Time::ZERO),
                "refill" => probe_bw.start_refill(),
                "up" => probe_bw.start_up(),
                "probe_rtt" => probe_bw.stop_probing(),
                _ => assert_eq!(probe_bw.advance_ack_phase(), call == "round:end"),
            }
            probe_bw.ack_phase.get()
        });
        let phases = phases.collect();
        (probe_bw, phases)
    }

    #[test]
    fn a_probe_goes_through_the_five_phases() {
        use AckPhase::{Init, ProbeFeedback, ProbeStarting, ProbeStopping, Refilling};
        let (_, seen) = phases("refill round up round round down round:end round");
        assert_eq!(
            seen,
            [Refilling, Refilling, ProbeStarting, ProbeFeedback, ProbeFeedback, ProbeStopping, Init, Init]
        );
    }

    #[test]
    fn probe_rtt_ends_the_probe_in_every_phase() {
        for before in ["", "refill", "refill up", "refill up round", "down"] {
            let (_, seen) = phases(&format!("{before} probe_rtt round:end"));
            assert!(seen.ends_with(&[AckPhase::ProbeStopping, AckPhase::Init]), "{before}: {seen:?}");
        }
    }

    #[test]
    fn a_probe_may_start_while_samples_of_the_last_one_come_and_start_again() {
        use AckPhase::{ProbeStarting, ProbeStopping, Refilling};
        let (_, seen) = phases("down refill refill up down");
        assert_eq!(seen, [ProbeStopping, Refilling, Refilling, ProbeStarting, ProbeStopping]);
    }

    #[test]
    fn samples_are_of_a_probe_from_its_start_until_a_round_after_its_end() {
        for (calls, expected) in [("refill", false), ("refill up", true), ("refill up round down", true)] {
            assert_eq!(phases(calls).0.is_bw_probe_sample(), expected, "{calls}");
        }
        assert!(!phases("refill up round down round:end").0.is_bw_probe_sample());
        let (mut probe_bw, _) = phases("refill up");
        probe_bw.set_prev_probe_too_high(true);
        assert!(!probe_bw.is_bw_probe_sample());
    }

    #[test]
    fn the_long_term_bound_grows_by_twice_as_much_in_each_round() {
        let (mut probe_bw, _) = phases("refill up");
        for expected in [1.0, 2.0, 4.0, 8.0] {
            probe_bw.raise_inflight_longterm_slope(64.0);
            let growth: f64 = (0..64).map(|_| probe_bw.inflight_longterm_growth(1.0)).sum();
            assert!((growth - expected).abs() < 1e-9, "{growth} is not {expected}");
        }
    }
}
