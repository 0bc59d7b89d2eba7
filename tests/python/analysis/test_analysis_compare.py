# SPDX-License-Identifier: Apache-2.0
"""Effect sizes, corrections, intervals and deployments, held against published examples (rule, statistics)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from narrows._internal.analysis.adoption import adoption
from narrows._internal.analysis.table import AnalysisError
from narrows.analysis.compare import adjusted, bootstrap_interval, cliffs_delta, compare, hedges_g

# Student (1908): hours of sleep gained by ten patients under two drugs.
SLEEP = {
    "algorithm": ["one"] * 10 + ["two"] * 10,
    "replication": [*range(10), *range(10)],
    "gain": [
        0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0,
        1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4,
    ],
}  # fmt: skip
# Fifteen tests of Benjamini and Hochberg (1995), section 4.2.
HEART = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
]  # fmt: skip


def sample(mean: float, deviation: float, count: int) -> np.ndarray:
    """Return values of exactly this mean and standard deviation."""
    raw = np.linspace(-1, 1, count)
    return np.asarray(mean + deviation * (raw - raw.mean()) / raw.std(ddof=1))


def test_hedges_g_is_that_of_the_textbook() -> None:
    """Borenstein et al., "Introduction to Meta-Analysis" (2009), chapter 4: d = 0.5970, g = 0.5924."""
    assert hedges_g(sample(103, 5.5, 50), sample(100, 4.5, 50)) == pytest.approx(0.5924, abs=1e-4)


def test_without_spread_or_with_one_value_there_is_no_g() -> None:
    assert hedges_g(np.array([1.0, 1]), np.array([2.0, 2])) is None
    assert hedges_g(np.array([1.0]), np.array([2.0, 3])) is None


def test_cliffs_delta_counts_who_is_above_whom() -> None:
    # Of nine pairs, 6 above, 2 below, one equal.
    assert cliffs_delta(np.array([2.0, 5, 6]), np.array([1.0, 2, 4])) == pytest.approx(6 / 9)
    assert cliffs_delta(np.array([3.0, 4]), np.array([1.0, 2])) == 1


def test_the_corrections_find_what_their_papers_find() -> None:
    """Benjamini and Hochberg (1995), section 4.2: Bonferroni's kind finds three, theirs four of fifteen."""
    holm, bh = adjusted(HEART, "holm"), adjusted(HEART, "bh")
    assert sum(p is not None and p <= 0.05 for p in holm) == 3
    assert sum(p is not None and p <= 0.05 for p in bh) == 4
    # By hand: 4 · 0.005, 3 · 0.01, 2 · 0.03, and 0.04 raised to the one before.
    assert adjusted([0.01, 0.04, None, 0.03, 0.005], "holm") == pytest.approx([0.03, 0.06, None, 0.06, 0.02])


def test_students_sleep_has_its_printed_difference_interval_and_test() -> None:
    """Student (1908); R's `sleep`: -1.58, interval -2.4598858 to -0.7001142, p = 0.002833."""
    (found,) = compare(SLEEP, "gain")
    assert (found.of, found.against, found.pairs) == ("one", "two", 10)
    assert found.difference["mean"] == pytest.approx(-1.58)
    assert found.difference["ci95"] == pytest.approx([-2.4598858, -0.7001142], abs=1e-7)
    assert found.p == pytest.approx(0.002833, abs=1e-6)
    assert found.p_holm == found.p_bh == found.p
    assert found.a == pytest.approx((1 + found.cliffs_delta) / 2)
    # BCa follows the skew: one patient gained 4.6 hours.
    assert found.bootstrap is not None
    assert found.bootstrap[0] < -1.58 - (found.bootstrap[1] + 1.58)
    assert compare(SLEEP, "gain")[0].bootstrap == found.bootstrap


def test_pairs_share_condition_and_replication_and_all_are_corrected_together() -> None:
    cells = {
        "rtt": ["10ms", "10ms", "90ms", "90ms"] * 3,
        "replication": [0, 1] * 6,
        "algorithm": ["a"] * 4 + ["b"] * 4 + ["c"] * 4,
        "goodput": [1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 4.0, 5.0, 4.0, 2.5, 4.5, np.nan],
    }
    rows = compare(cells, "goodput", ["rtt"])
    assert [(row.of, row.against, row.pairs) for row in rows] == [("a", "b", 4), ("a", "c", 3), ("b", "c", 3)]
    # Always one apart: no spread, so no test and a point for an interval.
    assert (rows[0].p, rows[0].p_holm, rows[0].bootstrap) == (None, None, (-1.0, -1.0))
    assert rows[1].p is not None
    assert rows[1].p_holm is not None
    assert rows[1].p_holm > rows[1].p
    assert [row.of for row in compare(cells, "goodput", ["rtt"], reference="b")] == ["a", "c"]
    with pytest.raises(AnalysisError, match="two cells of"):
        compare(cells, "goodput")
    with pytest.raises(AnalysisError, match="unknown algorithm 'd'; allowed: a, b, c"):
        compare(cells, "goodput", ["rtt"], reference="d")


