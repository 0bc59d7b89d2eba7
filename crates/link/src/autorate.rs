// SPDX-License-Identifier: Apache-2.0
//! The rate of a shaper that follows the round-trip times of probes.
//!
//! Source: cake-autorate 3.0.1 (github.com/lynxthecat/cake-autorate), `defaults.sh` and `update_shaper_rate` of
//! `cake-autorate.sh`. Probes are delayed if their round trip exceeds its baseline by more than a target. If enough of the last
//! probes are delayed, the new rate is a part of the rate *achieved*, since that is an estimate of the capacity of the line
//! (its issue 18). Otherwise the rate grows while the load is high, and returns to its base while the load is low. Releases from
//! 3.1 on reduce the rate that is *set*, by a factor of the mean delay.
//!
//! Deviations: it decides once in every interval in which the achieved rate is measured, not at every reply; changes are
//! proportional to the interval, where 3.0.1 adds 1 % at each of some twenty replies a second; 0.9 of an achieved rate
//! below the minimum is the minimum, not 0.9 of the rate that was set; there is no rule for the times at which Starlink
//! assigns satellites anew; the target is not raised by the transmission time of a packet at low rates; probes without a
//! reply count for nothing, and nothing reacts to a line that is silent.

use alloc::vec::Vec;
use core::ops::Range;
use narrows_units::{Rate, Span, Time};

/// The settings of the rate of a shaper.
#[derive(Clone, Debug, PartialEq)]
pub struct Autorate {
    /// Connection slots of the flows whose round trips steer the rate.
    pub probes: Range<u32>,
    /// How much longer than its baseline a round trip is that counts as delayed.
    pub target: Span,
    /// The lowest rate.
    pub minimum: Rate,
    /// The rate at the start, and that to which it returns.
    pub base: Rate,
    /// The highest rate.
    pub maximum: Rate,
    /// Part of the achieved rate that is set if the probes are delayed, in (0, 1].
    pub down: f64,
    /// Relative increase per second while the load is high.
    pub up: f64,
    /// Relative change per second towards the base while the load is low.
    pub decay: f64,
    /// Part of the rate from which the load is high.
    pub high_load: f64,
    /// How many of the last probes are looked at, at most 64.
    pub window: u32,
    /// How many of these have to be delayed.
    pub delayed: u32,
    /// Time after a decrease in which the rate neither decreases again nor increases.
    pub refractory: Span,
    /// Time between two decisions, over which the achieved rate is measured.
    pub interval: Span,
}

/// A pure controller: takes the round trips of probes, and decides the rate.
#[derive(Clone, Debug)]
pub struct RateController {
    settings: Autorate,
    rate: Rate,
    /// The baseline of each flow, seconds; `None` before its first probe.
    baselines: Vec<Option<f64>>,
    /// A bit for each of the last probes, set if it was delayed; the last probe is the lowest.
    delays: u64,
    /// Time of the last decrease.
    decreased: Option<Time>,
}

