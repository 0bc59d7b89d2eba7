# SPDX-License-Identifier: Apache-2.0
"""The mean of a measure by condition and algorithm, as a field of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.drawing.figure import Figure, Paper
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import quantity
from narrows.drawing.style import Style
from narrows.report.study.rows import response_meaning, rows_panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.analysis.table import Block


def heat_map(response: str, means: Block) -> Figure:
    """Draw a heat map with a tile per condition and algorithm."""
    shown = response_meaning(response)
    low, high = float(means.values.min()), float(means.values.max())
    names = [", ".join(condition.values()) or "all" for condition in means.conditions]

    def draw(paper: Paper) -> Sequence[Panel]:
        panel = rows_panel(paper, Axis.of_names("Algorithm", means.treatments), "", names, row=26.0)
        for row, condition in enumerate(means.conditions):
            levels = ", ".join(f"{factor} = {level}" for factor, level in condition.items())
            for column, algorithm in enumerate(means.treatments):
                value = float(means.values[row, column])
                strength = (value - low) / (high - low) if high > low else 0.0
                text = quantity(value, shown.unit)
                panel.tile("mean", (column, row), _LOOK, strength, (text, f"{algorithm}; {levels}: {text}"))
        return [panel]

    ends = list(dict.fromkeys(quantity(each, shown.unit) for each in (low, high)))
    factors = ", ".join(means.conditions[0]) if means.conditions else ""
    caption = (
        f"Mean over replications of {shown.label} for each combination of {factors} and each algorithm.",
        f"Colour grows from {' to '.join(ends)}." if len(ends) > 1 else f"All are {ends[0]}.",
    )
    return Figure("heat", f"{shown.title} by condition and algorithm", caption, (), draw)


_LOOK = Style(0, 0, 0)
