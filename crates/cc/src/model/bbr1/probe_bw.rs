//! The gain cycle that probes for bandwidth: 5/4, 3/4 and six phases of 1, about a round-trip time each.
//!
//! * 5/4 lasts until that much more is in flight, or a packet is lost: at least the smallest round-trip time.
//! * 3/4 lasts until no more is in flight than the path holds: at most the smallest round-trip time.
//!
//! A cycle begins in any phase but 3/4, at random, so that flows do not probe together.

use super::bandwidth::Gain;
use crate::model::random::Random;
use narrows_units::{Span, Time};

/// Where in the cycle the flow is.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    phase: usize,
    since: Time,
    random: Random,
}

impl Cycle {
    /// A cycle whose phases are drawn from `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self { phase: 0, since: Time::ZERO, random: Random::new(seed) }
    }

    /// Begins in a phase drawn at random.
    pub(super) fn restart(&mut self, now: Time) {
        self.phase = GAINS.len() - 1 - self.random.below(FIRST_PHASES);
        self.advance(now);
    }

    /// The pacing gain of the phase.
    pub(super) fn gain(&self) -> Gain {
        GAINS[self.phase]
    }

    /// The flow probes for more.
    pub(super) fn is_probing_up(&self) -> bool {
        self.phase == 0
    }

    /// Goes to the next phase if this one is over. The flow paces with `gain`; `losses`: packets were declared lost;
    /// `in_network` packets are on the path, `target` would be at this gain, or at 1 if it is lower.
    pub(super) fn follow(
        &mut self,
        gain: Gain,
        now: Time,
        min_rtt: Span,
        losses: bool,
        in_network: u64,
        target: u64,
    ) {
        let long_enough = now.since(self.since) > min_rtt;
        let over = match gain.cmp(&Gain::UNIT) {
            std::cmp::Ordering::Equal => long_enough,
            std::cmp::Ordering::Greater => long_enough && (losses || in_network >= target),
            std::cmp::Ordering::Less => long_enough || in_network <= target,
        };
        if over {
            self.advance(now);
        }
    }

    fn advance(&mut self, now: Time) {
        self.phase = (self.phase + 1) % GAINS.len();
        self.since = now;
    }
}

/// `bbr_pacing_gain`.
const GAINS: [Gain; 8] =
    [Gain(320), Gain(192), Gain::UNIT, Gain::UNIT, Gain::UNIT, Gain::UNIT, Gain::UNIT, Gain::UNIT];
/// `bbr_cycle_rand`: all phases but the second.
const FIRST_PHASES: usize = 7;

#[cfg(test)]
mod tests {
    use super::{Cycle, Gain};
    use narrows_units::Time;

    #[test]
    fn a_cycle_begins_in_any_phase_but_the_one_that_drains() {
        let mut cycle = Cycle::new(1);
        let mut seen = [0; 8];
        for _ in 0..7_000 {
            cycle.restart(Time::ZERO);
            seen[cycle.phase] += 1;
        }
        assert_eq!(seen[1], 0);
        assert_ne!(cycle.gain(), Gain(192));
        // 1000 each, five standard deviations.
        assert!(
            [0, 2, 3, 4, 5, 6, 7].iter().all(|&phase: &usize| (854..1146).contains(&seen[phase])),
            "{seen:?}"
        );
    }
}
