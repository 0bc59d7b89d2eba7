# SPDX-License-Identifier: Apache-2.0
"""Means, intervals and paired differences, held against tables and against what intervals promise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrows._internal.metrics.criteria import BY_NAME, BY_UNIT, Margin, margin_of, range_of, read_margin, verdict
from narrows._internal.quantiles import t_quantile
from narrows._internal.statistics import COUNT, POSITIVE, REAL, SHARE, Range, distinct, estimate, paired
from narrows.metrics import catalogue

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
    assert estimate([7.0]) == {"mean": 7.0, "ci95": None, "interval_method": None}


def test_values_that_are_not_finite_do_not_count() -> None:
    assert estimate([1.0, math.nan, 3.0, math.inf]) == estimate([1.0, 3.0])
    assert estimate([math.nan, math.inf]) == {"mean": None, "ci95": None, "interval_method": None}
    assert estimate([]) == {"mean": None, "ci95": None, "interval_method": None}


@given(st.lists(NUMBERS, min_size=2, max_size=20, unique=True))
def test_the_mean_lies_within_its_interval(values: list[float]) -> None:
    found = estimate(values)
    assert found["mean"] is not None
    assert found["ci95"] is not None
    assert found["ci95"][0] <= found["mean"] <= found["ci95"][1]


@given(st.lists(NUMBERS, min_size=2, max_size=20), st.integers(-1000, 1000))
def test_noise_that_both_share_cancels_out_of_a_paired_difference(noise: list[float], step: int) -> None:
    found = paired([each + step for each in noise], noise)
    assert found["mean"] == pytest.approx(step, abs=1e-6)


RANGES = [REAL, POSITIVE, COUNT, SHARE, Range(0.5, 1.0), Range(high=1.0)]


@given(st.lists(st.floats(0.5, 1.0), min_size=2, max_size=12), st.sampled_from(RANGES))
def test_an_interval_holds_its_mean_and_stays_within_what_is_possible(values: list[float], within: Range) -> None:
    found = estimate(values, within)
    assert found["mean"] is not None
    low, high = found["ci95"] or (found["mean"], found["mean"])
    assert within.low <= low <= found["mean"] <= high <= within.high


@given(st.lists(st.integers(0, 5).map(float), min_size=2, max_size=12))
def test_counts_and_shares_at_their_bounds_keep_within_them(values: list[float]) -> None:
    for within, scale in ((COUNT, 1.0), (POSITIVE, 1.0), (SHARE, 0.2)):
        ends = estimate([each * scale for each in values], within)["ci95"]
        assert ends is None or within.low <= ends[0] <= ends[1] <= within.high


EQUALS = [
    # exp(-n x) = 0.025. Printed quantiles of five events: chi²(10; 0.025) = 3.247 and chi²(12; 0.975) = 23.337.
    (0.0, COUNT, 5, [0.0, 3.689 / 5]),
    (1.0, COUNT, 5, [0.3247, 2.3337]),
    # 0.025^(1/5) = 0.4782
    (1.0, SHARE, 5, [0.4782, 1.0]),
    (0.0, SHARE, 5, [0.0, 0.5218]),
    (0.5, Range(0.5, 1.0), 5, [0.5, 0.7609]),
    (0.0, Range(0.0, 8.0), 2, [0.0, 8 * (1 - 0.025**0.5)]),
    (0.3, SHARE, 5, None),
    (0.0, POSITIVE, 5, None),
    (7.0, REAL, 5, None),
]


@pytest.mark.parametrize(("value", "within", "count", "ends"), EQUALS)
def test_equal_values_have_no_interval_or_what_they_bound(
    value: float, within: Range, count: int, ends: list[float] | None
) -> None:
    found = estimate([value] * count, within)
    assert (found["mean"], found["interval_method"]) == (value, "equal")
    assert found["ci95"] == (None if ends is None else pytest.approx(ends, abs=1e-4))


@given(st.floats(0.0, 1.0), st.integers(2, 40), st.sampled_from([REAL, POSITIVE, COUNT, SHARE, Range(0.0, 2.0)]))
def test_no_interval_of_equal_values_is_without_width(value: float, count: int, within: Range) -> None:
    for found in (estimate([value] * count, within), paired([value] * count, [value] * count, within)):
        assert found["mean"] in {value, 0.0}
        assert found["ci95"] is None or found["ci95"][0] < found["ci95"][1]


def test_differences_that_are_all_equal_bound_what_their_sides_bound() -> None:
    assert paired([0.0] * 5, [0.0] * 5, COUNT)["ci95"] == pytest.approx([-0.738, 0.738], abs=1e-3)
    assert paired([1.0] * 5, [1.0] * 5, SHARE)["ci95"] == pytest.approx([-0.522, 0.522], abs=1e-3)
    assert verdict(paired([0.0] * 5, [0.0] * 5, COUNT), 0.7, "lower") == "undecided"
    assert verdict(paired([0.0] * 5, [0.0] * 5, COUNT), 0.8, "lower") == "same"
    assert paired([3.0, 4.0], [1.0, 2.0])["ci95"] is None
    assert verdict(paired([3.0, 4.0], [1.0, 2.0]), 0.1, "higher") == "undecided"


def test_replications_that_are_one_run_are_one_value() -> None:
    assert distinct([1.0, 1.0, 1.0], ["a", "a", "a"]) == [1.0]
    assert distinct([1.0, 1.0, 2.0], ["a", "a", "b"]) == [1.0, 1.0, 2.0]
    assert distinct([], []) == []


def test_a_value_that_leaves_its_range_by_rounding_widens_it_and_one_that_leaves_it_clearly_has_none() -> None:
    assert estimate([0.5, 0.9, 1.0 + 1e-12], SHARE)["interval_method"] == "logit t"
    assert estimate([0.5, 0.9, 1.4], SHARE)["interval_method"] == "t"


def test_what_has_an_upper_bound_alone_is_the_mirror_image_of_what_has_a_lower_one() -> None:
    found = estimate([0.2, 0.9, 0.95], Range(high=1.0))
    mirrored = estimate([0.8, 0.1, 0.05], POSITIVE)
    assert found["interval_method"] == mirrored["interval_method"] == "log t"
    assert found["ci95"] == pytest.approx([1 - end for end in reversed(mirrored["ci95"] or [])])


def test_a_difference_of_shares_is_no_greater_than_one() -> None:
    found = paired([1.0, 1.0, 0.9], [0.0, 0.1, 0.0], SHARE)
    assert found["ci95"] is not None
    assert found["ci95"][1] == 1.0


# What replications look like: nearly symmetric, skewed, close to a bound, few events. The plain t interval covers the
# mean of some of these in only 83 % of the cases.
POPULATIONS: dict[str, tuple[Range, Any, float]] = {
    "normal": (REAL, lambda rng, shape: rng.normal(10.0, 3.0, shape), 10.0),
    "times, spread 0.3": (POSITIVE, lambda rng, shape: rng.gamma(1 / 0.09, 0.09, shape), 1.0),
    "times, spread 0.5": (POSITIVE, lambda rng, shape: rng.lognormal(-0.125, 0.5, shape), 1.0),
    "times, exponential": (POSITIVE, lambda rng, shape: rng.exponential(1.0, shape), 1.0),
    "two events": (COUNT, lambda rng, shape: rng.poisson(2.0, shape), 2.0),
    "twenty events": (COUNT, lambda rng, shape: rng.poisson(20.0, shape), 20.0),
    "loss rate of 2 %": (SHARE, lambda rng, shape: rng.beta(2.0, 98.0, shape), 0.02),
    "utilization of 99 %": (SHARE, lambda rng, shape: rng.beta(99.0, 1.0, shape), 0.99),
    "harm": (Range(high=1.0), lambda rng, shape: 1.0 - rng.gamma(1 / 0.09, 0.09 * 0.3, shape), 0.7),
    "an event in a hundred runs": (COUNT, lambda rng, shape: rng.poisson(0.009, shape), 0.009),
    "an event in five runs": (COUNT, lambda rng, shape: rng.poisson(0.2, shape), 0.2),
    # Idle for a moment in one run of four.
    "utilization of a saturated link": (
        SHARE,
        lambda rng, shape: 1.0 - (rng.random(shape) < 0.25) * rng.gamma(1.0, 0.0012, shape),
        0.9997,
    ),
    "Jain's index of two flows": (
        Range(0.5, 1.0),
        lambda rng, shape: 0.5 + 0.5 * rng.beta(12.0, 1.0, shape),
        0.5 + 6 / 13,
    ),
}


# Where most values are the same, what they bound is wider than need be.
RARE = frozenset({"an event in a hundred runs", "an event in five runs", "utilization of a saturated link"})


@pytest.mark.parametrize("size", [3, 5, 10])
@pytest.mark.parametrize("population", POPULATIONS)
def test_an_interval_covers_the_truth_nearly_as_often_as_it_says(population: str, size: int) -> None:
    # 3000 samples: the share that is counted is within 1.2 points (three standard errors) of the share that covers,
    # whose nominal 95 % is met within 3 points, or 5 below and any above where most values are the same.
    within, draw, truth = POPULATIONS[population]
    rows = draw(np.random.default_rng(1), (3000, size)).astype(float)
    intervals = [estimate(row, within)["ci95"] or [math.nan, math.nan] for row in rows]
    covered = np.mean([low <= truth <= high for low, high in intervals])
    least, most = (0.90, 1.0) if population in RARE else (0.92, 0.98)
    assert least - 0.012 <= covered <= most + 0.012


def test_the_cards_of_pure_numbers_say_what_values_they_can_have() -> None:
    unsaid = {card["name"] for card in catalogue() if not card["unit"]} - set(BY_NAME)
    assert unsaid == set()
    assert set(BY_NAME) <= {card["name"] for card in catalogue()}
    units = {card["unit"] for card in catalogue() if range_of(card) != POSITIVE and card["name"] not in BY_NAME}
    assert units == set(BY_UNIT)


def test_jains_index_of_n_flows_is_at_least_one_nth() -> None:
    card = next(card for card in catalogue() if card["name"] == "jain")
    assert range_of(card, 4) == Range(0.25, 1.0)
    assert range_of(card) == SHARE


@pytest.mark.parametrize(
    ("ends", "better", "word"),
    [
        ([1.5, 2.5], "higher", "better"),
        ([1.5, 2.5], "lower", "worse"),
        ([-2.5, -1.5], "higher", "worse"),
        ([1.5, 2.5], "", "different"),
        ([0.2, 0.8], "higher", "same"),
        ([-0.9, 0.9], "higher", "same"),
        ([0.5, 1.3], "higher", "undecided"),
        ([-0.5, 4.0], "higher", "undecided"),
    ],
)
def test_a_difference_is_clear_if_it_is_sure_and_matters(ends: list[float], better: str, word: str) -> None:
    difference = {"mean": sum(ends) / 2, "ci95": ends, "interval_method": "t"}
    assert verdict(difference, 1.0, better) == word  # type: ignore[arg-type]


def test_one_replication_decides_nothing() -> None:
    assert verdict(paired([5.0], [1.0]), 1.0, "higher") == "undecided"


def test_a_margin_is_a_part_of_what_is_compared_with_or_a_difference_in_the_unit() -> None:
    assert margin_of({"name": "goodput_bps", "unit": "bps"}).of(10e6) == pytest.approx(0.2e6)
    assert margin_of({"name": "timeouts", "unit": "count"}).of(0.0) == 1.0
    given = {("5%", "s"): 0.1, ("1ms", "s"): 0.001, ("2pp", "share"): 0.02, ("3", "count"): 3.0}
    assert {each: read_margin(*each).of(2.0) for each in given} == given
    for text, unit in (("", "s"), ("-1", "count"), ("1ms", "bps"), ("nan", "")):
        with pytest.raises(ValueError):  # noqa: PT011  # the message names what was given, which may be nothing
            read_margin(text, unit)
    assert all(isinstance(margin_of(card), Margin) and margin_of(card).reason for card in catalogue())
