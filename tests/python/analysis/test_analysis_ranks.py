# SPDX-License-Identifier: Apache-2.0
"""Outliers, ranks and majorities, held against published examples (rule)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import friedmanchisquare

from narrows._internal.analysis.table import AnalysisError, Block
from narrows.analysis.ranks import (
    critical_difference,
    grubbs,
    majority,
    ranking,
    screen,
)

# Demšar (2006), table 6: area under the curve of four decision trees on 14 data sets. In the last but one, two print as
# 0.975 with the ranks 2 and 3.
TREES = Block(
    ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"),
    tuple({"data set": str(place)} for place in range(14)),
    np.array(
        [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.000, 1.000, 1.000, 1.000],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.9751, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ]
    ),
)


def votes(ballots: dict[tuple[str, ...], int]) -> Block:
    """Return an election as a block: a condition per voter, the rank on the ballot as value."""
    names = tuple(sorted(next(iter(ballots))))
    rows = [[ballot.index(name) for name in names] for ballot, count in ballots.items() for _ in range(count)]
    return Block(names, tuple({"voter": str(place)} for place in range(len(rows))), np.array(rows, dtype=float))


def test_the_outlier_of_the_handbook_has_its_statistic_and_critical_value() -> None:
    """NIST/SEMATECH e-Handbook, 1.3.5.17.1: G = 2.468765; two-sided critical value 2.126645."""
    found = grubbs(np.array([199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57]))
    assert (found.place, found.outlier) == (7, True)
    assert (found.statistic, found.critical) == pytest.approx((2.468765, 2.126645), abs=1e-6)


def test_equal_values_have_no_outlier_and_two_values_no_test() -> None:
    assert grubbs(np.full(5, 0.1)).statistic == 0
    with pytest.raises(AnalysisError, match="at least 3"):
        grubbs(np.array([1.0, 2.0]))


def test_screening_names_the_algorithm_the_response_and_the_condition() -> None:
    names = list("abcdefgh")
    calm, wild = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.02, 0.98], [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 9.0, 0.98]
    cells = {"rtt": ["10ms"] * 8 + ["90ms"] * 8, "algorithm": names * 2, "loss": calm + wild, "delay": calm + calm}
    (found,) = screen(cells, ["loss", "delay"], ["rtt"])
    assert (found.response, dict(found.condition), found.algorithm, found.value) == ("loss", {"rtt": "90ms"}, "g", 9.0)


def test_mean_ranks_of_the_decision_trees_are_the_printed_ones() -> None:
    """Demšar (2006), table 6 and section 3.2.2."""
    found = ranking(TREES, higher_is_better=True)
    assert found.treatments == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    assert found.mean_ranks == pytest.approx((1.964, 2.000, 2.893, 3.143), abs=5e-4)
    # The paper's 9.28 has no correction for ties, which divides by 1 - (3 (2³ - 2) + (4³ - 4)) / (14 · 4 (4² - 1)).
    assert found.chi_square == pytest.approx(9.28 / (1 - 78 / 840), abs=0.01)
    assert found.p is not None
    assert found.p < 0.05


def test_critical_differences_are_the_printed_ones() -> None:
    """Demšar (2006), section 3.2.2: 2.569 √(4·5/(6·14)) = 1.25 at 5 %, 2.291 √... = 1.12 at 10 %; table 5."""
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)
    for treatments, quantile in {2: 1.960, 3: 2.343, 5: 2.728, 10: 3.164}.items():
        scale = (treatments * (treatments + 1) / 6) ** 0.5
        assert critical_difference(treatments, 1) / scale == pytest.approx(quantile, abs=1e-3)


def test_the_f_of_iman_and_davenport_is_the_printed_one_where_nothing_is_tied() -> None:
    """By hand: ranks (1, 2, 3) twice and (1, 3, 2): R = 1, 7/3, 8/3; X = 14/3; F = 2 (14/3)/(6 - 14/3) = 7 on 2, 4."""
    found = ranking(
        Block(tuple("abc"), ({},) * 3, np.array([[1.0, 2, 3], [1, 2, 3], [1, 3, 2]])), higher_is_better=False
    )
    assert found.chi_square == pytest.approx(14 / 3)
    # P(F > 7) with 2 and 4 degrees of freedom is (1 + 2·7/4)^(-2).
    assert found.p == pytest.approx((1 + 3.5) ** -2)


@given(arrays(float, (6, 4), elements=st.integers(0, 5).map(float)))
def test_the_statistic_is_scipys(values: np.ndarray) -> None:
    found = ranking(Block(tuple("abcd"), ({},) * 6, values), higher_is_better=True).chi_square
    if found is not None:
        assert found == pytest.approx(friedmanchisquare(*values.T).statistic, abs=1e-9)


def test_treatments_within_the_critical_difference_are_named_together() -> None:
    """Demšar (2006), figure 1a: the extremes 1.964 and 3.143 are less than 1.25 apart, so all four are one set."""
    assert ranking(TREES, higher_is_better=True).alike == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    steady = Block(tuple("abcd"), ({},) * 30, np.tile([1.0, 2.0, 3.0, 4.0], (30, 1)))
    found = ranking(steady, higher_is_better=False)
    assert found.critical_difference == pytest.approx(0.856, abs=1e-3)
    assert found.alike == ()
    assert found.p is None


def test_the_capital_of_tennessee_is_the_winner_of_condorcet_and_copeland() -> None:
    """The textbook election: Memphis 42, Nashville 26, Chattanooga 15, Knoxville 17 per cent."""
    found = majority(
        votes({("M", "N", "C", "K"): 42, ("N", "C", "K", "M"): 26, ("C", "K", "N", "M"): 15, ("K", "C", "N", "M"): 17}),
        higher_is_better=False,
    )
    assert found.condorcet == "N"
    assert dict(zip(found.treatments, found.copeland, strict=True)) == {"N": 3, "C": 2, "K": 1, "M": 0}
    assert found.wins[found.treatments.index("N"), found.treatments.index("M")] == 58


def test_a_cycle_has_no_condorcet_winner_and_three_of_copeland() -> None:
    """Condorcet's paradox."""
    found = majority(votes({("a", "b", "c"): 1, ("b", "c", "a"): 1, ("c", "a", "b"): 1}), higher_is_better=False)
    assert (found.condorcet, found.winners, found.copeland) == (None, ("a", "b", "c"), (1, 1, 1))
