# SPDX-License-Identifier: Apache-2.0
"""Rule: the intervals of quantities of a path. Theory with tolerance: they have the truth as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from narrows._internal.trace.estimate import Estimate, endpoint, mean, same_distribution, share
from narrows._internal.trace.scenario import QUANTITIES, latin


def test_an_endpoint_lies_nineteen_gaps_below_the_least_value() -> None:
    assert endpoint(np.array([3.0, 2.0, 2.01])) == pytest.approx((2.0, 1.81))
    # A single period says nothing of what may lie below it.
    assert endpoint(np.array([2.0])) == (2.0, 0.0)
    assert endpoint(np.array([2.0, 2.0])) == (2.0, 2.0)


def test_the_bound_of_an_endpoint_holds_in_nineteen_of_twenty() -> None:
    random = np.random.default_rng(1)
    holds = [endpoint(1 + random.random(40))[1] <= 1 for _ in range(2000)]
    assert np.mean(holds) >= 0.94


def test_a_share_has_the_interval_of_wilson() -> None:
    # R's prop.test(5, 50, correct = FALSE): 0.0434753, 0.2136024.
    assert share(5, 50) == pytest.approx((0.1, 0.0434753, 0.2136024), abs=1e-4)
    assert share(0, 100)[:2] == (0.0, 0.0)
    assert share(0, 0) == (0.0, 0.0, 1.0)


def test_the_mean_of_correlated_values_has_a_wider_interval() -> None:
    random = np.random.default_rng(2)
    noise = random.normal(size=4000)
    walk = np.convolve(noise, np.ones(20) / 20, mode="same")
    weights = np.ones(4000)
    assert mean(noise, weights)[1] == pytest.approx(1.96 / math.sqrt(4000), rel=0.1)
    # The same power, and values that are alike for about twenty.
    assert mean(walk / walk.std(), weights)[1] > 3 * mean(noise, weights)[1]


def test_samples_of_one_distribution_are_alike_as_often_as_they_should() -> None:
    random = np.random.default_rng(3)
    values = random.exponential(size=5000)
    alike = [same_distribution(random.choice(values, 20), values) for _ in range(500)]
    assert np.mean(np.array(alike) < 0.05) == pytest.approx(0.05, abs=0.03)
    assert same_distribution(values[values > np.median(values)][:20], values) < 0.01
    # An empty queue gives many equal delays.
    ties = np.r_[np.zeros(900), random.random(100)]
    assert same_distribution(np.zeros(15), ties) > 0.1


def test_draws_cover_each_interval_evenly() -> None:
    draws = latin(8, seed=5)
    found = Estimate(2.0, 1.0, 9.0, "")
    for name in QUANTITIES:
        values = sorted(each.of(name, found) for each in draws)
        assert all(1 + place <= value <= 2 + place for place, value in enumerate(values))
    assert [each.places for each in latin(8, seed=5)] == [each.places for each in draws]
    # Without an upper bound a draw lies between the lower one and a given value.
    assert all(1.0 <= each.of("rate", Estimate(1.0, 1.0, math.inf, ""), 3.0) <= 3.0 for each in draws)
