# SPDX-License-Identifier: Apache-2.0
"""Transfers that start during the run: completion times, their dependence on the size, and how many are active."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from narrows.drawing.figure import Figure, Key, Paper, without_repeats
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import BYTES, COUNT, PERCENT, SECONDS, nice_ceiling, quantity
from narrows.report.run.figures import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.drawing.decimate import FloatArray
    from narrows.drawing.style import Style
    from narrows.report.run.data import Run, Trace


@dataclass(frozen=True)
class _Group:
    """Completed transfers of one run and group, all replications together.

    Attributes:
        key: Name of its series.
        label: Name in the legend.
        style: Style of its lines.
        times: Times from start to completion, seconds, shape (transfers,).
        sizes: Payloads, bytes, shape (transfers,).
        kept: Which part of the completed transfers was recorded.
    """

    key: str
    label: str
    style: Style
    times: FloatArray
    sizes: FloatArray
    kept: float


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
        (panel,) = paper.column([""], across, Axis("Share of transfers", PERCENT, 0.0, 1.0))
        for group in groups:
            # As many steps as can be distinguished on paper.
            shares = np.linspace(0.0, 1.0, min(len(group.times), _STEPS) + 1)
            values = np.quantile(group.times, shares[1:], method="inverted_cdf")
            panel.steps(group.key, np.r_[values[0], values, across.high], np.r_[shares, 1.0], group.style)
        return [panel]

    return Figure("completion", _TIMES, caption, [Key(g.key, g.label, "line", g.style) for g in groups], draw)


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
        (panel,) = paper.column([""], across, up)
        for group, (middles, (low, _, high)) in curves:
            panel.band(group.key, middles, low, high, group.style)
        for group, (middles, (_, median, _)) in curves:
            panel.line(group.key, middles, median, group.style)
            for size, time in zip(middles.tolist(), median.tolist(), strict=True):
                text = f"{group.label}, about {quantity(size, BYTES)}: median {quantity(time, SECONDS)}"
                panel.point(group.key, (size, time), group.style, text, of_many=True)
        return [panel]

    keys = [Key(group.key, group.label, "line", group.style) for group, _ in curves]
    return Figure("completion-by-size", title, caption, keys, draw)


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
    title = "Transfers in progress"
    found = [
        (run, trace, frame.group_style(runs, run, place))
        for run in runs
        for place, group in enumerate(run.groups)
        if (trace := run.census(run.shown_replication, group)) is not None
    ]
    caption = [
        "Flows whose connection is established or being established at the end of each interval.",
        frame.shown(runs),
    ]
    keys = without_repeats(Key(*_key(runs, run, trace), "line", style) for run, trace, style in found)
    keys += frame.warm_up(runs)

    def draw(paper: Paper) -> Sequence[Panel]:
        highest = max(float(_in_progress(trace).max()) for _, trace, _ in found)
        up = Axis("Transfers", COUNT, 0.0, nice_ceiling(highest * 1.02))
        panels = paper.column([run.name for run in runs], frame.time_axis(runs), up)
        frame.shade(panels, runs)
        for panel, run in zip(panels, runs, strict=True):
            for of, trace, style in found:
                if of is run:
                    panel.line(_key(runs, run, trace)[0], trace.time, _in_progress(trace), style)
        return panels

    return Figure("census", title, caption, keys, draw)


def _in_progress(trace: Trace) -> FloatArray:
    total: FloatArray = trace.columns["connecting_flows"] + trace.columns["active_flows"]
    return total


def _key(runs: Sequence[Run], run: Run, trace: Trace) -> tuple[str, str]:
    return frame.flow_key(runs, run, trace.group, "")


def _groups(runs: Sequence[Run]) -> list[_Group]:
    groups = []
    for run in runs:
        for place, group in enumerate(run.groups):
            rows = run.transfers(group)
            if not len(rows.get("end_s", ())):
                continue
            completed = sum(run.values(group, "completed_flows").values())
            kept = len(rows["end_s"]) / completed if completed else 1.0
            style, label = frame.group_style(runs, run, place), frame.flow_label(runs, run, group)
            times = rows["end_s"] - rows["start_s"]
            known = np.isfinite(times)
            if known.any():
                sizes = rows["bytes"][known].astype(np.float64)
                groups.append(_Group(f"{run.name}/{group}", label, style, times[known], sizes, kept))
    return groups


def _rests_on(runs: Sequence[Run], groups: Sequence[_Group]) -> list[str]:
    transfers = sum(len(group.times) for group in groups)
    part = min(group.kept for group in groups)
    cut = f" of {part:.0%} of them, the first (record.transfers)" if part < _ALL else ""
    return [f"{transfers} transfers that completed after the warm-up{cut}.", frame.pooled(runs)]


_TIMES = "Completion times"
_STEPS = 400
# Size classes per factor of ten, and the fewest transfers that one of them is drawn for.
_CLASSES = 2
_FEW = 20
_ALL = 0.999
