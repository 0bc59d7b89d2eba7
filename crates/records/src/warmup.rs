// SPDX-License-Identifier: Apache-2.0
//! The end of the warm-up of a run by the marginal standard error rule on batches of five.
//!
//! Source: K. P. White Jr., "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997)
//! 323 (MSER: d* minimises Σ_{i>d} (y_i - mean)² / (n - d)²); K. P. White Jr., M. J. Cobb and S. C. Spratt, "A comparison of
//! five steady-state truncation heuristics for simulation", Proc. Winter Simulation Conference 2000, 755 (MSER-5: the same on
//! means of five).
//!
//! The series are the goodputs of the groups in the intervals of the series; the warm-up ends when the last of them is
//! stationary.

use crate::{GroupRecord, Records};
use narrows_units::{Span, Time};

/// The end of the warm-up as found by the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    /// End of the warm-up, where metrics start.
    pub end: Span,
    /// Whether the goodput of every group becomes stationary in the first half of the run; if not, `end` is the middle
    /// of the run.
    pub found: bool,
}

/// Finds the end of the warm-up of a run from `records`, which must start with the run.
pub fn find(records: &Records) -> WarmUp {
    let ends = &records.interval_ends;
    let settled = records
        .groups
        .iter()
        .map(|group| stationary_after(&goodputs_bps(group, ends)))
        .try_fold(0, |latest, intervals| Some(latest.max(intervals?)));
    match settled {
        Some(0) => WarmUp { end: Span::ZERO, found: true },
        Some(intervals) => WarmUp { end: ends[intervals - 1] - Time::ZERO, found: true },
        None => WarmUp { end: records.run.duration / 2, found: false },
    }
}

/// Goodput of the group by interval, bits per second.
fn goodputs_bps(group: &GroupRecord, ends: &[Time]) -> Vec<f64> {
    let (mut bytes_before, mut start) = (0, Time::ZERO);
    let goodput = |(sample, end): (&crate::GroupSample, &Time)| {
        let bytes = sample.counts.bytes_received;
        let bits = (bytes - std::mem::replace(&mut bytes_before, bytes)) as f64 * 8.0;
        bits / (*end - std::mem::replace(&mut start, *end)).as_secs_f64()
    };
    group.series.iter().zip(ends).map(goodput).collect()
}

/// Returns the number of values after which `series` is stationary by the MSER-5 rule, a multiple of five; `None` if
/// the series is too short or has values that are not finite.
pub fn stationary_after(series: &[f64]) -> Option<usize> {
    let batches = series.chunks_exact(BATCH);
    let means: Vec<f64> = batches.map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    if means.len() < FEWEST || means.iter().any(|mean| !mean.is_finite()) {
        return None;
    }
    // About the series' own mean, to lose no digits.
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    let (mut sum, mut squares, mut left) = (0.0, 0.0, 0.0_f64);
    let mut best = (f64::INFINITY, 0);
    for (index, value) in means.iter().enumerate().rev() {
        let centred = value - mean;
        sum += centred;
        squares += centred * centred;
        left += 1.0;
        let error = (squares - sum * sum / left).max(0.0) / (left * left);
        // The first of the best; the last batches are never left alone, for few that happen to be alike would win.
        if left >= KEPT && error <= best.0 {
            best = (error, index);
        }
    }
    (2 * best.1 <= means.len()).then_some(best.1 * BATCH)
}

const BATCH: usize = 5;
const FEWEST: usize = 10;
const KEPT: f64 = 5.0;

#[cfg(test)]
mod tests {
    //! Truth: theory. The truncation of series whose best truncation is obvious.

    use super::{WarmUp, find, stationary_after};
    use crate::{GroupCounts, GroupRecord, GroupSample, Records, RunDescription};
    use narrows_units::{Span, Time};

    /// A run of intervals of 100 ms in which each group is delivered this number of bytes in each batch of five.
    fn run(groups: &[Vec<u64>]) -> Records {
        let group = |batches: &Vec<u64>| {
            let mut bytes_received = 0;
            let mut sample = |bytes| {
                bytes_received += bytes;
                GroupSample {
                    counts: GroupCounts { bytes_received, ..Default::default() },
                    ..Default::default()
                }
            };
            let series = batches.iter().flat_map(|bytes| [*bytes; 5]).map(&mut sample).collect();
            GroupRecord { series, ..GroupRecord::default() }
        };
        let end = |interval: u64| Time::ZERO + Span::from_ms(100 * interval);
        Records {
            run: RunDescription { duration: Span::from_ms(10_000), ..RunDescription::default() },
            groups: groups.iter().map(group).collect(),
            interval_ends: (1..=100).map(end).collect(),
            ..Records::default()
        }
    }

    /// `count` batches at the start in which nothing is delivered, of twenty.
    fn late(count: usize) -> Vec<u64> {
        [vec![0; count], vec![1000; 20 - count]].concat()
    }

    #[test]
    fn the_warm_up_ends_when_the_last_group_has_settled() {
        let end = |groups: &[Vec<u64>]| find(&run(groups));
        assert_eq!(end(&[late(0)]), WarmUp { end: Span::ZERO, found: true });
        assert_eq!(end(&[late(2), late(4), late(0)]), WarmUp { end: Span::from_ms(2000), found: true });
        assert_eq!(end(&[late(2), late(11)]), WarmUp { end: Span::from_ms(5000), found: false });
    }

    #[test]
    fn a_group_without_samples_never_stationary_after() {
        let mut records = run(&[late(2), late(2)]);
        records.groups[1].series.clear();
        assert_eq!(find(&records), WarmUp { end: Span::from_ms(5000), found: false });
    }

    /// A batch of five equal values for each of `means`.
    fn batches(means: &[f64]) -> Vec<f64> {
        means.iter().flat_map(|mean| [*mean; 5]).collect()
    }

    #[test]
    fn a_start_unlike_the_rest_is_left_out() {
        let means: Vec<f64> =
            [0.0, 3.0, 6.0].into_iter().chain([9.0, 10.0, 11.0, 10.0].into_iter().cycle().take(17)).collect();
        assert_eq!(stationary_after(&batches(&means)), Some(15));
    }

    /// With d of ten batches of nothing left out before ten of one, Σ(y - mean)² / (n - d)² is 10 (10 - d) / (20 - d)³:
    /// 0.0125 for none, and nothing where all ten are left out.
    #[test]
    fn half_a_run_may_be_left_out_and_no_more() {
        let series = |zeros: usize| batches(&[vec![0.0; zeros], vec![1.0; 20 - zeros]].concat());
        assert_eq!(stationary_after(&series(10)), Some(50));
        assert_eq!(stationary_after(&series(11)), None);
    }

    #[test]
    fn what_never_changes_has_no_warm_up() {
        assert_eq!(stationary_after(&batches(&[4.0; 10])), Some(0));
    }

    #[test]
    fn fewer_than_ten_batches_are_too_few_and_an_unfinished_one_does_not_count() {
        assert_eq!(stationary_after(&[4.0; 49]), None);
        let mut series = batches(&[4.0; 12]);
        series.extend([1e9; 4]);
        assert_eq!(stationary_after(&series), Some(0));
    }

    #[test]
    fn the_last_five_batches_are_never_left_alone() {
        // The last four alone have no error; the whole has 503.3 / 24² = 0.87, the last five 28.8 / 5² = 1.15.
        let means: Vec<f64> = [5.0, -5.0].into_iter().cycle().take(20).chain([1.0; 4]).collect();
        assert_eq!(stationary_after(&batches(&means)), Some(0));
    }
}
