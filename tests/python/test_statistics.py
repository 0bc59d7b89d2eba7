"""Means, intervals and paired differences, held against tables and against what intervals promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrows.statistics import estimate, paired, t_quantile

NUMBERS = st.floats(-1e9, 1e9)


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.706), (4, 2.776), (29, 2.045)])
def test_the_quantile_is_that_of_the_printed_table_of_the_t_distribution(degrees: int, quantile: float) -> None:
    assert t_quantile(degrees) == pytest.approx(quantile, abs=5e-4)


def test_the_interval_of_five_values_is_the_one_computed_by_hand() -> None:
    found = estimate([1.0, 2.0, 3.0, 4.0, 5.0])
    # s² = 2.5, half width = 2.776 √(2.5 / 5)
    assert found["mean"] == 3.0
    assert found["ci95"] == pytest.approx([3 - 1.963, 3 + 1.963], abs=1e-3)


def test_one_value_has_a_mean_and_no_interval() -> None:
    assert estimate([7.0]) == {"mean": 7.0, "ci95": None}


def test_values_that_are_not_finite_do_not_count() -> None:
    assert estimate([1.0, math.nan, 3.0, math.inf]) == estimate([1.0, 3.0])
    assert estimate([math.nan, math.inf]) == {"mean": None, "ci95": None}
    assert estimate([]) == {"mean": None, "ci95": None}


@given(st.lists(NUMBERS, min_size=2, max_size=20))
def test_the_mean_lies_within_its_interval(values: list[float]) -> None:
    found = estimate(values)
    assert found["mean"] is not None
    assert found["ci95"] is not None
    assert found["ci95"][0] <= found["mean"] <= found["ci95"][1]


@given(st.lists(NUMBERS, min_size=2, max_size=20), st.integers(-1000, 1000))
def test_noise_that_both_share_cancels_out_of_a_paired_difference(noise: list[float], step: int) -> None:
    found = paired([each + step for each in noise], noise)
    assert found["mean"] == pytest.approx(step, abs=1e-6)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    # 2000 samples of 5 normal values: the share that covers is 95 % ± 1.5 % (three standard errors).
    draws = np.random.default_rng(1).normal(10.0, 3.0, (2000, 5))
    intervals = [estimate(row)["ci95"] or [math.nan, math.nan] for row in draws]
    covered = np.mean([low <= 10.0 <= high for low, high in intervals])
    assert covered == pytest.approx(0.95, abs=0.015)
