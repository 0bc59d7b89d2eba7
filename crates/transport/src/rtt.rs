//! Round-trip time and retransmission timeout (RFC 6298).
//!
//! `RTTVAR ← ¾ RTTVAR + ¼ |SRTT − R|`, `SRTT ← ⅞ SRTT + ⅛ R`, in this order; the first sample sets `SRTT = R`,
//! `RTTVAR = R/2`. `SRTT` is kept eightfold and `RTTVAR` fourfold, so that no picosecond is lost by rounding.
//! Samples follow Karn's rule: none from a segment that was sent twice. A back-off stays until a fresh sample.
//!
//! By RFC 6298 one segment is timed at a time, so the averages take one sample a round trip: with more, these gains keep
//! too little history (§3), and the timeout runs out on a path whose delay grows. Linux takes every sample and adds 200 ms.
//!
//! The clock is exact, but the granularity `G` of RFC 6298 §2.3 is kept at 10 ms, ns-2's `tcpTick_`: with `G = 0` a
//! steady queue drives `RTTVAR` to nothing, and the timeout then runs out before the answer to a fast retransmission.

use crate::RtoRule;
use narrows_cc::RttView;
use narrows_units::{Span, Time};

/// The estimator of one connection.
#[derive(Clone, Debug)]
pub(crate) struct RttEstimator {
    rule: RtoRule,
    /// Bounds of the timeout.
    min_rto: Span,
    max_rto: Span,
    /// The timeout while there is no sample.
    unsampled: Span,
    /// What the samples say; `None` before the first.
    view: Option<RttView>,
    /// Eight times SRTT, picoseconds.
    smoothed_8: u64,
    /// Four times RTTVAR, picoseconds.
    variation_4: u64,
    /// When the last sample that entered the averages was taken.
    averaged_at: Time,
    /// The timeout with its back-off.
    timeout: Span,
    /// Timeouts in a row since the last fresh sample; each doubles the timeout.
    backoff: u32,
}

impl RttEstimator {
    pub(crate) fn new(rule: RtoRule, initial_rto: Span, min_rto: Span, max_rto: Span) -> Self {
        Self {
            rule,
            min_rto,
            max_rto,
            unsampled: initial_rto,
            view: None,
            smoothed_8: 0,
            variation_4: 0,
            averaged_at: Time::ZERO,
            timeout: initial_rto.min(max_rto),
            backoff: 0,
        }
    }

    /// Takes in a sample, ending `now`, of a segment that was sent once.
    #[inline]
    pub(crate) fn sample(&mut self, rtt: Span, now: Time) {
        let timed = self.rule == RtoRule::Linux || now.since(self.averaged_at) >= rtt;
        if let Some(view) = &mut self.view
            && !timed
            && self.backoff == 0
        {
            view.latest = rtt;
            view.min = view.min.min(rtt);
            return;
        }
        self.average(rtt, timed, now);
    }

    /// As [`sample`](Self::sample), where averages or the timeout change; `timed` samples enter the averages.
    fn average(&mut self, rtt: Span, timed: bool, now: Time) {
        let ps = rtt.as_ps();
        self.backoff = 0;
        if timed {
            self.averaged_at = now;
        }
        let min = match self.view {
            None => {
                self.smoothed_8 = 8 * ps;
                self.variation_4 = 2 * ps;
                rtt
            }
            Some(view) if !timed => view.min.min(rtt),
            Some(view) => {
                let distance = (self.smoothed_8 / 8).abs_diff(ps);
                self.variation_4 = self.variation_4 - self.variation_4 / 4 + distance;
                self.smoothed_8 = self.smoothed_8 - self.smoothed_8 / 8 + ps;
                view.min.min(rtt)
            }
        };
        self.view = Some(RttView {
            latest: rtt,
            min,
            smoothed: Span::from_ps(self.smoothed_8 / 8),
            variation: Span::from_ps(self.variation_4 / 4),
        });
        self.reckon();
    }

    /// What is known so far.
    pub(crate) fn view(&self) -> Option<&RttView> {
        self.view.as_ref()
    }

    /// The timeout with its back-off.
    pub(crate) fn rto(&self) -> Span {
        self.timeout
    }

    fn reckon(&mut self) {
        let base = match self.view {
            None => self.unsampled,
            Some(view) => {
                let margin = Span::from_ps(self.variation_4);
                match self.rule {
                    RtoRule::Rfc6298 => (view.smoothed + margin.max(GRANULARITY)).max(self.min_rto),
                    RtoRule::Linux => view.smoothed + margin.max(self.min_rto),
                }
            }
        };
        self.timeout = (base * (1 << self.backoff.min(MAX_DOUBLINGS))).min(self.max_rto);
    }

