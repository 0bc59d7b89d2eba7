# SPDX-License-Identifier: Apache-2.0
"""Explanations of moments of a flow in a page: the text of `narrows why`, for the windows that are drawn."""

from __future__ import annotations

import json
import math
import shlex
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from narrows._internal.explain.moment import REACH_S, of_packets
from narrows._internal.explain.story import Row, Story, depth, seconds
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.reading import packet_log


def moments(runs: Sequence[Run], drawn: Sequence[Mapping[str, str]]) -> str:
    """Return the explanations of the flows that a figure draws, as JSON; empty if no run logs events."""
    if not all(run.has_events for run in runs):
        return ""
    panels = [_panel(*each) for each in zip(runs, drawn, strict=True)]
    return json.dumps({"reach_s": REACH_S, "panels": panels}, ensure_ascii=False, separators=(",", ":"))


class Explained(NamedTuple):
    """The explanations of a flow in the shown replication."""

    content: dict[str, Any]  # as in the page
    worst: Cut | None


class Cut(NamedTuple):
    """The deepest cut of a window after the warm-up."""

    part: float  # of the window, above 0
    at_s: float
    what: str


def explanations(run: Run, flows: Sequence[str]) -> dict[str, Explained]:
    """Return the explanations of flows, each of which is made once for all parts of a page."""
    number = run.shown_replication
    missing = [flow for flow in flows if (number, flow) not in run.explained]
    packets = packet_log(run) if missing else None
    for flow in missing:
        group, _, place = flow.removesuffix("]").rpartition("[")
        log = of_packets(packets, number, (group, int(place)))
        story = Story(rows_of(run, flow), flow, run.algorithms.get(group, group), log)
        run.explained[number, flow] = Explained(_flow(story), _deepest_cut(story, run.warmup_s))
    return {flow: run.explained[number, flow] for flow in flows}


def _panel(run: Run, drawn: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    number = run.shown_replication
    found = explanations(run, [*drawn.values()])
    flows = {}
    for series, flow in drawn.items():
        command = f"narrows why {shlex.quote(run.folder)} --flow {shlex.quote(flow)}"
        if number != (run.recorded_replications or [0])[0]:
            command += f" --replication {number}"
        flows[series] = {"flow": flow, "command": command, **found[flow].content}
    return flows


def _deepest_cut(story: Story, from_s: float) -> Cut | None:
    change = max((row for row in story.changes if seconds(row) > from_s), key=depth, default=None)
    if change is None or depth(change) <= 0:
        return None
    return Cut(depth(change), seconds(change), story.change(change)[0])


def _flow(story: Story) -> dict[str, Any]:
    explained = _deepest(story.changes)
    changes = []
    for row in explained:
        answer, sentences = story.change(row)
        lines = [[_short(each.time_s), each.text] for each in sentences[:MOST_SENTENCES]]
        changes.append([_short(seconds(row)), answer, story.elsewhere(row), lines])
    edges = [-math.inf, *map(seconds, story.changes), math.inf]
    quiet = [[_short(start), _short(end), text] for start, end, text in story.runs() if _quiet(edges, start, end)]
    return {
        "nothing": story.nothing(REACH_S),
        "changes": changes,
        "left_out": len(story.changes) - len(changes),
        "events": quiet[:MOST_SENTENCES],
    }


def _deepest(changes: Sequence[Row]) -> Sequence[Row]:
    """Return the changes that took most of the window, as many as are explained, in order of time."""
    if len(changes) <= MOST_CHANGES:
        return changes
    deepest = sorted(range(len(changes)), key=lambda place: -depth(changes[place]))[:MOST_CHANGES]
    return [changes[place] for place in sorted(deepest)]


def _quiet(edges: Sequence[float], start_s: float, end_s: float) -> bool:
    """Return whether there are events near a moment, but no change of the window."""
    first = bisect_right(edges, start_s) - 1
    last = bisect_left(edges, end_s)
    return any(later - earlier > 2 * REACH_S for earlier, later in pairwise(edges[max(first, 0) : last + 1]))


def rows_of(run: Run, flow: str) -> list[Row]:
    """Return the events of a flow as rows of the table, with None for a missing number."""
    columns = run.flow_events(flow)
    if not columns:
        return []
    return [dict(zip(columns, row, strict=True)) for row in zip(*map(_values, columns.values()), strict=True)]


def _values(column: np.ndarray) -> list[Any]:
    values: list[Any] = column.tolist()
    if column.dtype.kind != "f":
        return values
    for place in np.flatnonzero(np.isnan(column)).tolist():
        values[place] = None
    return values


def _short(time_s: float) -> float:
    return round(time_s, 6)


# Changes of the window of a flow in one replication that are explained at most, and sentences of each.
MOST_CHANGES = 200
MOST_SENTENCES = 40
CAPTION = "A click on a window, or Enter at the cursor, says what happened to the flow then."
