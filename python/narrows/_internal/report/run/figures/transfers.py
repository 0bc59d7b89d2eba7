# SPDX-License-Identifier: Apache-2.0
"""Transfers that start during the run: completion times, their dependence on the size, and how many are active."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import BYTES, COUNT, PERCENT, SECONDS, nice_ceiling, quantity
from narrows._internal.drawing.svg import FloatArray
from narrows._internal.frozen import frozen
from narrows._internal.report.run.data import Run, Trace
from narrows._internal.report.run.figures import frame


@frozen
class _Group:
    """Completed transfers of one run and group, all replications together."""

    entry: frame.Entry  # its panel, name and style
    times: FloatArray  # times from start to completion, seconds, shape (transfers,)
    sizes: FloatArray  # payloads, bytes, shape (transfers,)
    kept: float  # which part of the completed transfers was recorded


def figures(runs: Sequence[Run]) -> list[Figure]:
    """Return the figures of transfers: none for runs without any."""
    if not any(len(run.census_rows.get("group", ())) for run in runs):
        return []
    groups = _groups(runs)
    if not groups:
        absent = "No transfer was recorded that completed after the warm-up."
        return [Figure("completion", _TIMES, (), absent=absent), _census(runs)]
    return [_distribution(runs, groups), _by_size(runs, groups), _census(runs)]


def _distribution(runs: Sequence[Run], groups: Sequence[_Group]) -> Figure:
    caption = [
        "Cumulative distribution of the times from start to completion of a transfer; further left is better.",
        *_rests_on(runs, groups),
    ]
    # A time of nothing has no place on a logarithmic axis.
    low = min(float(group.times.min(where=group.times > 0, initial=math.inf)) for group in groups)
    high = max(float(group.times.max()) for group in groups)

    def draw(paper: Paper) -> Sequence[Panel]:
        across = Axis("Completion time", SECONDS, low / 1.1, high * 1.1, log=True)
        panels = _panels(paper, groups, across, Axis("Share of transfers", PERCENT, 0.0, 1.0))
        for group in groups:
            panel = panels[group.entry.panel]
            # As many steps as can be distinguished on paper.
            shares = np.linspace(0.0, 1.0, min(len(group.times), _STEPS) + 1)
            values = np.quantile(group.times, shares[1:], method="inverted_cdf")
            if group.entry.key == frame.OTHERS:
                panel.line(group.entry.key, values, shares[1:], group.entry.style, kind="behind")
                continue
            panel.steps(group.entry.key, np.r_[values[0], values, across.high], np.r_[shares, 1.0], group.entry.style)
        return list(panels.values())

    return Figure("completion", _TIMES, caption, _legend(groups), draw)


def _by_size(runs: Sequence[Run], groups: Sequence[_Group]) -> Figure:
    caption = [
        (
            "Median completion time of the transfers of a size class (line) and the range from their 5th to their "
            f"95th percentile (shade); {_CLASSES} classes per factor of ten, those of fewer than {_FEW} transfers left "
            "out."
        ),
        *_rests_on(runs, groups),
    ]
    curves = [(group, curve) for group in groups if len((curve := _percentiles(group))[0])]
    title = "Completion time by size"
    if not curves:
        return Figure("completion-by-size", title, (), absent=f"No size class has {_FEW} transfers.")
    sizes = np.concatenate([curve[0] for _, curve in curves])
    times = np.concatenate([curve[1].ravel() for _, curve in curves])

    def draw(paper: Paper) -> Sequence[Panel]:
        across = Axis("Size", BYTES, float(sizes.min()) / 1.3, float(sizes.max()) * 1.3, log=True)
        up = Axis("Completion time", SECONDS, float(times.min()) / 1.2, float(times.max()) * 1.2, log=True)
        panels = _panels(paper, [group for group, _ in curves], across, up)
        for group, (middles, (low, _, high)) in curves:
            if group.entry.key == frame.OTHERS:
                continue
            panels[group.entry.panel].band(group.entry.key, middles, low, high, group.entry.style)
        for group, (middles, (_, median, _)) in curves:
            panel = panels[group.entry.panel]
            if group.entry.key == frame.OTHERS:
                panel.line(group.entry.key, middles, median, group.entry.style, kind="behind")
                continue
            panel.line(group.entry.key, middles, median, group.entry.style)
            for size, time in zip(middles.tolist(), median.tolist(), strict=True):
                text = f"{group.entry.key}, about {quantity(size, BYTES)}: median {quantity(time, SECONDS)}"
                panel.point(group.entry.key, (size, time), group.entry.style, text, of_many=True)
        return list(panels.values())

    return Figure("completion-by-size", title, caption, _legend([group for group, _ in curves]), draw)


def _legend(groups: Sequence[_Group]) -> list[Key]:
    return frame.legend([each.entry for each in groups], "line")


def _panels(paper: Paper, groups: Sequence[_Group], across: Axis, up: Axis) -> dict[str, Panel]:
    titles = list(dict.fromkeys(group.entry.panel for group in groups))
    panels = paper.column(titles, frame.together(across, titles, across.label), up)
    return dict(zip(titles, panels, strict=True))


def _percentiles(group: _Group) -> tuple[FloatArray, FloatArray]:
    """Return the middles of size classes, shape (classes,), and percentiles of their times, shape (3, classes)."""
    classes = np.floor(np.log10(np.maximum(group.sizes, 1.0)) * _CLASSES)
    known, counts = np.unique(classes, return_counts=True)
    enough = known[counts >= _FEW]
    chosen = [classes == each for each in enough]
    middles = np.array([np.exp(np.log(np.maximum(group.sizes[each], 1.0)).mean()) for each in chosen])
    times = np.array([np.quantile(group.times[each], (0.05, 0.5, 0.95)) for each in chosen]).reshape(-1, 3).T
    return middles, times


def _census(runs: Sequence[Run]) -> Figure:
    traces = {
        run.name: [
            replace(each, name=each.group) for group in run.groups if (each := run.census(run.shown_replication, group))
        ]
        for run in runs
    }
    flows = frame.flows(runs, traces)
    caption = [
        "Flows whose connection is established or being established at the end of each interval.",
        frame.shown(runs),
    ]
    keys = [*flows.keys, *frame.warm_up(runs)]

    def draw(paper: Paper) -> Sequence[Panel]:
        highest = {
            name: max((float(_in_progress(each).max()) for each in own), default=0.0) for name, own in traces.items()
        }
        tops = frame.alike(highest)
        ups = [Axis("Transfers", COUNT, 0.0, nice_ceiling(tops[run.name] * 1.02)) for run in runs]
        panels = paper.column([run.name for run in runs], frame.time_axis(runs), ups)
        frame.shade(panels, runs)
        for panel, run in zip(panels, runs, strict=True):
            for trace in traces[run.name]:
                key, style = flows.of[run.name, trace.name]
                panel.line(key, trace.time, _in_progress(trace), style)
        return panels

    return Figure("census", "Transfers in progress", caption, keys, draw)


def _in_progress(trace: Trace) -> FloatArray:
    total: FloatArray = trace.columns["connecting_flows"] + trace.columns["active_flows"]
    return total


def _has(run: Run, group: str) -> bool:
    return len(run.transfers(group).get("end_s", ())) > 0


def _groups(runs: Sequence[Run]) -> list[_Group]:
    groups = []
    for entry in frame.entries(runs, _has):
        rows = entry.run.transfers(entry.group)
        completed = sum(entry.run.values(entry.group, "completed_flows").values())
        kept = len(rows["end_s"]) / completed if completed else 1.0
        times = rows["end_s"] - rows["start_s"]
        known = np.isfinite(times)
        if known.any():
            groups.append(_Group(entry, times[known], rows["bytes"][known].astype(np.float64), kept))
    return groups


def _rests_on(runs: Sequence[Run], groups: Sequence[_Group]) -> list[str]:
    transfers = sum(len(group.times) for group in groups)
    part = min(group.kept for group in groups)
    cut = f" of {part:.0%} of them, the first (record.transfers)" if part < _ALL else ""
    left = frame.left_out(runs, [group.entry for group in groups], _has)
    return [f"{transfers} transfers that completed after the warm-up{cut}.", left, frame.pooled(runs)]


_TIMES = "Completion times"
_STEPS = 400
# Size classes per factor of ten, and the fewest transfers that one of them is drawn for.
_CLASSES = 2
_FEW = 20
_ALL = 0.999
