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
    from collections.abc import Callable, Iterable, Sequence

    from narrows.report.data import Run, Trace
    from narrows.report.decimate import FloatArray


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


def flow_looks(runs: Sequence[Run], run: Run, traces: Sequence[Trace]) -> list[Look]:
    """Return a look per flow: its algorithm's hue, in another tone and dash for each further flow.

    In a comparison the tone follows the flow's place, so that a flow that all runs share looks the same in all.
    """
    seen: Counter[str] = Counter()
    looks = []
    for place, trace in enumerate(traces):
        algorithm = run.algorithms.get(trace.group, trace.group)
        looks.append(look_of(algorithm).variant(place if len(runs) > 1 else seen[algorithm]))
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
    ends = [run.recorded_s for run in runs]
    return Axis("Time", SECONDS, 0.0, max(ends))


def flow_label(runs: Sequence[Run], run: Run, group: str, number: str = "") -> str:
    """Return how a legend calls a flow or group; in a comparison what differs between runs goes by the run's name.

    Args:
        runs: All runs of the figure.
        run: The one that the flow belongs to.
        group: Its group.
        number: What tells it from the group's other flows ("[0]"); empty for the whole group.
    """
    if len(runs) == 1 or group == run.name:
        return group + number
    return f"{run.name}{number}" if subjects(runs) == [group] else f"{run.name}: {group}{number}"


def flow_key(runs: Sequence[Run], run: Run, group: str, number: str) -> tuple[str, str]:
    """Return series name and label of a flow; a flow that all runs of a comparison share is one series."""
    if len(runs) > 1 and group in subjects(runs):
        return f"{run.name}/{group}{number}", flow_label(runs, run, group, number)
    if len(runs) > 1 and any(group not in each.groups for each in runs):
        return f"{run.name}/{group}{number}", flow_label(runs, run, group, number)
    return group + number, group + number


def subjects(runs: Sequence[Run]) -> list[str]:
    """Return the flow groups of the same name in all runs whose algorithm differs between them."""
    return [
        group
        for group in runs[0].groups
        if all(group in run.groups for run in runs) and len({run.algorithms[group] for run in runs}) > 1
    ]


def without_repeats(keys: Iterable[Key]) -> list[Key]:
    """Return the first entry of each series."""
    return list({key.name: key for key in reversed(list(keys))}.values())[::-1]


def after_warmup(run: Run, time: FloatArray, values: FloatArray) -> float:
    """Return the greatest value after the warm-up, of all where there is none; 0 without values."""
    for chosen in (values[time > run.warmup_s], values):
        if np.isfinite(chosen).any():
            return float(np.nanmax(chosen))
    return 0.0


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


LEAVES = "What is higher during the warm-up leaves the panel."
NO_SERIES = 'This run recorded no series over time ([record] flows = "none").'

RIGHT = 14.0
PAPERS = (Paper("wide", 880.0, 62.0, 300.0, 150.0), Paper("narrow", 360.0, 48.0, 220.0, 130.0))
