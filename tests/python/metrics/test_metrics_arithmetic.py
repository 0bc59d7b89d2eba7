# SPDX-License-Identifier: Apache-2.0
"""Truth: theory. Each function on a series whose answer is worked out by hand beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrows._internal.analysis.harm import harm
from narrows._internal.core import jain, stationary_after
from narrows._internal.metrics import convergence, fairness, losses, series, stability, windows

TENTHS = np.arange(1, 11) / 10.0


def array(*values: float) -> series.FloatArray:
    return np.array(values, dtype=np.float64)


def test_a_rate_is_summed_over_its_own_intervals_and_bins_are_means() -> None:
    # Two intervals of 1 s and a last one of 0.5 s: 2, 4 and 4 units.
    ends, rates = array(1.0, 2.0, 2.5), array(2.0, 4.0, 8.0)
    assert list(series.accumulate(ends, rates)) == [0.0, 2.0, 6.0, 10.0]
    assert series.mean(ends, rates, 0.5, 2.25) == pytest.approx((1 + 4 + 2) / 1.75)
    assert list(series.bins(ends, rates, 0.0, 2.5, 1.0)) == [2.0, 4.0]
    assert math.isnan(series.mean(ends, rates, 1.0, 1.0))


def test_bins_are_whole_and_rounding_costs_none() -> None:
    assert len(series.bins(TENTHS, np.ones(10), 0.0, 1.0, series.whole_intervals(0.2, 0.1))) == 5
    assert len(series.bins(TENTHS, np.ones(10), 0.1, 1.0, series.whole_intervals(0.3, 0.1))) == 3
    assert series.whole_intervals(0.25, 0.1) == pytest.approx(0.3)
    assert len(series.bins(TENTHS, np.ones(10), 2.0, 1.0, 0.1)) == 0


def test_variation_is_the_deviation_over_the_mean() -> None:
    # Mean 3, deviations ±1: 1/3.
    assert stability.cov(array(2, 4, 2, 4)) == pytest.approx(1 / 3)
    assert stability.cov(array(5, 5)) == 0
    assert math.isnan(stability.cov(array(0, 0)))
    assert math.isnan(stability.cov(array(1)))


def test_smoothness_is_the_deepest_fall_and_aggressiveness_the_highest_rise() -> None:
    rates = array(4, 8, 4, 3, 9)
    # Ratios 2, 1/2, 3/4, 3.
    assert stability.smoothness(rates) == 0.5
    assert stability.smoothness(array(1, 2, 3)) == 1
    assert math.isnan(stability.smoothness(array(0, 3)))
    # The rise of 6 is into a disturbed bin, so the rise of 4 counts.
    assert stability.aggressiveness(rates, np.array([True, True, True, True, False])) == 4
    assert stability.aggressiveness(array(3, 2), np.array([True, True])) == 0
    assert math.isnan(stability.aggressiveness(rates, np.zeros(5, dtype=bool)))


def test_responsiveness_counts_until_half_and_no_further() -> None:
    assert stability.bins_until_halved(8.0, array(8, 6, 4, 2)) == 3
    assert math.isnan(stability.bins_until_halved(8.0, array(8, 6)))


def test_the_maximum_is_reached_in_the_first_bin_near_the_highest() -> None:
    assert stability.bins_until_maximum(array(1, 50, 96, 90, 100), 0.95) == 3
    assert math.isnan(stability.bins_until_maximum(array(0, 0), 0.95))
    assert math.isnan(stability.bins_until_maximum(array(), 0.95))


def test_jain_per_bin_counts_who_is_there() -> None:
    shares = np.array([[2.0, 2.0], [4.0, 0.0], [0.0, 0.0], [4.0, 0.0]])
    present = np.array([[True, True], [True, True], [True, True], [True, False]])
    # 1, 1/2, nothing to share, and one flow that is alone: 1.
    assert fairness.mean_jain(shares, present) == pytest.approx((1 + 0.5 + 1) / 3)
    # Over the whole of it the alternation disappears.
    assert fairness.mean_jain(array(2, 0)[None, :] + array(0, 2)[None, :], np.ones((1, 2), dtype=bool)) == 1


@given(st.lists(st.floats(0.01, 1e6), min_size=2, max_size=20), st.floats(1e-3, 1e6))
def test_fairness_and_variation_know_no_unit(shares: list[float], unit: float) -> None:
    rates = np.array(shares)
    assert jain(rates * unit) == pytest.approx(jain(rates))
    assert jain(rates[::-1]) == pytest.approx(jain(rates))
    assert 1 / len(shares) - 1e-9 <= jain(rates) <= 1 + 1e-9
    assert stability.cov(rates * unit) == pytest.approx(stability.cov(rates), abs=1e-9)
    assert stability.smoothness(rates * unit) == pytest.approx(stability.smoothness(rates))
    # Jain's index is a function of the variation: 1 / (1 + cov²).
    assert jain(rates) == pytest.approx(1 / (1 + stability.cov(rates) ** 2))


def test_rtt_bias_is_the_exponent_of_the_law() -> None:
    # Rates inverse to the square root, and to the square, of the round trips.
    assert fairness.rtt_bias(0.5, 4.0) == pytest.approx(0.5)
    assert fairness.rtt_bias(1 / 16, 4.0) == pytest.approx(2.0)
    assert fairness.rtt_bias(1.0, 4.0) == 0
    assert math.isnan(fairness.rtt_bias(1.0, 1.0))
    assert math.isnan(fairness.rtt_bias(0.0, 2.0))


def test_harm_is_what_is_lost_of_what_one_has_alone() -> None:
    assert harm(10.0, 4.0) == pytest.approx(0.6)
    assert harm(10.0, 12.0) == pytest.approx(-0.2)
    # A delay that grows fourfold: three quarters.
    assert harm(10.0, 40.0, more_is_better=False) == pytest.approx(0.75)


def test_convergence_compares_running_means() -> None:
    # Running sums 0, 4, 10, 18 against 80 % of 8, 14, 18, 22: it holds in the fourth bin (18 ≥ 17.6).
    assert convergence.bins_until_share(array(0, 4, 6, 8), array(8, 6, 4, 4), 0.8) == 4
    assert convergence.bins_until_share(array(0, 1), array(8, 8), 0.8) is None


def test_delta_fairness_is_about_the_smallest_share() -> None:
    # Shares of the second: 1/10, 4/10, 45/100; δ = 0.1 asks for 0.45 of 1.
    rates = np.array([[9.0, 1.0], [6.0, 4.0], [5.5, 4.5]])
    assert convergence.bins_until_delta_fair(rates, 0.1) == 3
    assert convergence.bins_until_delta_fair(rates, 0.2) == 2
    assert convergence.bins_until_delta_fair(rates, 0.0) is None


def test_stabilization_ends_when_the_last_ten_round_trips_are_near_the_steady_rate() -> None:
    # A round trip is an interval of 1 s with 100 packets. Steady: 2 of 100. After 20 s: 40 for one second, then 2.
    ends = np.arange(1.0, 61.0)
    arrived, dropped = np.full(60, 100.0), np.full(60, 2.0)
    dropped[20] = 40.0
    found = losses.stabilization(ends, arrived, dropped, after_s=0.0, at_s=20.0, rtt_s=1.0, factor=1.5)
    # The spike leaves the window of ten intervals with the eleventh one: (40 + 10·2) drops of 1100.
    assert found.time_rtt == pytest.approx(11.0)
    assert found.cost == pytest.approx(11 * 60 / 1100)


def test_without_a_rise_nothing_is_to_stabilize_and_without_a_fall_it_lasts_to_the_end() -> None:
    ends, arrived = np.arange(1.0, 31.0), np.full(30, 100.0)
    calm = losses.stabilization(ends, arrived, np.ones(30), after_s=0, at_s=10, rtt_s=1, factor=1.5)
    assert list(calm) == [0, 0]
    rising = np.where(ends <= 10, 1.0, 5.0)
    worse = losses.stabilization(ends, arrived, rising, after_s=0, at_s=10, rtt_s=1, factor=1.5)
    assert list(worse) == [pytest.approx(20), pytest.approx(20 * 0.05)]


def test_correlation_of_columns() -> None:
    # Deviations -1 0 1 and -1 -1 2: covariance 3, roots of squares sqrt(2) and sqrt(6).
    found = stability.correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 4.0]))
    assert found == pytest.approx(3 / math.sqrt(12))
    assert math.isnan(stability.correlation(np.array([1.0, 2.0, 3.0]), np.array([5.0, 5.0, 5.0])))
    assert math.isnan(stability.correlation(np.array([1.0, 2.0, np.nan]), np.array([1.0, 2.0, 3.0])))


def test_a_cut_changes_ssthresh_or_ends_at_it() -> None:
    windows_ = array(10, 20, 10, 12, 20, 10, 14, 7, 8, 6)
    thresholds = array(math.inf, math.inf, 10, 10, 10, 10, 10, 7, 7, 7)
    # The second cut is from the same window as the first; the last fall is none: it passes ssthresh.
    assert list(windows.cuts(windows_, thresholds)) == [2, 5, 7]
    # 10 of 20 twice, 7 of 14.
    assert list(windows.kept(windows_, thresholds)) == [0.5, 0.5, 0.5]


def test_growth_after_a_cut_counts_only_while_no_other_follows() -> None:
    ends = array(1, 2, 3, 4, 5, 6)
    windows_, thresholds = array(20, 10, 12, 14, 7, 9), array(20, 10, 10, 10, 7, 7)
    # From 10 at 2 s to 14 at 4 s; the cut at 5 s has no 2 s left.
    assert list(windows.growth(ends, windows_, thresholds, (0.0, 2.0))) == [2.0]
    # From 1 s to 2 s after the cut: 12 to 14.
    assert list(windows.growth(ends, windows_, thresholds, (1.0, 2.0))) == [2.0]
    # The next cut comes within 3 s.
    assert list(windows.growth(ends, windows_, thresholds, (0.0, 3.0))) == []


def test_time_near_cuts_is_a_share_of_all_intervals() -> None:
    # A cut at 2 s: 2 s and 3 s are within a second of it, 1 s and 4 s are not.
    assert windows.near_cuts(array(1, 2, 3, 4), array(10, 5, 6, 7), array(9, 5, 5, 5), 1.0) == 0.5
    assert windows.near_cuts(array(1, 2), array(9, 9), array(9, 9), 1.0) == 0


def test_swing_is_the_range_of_a_bin_over_the_mean_and_changes_are_counted() -> None:
    # Bins (1, 3) and (4, 4): ranges 2 and 0, mean 1; the mean of all is 3.
    assert windows.swing(array(1, 3, 4, 4), 2) == pytest.approx(1 / 3)
    assert math.isnan(windows.swing(array(1), 2))
    assert windows.changes(array(1, 1, 2, 2, 1)) == 2
    assert windows.intervals(0.25, 0.1) == 3


def test_the_warm_up_of_a_step_ends_at_the_step() -> None:
    """By hand: after the step the rest is constant, so its marginal standard error is 0, and no later one is less."""
    assert stationary_after(np.concatenate((np.full(40, 9.0), np.full(160, 3.0)))) == 40


def test_the_truncation_has_the_marginal_standard_error_worked_by_hand() -> None:
    # Batches of 5 -1 1 -1 1 ... Without the first: mean -1/9, Σ = 9 - 1/9, divided by 81; no later one is less.
    assert stationary_after(np.repeat([5.0, -1, 1, -1, 1, -1, 1, -1, 1, -1], 5)) == 5


def test_a_series_that_never_settles_has_no_settling_time() -> None:
    assert stationary_after(np.arange(200.0)) is None
    assert stationary_after(np.arange(49.0)) is None
    assert stationary_after(np.array([np.nan] * 60)) is None


@given(st.lists(st.floats(-10, 10), min_size=50, max_size=80), st.floats(-1e3, 1e3))
def test_no_truncation_beats_the_one_that_is_found(values: list[float], shift: float) -> None:
    series = np.array(values) + shift
    means = series[: len(series) // 5 * 5].reshape(-1, 5).mean(axis=1)
    errors = np.array([np.sqrt(means[d:].var() / (len(means) - d)) for d in range(len(means) - 4)])
    found = stationary_after(series)
    if found is None:
        assert errors[: len(means) // 2 + 1].min() >= errors.min() - 1e-6
    else:
        assert found <= len(series) / 2
        assert errors[found // 5] == pytest.approx(errors.min(), abs=1e-6)
