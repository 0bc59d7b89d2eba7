# SPDX-License-Identifier: Apache-2.0
"""What the figures of a run share: the styles and names of flows, the time axis, sentences of captions."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from narrows.drawing.figure import Key
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import SECONDS, quantity
from narrows.drawing.style import Style, style_of
from narrows.page.estimates import how_made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from narrows.drawing.decimate import FloatArray
    from narrows.report.run.data import Measure, Run, Trace


def flow_styles(runs: Sequence[Run], run: Run, traces: Sequence[Trace]) -> list[Style]:
    """Return the style of each flow: the hue of its algorithm, with a different tone and dash for each flow.

    In a comparison the tone follows the flow's place, so that a flow that all runs share looks the same in all.
    """
    seen: Counter[str] = Counter()
    styles = []
    for place, trace in enumerate(traces):
        algorithm = run.algorithms.get(trace.group, trace.group)
        style = run.style if algorithm == run.name else style_of(algorithm)
        styles.append(style.variant(place if len(runs) > 1 else seen[algorithm]))
        seen[algorithm] += 1
    return styles


def group_style(runs: Sequence[Run], run: Run, place: int) -> Style:
    """Return the style of a flow group: in a comparison that of the run, otherwise that of its algorithm."""
    if len(runs) > 1:
        return run.style.variant(place)
    groups = list(run.algorithms)
    algorithm = run.algorithms[groups[place]]
    return style_of(algorithm).variant(sum(run.algorithms[each] == algorithm for each in groups[:place]))


def a_few(traces: Sequence[Trace], most: int) -> list[Trace]:
    """Return at most `most` flows in order, taken evenly from all groups."""
    rank: Counter[str] = Counter()
    ranked = []
    for place, trace in enumerate(traces):
        ranked.append((rank[trace.group], place))
        rank[trace.group] += 1
    return [traces[place] for place in sorted(place for _, place in sorted(ranked)[:most])]


def time_axis(runs: Sequence[Run]) -> Axis:
    """Return the time axis, from the start to the end of the longest series."""
    ends = [run.recorded_s for run in runs]
    return Axis("Time", SECONDS, 0.0, max(ends), link="time")


def shade(panels: Sequence[Panel], runs: Sequence[Run]) -> None:
    """Shade the warm-up of the run of each panel."""
    for panel, run in zip(panels, runs, strict=True):
        panel.shade(_WARM_UP, run.warmup_s)


def warm_up(runs: Sequence[Run]) -> list[Key]:
    """Return the entry of the legend for the warm-up; none where no run has one."""
    return [Key(_WARM_UP, _WARM_UP, "shade")] if any(run.warmup_s > 0 for run in runs) else []


def flow_label(runs: Sequence[Run], run: Run, group: str, number: str = "") -> str:
    """Return the label of a flow or group; in a comparison the run's name if the flow differs between runs.

    Args:
        runs: All runs of the figure.
        run: The run of the flow.
        group: Group of the flow.
        number: Number of the flow in the group ("[0]"); empty for the whole group.
    """
    if len(runs) == 1 or group == run.name:
        return group + number
    return (
        f"{run.name}{number}" if subjects(runs) == [group] or len(run.groups) == 1 else f"{run.name}: {group}{number}"
    )


def flow_key(runs: Sequence[Run], run: Run, group: str, number: str) -> tuple[str, str]:
    """Return name of the series and label of a flow; a flow that is the same in all runs is one series."""
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


@dataclass(frozen=True)
class View:
    """The contents of a panel: a run and one of its bottlenecks.

    Attributes:
        run: The run.
        link: Name of the link; None if the packets of no group share one.
        title: Title of the panel, which distinguishes it from the others.
    """

    run: Run
    link: str | None
    title: str


def views(runs: Sequence[Run], links_of: Callable[[Run], Sequence[str]] | None = None) -> list[View]:
    """Return a view per run and bottleneck, or per run and link that `links_of` names."""
    found = []
    for run in runs:
        links: Sequence[str | None] = (links_of(run) if links_of else run.shared_links) or [None]
        for link in links:
            parts = [run.name] if len(runs) > 1 else []
            parts += [link] if link and len(links) > 1 else []
            found.append(View(run, link, ": ".join(parts)))
    return found


def after_warmup(run: Run, time: FloatArray, values: FloatArray) -> float:
    """Return the largest value after the warm-up; of all values if none is after it, 0 without values."""
    for chosen in (values[time > run.warmup_s], values):
        if np.isfinite(chosen).any():
            return float(np.nanmax(chosen))
    return 0.0


def shown(runs: Sequence[Run]) -> str:
    """Return the sentence that gives the replication that a figure shows, and their number."""
    count = runs[0].replications
    if count == 1:
        return f"The only replication, seed {runs[0].seed}."
    return f"Replication {runs[0].shown_replication + 1} of {count}, seed {runs[0].seed}."


def intervals(runs: Sequence[Run], measures: Iterable[Measure]) -> str:
    """Return the sentence that says how the intervals of these measures were made, for the caption that shows them."""
    return how_made((each.method for each in measures if each.interval), runs[0].replications)


def pooled(runs: Sequence[Run]) -> str:
    """Return the sentence that a figure is computed from all replications."""
    count = runs[0].replications
    return f"All {count} replications, seed {runs[0].seed}." if count > 1 else shown(runs)


def interval_of(trace: Trace) -> float:
    """Return the length of an interval of a series, seconds; 1 where its times give none."""
    length = float(np.median(np.diff(trace.time))) if len(trace.time) > 1 else float(trace.time[0])
    return length if math.isfinite(length) and length > 0 else 1.0


def every(seconds: float) -> str:
    """Return a duration in seconds as text, as in "100 ms"."""
    return quantity(seconds, SECONDS)


_WARM_UP = "warm-up"
LEAVES = "What is higher during the warm-up leaves the panel."
NO_SERIES = 'This run recorded no series over time ([record] flows = "none").'