def test_the_bootstrap_interval_covers_a_skewed_mean_about_as_often_as_it_says() -> None:
    # 200 samples of 30 exponential values, whose mean is 1: three standard errors about 94 %; BCa falls a little short.
    draws = np.random.default_rng(1).exponential(1.0, (200, 30))
    intervals = [bootstrap_interval(row, seed) or (np.nan, np.nan) for seed, row in enumerate(draws)]
    assert np.mean([low <= 1 <= high for low, high in intervals]) == pytest.approx(0.94, abs=0.045)
    assert bootstrap_interval(np.array([1.0]), 1) is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=6))
@settings(max_examples=30, deadline=None)
def test_a_bootstrap_interval_lies_within_the_values(values: list[float]) -> None:
    found = bootstrap_interval(np.array(values), 1)
    assert found is not None
    slack = 1e-9 * max(map(abs, values))
    assert min(values) - slack <= found[0] <= found[1] <= max(values) + slack


def test_differences_by_rounding_alone_have_no_spread() -> None:
    cells = {
        "algorithm": ["a"] * 3 + ["b"] * 3,
        "replication": [0, 1, 2] * 2,
        "goodput": [0.1 + 0.2, 0.3, 0.3, 0.1, 0.1, 0.1],
    }
    (found,) = compare(cells, "goodput")
    assert found.p is None
    assert found.bootstrap == pytest.approx((0.2, 0.2))


def test_a_deployment_that_only_takes_from_others_looks_good_and_changes_nothing() -> None:
    """Spang et al. (2021): two connections take twice the share of one; with all on two, everybody has what it had."""
    rows = []
    for replication, capacity in enumerate((100.0, 110.0, 90.0)):
        rows += [(0.0, "old", replication, capacity), (1.0, "new", replication, capacity)]
        for part in (0.1, 0.5):
            one = capacity / (2 * part + 1 - part)
            rows += [(part, "new", replication, 2 * one), (part, "old", replication, one)]
    names = ("fraction", "algorithm", "replication", "goodput")
    cells = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    found = adoption(cells, "goodput", ("new", "old"))
    assert (found.before, found.total["mean"]) == (100, 0)
    few, half = found.stages
    assert (few.fraction, half.fraction) == (0.1, 0.5)
    assert few.naive["mean"] == pytest.approx(100 / 1.1)
    assert few.spillover["mean"] == pytest.approx(100 / 1.1 - 100)
    assert half.gain["mean"] == pytest.approx(200 / 1.5 - 100)
    assert half.bias["mean"] == half.naive["mean"] == pytest.approx(100 / 1.5)
    # Three replications, deviation 10: half width 4.303 · 10/1.5/√3 about the mean.
    assert half.naive["ci95"] == pytest.approx([100 / 1.5 - 16.56, 100 / 1.5 + 16.56], abs=0.01)


def test_a_deployment_without_its_ends_is_refused() -> None:
    cells = {"fraction": [0.0, 0.5], "algorithm": ["old", "new"], "replication": [0, 0], "goodput": [1.0, 2.0]}
    with pytest.raises(AnalysisError, match="no cell of 'new' at fraction 1"):
        adoption(cells, "goodput", ("new", "old"))
    uneven = {"fraction": [0, 1, 1], "algorithm": ["o", "n", "n"], "replication": [0, 0, 1], "goodput": [1.0, 2, 3]}
    with pytest.raises(AnalysisError, match="replication 1"):
        adoption(uneven, "goodput", ("n", "o"))


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100])
def test_corrections_are_those_of_statsmodels_to_the_bit(count: int) -> None:
    draws = np.random.default_rng(count)
    for _ in range(20):
        # Some are equal.
        p = np.where(draws.random(count) < 0.3, np.round(draws.random(count), 1), draws.random(count) ** 4)
        assert adjusted(p.tolist(), "holm") == multipletests(p, method="holm")[1].tolist()
        assert adjusted(p.tolist(), "bh") == multipletests(p, method="fdr_bh")[1].tolist()
    assert adjusted([], "holm") == []
