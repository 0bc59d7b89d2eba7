# SPDX-License-Identifier: Apache-2.0
"""The confidence sequence and the verdicts of trials keep their promise over many synthetic trials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from narrows._internal.analysis.sequences import MOST, batches, confidence_sequence, half_width
from narrows._internal.metrics.criteria import Margin
from narrows._internal.trial.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Callable

    Draw = Callable[[np.random.Generator, int], np.ndarray]

TRIALS = 500
SHAPES: dict[str, Draw] = {
    "normal": lambda random, count: random.normal(size=count),
    "uniform": lambda random, count: random.uniform(-1, 1, size=count),
    "long tail on the worse side": lambda random, count: random.exponential(size=count) - 1,
    "long tail on the better side": lambda random, count: 1 - random.exponential(size=count),
    "longer tail on the better side": lambda random, count: math.exp(0.5) - random.lognormal(size=count),
}
# 500 trials at 5 % exceed 41 once in a thousand times.
GREATEST = 41


def test_the_interval_is_that_of_the_likelihood_ratio() -> None:
    values = [3.0, 4.5, 2.5, 5.0, 3.5, 4.0, 2.0, 3.6, 3.4, 3.5]  # symmetric
    count, prior, alpha = len(values), 1.0, 0.05

    def ratio(mean: float) -> float:
        total, square = sum(each - mean for each in values), sum((each - mean) ** 2 for each in values)
        return float(math.sqrt(prior / (count + prior)) * (1 - total**2 / ((count + prior) * square)) ** (-count / 2))

    for end in confidence_sequence(values, alpha, prior):
        assert ratio(end) == pytest.approx(1 / alpha)


def test_the_end_on_the_side_of_the_long_tail_is_where_the_transformed_statistic_reaches_the_bound() -> None:
    values = [1.0, 0.9, 1.1, 0.8, 1.0, 1.2, 0.9, 1.0, 1.1, -2.0, 0.9, 1.1]
    count, mean = len(values), float(np.mean(values))
    deviations = np.array(values) - mean
    variance = float(np.mean(deviations**2))
    biased = float(np.mean(deviations**3)) / variance**1.5
    skewness = biased * math.sqrt(count * (count - 1)) / (count - 2)
    bound = half_width(count, variance, 0.05, 1.0) / math.sqrt(variance / count)
    low, high = confidence_sequence(values)
    t = (mean - low) / math.sqrt(variance / count)
    hall = t + skewness * (t * t / 3 + 1 / 6) / math.sqrt(count) + skewness**2 * t**3 / (27 * count)
    assert hall == pytest.approx(bound)
    assert t > bound
    # The other end is that of Student's t.
    assert (high - mean) / math.sqrt(variance / count) == pytest.approx(bound)


def test_no_interval_is_given_where_the_values_cannot_carry_one() -> None:
    assert confidence_sequence([1.0]) == (-math.inf, math.inf)
    assert confidence_sequence([1.0, 2.0, 3.0], alpha=1e-6) == (-math.inf, math.inf)


def _positives(shape: str, shift: float, verdict: str, part: float = 0.02) -> int:
    random = np.random.default_rng(1)
    found = 0
    for _ in range(TRIALS):
        costs = 0.5 * SHAPES[shape](random, MOST) + shift
        looks = [each.stop for each in batches(MOST)]
        a = [100.0] * MOST
        b = [100.0 + float(each) for each in costs]
        found += any(judge(a[:n], b[:n], "lower", Margin(part, 0.0, "given"), 0.05).verdict == verdict for n in looks)
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_false_positives_without_a_difference_are_as_rare_as_promised(shape: str) -> None:
    # With a margin of 0, a look after each step and the greatest number of looks.
    assert _positives(shape, 0.0, "worse", 0.0) <= GREATEST


def test_a_change_that_is_worse_than_the_margin_is_found() -> None:
    assert _positives("normal", 3.0, "worse") == TRIALS


def test_a_change_within_the_margin_is_no_worse() -> None:
    assert _positives("normal", 0.0, "no worse") == TRIALS
    assert _positives("normal", 0.0, "worse") == 0


def test_equal_values_are_no_worse_after_two_replications() -> None:
    found = judge([5.0, 6.0], [5.0, 6.0], "higher", Margin(0.0, 0.0, "given"), 0.05)
    assert found.verdict == "no worse"
