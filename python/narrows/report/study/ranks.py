# SPDX-License-Identifier: Apache-2.0
"""The critical-difference diagram: mean ranks, and which of them differ.

Source: J. Demšar, Journal of Machine Learning Research 7 (2006) 1, section 3.2.4. Here a row per algorithm replaces
names on both sides; the bars that join algorithms that do not differ are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from narrows.drawing.figure import Figure, Paper
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import INDEX, significant
from narrows.drawing.style import Style, apart
from narrows.plural import counted
from narrows.report.study.rows import rows_panel

if TYPE_CHECKING:
    from narrows.analysis.ranks import Ranking


def critical_difference(ranking: Ranking, of: str) -> Figure:
    """Draw the critical difference diagram: mean ranks, and a bar over each set that does not differ (Demšar 2006)."""
    rank_of = dict(zip(ranking.treatments, ranking.mean_ranks, strict=True))
    styles = apart(ranking.treatments)
    names = ["critical difference", *("not different" for _ in ranking.alike), *ranking.treatments]

    def draw(paper: Paper) -> Sequence[Panel]:
        count = len(ranking.treatments)
        # Rank 1 is the first name: only whole ranks have a tick.
        whole = tuple(str(rank) for rank in range(1, count + 1))
        end = max(count - 1, ranking.critical_difference) + 0.15
        panel = rows_panel(paper, Axis("Mean rank, 1 is best", INDEX, -0.15, end, names=whole), "", names, row=26.0)
        panel.line("difference", np.array([0.0, ranking.critical_difference]), np.zeros(2), _INK)
        near_end = ranking.critical_difference > 0.8 * end
        at = (0.0 if near_end else ranking.critical_difference, 0)
        panel.word("difference", at, significant(ranking.critical_difference), side=0 if near_end else 1)
        for row, members in enumerate(ranking.alike, start=1):
            ends = np.array([rank_of[members[0]] - 1, rank_of[members[-1]] - 1])
            panel.line("alike", ends, np.full(2, float(row)), _INK)
        for row, name in enumerate(ranking.treatments, start=1 + len(ranking.alike)):
            rank = rank_of[name]
            panel.point(name, (rank - 1, row), styles[name], f"{name}: mean rank {significant(rank)}")
        return [panel]

    test = "" if ranking.p is None else f"Friedman's test that all are alike: p = {_p(ranking.p)}."
    caption = (
        f"Mean rank by {of} over {counted(ranking.conditions, 'condition')}.",
        "Mean ranks farther apart than the critical difference (Nemenyi, 95 %) differ; a bar joins those that do not.",
        test,
    )
    return Figure("critical-difference", f"Ranks by {of}", caption, (), draw)


def _p(value: float) -> str:
    return significant(value, 2) if value >= _LEAST else f"less than {_LEAST:g}"


_INK = Style(7, 0, 0)
_LEAST = 0.0001
