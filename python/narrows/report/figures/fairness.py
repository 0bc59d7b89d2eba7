"""Jain's fairness index over time.

Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301,
1984, eq. 2: (Σ x)² / (n Σ x²).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from narrows.report.decimate import means
from narrows.report.figures import frame
from narrows.report.figures.frame import Figure, Key
from narrows.report.looks import Look, look_of
from narrows.report.plot import Axis
from narrows.report.scale import INDEX, nice_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.data import Run
    from narrows.report.decimate import FloatArray
    from narrows.report.figures.frame import Paper
    from narrows.report.plot import Panel


@dataclass(frozen=True)
class _Course:
    """The index of one run per window: shape (replications, windows), NaN with fewer than two flows."""

    run: Run
    index: FloatArray


def figure(runs: Sequence[Run]) -> Figure:
    """Draw the mean over replications and their range, a line per run, all on one panel."""
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
        Key(f"{c.run.name}/jain", c.run.name if several else "all flows", "line", _look(c.run, several=several))
        for c in courses
    ]

    def draw(paper: Paper) -> Sequence[Panel]:
        (panel,) = paper.column(runs[:1], frame.time_axis(runs), Axis("Jain's index", INDEX, 0.0, 1.0))
        panel.shade(runs[0].warmup_s, "warm-up", low=True)
        for course in courses:
            _paint(panel, course, middles, _look(course.run, several=several))
        return [panel]

    return Figure("jain", title, caption, keys, draw)


def _paint(panel: Panel, course: _Course, middles: FloatArray, look: Look) -> None:
    key = f"{course.run.name}/jain"
    with warnings.catch_warnings():
        # A window without two flows in any replication has no mean: NaN, which lifts the pen.
        warnings.simplefilter("ignore", RuntimeWarning)
        low, mean, high = (f(course.index, axis=0) for f in (np.nanmin, np.nanmean, np.nanmax))
    if len(course.index) > 1:
        panel.band(key, middles, low, high, look)
    panel.line(key, middles, mean, look)


def _look(run: Run, *, several: bool) -> Look:
    return look_of(run.name) if several else Look(0, 0, 0)


def _index(run: Run, edges: FloatArray) -> FloatArray:
    rows = []
    for replication in run.replication_numbers:
        rates = [
            np.where(run.active(replication, trace.name, edges), means(trace.time, goodput, edges), np.nan)
            for trace in run.flow_traces(replication)
            if trace.group not in run.reverse_groups and (goodput := trace.first_with_data("goodput_bps")) is not None
        ]
        if rates:
            rows.append(jain(np.stack(rates)))
    return np.stack(rows) if rows else np.full((1, len(edges) - 1), np.nan)


def jain(rates: FloatArray) -> FloatArray:
    """Return Jain's index per column of `rates`, shape (flows, windows); NaN means inactive."""
    flows = np.isfinite(rates).sum(axis=0)
    total, squares = np.nansum(rates, axis=0), np.nansum(rates**2, axis=0)
    good = (flows > 1) & (squares > 0)
    index = np.full(rates.shape[1], np.nan)
    np.divide(total**2, flows * squares, out=index, where=good)
    return index


MOST_WINDOWS = 100
