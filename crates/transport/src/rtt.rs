// SPDX-License-Identifier: Apache-2.0
//! The round-trip time estimate (RFC 6298 §2, Karn's algorithm).
//!
//! The first sample `R` sets `SRTT = R` and `RTTVAR = R/2` (§2.2). Each further sample sets
//! `RTTVAR ← ¾ RTTVAR + ¼ |SRTT − R|` and then `SRTT ← ⅞ SRTT + ⅛ R` (§2.3). The estimator stores `8 SRTT` and
//! `4 RTTVAR`, so that no picosecond is lost by rounding. The caller takes samples by Karn's algorithm (§3): none from
//! a segment that was sent more than once.
//!
//! Under [`RtoRule::Rfc6298`] the averages take one sample per round trip, since with more these gains retain too short
//! a history (§3). A round begins with its sample, and ends with the sample of a segment sent since then. If the delay
//! grows, that segment is acknowledged only after the delay has grown: in slow start a round lasts up to twice as long
//! as the one before, and its first sample says nothing of that. `RTTVAR` therefore takes the largest deviation above
//! `SRTT` of each round, as soon as it is measured, in place of the deviation of its sample (as `mdev_max` in Linux,
//! `tcp_rtt_estimator`). So the timeout is longer than every round trip measured in the present round, except if the
//! round's sample was below `SRTT`. Linux takes every sample, and adds at least `min_rto` to `SRTT`.

use crate::RtoRule;
use narrows_cc::RttView;
use narrows_units::{Span, Time};

/// Returns the round-trip time `rtt`, which ended at `now`, as a clock with ticks of `tick` measures it: the ticks
/// between its start and its end, at least one. A `tick` of zero is an exact clock.
#[inline]
pub(crate) fn measured(rtt: Span, now: Time, tick: Span) -> Span {
    if tick == Span::ZERO {
        return rtt;
    }
    let ticks = |ps: u64| ps / tick.as_ps();
    let (start, end) = (now.as_ps() - rtt.as_ps(), now.as_ps());
    Span::from_ps((ticks(end) - ticks(start)).max(1) * tick.as_ps())
}

/// The round-trip time estimate of one connection.
#[derive(Clone, Debug)]
pub(crate) struct RttEstimator {
    /// Every sample enters the averages, not one per round trip.
    every_sample: bool,
    /// The estimate; `None` before the first sample.
    view: Option<RttView>,
    /// `8 SRTT`, picoseconds.
    smoothed_8: u64,
    /// `4 RTTVAR`, picoseconds.
    variation_4: u64,
    round: Round,
}

/// The present round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// Time at which it began: it ends with the acknowledgement of a segment that was sent since then.
    started: Time,
    /// `SRTT` before it, picoseconds.
    smoothed: u64,
    /// `4 RTTVAR` before it, picoseconds.
    variation_4: u64,
    /// The deviation that entered `RTTVAR`, picoseconds.
    deviation: u64,
}

impl RttEstimator {
    pub(super) fn new(rule: RtoRule) -> Self {
        Self {
            every_sample: rule == RtoRule::Linux,
            view: None,
            smoothed_8: 0,
            variation_4: 0,
            round: Round::default(),
        }
    }

    /// Takes the sample `rtt`, completed at `now`. Returns true if it entered `SRTT` or `RTTVAR`.
    #[inline]
    pub(super) fn sample(&mut self, rtt: Span, now: Time) -> bool {
        let continues = !self.every_sample && now.since(self.round.started) < rtt;
        let Some(view) = self.view.as_mut().filter(|_| continues) else {
            self.average(rtt, now);
            return true;
        };
        view.latest = rtt;
        view.min = view.min.min(rtt);
        let deviation = rtt.as_ps().saturating_sub(self.round.smoothed);
        if deviation <= self.round.deviation {
            return false;
        }
        self.round.deviation = deviation;
        self.variation_4 = self.round.variation_4 - self.round.variation_4 / 4 + deviation;
        view.variation = Span::from_ps(self.variation_4 / 4);
        true
    }

    /// Updates `SRTT` and `RTTVAR`: RFC 6298 §2.2 and §2.3.
    #[inline(never)]
    fn average(&mut self, rtt: Span, now: Time) {
        let ps = rtt.as_ps();
        let min = if let Some(view) = self.view {
            let smoothed = self.smoothed_8 / 8;
            let deviation = smoothed.abs_diff(ps);
            self.round = Round { started: now, smoothed, variation_4: self.variation_4, deviation };
            self.variation_4 = self.variation_4 - self.variation_4 / 4 + deviation;
            self.smoothed_8 = self.smoothed_8 - self.smoothed_8 / 8 + ps;
            view.min.min(rtt)
        } else {
            self.smoothed_8 = 8 * ps;
            self.variation_4 = 2 * ps;
            // Only a deviation of more than that replaces the variation of a first sample.
            self.round = Round { started: now, smoothed: ps, variation_4: 0, deviation: 2 * ps };
            rtt
        };
        self.view = Some(
            RttView::new(rtt)
                .min(min)
                .smoothed(Span::from_ps(self.smoothed_8 / 8))
                .variation(Span::from_ps(self.variation_4 / 4)),
        );
    }