impl RateController {
    /// Creates the controller of a shaper that starts at the base rate.
    pub fn new(settings: Autorate) -> Self {
        let baselines = alloc::vec![None; settings.probes.len()];
        Self { rate: settings.base, settings, baselines, delays: 0, decreased: None }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Autorate {
        &self.settings
    }

    /// Takes the round trip `rtt` of a probe of the flow in connection slot `slot`; slots of other flows are ignored.
    pub fn probed(&mut self, slot: u32, rtt: Span) {
        let place = slot.checked_sub(self.settings.probes.start);
        let Some(baseline) = place.and_then(|place| self.baselines.get_mut(place as usize)) else { return };
        let rtt = rtt.as_secs_f64();
        let before = baseline.unwrap_or(rtt);
        let weight = if rtt >= before { WEIGHT_OF_INCREASE } else { WEIGHT_OF_DECREASE };
        let now = before + weight * (rtt - before);
        *baseline = Some(now);
        let delayed = rtt - now > self.settings.target.as_secs_f64();
        self.delays = self.delays << 1 | u64::from(delayed);
    }

    /// Returns the rate from `now` on, the end of an interval in which `achieved` was sent.
    pub fn decide(&mut self, achieved: Rate, now: Time) -> Rate {
        let Autorate { minimum, base, maximum, down, up, decay, high_load, refractory, interval, .. } =
            self.settings;
        let bps = |rate: Rate| rate.as_bps() as f64;
        let (set, base, seconds) = (bps(self.rate), bps(base), interval.as_secs_f64());
        let rests = self.decreased.is_some_and(|at| now <= at + refractory);
        let next = if self.is_bloated() {
            if rests {
                set
            } else {
                self.decreased = Some(now);
                down * bps(achieved).min(set)
            }
        } else if bps(achieved) > high_load * set {
            if rests { set } else { set * (1.0 + up * seconds) }
        } else if set > base {
            (set * (1.0 - decay * seconds)).max(base)
        } else {
            (set * (1.0 + decay * seconds)).min(base)
        };
        self.rate = Rate::from_bps_f64(next).clamp(minimum, maximum);
        self.rate
    }

    /// Whether enough of the last probes were delayed.
    fn is_bloated(&self) -> bool {
        let Autorate { window, delayed, .. } = self.settings;
        let last = self.delays & (u64::MAX >> (64 - window));
        last.count_ones() >= delayed
    }
}

/// Weights of a longer and of a shorter round trip in the moving average that is the baseline (`alpha_baseline_increase` and
/// `alpha_baseline_decrease`).
const WEIGHT_OF_INCREASE: f64 = 0.001;
const WEIGHT_OF_DECREASE: f64 = 0.9;

#[cfg(test)]
mod tests {
    //! Truth: rules, worked by hand.

    use super::{Autorate, RateController};
    use narrows_units::{Rate, Span, Time};
    use proptest::prelude::{any, prop, prop_assert, proptest};

    fn mbps(count: f64) -> Rate {
        Rate::from_bps_f64(count * 1e6)
    }

    fn ms(count: u64) -> Time {
        Time::ZERO + Span::from_ms(count)
    }

    fn settings() -> Autorate {
        Autorate {
            probes: 3..5,
            target: Span::from_ms(30),
            minimum: mbps(5.0),
            base: mbps(20.0),
            maximum: mbps(80.0),
            down: 0.9,
            up: 0.05,
            decay: 0.01,
            high_load: 0.75,
            window: 6,
            delayed: 3,
            refractory: Span::from_ms(300),
            interval: Span::from_ms(200),
        }
    }

    /// A controller whose flows have baselines of 20 ms and 50 ms.
    fn probed() -> RateController {
        let mut controller = RateController::new(settings());
        controller.probed(3, Span::from_ms(20));
        controller.probed(4, Span::from_ms(50));
        controller
    }

    fn probe(controller: &mut RateController, count: u32, rtt: u64) {
        for _ in 0..count {
            controller.probed(3, Span::from_ms(rtt));
        }
    }

    #[test]
    fn the_rate_grows_while_the_load_is_high_and_never_beyond_its_maximum() {
        let mut controller = probed();
        assert_eq!(controller.decide(mbps(15.1), ms(200)), mbps(20.2), "5 % a second, for a fifth of one");
        assert_eq!(controller.decide(mbps(20.2), ms(400)), mbps(20.402));
        for step in 3..1000 {
            controller.decide(mbps(100.0), ms(200 * step));
        }
        assert_eq!(controller.decide(mbps(100.0), ms(200_000)), mbps(80.0));
    }

    #[test]
    fn delayed_probes_set_a_part_of_what_was_achieved_not_of_what_was_set() {
        let mut controller = probed();
        probe(&mut controller, 3, 60);
        assert_eq!(controller.decide(mbps(12.0), ms(200)), mbps(10.8));
        // What was achieved before, or from the burst of the bucket, may exceed what is set.
        let mut controller = probed();
        probe(&mut controller, 3, 60);
        assert_eq!(controller.decide(mbps(30.0), ms(200)), mbps(18.0));
        let mut controller = probed();
        probe(&mut controller, 3, 60);
        assert_eq!(controller.decide(mbps(1.0), ms(200)), mbps(5.0), "the minimum");
    }

