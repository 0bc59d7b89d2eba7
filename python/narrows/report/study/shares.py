"""What incumbents keep beside contenders: a heat map of all pairs.

Source: A. Philip, R. Athapathu, R. Ware, F. F. Mkocheko, A. Schlomer, M. Shou, Z. Meng, S. Seshan and J. Sherry,
"Prudentia: Findings of an Internet fairness watchdog", ACM SIGCOMM 2024: rows are contenders, columns incumbents, a
field is the part of its max-min fair share that the incumbent gets.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from narrows.report.figures.frame import Figure, Key
from narrows.report.looks import Look
from narrows.report.plot import Axis
from narrows.report.study.rows import rows_panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.analysis.table import FloatArray
    from narrows.report.figures.frame import Paper
    from narrows.report.plot import Panel


def shares(contenders: Sequence[str], incumbents: Sequence[str], kept: FloatArray) -> Figure:
    """Draw a field per pair.

    Args:
        contenders: Names of the rows.
        incumbents: Names of the columns.
        kept: Shape (contenders, incumbents): goodput of the incumbent over its max-min fair share; not a number where
            the pair has not run.
    """

    def draw(paper: Paper) -> Sequence[Panel]:
        across = Axis.of_names("Incumbent", incumbents)
        panel = rows_panel(paper, across, "Contender", contenders, row=32.0)
        for row, contender in enumerate(contenders):
            for column, incumbent in enumerate(incumbents):
                part = float(kept[row, column])
                if not math.isfinite(part):
                    continue
                told = f"{incumbent} beside {contender}: {100 * part:.0f} % of its fair share"
                key, look = ("less", _LESS) if part < 1 else ("more", _MORE)
                panel.tile(key, (column, row), look, _strength(part), (f"{100 * part:.0f}", told))
        return [panel]

    caption = (
        "Rows are contenders, columns incumbents.",
        "A field is the incumbent's goodput beside that contender, in per cent of its max-min fair share.",
        "Colour grows with the distance from 100, a half as much as a double.",
    )
    keys = [
        key
        for key, present in (
            (Key("less", "less than its fair share", "fill", _LESS), (kept < 1).any()),
            (Key("more", "its fair share or more", "fill", _MORE), (kept >= 1).any()),
        )
        if present
    ]
    return Figure("shares", "What incumbents keep", caption, keys, draw)


def _strength(part: float) -> float:
    """Return how full the hue is: 0 at the fair share, 1 at a quarter or at four times it and beyond."""
    return min(abs(math.log2(part)) / 2, 1.0) if part > 0 else 1.0


_LESS = Look(1, 0, 0)
_MORE = Look(0, 0, 0)