    /// Returns the estimate; `None` before the first sample.
    pub(super) fn view(&self) -> Option<&RttView> {
        self.view.as_ref()
    }

    /// Returns `4 RTTVAR`, not rounded to a multiple of four picoseconds.
    pub(super) fn four_rttvar(&self) -> Span {
        Span::from_ps(self.variation_4)
    }
}

#[cfg(test)]
mod tests {
    use super::{RttEstimator, measured};
    use crate::RtoRule;
    use narrows_units::{Span, Time};

    /// Takes a sample that starts at the end of the last one.
    fn sample(estimator: &mut RttEstimator, now: &mut Time, rtt: Span) {
        *now += rtt;
        estimator.sample(rtt, *now);
    }

    #[test]
    fn a_clock_with_ticks_counts_those_between_start_and_end_and_at_least_one() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let (ms, tick) = (Span::from_ms, Span::from_ms(10));
        // From 4 to 29 ms the clock ticks at 10 and 20 ms, from 9 to 34 ms also at 30 ms.
        assert_eq!(measured(ms(25), at(29), tick), ms(20));
        assert_eq!(measured(ms(25), at(34), tick), ms(30));
        assert_eq!(measured(ms(25), at(25), tick), ms(20));
        assert_eq!(measured(ms(5), at(9), tick), ms(10));
        assert_eq!(measured(ms(25), at(29), Span::ZERO), ms(25));
    }

    #[test]
    fn the_first_sample_sets_srtt_and_half_of_it_as_rttvar() {
        let (mut rtt, mut now) = (RttEstimator::new(RtoRule::Rfc6298), Time::ZERO);
        assert!(rtt.view().is_none());
        sample(&mut rtt, &mut now, Span::from_ms(100));
        let view = rtt.view().expect("sampled");
        assert_eq!((view.smoothed, view.variation), (Span::from_ms(100), Span::from_ms(50)));
        assert_eq!(rtt.four_rttvar(), Span::from_ms(200));
    }

    #[test]
    fn the_second_sample_has_gains_of_an_eighth_and_a_quarter() {
        let (mut rtt, mut now) = (RttEstimator::new(RtoRule::Rfc6298), Time::ZERO);
        sample(&mut rtt, &mut now, Span::from_ms(100));
        sample(&mut rtt, &mut now, Span::from_ms(180));
        let view = rtt.view().expect("sampled");
        assert_eq!(view.variation, Span::from_us(57_500));
        assert_eq!(view.smoothed, Span::from_ms(110));
        assert_eq!(view.min, Span::from_ms(100));
    }

    #[test]
    fn constant_samples_keep_srtt_exactly() {
        let (mut rtt, mut now) = (RttEstimator::new(RtoRule::Rfc6298), Time::ZERO);
        let odd = Span::from_ps(40_000_000_007);
        (0..1_000).for_each(|_| sample(&mut rtt, &mut now, odd));
        assert_eq!(rtt.view().expect("sampled").smoothed, odd);
    }

    #[test]
    fn the_averages_take_one_sample_per_round_trip_except_under_the_rule_of_linux() {
        for (rule, averages) in [(RtoRule::Rfc6298, false), (RtoRule::Linux, true)] {
            let mut rtt = RttEstimator::new(rule);
            assert!(rtt.sample(Span::from_ms(100), Time::ZERO + Span::from_ms(100)));
            assert_eq!(rtt.sample(Span::from_ms(180), Time::ZERO + Span::from_ms(190)), averages);
            let view = rtt.view().expect("sampled");
            assert_eq!(view.latest, Span::from_ms(180));
            assert_eq!(view.smoothed > Span::from_ms(100), averages, "{rule:?}");
        }
    }

    #[test]
    fn rttvar_takes_the_largest_deviation_of_a_round_as_soon_as_it_is_measured() {
        let (mut rtt, mut now) = (RttEstimator::new(RtoRule::Rfc6298), Time::ZERO);
        (0..50).for_each(|_| sample(&mut rtt, &mut now, Span::from_ms(100)));
        // The delay doubles within a round: no segment sent since its beginning has been acknowledged.
        let round = now;
        for ms in [110, 150, 200, 160] {
            now = round + Span::from_ms(ms - 10);
            rtt.sample(Span::from_ms(ms), now);
            let view = rtt.view().expect("sampled");
            assert_eq!(view.smoothed, Span::from_ms(100));
            let timeout = view.smoothed + rtt.four_rttvar();
            assert!(timeout >= view.latest, "{timeout:?} after {:?}", view.latest);
        }
        assert!((rtt.four_rttvar().as_secs_f64() - 0.1).abs() < 1e-3, "of the largest: {rtt:?}");
    }
}