    #[test]
    fn so_many_of_the_last_probes_have_to_be_delayed() {
        let mut controller = probed();
        probe(&mut controller, 2, 60);
        assert_eq!(controller.decide(mbps(16.0), ms(200)), mbps(20.2), "two of six");
        probe(&mut controller, 4, 20);
        probe(&mut controller, 2, 60);
        assert_eq!(
            controller.decide(mbps(20.0), ms(400)),
            mbps(20.402),
            "the first two are none of the last six"
        );
        probe(&mut controller, 1, 60);
        assert_eq!(controller.decide(mbps(20.0), ms(600)), mbps(18.0));
    }

    #[test]
    fn each_flow_has_its_own_baseline_which_a_shorter_round_trip_moves_at_once() {
        let mut controller = probed();
        for _ in 0..3 {
            controller.probed(4, Span::from_ms(60));
        }
        assert_eq!(controller.decide(mbps(20.0), ms(200)), mbps(20.2), "10 ms above the flow's own 50 ms");
        controller.probed(4, Span::from_ms(10));
        for _ in 0..3 {
            controller.probed(4, Span::from_ms(48));
        }
        assert_eq!(
            controller.decide(mbps(20.0), ms(400)),
            mbps(18.0),
            "34 ms above 0.1 × 50 ms + 0.9 × 10 ms"
        );
        controller.probed(2, Span::from_ms(500));
        controller.probed(5, Span::from_ms(500));
        assert_eq!(controller.delays & 0b111, 0b111, "other flows are ignored");
    }

    #[test]
    fn a_longer_path_becomes_the_baseline_in_time() {
        let mut controller = probed();
        probe(&mut controller, 500, 60);
        assert_eq!(controller.delays & 1, 0, "40 ms × 0.999^500 are 24 ms");
        let mut controller = probed();
        probe(&mut controller, 250, 60);
        assert_eq!(controller.delays & 1, 1, "40 ms × 0.999^250 are 31 ms");
    }

    #[test]
    fn after_a_decrease_the_rate_rests() {
        let mut controller = probed();
        probe(&mut controller, 6, 60);
        assert_eq!(controller.decide(mbps(20.0), ms(200)), mbps(18.0));
        assert_eq!(
            controller.decide(mbps(18.0), ms(400)),
            mbps(18.0),
            "delayed probes of before do not count twice"
        );
        assert_eq!(controller.decide(mbps(18.0), ms(500)), mbps(18.0));
        assert_eq!(controller.decide(mbps(18.0), ms(600)), mbps(16.2));
        probe(&mut controller, 6, 20);
        assert_eq!(controller.decide(mbps(16.0), ms(800)), mbps(16.2), "nor does it increase");
        assert_eq!(controller.decide(mbps(16.0), ms(1000)), mbps(16.362));
    }

    #[test]
    fn without_load_the_rate_returns_to_its_base_from_either_side() {
        let mut controller = probed();
        controller.rate = mbps(40.0);
        assert_eq!(controller.decide(mbps(30.0), ms(200)), mbps(39.92), "30 of 40 is not above 75 %");
        controller.rate = mbps(20.01);
        assert_eq!(controller.decide(mbps(1.0), ms(400)), mbps(20.0));
        controller.rate = mbps(10.0);
        assert_eq!(controller.decide(mbps(0.0), ms(600)), mbps(10.02));
        controller.rate = mbps(19.99);
        assert_eq!(controller.decide(mbps(0.0), ms(800)), mbps(20.0));
        assert_eq!(controller.decide(mbps(0.0), ms(1000)), mbps(20.0));
    }

    proptest! {
        /// Whatever is probed and achieved.
        #[test]
        fn the_rate_stays_within_its_bounds(
            steps in prop::collection::vec((0..100_000_000_u64, 0..8_u32, any::<u32>()), 1..200),
        ) {
            let mut controller = RateController::new(settings());
            for (step, (achieved, slot, rtt)) in (1..).zip(steps) {
                controller.probed(slot, Span::from_us(rtt.into()));
                let rate = controller.decide(Rate::from_bps(achieved), ms(200 * step));
                prop_assert!((mbps(5.0)..=mbps(80.0)).contains(&rate));
            }
        }
    }
}
