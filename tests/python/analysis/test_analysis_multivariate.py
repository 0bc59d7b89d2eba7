# SPDX-License-Identifier: Apache-2.0
"""Correlations, components and clusters, held against worked examples (rule)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from narrows._internal.analysis.multivariate import (
    biplot,
    clusters,
    clusters_by_condition,
    correlations,
    principal_components,
)
from narrows._internal.analysis.table import AnalysisError

# NIST/SEMATECH e-Handbook, 6.5.5.2: ten observations of three variables.
HANDBOOK = {
    "x1": [7.0, 4, 6, 8, 8, 7, 5, 9, 7, 8],
    "x2": [4.0, 1, 3, 6, 5, 2, 3, 5, 4, 2],
    "x3": [3.0, 8, 5, 1, 7, 9, 3, 8, 5, 2],
}


def test_the_correlations_of_the_handbook_are_the_printed_ones() -> None:
    """6.5.5.2: 0.67, -0.10, -0.29."""
    found = correlations(HANDBOOK, ["x1", "x2", "x3"])
    assert found.matrix[np.triu_indices(3, 1)] == pytest.approx([0.67, -0.10, -0.29], abs=0.005)


def test_the_components_of_the_handbook_are_the_printed_ones() -> None:
    """6.5.5.2: latent roots 1.769, .927, .304; the first vector .64, .69, -.34; 59 %, 31 %, 10 % of the variance."""
    found = principal_components(HANDBOOK, ["x1", "x2", "x3"])
    assert found.variances == pytest.approx([1.769, 0.927, 0.304], abs=5e-4)
    assert found.loadings[:, 0] == pytest.approx([0.64, 0.69, -0.34], abs=0.005)
    assert found.explained == pytest.approx([0.59, 0.31, 0.10], abs=0.005)


@given(arrays(float, (8, 4), elements=st.integers(-50, 50).map(float)))
def test_components_are_uncorrelated_and_keep_all_variance(values: np.ndarray) -> None:
    if (np.ptp(values, axis=0) == 0).any():
        return
    found = principal_components({name: values[:, place] for place, name in enumerate("abcd")}, list("abcd"))
    assert found.variances.sum() == pytest.approx(4)
    assert np.cov(found.scores, rowvar=False) == pytest.approx(np.diag(found.variances), abs=1e-9)


def test_points_and_arrows_of_a_biplot_multiply_to_the_standardised_responses() -> None:
    """Exact where two components hold everything: z is the sum of x and y."""
    x, y = np.array([1.0, 2, 3, 4, 5, 9]), np.array([2.0, -1, 4, 0, 3, 1])
    table = {"x": x, "y": y, "z": x + y}
    plane = biplot(principal_components(table, list(table)))
    for place, column in enumerate(table.values()):
        standard = (column - column.mean()) / column.std(ddof=1)
        assert plane.points @ plane.arrows[place] == pytest.approx(standard)
        # An arrow holds the correlations with the axes.
        across = np.corrcoef(column, plane.points[:, 0])[0, 1]
        assert plane.arrows[place, 0] == pytest.approx(across)


def test_responses_that_say_the_same_are_one_group_and_the_constant_is_set_apart() -> None:
    x = np.arange(10.0)
    noise = np.array([1.0, -1, 2, -2, 1, -1, -2, 2, 0, 0])
    found = correlations(
        {"loss": x, "retransmissions": 3 * x + noise / 4, "goodput": -x + noise, "delay": noise, "marks": [0.0] * 10},
        ["loss", "retransmissions", "goodput", "delay", "marks"],
    )
    assert found.constant == ("marks",)
    assert [set(group) for group in found.groups] == [{"loss", "retransmissions", "goodput"}, {"delay"}]
    assert [group[0] for group in found.groups] == ["loss", "delay"]


def test_algorithms_join_at_the_distances_worked_by_hand() -> None:
    """Three on a line at 0, 1 and 5 before scaling by the deviation √14/√3: 1, then the average of 5 and 4."""
    cells = {"algorithm": ["far", "one", "two"], "goodput": [5.0, 0.0, 1.0]}
    found = clusters(cells, ["goodput"], distance="euclidean")
    deviation = np.std([0, 1, 5])
    assert [max(link.height) for link in found.links] == pytest.approx([1 / deviation, 4.5 / deviation])
    assert found.distinct == ("far",)
    near = found.links[0]
    assert {found.leaves[round(near.x[0])], found.leaves[round(near.x[3])]} == {"one", "two"}


def test_opposites_are_alike_by_absolute_correlation_and_apart_by_correlation() -> None:
    up, down = [1.0, 2, 3, 6], [6.0, 3, 2, 1]
    cells = {
        "algorithm": ["up", "again", "down"],
        **{f"m{place}": [up[place], up[place] + 0.1 * place, down[place]] for place in range(4)},
    }
    responses = [f"m{place}" for place in range(4)]
    apart = clusters(cells, responses, distance="correlation")
    assert max(apart.links[-1].height) > 1
    assert max(clusters(cells, responses).links[-1].height) < 1


def test_every_condition_has_its_own_dendrogram() -> None:
    cells = {
        "rtt": ["10ms"] * 3 + ["90ms"] * 3,
        "algorithm": ["a", "b", "c"] * 2,
        "goodput": [0.0, 1, 5, 9, 1, 2],
    }
    found = clusters_by_condition(cells, ["goodput"], ["rtt"], distance="euclidean")
    assert [(dict(condition), tree.distinct) for condition, tree in found] == [
        ({"rtt": "10ms"}, ("c",)),
        ({"rtt": "90ms"}, ("a",)),
    ]


def test_what_does_not_vary_enough_is_refused() -> None:
    with pytest.raises(AnalysisError, match="two responses that vary, not 1"):
        principal_components({"a": [1.0, 2, 3], "b": [1.0, 1, 1]}, ["a", "b"])
    with pytest.raises(AnalysisError, match="need at least 2 and 3"):
        clusters({"algorithm": ["a", "b"], "x": [1.0, 2]}, ["x"])
    with pytest.raises(AnalysisError, match="2 cells are too few"):
        correlations({"a": [1.0, 2]}, ["a"])
    with pytest.raises(AnalysisError, match="two directions"):
        biplot(principal_components({"a": [1.0, 2, 3], "b": [2.0, 4, 6]}, ["a", "b"]))
