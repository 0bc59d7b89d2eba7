// SPDX-License-Identifier: Apache-2.0
//! Loss intervals and their weighted mean (RFC 5348 §5.3 to §5.5; Floyd et al., SIGCOMM 2000 §3.3).
//!
//! An interval is the number of packets from the start of one loss event to the start of the next. Let `I₀` be the open
//! interval, `I₁ … I_k` the closed ones, `w_i = 1` for `i < k/2`, else `1 − (i − (k/2 − 1))/(k/2 + 1)`, and `D_i` the
//! discounts. Then `1/p = max(Σ_{i<k} w_i D_i I_i / Σ w_i D_i, Σ_{i≥1} w_{i−1} D_i I_i / Σ w_{i−1} D_i)`: the open
//! interval counts only if it lowers `p`. While `I₀` exceeds twice the mean `M` of the closed intervals, these are
//! multiplied by the discount `max(2 M/I₀, least_discount)`.

use narrows_cc::LossHistory;
use std::collections::VecDeque;

/// The loss intervals of one flow.
#[derive(Clone, Debug)]
pub(super) struct LossIntervals {
    options: LossHistory,
    /// `w_0 … w_(k−1)`.
    weights: Vec<f64>,
    /// The closed intervals, most recent first: packets, and `D_i` without the present discount.
    closed: VecDeque<(f64, f64)>,
    /// The first packet of the last loss event; `None` before the first.
    start: Option<u64>,
}

impl LossIntervals {
    pub(super) fn new(options: LossHistory) -> Self {
        let half = options.intervals as f64 / 2.0;
        let weight =
            |i: usize| if (i as f64) < half { 1.0 } else { 1.0 - (i as f64 - (half - 1.0)) / (half + 1.0) };
        Self {
            options,
            weights: (0..options.intervals).map(weight).collect(),
            closed: VecDeque::with_capacity(options.intervals + 1),
            start: None,
        }
    }

    /// Starts a loss event with packet `number`. `first` returns the interval before the first event.
    pub(super) fn start_event(&mut self, number: u64, first: impl FnOnce() -> f64) {
        let discount = self.start.map_or(1.0, |start| self.discount((number - start) as f64));
        for (_, factor) in &mut self.closed {
            *factor *= discount;
        }
        let length = self.start.map_or_else(first, |start| (number - start) as f64);
        self.closed.push_front((length, 1.0));
        self.closed.truncate(self.options.intervals);
        self.start = Some(number);
    }

    /// Returns the loss event rate `p`, in events per packet, 0 before the first event; `highest` is the highest number
    /// that has arrived.
    pub(super) fn loss_event_rate(&self, highest: u64) -> f64 {
        let Some(start) = self.start else { return 0.0 };
        let open = (highest + 1).saturating_sub(start) as f64;
        let discount = self.discount(open);
        let weighted = self.weights.iter().skip(1).zip(&self.closed);
        let (sum, weight) =
            weighted.fold((open * self.weights[0], self.weights[0]), |(sum, all), (weight, entry)| {
                let weight = weight * entry.1 * discount;
                (sum + weight * entry.0, all + weight)
            });
        (1.0 / (sum / weight).max(self.closed_mean())).min(1.0)
    }

    /// The mean of the closed intervals.
    fn closed_mean(&self) -> f64 {
        let weighted = self.weights.iter().zip(&self.closed);
        let (sum, weight) = weighted.fold((0.0, 0.0), |(sum, all), (weight, (length, factor))| {
            (sum + weight * factor * length, all + weight * factor)
        });
        sum / weight
    }

    /// The discount of closed intervals while the open one has `open` packets.
    fn discount(&self, open: f64) -> f64 {
        (2.0 * self.closed_mean() / open).min(1.0).max(self.options.least_discount)
    }
}

#[cfg(test)]
mod tests {
    use super::LossIntervals;
    use narrows_cc::LossHistory;

    fn intervals(k: usize, least_discount: f64) -> LossIntervals {
        LossIntervals::new(LossHistory::new(k, least_discount))
    }

    /// A history with the closed intervals `lengths`, oldest first, and the first packet of its last event.
    fn history(k: usize, least_discount: f64, lengths: &[u64]) -> (LossIntervals, u64) {
        let mut history = intervals(k, least_discount);
        let mut at = 1_000;
        history.start_event(at, || lengths[0] as f64);
        for length in &lengths[1..] {
            at += length;
            history.start_event(at, || unreachable!("only the first is synthetic"));
        }
        (history, at)
    }

    #[track_caller]
    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-12, "{got}, not {expected}");
    }

    /// RFC 5348 §5.4.
    #[test]
    fn eight_weights_are_those_of_the_standard() {
        let weights = intervals(8, 1.0).weights;
        for (weight, expected) in weights.iter().zip([1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2]) {
            near(*weight, expected);
        }
        assert_eq!(weights.len(), 8);
    }

    #[test]
    fn without_a_loss_the_rate_is_zero() {
        near(intervals(8, 1.0).loss_event_rate(1_000_000), 0.0);
    }

    #[test]
    fn the_open_interval_counts_only_if_it_is_long() {
        let (history, start) = history(8, 1.0, &[100; 8]);
        near(history.loss_event_rate(start + 9), 0.01);
        near(history.loss_event_rate(start + 399), 1.0 / ((400.0 + 100.0 * 5.0) / 6.0));
    }

    /// RFC 5348 §5.4: the mean of ten intervals of which only the last eight count.
    #[test]
    fn older_intervals_weigh_less_and_only_eight_count() {
        let (history, start) = history(8, 1.0, &[9_999, 9_999, 10, 20, 30, 40, 50, 60, 70, 80]);
        let newest_first = [80.0, 70.0, 60.0, 50.0, 40.0 * 0.8, 30.0 * 0.6, 20.0 * 0.4, 10.0 * 0.2];
        near(history.loss_event_rate(start), 6.0 / newest_first.iter().sum::<f64>());
    }

    /// RFC 5348 §5.5: with an open interval of four times the mean the others count half.
    #[test]
    fn a_long_open_interval_discounts_the_others() {
        let (mut history, start) = history(8, 0.25, &[100; 8]);
        near(history.loss_event_rate(start + 399), 1.0 / ((400.0 + 0.5 * 500.0) / (1.0 + 0.5 * 5.0)));
        near(history.loss_event_rate(start + 1_999), 1.0 / ((2_000.0 + 0.25 * 500.0) / (1.0 + 0.25 * 5.0)));
        history.start_event(start + 400, || unreachable!("there was an event before"));
        let closed = (400.0 + 0.5 * 500.0) / (1.0 + 0.5 * 5.0);
        near(history.loss_event_rate(start + 400), 1.0 / closed);
    }
}
