# SPDX-License-Identifier: Apache-2.0
"""Jain's fairness index over time.

Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301,
1984, eq. 2: (Σ x)² / (n Σ x²).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from narrows._internal import core
from narrows._internal.drawing.figure import Figure, Key, Paper, without_repeats
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import INDEX, nice_step
from narrows._internal.drawing.style import Style, marked
from narrows._internal.drawing.svg import FloatArray, means
from narrows._internal.frozen import frozen
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.figures import frame


@frozen
class _Course:
    """The index over one bottleneck per window: shape (replications, windows), NaN with fewer than two flows."""

    panel: str
    key: str
    index: FloatArray
    style: Style


def figure(runs: Sequence[Run]) -> Figure:
    """Draw Jain's index over time: mean over replications and their range, a line per run, in one panel."""
    title = "Jain's fairness index"
    flows = [trace for run in runs for trace in run.flow_traces(run.shown_replication)]
    if not flows:
        return Figure("jain", title, (), absent=frame.NO_SERIES)
    end = max(float(trace.time[-1]) for trace in flows)
    window = max(nice_step(end / MOST_WINDOWS), *(frame.interval_of(trace) for trace in flows))
    edges = np.arange(0.0, end + window / 2, window)
    views = frame.views(runs)
    courses = [_course(runs, view, edges) for view in views]
    courses = [course for course in courses if np.isfinite(course.index).any()]
    left = 0
    if len({course.key for course in courses}) + 1 > frame.MOST_ENTRIES:
        left = max(len(courses) - frame.MOST_PANELS, 0)
        titles = [", ".join(filter(None, (each.panel, each.key))) for each in courses[: frame.MOST_PANELS]]
        alone = zip(courses, titles, strict=False)
        courses = [part for each, title in alone for part in frame.before_others(each, courses, title)]
    if not courses:
        return Figure("jain", title, (), absent="Fairness over time needs two flows that are active together.")
    middles = (edges[:-1] + edges[1:]) / 2
    together = list(dict.fromkeys(group for view in views for group in _together(view)))
    caption = [
        (
            f"Jain's index of the goodputs of all flows that cross the bottleneck and are active "
            f"in a window of {frame.every(window)}: "
            "1 where all get the same, 1/n where one of n gets everything."
        ),
        f"Transfers of {' and '.join(together)} are not among them: they are too short to have a share."
        if together
        else "",
        "Line: mean over replications; shade: their range." if runs[0].replications > 1 else "",
        f"Not drawn are {left} more; the tables have them." if left else "",
        frame.pooled(runs),
    ]
    keys = without_repeats(_key(course) for course in courses)
    keys += frame.warm_up(runs[:1])

    def draw(paper: Paper) -> Sequence[Panel]:
        titles = list(dict.fromkeys(course.panel for course in courses))
        panels = paper.column(titles, frame.time_axis(runs, pooled=True), Axis("Jain's index", INDEX, 0.0, 1.0))
        frame.shade(panels, [runs[0]] * len(panels))
        for course in courses:
            _paint(panels[titles.index(course.panel)], course, middles)
        return panels

    return Figure("jain", title, caption, keys, draw)


def _key(course: _Course) -> Key:
    style = {frame.OWN: frame.PLAIN, frame.OTHERS: frame.FAINT}.get(course.key, course.style)
    return Key(course.key, course.key, "behind" if course.key == frame.OTHERS else "line", style)


def _paint(panel: Panel, course: _Course, middles: FloatArray) -> None:
    key, style = course.key, course.style
    with warnings.catch_warnings():
        # A window without two flows in any replication has no mean: NaN, which lifts the pen.
        warnings.simplefilter("ignore", RuntimeWarning)
        low, mean, high = (f(course.index, axis=0) for f in (np.nanmin, np.nanmean, np.nanmax))
    if len(course.index) > 1 and key != frame.OTHERS:
        panel.band(key, middles, low, high, style)
    panel.line(key, middles, mean, style, kind="behind" if key == frame.OTHERS else "line")


def _course(runs: Sequence[Run], view: frame.View, edges: FloatArray) -> _Course:
    """Return the index over a bottleneck: a line per link of one run; a panel per link, a line per run of several."""
    link, links = view.link or "", view.run.shared_links
    if len(runs) > 1:
        crossed = len(runs) > frame.MOST_ENTRIES and all(run.factors[0] for run in runs)
        algorithm, level = view.run.factors
        panel = ", ".join(filter(None, (link if len(links) > 1 else "", level if crossed else "")))
        return _Course(panel, algorithm if crossed else view.run.name, _index(view, edges), view.run.style)
    # Colours are reserved for flows and groups.
    style = marked(frame.PLAIN, links.index(link) if link in links else 0)
    return _Course("", link if len(links) > 1 else "all flows", _index(view, edges), style)


def _together(view: frame.View) -> list[str]:
    """Return the groups over a bottleneck whose transfers are one record together."""
    one_by_one = {trace.group for trace in view.run.flow_traces(view.run.shown_replication)}
    number = view.run.shown_replication
    groups = (group for group in view.run.sharing(view.link) if group not in one_by_one)
    return [group for group in groups if view.run.census(number, group) is not None]


def _index(view: frame.View, edges: FloatArray) -> FloatArray:
    run, groups, rows = view.run, view.run.sharing(view.link), []
    for replication in run.replication_numbers:
        rates = [
            np.where(run.active(replication, trace.name, edges), means(trace.time, goodput, edges), np.nan)
            for trace in run.flow_traces(replication)
            if trace.group in groups and (goodput := trace.first_with_data("goodput_bps")) is not None
        ]
        if rates:
            rows.append(jain(np.stack(rates)))
    return np.stack(rows) if rows else np.full((1, len(edges) - 1), np.nan)


def jain(rates: FloatArray) -> FloatArray:
    """Return Jain's index per window; NaN if fewer than two flows are active."""
    active = [column[np.isfinite(column)] for column in rates.T]
    return np.array([core.jain(column) if len(column) > 1 else np.nan for column in active])


MOST_WINDOWS = 100
