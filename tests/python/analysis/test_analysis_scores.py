"""D_a and C_a, held against the printed tables of the study that defined them (rule)."""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from narrows.analysis.scores import distances
from narrows.analysis.table import AnalysisError, Block

with (Path(__file__).parent / "data" / "akella_tables.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
FIGURES = {figure: list(rows) for figure, rows in groupby(ROWS, key=lambda row: row["figure"])}
ENVIRONMENTS = 13


def made_for(rows: list[dict[str, str]]) -> Block:
    """Return goodputs of thirteen environments that have the printed D and C: everybody is best in every fourth."""
    loss = np.zeros((ENVIRONMENTS, len(rows)))
    for place, row in enumerate(rows):
        # A printed 0.00 may hide 0.004.
        left, most = float(row["goodput_D"]), float(row["goodput_C"]) or 0.004
        for environment in [e for e in range(ENVIRONMENTS) if e % len(rows) != place]:
            loss[environment, place] = min(left, most)
            left -= loss[environment, place]
    best = np.linspace(0.6, 1.0, ENVIRONMENTS)[:, None]
    return Block(tuple(row["algorithm"] for row in rows), ({},) * ENVIRONMENTS, best - loss)


@pytest.mark.parametrize("figure", FIGURES)
def test_scores_made_for_a_printed_table_give_its_numbers(figure: str) -> None:
    rows = FIGURES[figure]
    found = distances(made_for(rows), higher_is_better=True)
    for row in rows:
        assert f"{found.total[row['algorithm']]:.2f}" == row["goodput_D"]
        assert f"{found.worst[row['algorithm']]:.2f}" == row["goodput_C"]


def test_only_the_sum_agrees_with_the_printed_tables() -> None:
    """A mean over environments is never above the maximum, and all printed D are at least their C."""
    assert all(float(row["goodput_D"]) >= float(row["goodput_C"]) for row in ROWS)
    for rows in FIGURES.values():
        found = distances(made_for(rows), higher_is_better=True)
        assert all(found.mean[name] <= found.worst[name] for name in found.algorithms)
        assert found.mean == pytest.approx({name: total / 13 for name, total in found.total.items()})


def test_distances_worked_by_hand_in_both_directions_and_both_forms() -> None:
    scores = Block(("aimd", "miad"), ({}, {}), np.array([[0.8, 0.4], [0.5, 1.0]]))
    goodput = distances(scores, higher_is_better=True)
    assert goodput.distance == pytest.approx(np.array([[0, 0.4], [0.5, 0]]))
    assert goodput.total == pytest.approx({"aimd": 0.5, "miad": 0.4})
    delay = distances(scores, higher_is_better=False)
    assert delay.distance == pytest.approx(np.array([[0.4, 0], [0, 0.5]]))
    ratio = distances(scores, higher_is_better=True, form="ratio")
    assert ratio.distance == pytest.approx(np.array([[1, 2], [2, 1]]))
    assert distances(scores, higher_is_better=False, form="ratio").worst == pytest.approx({"aimd": 2, "miad": 2})


def test_a_ratio_to_nothing_is_refused() -> None:
    with pytest.raises(AnalysisError, match="ask for differences"):
        distances(Block(("a", "b"), ({},), np.array([[0.0, 1.0]])), higher_is_better=False, form="ratio")
