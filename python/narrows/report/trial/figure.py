# SPDX-License-Identifier: Apache-2.0
"""The changes of a trial as a figure: all metrics on one axis, in multiples of the change that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.drawing.figure import Figure, Key, Paper
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import Unit
from narrows.drawing.style import Style
from narrows.page.metrics import meaning
from narrows.report.study.rows import rows_panel
from narrows.report.trial.comment import change
from narrows.trial.verdict import BETTER, NO_WORSE, UNDECIDED, WORSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def changes(rows: Sequence[Mapping[str, Any]], level: float) -> list[Figure]:
    """Return the figure of the changes: none if no metric has a margin."""
    known = [row for row in rows if row["difference"] is not None and row["margin"]]
    if not known:
        return []
    shown = known[:MOST]
    costs = {id(row): _cost(row) for row in shown}
    reach = max(_LEAST, *(_WIDER * abs(mean) for mean, _, _ in costs.values()))
    caption = [
        "How much worse the second is than the first (to the right), in multiples of the change that matters.",
        _INTERVALS.format(level=level),
        f"{len(shown)} of {len(rows)} metrics are drawn; the table has all." if len(shown) < len(rows) else "",
    ]
    there = [verdict for verdict in STYLES if any(row["verdict"] == verdict for row in shown)]

    def draw(paper: Paper) -> Sequence[Panel]:
        names = [f"{meaning(row['metric']).of(row['owner']).title}, {row['scenario']}" for row in shown]
        panel = rows_panel(paper, Axis("Cost", Unit("margins"), -reach, reach), "", names, row=22.0)
        panel.guide(0.0, "the same", above=True)
        for place, row in enumerate(shown):
            mean, low, high = costs[id(row)]
            style = STYLES[row["verdict"]]
            panel.whiskers(row["verdict"], (mean, place), (low, high), (place, place), style)
            panel.event(row["verdict"], (mean, place), style, f"{names[place]}: {change(row)}, {row['verdict']}")
        return [panel]

    keys = [Key(verdict, verdict, "dot", STYLES[verdict]) for verdict in there]
    return [Figure("changes", "Changes of all metrics", caption, keys, draw)]


def _cost(row: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return how much worse the second is, and the ends of the interval, in margins; infinite without an interval."""
    sign = (1.0 if row["better"] == "lower" else -1.0) / row["margin"]
    low, high = sorted(sign * end for end in row["interval"]) if row["interval"] else (-FAR, FAR)
    return sign * row["difference"], low, high


STYLES = {WORSE: Style(1, 0, 4), BETTER: Style(2, 0, 3), UNDECIDED: Style(7, 0, 2), NO_WORSE: Style(0, 0, 0)}
# Rows of a figure.
MOST = 30
# The least end of the axis, in margins; its factor beyond the greatest mean; and an end beyond all values.
_LEAST, _WIDER = 2.0, 1.2
FAR = 1e9
_INTERVALS = (
    "Error bars are confidence intervals of the mean paired difference that hold at every number of replications "
    "at once (anytime-valid t test), of level {level:.3g} each; one with an arrow goes on."
)
