"""What every figure consists of, and what several of them share: papers, legends, looks of flows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from narrows.report.looks import Look, look_of
from narrows.report.plot import FOOT, Axis, Panel, stacked_boxes
from narrows.report.scale import SECONDS, quantity
from narrows.report.svg import Markup, join

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from narrows.report.data import Run, Trace


@dataclass(frozen=True)
class Paper:
    """A width that figures are drawn for; the page shows the one that suits its own width.

    Attributes:
        name: "wide" or "narrow", as the style sheet calls it.
        width: Width of the drawing.
        left: Room for the labels of the vertical axis.
        tall: Height of the inside of a panel that stands alone.
        low: Height of the inside of each of several panels below one another.
    """

    name: str
    width: float
    left: float
    tall: float
    low: float

    def column(self, runs: Sequence[Run], x: Axis, y: Axis) -> list[Panel]:
        """Return a panel per run, below one another on the same axes."""
        several = len(runs) > 1
        boxes = stacked_boxes(len(runs), self.left, self.width - self.left - RIGHT, self.low if several else self.tall)
        last = len(runs) - 1
        return [
            Panel(box, x, y, title=run.name if several else "", foot=index == last)
            for index, (box, run) in enumerate(zip(boxes, runs, strict=True))
        ]


@dataclass(frozen=True)
class Key:
    """One entry of a legend; a press on it hides and shows the series of the same name.

    Attributes:
        name: Name of the series, unique in its figure.
        label: What people read.
        sample: How the entry is drawn: "line", "faint", "fill", "limit", "ground", "drop", "mark", "dot".
        look: Colour, dash and marker, where the series has them.
    """

    name: str
    label: str
    sample: str
    look: Look | None = None


@dataclass(frozen=True)
class Figure:
    """A figure, drawn anew for each paper.

    Attributes:
        name: Its anchor in the page.
        title: What it shows, as a heading.
        caption: Sentences that say how to read it and what it rests on.
        keys: The legend.
        draw: The panels on a paper; none where there is nothing to show.
        absent: Why there is nothing to show; empty where there is.
    """

    name: str
    title: str
    caption: Sequence[str]
    keys: Sequence[Key] = ()
    draw: Callable[[Paper], Sequence[Panel]] = field(default=lambda _paper: ())
    absent: str = ""


def height(panels: Sequence[Panel]) -> float:
    """Return the height of the drawing that ends below the last panel."""
    return panels[-1].box.bottom + FOOT


def drawing(panels: Sequence[Panel]) -> Markup:
    """Return all panels as markup."""
    return join(panel.draw() for panel in panels)


def flow_looks(run: Run, traces: Sequence[Trace]) -> list[Look]:
    """Return a look per flow: its algorithm's hue, in another tone and dash for each further flow."""
    seen: Counter[str] = Counter()
    looks = []
    for trace in traces:
        algorithm = run.algorithms.get(trace.group, trace.group)
        looks.append(look_of(algorithm).variant(seen[algorithm]))
        seen[algorithm] += 1
    return looks


def group_look(runs: Sequence[Run], run: Run, place: int) -> Look:
    """Return the look of a run's flow group: the run's own in a comparison, else its algorithm's."""
    if len(runs) > 1:
        return look_of(run.name).variant(place)
    groups = list(run.algorithms)
    algorithm = run.algorithms[groups[place]]
    return look_of(algorithm).variant(sum(run.algorithms[each] == algorithm for each in groups[:place]))


def a_few(traces: Sequence[Trace], most: int) -> list[Trace]:
    """Return at most `most` flows, as evenly from all groups as can be, in their order."""
    rank: Counter[str] = Counter()
    ranked = []
    for place, trace in enumerate(traces):
        ranked.append((rank[trace.group], place))
        rank[trace.group] += 1
    return [traces[place] for place in sorted(place for _, place in sorted(ranked)[:most])]


def time_axis(runs: Sequence[Run]) -> Axis:
    """Return the axis from the start to the end of the longest record."""
    ends = [
        float(trace.time[-1]) for run in runs for trace in run.flow_traces(run.shown_replication) if len(trace.time)
    ]
    return Axis("Time", SECONDS, 0.0, max(ends, default=1.0))


def flow_label(runs: Sequence[Run], run: Run, name: str) -> str:
    """Return how a legend calls a flow or group: with the run's name where several runs are shown."""
    if len(runs) == 1 or name == run.name or name.startswith(f"{run.name}["):
        return name
    return f"{run.name}: {name}"


def shown(runs: Sequence[Run]) -> str:
    """Say which replication a figure shows, and of how many."""
    count = runs[0].replications
    if count == 1:
        return f"The only replication, seed {runs[0].seed}."
    return f"The first of {count} replications, seed {runs[0].seed}."


def pooled(runs: Sequence[Run]) -> str:
    """Say that a figure rests on all replications."""
    count = runs[0].replications
    return f"All {count} replications, seed {runs[0].seed}." if count > 1 else shown(runs)


def interval_of(trace: Trace) -> float:
    """Return the time between two rows of a record, seconds."""
    return float(np.median(np.diff(trace.time))) if len(trace.time) > 1 else float(trace.time[0])


def every(seconds: float) -> str:
    """Write an interval of time."""
    return quantity(seconds, SECONDS)


NO_SERIES = 'This run recorded no series over time ([record] flows = "none").'

RIGHT = 14.0
PAPERS = (Paper("wide", 880.0, 62.0, 300.0, 150.0), Paper("narrow", 360.0, 48.0, 220.0, 130.0))
