# SPDX-License-Identifier: Apache-2.0
"""The user-perceived metrics of applications and transfers: a panel per metric and group, a point per run."""

from __future__ import annotations

from collections.abc import Sequence

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import nice_ceiling, quantity
from narrows._internal.metrics.perceived import stated
from narrows._internal.page.metrics import meaning
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.figures import frame
from narrows._internal.statistics import EQUAL


def figures(runs: Sequence[Run]) -> list[Figure]:
    """Return the figure of user-perceived metrics; none for a single run, whose table says as much."""
    shown = _panels(runs)
    if len(runs) < _TWO or not shown:
        return []
    several = runs[0].replications > 1
    left = len(shown) - MOST
    caption = [
        "A point per run: its mean over the replications.",
        "Small marks are replications." if several else "",
        frame.intervals(runs, (list(run.groups.values())[at][name] for run in runs for at, name in shown[:MOST])),
        f"Not drawn are {left} more; the tables have them." if left > 0 else "",
        frame.pooled(runs),
    ]
    # The axis has the names; a legend would only repeat them.
    keys = [Key(run.name, run.name, "dot", run.style) for run in runs] if len(runs) <= frame.MOST_ENTRIES else []

    def draw(paper: Paper) -> Sequence[Panel]:
        names = [meaning(name).of(list(runs[0].groups)[place]).title for place, name in shown[:MOST]]
        ups = [_axis(runs, place, name) for place, name in shown[:MOST]]
        panels = paper.column(names, Axis.of_names("", [run.name for run in runs]), ups)
        for panel, (place, name) in zip(panels, shown, strict=False):
            for number, run in enumerate(runs):
                _paint(panel, run, number, place, name)
        return panels

    return [Figure(NAME, "What people perceive", caption, keys, draw)]


def _panels(runs: Sequence[Run]) -> list[tuple[int, str]]:
    """Return places of groups and names of metrics, of those that all runs have."""
    found = []
    for place, _ in enumerate(runs[0].groups):
        measured = [list(run.groups.values())[place] for run in runs if place < len(run.groups)]
        known = [name for name in measured[0] if all(name in each and each[name].mean is not None for each in measured)]
        moved = [name for name in known if any(each[name].mean for each in measured)]
        found += [(place, name) for name in stated(known, moved)]
    return found if all(len(run.groups) == len(runs[0].groups) for run in runs) else []


def _axis(runs: Sequence[Run], place: int, name: str) -> Axis:
    values = [value for run in runs for value in run.values(list(run.groups)[place], name).values()]
    values += [list(run.groups.values())[place][name].mean or 0.0 for run in runs]
    return Axis("", meaning(name).unit, 0.0, nice_ceiling(max(values) * 1.05))


def _paint(panel: Panel, run: Run, number: int, place: int, name: str) -> None:
    group, measure, unit = list(run.groups)[place], list(run.groups.values())[place][name], meaning(name).unit
    values = run.values(group, name)
    if len(values) > 1:
        for replication, value in values.items():
            text = f"{run.name}: {quantity(value, unit)} (replication {replication + 1})"
            panel.point(run.name, (number, value), run.style, text, of_many=True)
    at = (float(number), measure.mean or 0.0)
    # The interval of equal values follows from their number alone, and would be the tallest mark in the panel.
    if measure.interval is not None and measure.method != EQUAL:
        panel.whiskers(run.name, at, (at[0], at[0]), measure.interval, run.style)
    panel.point(run.name, at, run.style, f"{run.name}: {quantity(measure.mean, unit)}")


NAME = "perceived"
# As many panels fit on a first screen.
MOST = 4
_TWO = 2
