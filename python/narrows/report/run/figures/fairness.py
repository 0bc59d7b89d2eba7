"""Jain's fairness index over time.

Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301,
1984, eq. 2: (Σ x)² / (n Σ x²).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from narrows import core
from narrows.report.drawing.decimate import means
from narrows.report.drawing.figure import Figure, Key
from narrows.report.drawing.plot import Axis
from narrows.report.drawing.scale import INDEX, nice_step
from narrows.report.drawing.style import Style, style_of
from narrows.report.run.figures import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.drawing.decimate import FloatArray
    from narrows.report.drawing.figure import Paper
    from narrows.report.drawing.plot import Panel
    from narrows.report.run.data import Run


@dataclass(frozen=True)
class _Course:
    """The index of one run per window: shape (replications, windows), NaN with fewer than two flows."""

    run: Run
    index: FloatArray


def figure(runs: Sequence[Run]) -> Figure:
    """Draw Jain's index over time: mean over replications and their range, a line per run, in one panel."""
    title = "Jain's fairness index"
    flows = [trace for run in runs for trace in run.flow_traces(run.shown_replication)]
    if not flows:
        return Figure("jain", title, (), absent=frame.NO_SERIES)
    end = max(float(trace.time[-1]) for trace in flows)
    window = max(nice_step(end / MOST_WINDOWS), *(frame.interval_of(trace) for trace in flows))
    edges = np.arange(0.0, end + window / 2, window)
    courses = [_Course(run, _index(run, edges)) for run in runs]
    courses = [course for course in courses if np.isfinite(course.index).any()]
    if not courses:
        return Figure("jain", title, (), absent="Fairness over time needs two flows that are active together.")
    middles = (edges[:-1] + edges[1:]) / 2
    several = len(runs) > 1
    caption = [
        (
            f"Jain's index of the goodputs of all flows that cross the bottleneck and are active "
            f"in a window of {frame.every(window)}: "
            "1 where all get the same, 1/n where one of n gets everything."
        ),
        "Line: mean over replications; shade: their range." if runs[0].replications > 1 else "",
        frame.pooled(runs),
    ]
    keys = [
        Key(f"{c.run.name}/jain", c.run.name if several else "all flows", "line", _style(c.run, several=several))
        for c in courses
    ]

    def draw(paper: Paper) -> Sequence[Panel]:
        (panel,) = paper.column([""], frame.time_axis(runs), Axis("Jain's index", INDEX, 0.0, 1.0))
        panel.shade(runs[0].warmup_s, "warm-up", low=True)
        for course in courses:
            _paint(panel, course, middles, _style(course.run, several=several))
        return [panel]

    return Figure("jain", title, caption, keys, draw)


def _paint(panel: Panel, course: _Course, middles: FloatArray, style: Style) -> None:
    key = f"{course.run.name}/jain"
    with warnings.catch_warnings():
        # A window without two flows in any replication has no mean: NaN, which lifts the pen.
        warnings.simplefilter("ignore", RuntimeWarning)
        low, mean, high = (f(course.index, axis=0) for f in (np.nanmin, np.nanmean, np.nanmax))
    if len(course.index) > 1:
        panel.band(key, middles, low, high, style)
    panel.line(key, middles, mean, style)


def _style(run: Run, *, several: bool) -> Style:
    return style_of(run.name) if several else Style(0, 0, 0)


def _index(run: Run, edges: FloatArray) -> FloatArray:
    rows = []
    for replication in run.replication_numbers:
        rates = [
            np.where(run.active(replication, trace.name, edges), means(trace.time, goodput, edges), np.nan)
            for trace in run.flow_traces(replication)
            if trace.group in run.sharing and (goodput := trace.first_with_data("goodput_bps")) is not None
        ]
        if rates:
            rows.append(jain(np.stack(rates)))
    return np.stack(rows) if rows else np.full((1, len(edges) - 1), np.nan)


def jain(rates: FloatArray) -> FloatArray:
    """Return Jain's index per window; NaN where fewer than two flows are active.

    Args:
        rates: Goodputs, bits per second, shape (flows, windows); NaN where a flow is not active.
    """
    active = [column[np.isfinite(column)] for column in rates.T]
    return np.array([core.jain(column) if len(column) > 1 else np.nan for column in active])


MOST_WINDOWS = 100