    /// The timeout ran out: RFC 6298 §5.5.
    pub(crate) fn back_off(&mut self) {
        self.backoff += 1;
        self.reckon();
    }

    /// RFC 6298 §5.7: a connection whose SYN was lost begins its data with a timeout of 3 s.
    pub(crate) fn restart_after_lost_syn(&mut self) {
        self.backoff = 0;
        self.unsampled = self.unsampled.max(Span::from_ms(3_000));
        self.reckon();
    }
}

/// `G` in RFC 6298 §2.3.
const GRANULARITY: Span = Span::from_ms(10);
/// More doublings than this pass every sensible `max_rto`.
const MAX_DOUBLINGS: u32 = 16;

#[cfg(test)]
mod tests {
    use super::RttEstimator;
    use crate::RtoRule;
    use narrows_units::{Span, Time};

    fn estimator(rule: RtoRule) -> RttEstimator {
        RttEstimator::new(rule, Span::from_ms(1_000), Span::from_ms(200), Span::from_ms(60_000))
    }

    /// A sample that begins where the last ended.
    fn sample(estimator: &mut RttEstimator, now: &mut Time, rtt: Span) {
        *now += rtt;
        estimator.sample(rtt, *now);
    }

    #[test]
    fn the_first_sample_sets_srtt_and_half_of_it_as_rttvar() {
        let (mut rtt, mut now) = (estimator(RtoRule::Rfc6298), Time::ZERO);
        assert_eq!(rtt.rto(), Span::from_ms(1_000));
        sample(&mut rtt, &mut now, Span::from_ms(100));
        let view = rtt.view().expect("sampled");
        assert_eq!((view.smoothed, view.variation), (Span::from_ms(100), Span::from_ms(50)));
        assert_eq!(rtt.rto(), Span::from_ms(300));
    }

    #[test]
    fn the_second_sample_weighs_an_eighth_and_a_quarter() {
        let (mut rtt, mut now) = (estimator(RtoRule::Rfc6298), Time::ZERO);
        sample(&mut rtt, &mut now, Span::from_ms(100));
        sample(&mut rtt, &mut now, Span::from_ms(180));
        let view = rtt.view().expect("sampled");
        assert_eq!(view.variation, Span::from_us(57_500));
        assert_eq!(view.smoothed, Span::from_ms(110));
        assert_eq!(view.min, Span::from_ms(100));
    }

    #[test]
    fn linux_adds_its_minimum_to_srtt_and_the_rfc_applies_it_to_the_sum() {
        for (rule, expected) in [(RtoRule::Rfc6298, 200), (RtoRule::Linux, 240)] {
            let (mut rtt, mut now) = (estimator(rule), Time::ZERO);
            (0..200).for_each(|_| sample(&mut rtt, &mut now, Span::from_ms(40)));
            assert!(
                (rtt.rto().as_secs_f64() - f64::from(expected) * 1e-3).abs() < 1e-9,
                "{rule:?}: {:?}",
                rtt.rto()
            );
        }
    }

    #[test]
    fn a_back_off_doubles_up_to_the_maximum_and_ends_with_a_fresh_sample() {
        let (mut rtt, mut now) = (estimator(RtoRule::Rfc6298), Time::ZERO);
        sample(&mut rtt, &mut now, Span::from_ms(100));
        rtt.back_off();
        assert_eq!(rtt.rto(), Span::from_ms(600));
        (0..40).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), Span::from_ms(60_000));
        sample(&mut rtt, &mut now, Span::from_ms(100));
        assert!(rtt.rto() < Span::from_ms(300));
    }

    #[test]
    fn constant_samples_keep_srtt_exactly_there() {
        let (mut rtt, mut now) = (estimator(RtoRule::Rfc6298), Time::ZERO);
        let odd = Span::from_ps(40_000_000_007);
        (0..1_000).for_each(|_| sample(&mut rtt, &mut now, odd));
        assert_eq!(rtt.view().expect("sampled").smoothed, odd);
    }

    #[test]
    fn one_segment_is_timed_at_a_time() {
        for (rule, averages) in [(RtoRule::Rfc6298, false), (RtoRule::Linux, true)] {
            let mut rtt = estimator(rule);
            rtt.sample(Span::from_ms(100), Time::ZERO + Span::from_ms(100));
            rtt.sample(Span::from_ms(180), Time::ZERO + Span::from_ms(190));
            let view = rtt.view().expect("sampled");
            assert_eq!(view.latest, Span::from_ms(180));
            assert_eq!(view.smoothed > Span::from_ms(100), averages, "{rule:?}");
        }
    }
}
