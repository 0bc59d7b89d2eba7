//! Where the warm-up of a run ends: the marginal standard error rule on batches of five.
//!
//! Source: K. P. White Jr., "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997)
//! 323 (MSER: d* minimises Σ_{i>d} (y_i - mean)² / (n - d)²); K. P. White Jr., M. J. Cobb and S. C. Spratt, "A comparison of
//! five steady-state truncation heuristics for simulation", Proc. Winter Simulation Conference 2000, 755 (MSER-5: the same on
//! means of five).
//!
//! The series are the goodputs of the groups in the intervals of the record, where flows have no series the rate of the
//! group's bottleneck; the warm-up is over when the last of them has settled.

use crate::model::Model;
use crate::records::{Recorded, RecordedFlow};
use narrows_units::Span;

/// A warm-up that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    /// Measures begin here.
    pub end: Span,
    /// Every series settles in the first half of the run; if not, measures begin with the second half.
    pub found: bool,
}

/// The warm-up of a run of `model` that was `recorded` from its start.
pub(crate) fn find(model: &Model, recorded: &Recorded) -> WarmUp {
    let interval = model.record.interval;
    let all = (0..model.groups.len()).filter_map(|group| series(model, recorded, group));
    let settled =
        all.map(|series| settles(&series)).try_fold(0, |latest, each| each.map(|each| latest.max(each)));
    match settled {
        Some(intervals) => WarmUp { end: Span::from_ps(interval.as_ps() * intervals as u64), found: true },
        None => WarmUp { end: model.duration / 2, found: false },
    }
}

/// After how many values `series` is stationary; `None` if it is too short to tell.
fn settles(series: &[f64]) -> Option<usize> {
    let batches = series.chunks_exact(BATCH);
    let means: Vec<f64> = batches.map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    if means.len() < FEWEST {
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

/// The rate of `group` by interval, bits per second; `None` where nothing of it was recorded.
fn series(model: &Model, recorded: &Recorded, group: usize) -> Option<Vec<f64>> {
    let intervals = 0..recorded.times.len();
    let populations: Vec<_> = recorded.populations.iter().filter(|each| each.group == group).collect();
    if !populations.is_empty() {
        let delivered =
            |at: usize| populations.iter().map(|each| each.series[at].tally.bytes_delivered).sum::<u64>();
        let ends = recorded.times.iter().map(|at| at.as_secs_f64());
        let (mut bytes_before, mut end_before) = (0, 0.0);
        let rates = intervals.zip(ends).map(|(at, end)| {
            let bytes = delivered(at);
            let rate = (bytes - std::mem::replace(&mut bytes_before, bytes)) as f64 * 8.0;
            rate / (end - std::mem::replace(&mut end_before, end))
        });
        return Some(rates.collect());
    }
    let flows: Vec<&RecordedFlow> = recorded.flows.iter().filter(|each| each.group == group).collect();
    if flows.iter().any(|flow| flow.receiver_series.is_empty()) {
        let number = model.groups[group].bottleneck?;
        let link = recorded.links.iter().find(|link| link.link == number)?;
        return Some(link.series.iter().map(|sample| sample.rate_bps).collect());
    }
    let total = |at: usize| flows.iter().map(|flow| flow.receiver_series[at].goodput_bps).sum();
    Some(intervals.map(total).collect())
}

const BATCH: usize = 5;
const FEWEST: usize = 10;
const KEPT: f64 = 5.0;

#[cfg(test)]
mod tests {
    //! Truth: theory. Where the rule cuts series whose best truncation is plain to see.

    use super::settles;

    /// A batch of five equal values for each of `means`.
    fn batches(means: &[f64]) -> Vec<f64> {
        means.iter().flat_map(|mean| [*mean; 5]).collect()
    }

    #[test]
    fn a_start_unlike_the_rest_is_left_out() {
        let means: Vec<f64> =
            [0.0, 3.0, 6.0].into_iter().chain([9.0, 10.0, 11.0, 10.0].into_iter().cycle().take(17)).collect();
        assert_eq!(settles(&batches(&means)), Some(15));
    }

    /// With d of ten batches of nothing left out before ten of one, Σ(y - mean)² / (n - d)² is 10 (10 - d) / (20 - d)³:
    /// 0.0125 for none, and nothing where all ten are left out.
    #[test]
    fn half_a_run_may_be_left_out_and_no_more() {
        let series = |zeros: usize| batches(&[vec![0.0; zeros], vec![1.0; 20 - zeros]].concat());
        assert_eq!(settles(&series(10)), Some(50));
        assert_eq!(settles(&series(11)), None);
    }

    #[test]
    fn what_never_changes_has_no_warm_up() {
        assert_eq!(settles(&batches(&[4.0; 10])), Some(0));
    }

    #[test]
    fn fewer_than_ten_batches_tell_nothing_and_an_unfinished_one_does_not_count() {
        assert_eq!(settles(&[4.0; 49]), None);
        let mut series = batches(&[4.0; 12]);
        series.extend([1e9; 4]);
        assert_eq!(settles(&series), Some(0));
    }

    #[test]
    fn the_last_five_batches_are_never_left_alone() {
        // The last four alone have no error; the whole has 503.3 / 24² = 0.87, the last five 28.8 / 5² = 1.15.
        let means: Vec<f64> = [5.0, -5.0].into_iter().cycle().take(20).chain([1.0; 4]).collect();
        assert_eq!(settles(&batches(&means)), Some(0));
    }
}
