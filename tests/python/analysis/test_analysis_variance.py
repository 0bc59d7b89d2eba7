# SPDX-License-Identifier: Apache-2.0
"""Analysis of variance: against projections of the whole design matrix, and for designs of many levels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

from narrows._internal.analysis.table import AnalysisError
from narrows.analysis import variance
from narrows.analysis.variance import anova

Term = tuple[str, ...]


def columns_of(term: Term, cells: dict[str, list[str]]) -> np.ndarray:
    """Return an indicator for each combination of the levels of a term: more columns than it needs."""
    combinations = list(zip(*(cells[factor] for factor in term), strict=True))
    return np.column_stack([[each == one for each in combinations] for one in dict.fromkeys(combinations)]).astype(
        float
    )


def residual_of(terms: list[Term], cells: dict[str, list[str]], values: np.ndarray) -> tuple[float, int]:
    """Return the residual sum of squares of a model, and its rank, by the singular values of its whole matrix."""
    design = np.column_stack([np.ones(len(values)), *(columns_of(term, cells) for term in terms)])
    fitted = design @ np.linalg.lstsq(design, values)[0]
    return float(np.sum((values - fitted) ** 2)), int(np.linalg.matrix_rank(design))


@given(
    levels=some.lists(some.integers(2, 4), min_size=1, max_size=3),
    replications=some.integers(1, 3),
    part=some.sampled_from([0.5, 0.8, 0.95, 1.0]),
    seed=some.integers(0, 10**6),
)
@settings(max_examples=150, deadline=None)
def test_every_sum_of_squares_is_what_its_term_explains_beyond_the_terms_without_it(
    levels: list[int], replications: int, part: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    rows = [each for each in itertools.product(*map(range, levels)) for _ in range(replications)]
    kept = sorted(random.choice(len(rows), max(2, round(part * len(rows))), replace=False).tolist())
    factors = list("abc"[: len(levels)])
    cells = {factor: [str(rows[row][place]) for row in kept] for place, factor in enumerate(factors)}
    values = random.normal(size=len(kept)) + np.array([rows[row][0] for row in kept])
    try:
        found = anova({**cells, "y": values}, "y", factors)
    except AnalysisError:
        assume(False)  # noqa: FBT003
    terms = [source.factors for source in found.sources if source.factors]
    full, rank = residual_of(terms, cells, values)
    assert found.sources[-1].degrees == len(values) - rank
    if not found.sources[-1].degrees:
        return
    assert found.sources[-1].sum_of_squares == pytest.approx(full, rel=1e-6, abs=1e-9)
    for source in found.sources[:-1]:
        others = [each for each in terms if not set(source.factors) <= set(each)]
        without, below = residual_of(others, cells, values)
        within, above = residual_of([*others, source.factors], cells, values)
        assert source.sum_of_squares == pytest.approx(without - within, rel=1e-6, abs=1e-9)
        assert source.degrees == above - below
    for term in found.left_out:
        earlier = terms[: sum(len(each) == 1 for each in terms)]
        assert residual_of([*earlier, term], cells, values)[1] < rank + len(columns_of(term, cells)[0])


@pytest.mark.parametrize("lost", [0, 1])
def test_a_design_with_thousands_of_combinations_needs_no_matrix_with_a_row_for_each_cell(lost: int) -> None:
    rows = list(itertools.product(range(40), range(25), range(100)))[lost:]
    values = np.random.default_rng(1).normal(size=len(rows)) + np.array([row[0] % 3 for row in rows])
    cells = {name: [str(row[place]) for row in rows] for place, name in enumerate("abr")}
    found = anova({**cells, "y": values}, "y", ["a", "b", "r"], [("a", "b")])
    assert [source.degrees for source in found.sources] == [39, 24, 99, 39 * 24, len(rows) - 40 * 25 - 99]
    assert found.sources[0].p is not None
    assert found.sources[0].p < 1e-9
    assert (found.sources[1].p or 0.0) > 1e-4


def test_what_makes_an_unbalanced_model_too_large_is_left_in_the_residual_and_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = list(itertools.product(range(5), range(4), range(3)))[1:]
    cells = {name: [str(row[place]) for row in rows] for place, name in enumerate("ab")}
    values = np.random.default_rng(1).normal(size=len(rows))
    monkeypatch.setattr(variance, "MOST_COLUMNS", 10)
    found = anova({**cells, "y": values}, "y", ["a", "b"])
    assert (found.too_large, found.left_out) == ((("a", "b"),), ())
    assert found.sources[-1].degrees == len(rows) - 8
    monkeypatch.setattr(variance, "MOST_COLUMNS", 6)
    with pytest.raises(AnalysisError, match='"b" has too many levels'):
        anova({**cells, "y": values}, "y", ["a", "b"])


def test_a_response_that_the_factors_explain_exactly_has_no_test() -> None:
    cells = {"a": ["1", "1", "2", "2"], "y": [3.3, 3.3, 4.7, 4.7]}
    (of_a, residual) = anova(cells, "y", ["a"]).sources
    assert (of_a.f, of_a.p, residual.degrees) == (None, None, 2)
