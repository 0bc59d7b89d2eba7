// SPDX-License-Identifier: Apache-2.0
//! The gain cycle of ProbeBW: phases of 5/4, 3/4 and six of 1, about a round-trip time each (`bbr_update_cycle_phase`).
//!
//! * 5/4 lasts until 5/4 of the BDP are in flight or a packet is lost: at least the minimum round-trip time.
//! * 3/4 lasts until no more than the BDP is in flight: at most the minimum round-trip time.
//!
//! A cycle starts in any phase but 3/4, at random, so that flows do not probe together.

use super::bandwidth::Gain;
use crate::random::Random;
use narrows_units::{Span, Time};

/// The phase of one flow.
#[derive(Clone, Debug)]
pub(super) struct GainCycle {
    cycle_idx: usize,
    /// The pacing gain of each phase.
    pacing_gains: [Gain; 8],
    /// `cycle_mstamp`: when the phase started.
    cycle_stamp: Time,
    random: Random,
}

impl GainCycle {
    /// Creates a cycle that probes with `probe_gain`, and whose first phases are drawn from `seed`.
    pub(super) fn new(probe_gain: Gain, seed: u64) -> Self {
        let mut pacing_gains = PACING_GAIN;
        pacing_gains[0] = probe_gain;
        Self { cycle_idx: 0, pacing_gains, cycle_stamp: Time::ZERO, random: Random::new(seed) }
    }

    /// Starts in a phase drawn at random (`bbr_reset_probe_bw_mode`).
    pub(super) fn restart(&mut self, now: Time) {
        self.cycle_idx = PACING_GAIN.len() - 1 - self.random.below(CYCLE_RAND);
        self.advance_cycle_phase(now);
    }

    /// Returns the pacing gain of the phase.
    pub(super) fn pacing_gain(&self) -> Gain {
        self.pacing_gains[self.cycle_idx]
    }

    /// Whether the phase probes for more bandwidth.
    pub(super) fn is_probing_up(&self) -> bool {
        self.cycle_idx == 0
    }

    /// Whether the phase has lasted longer than `min_rtt`.
    pub(super) fn is_full_length(&self, min_rtt: Span, now: Time) -> bool {
        now.since(self.cycle_stamp) > min_rtt
    }

    /// Implements `bbr_advance_cycle_phase`.
    pub(super) fn advance_cycle_phase(&mut self, now: Time) {
        self.cycle_idx = (self.cycle_idx + 1) % PACING_GAIN.len();
        self.cycle_stamp = now;
    }
}

/// `bbr_pacing_gain`; in place of the first is the parameter `probe_gain`.
const PACING_GAIN: [Gain; 8] =
    [Gain(320), Gain(192), Gain::UNIT, Gain::UNIT, Gain::UNIT, Gain::UNIT, Gain::UNIT, Gain::UNIT];
/// `bbr_cycle_rand`: all phases but the second may be the first.
const CYCLE_RAND: usize = 7;

#[cfg(test)]
mod tests {
    use super::{Gain, GainCycle, PACING_GAIN};
    use narrows_units::Time;

    #[test]
    fn a_cycle_starts_in_any_phase_but_the_one_that_drains() {
        let mut cycle = GainCycle::new(PACING_GAIN[0], 1);
        let mut seen = [0; 8];
        for _ in 0..7_000 {
            cycle.restart(Time::ZERO);
            seen[cycle.cycle_idx] += 1;
        }
        assert_eq!(seen[1], 0);
        assert_ne!(cycle.pacing_gain(), Gain(192));
        // 1000 each, five standard deviations.
        assert!(
            [0, 2, 3, 4, 5, 6, 7].iter().all(|&phase: &usize| (854..1146).contains(&seen[phase])),
            "{seen:?}"
        );
    }

    #[test]
    fn the_phase_that_probes_has_the_gain_of_the_parameter() {
        let mut cycle = GainCycle::new(Gain(336), 1);
        let mut gains = [Gain::UNIT; 8];
        for _ in 0..8 {
            cycle.advance_cycle_phase(Time::ZERO);
            gains[cycle.cycle_idx] = cycle.pacing_gain();
        }
        assert_eq!(gains[0], Gain(336));
        assert_eq!(gains[1..], PACING_GAIN[1..]);
    }
}
