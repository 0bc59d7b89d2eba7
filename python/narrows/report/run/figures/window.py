# SPDX-License-Identifier: Apache-2.0
"""Congestion window and slow-start threshold over time, and why the window fell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows.drawing.figure import Figure, Key, Paper, without_repeats
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import PACKETS, nice_ceiling
from narrows.report.run.figures import frame, moments, reductions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.run.data import Run, Trace


def figure(runs: Sequence[Run]) -> Figure:
    """Draw cwnd and ssthresh of a few flows, a panel per run."""
    title = "Congestion window"
    chosen = {run.name: _with_window(run) for run in runs}
    if not any(chosen.values()):
        return Figure("cwnd", title, (), absent=frame.NO_SERIES)
    count = sum(len(run.flow_traces(run.shown_replication)) for run in runs)
    drawn = sum(map(len, chosen.values()))
    found = {run.name: reductions.of_flows(run, chosen[run.name]) for run in runs}
    caption = [
        (
            "Congestion window of each flow (line) and its slow-start threshold (dots of the same colour), "
            "as the algorithm holds them; while recovery lasts the usable window may differ."
        ),
        *reductions.caption(runs, sum(left_out for _, left_out in found.values())),
        f"{drawn} of {count} flows are drawn." if drawn < count else "",
        frame.shown(runs),
    ]
    keys = without_repeats(
        Key(*_key(runs, run, trace), "line", style)
        for run in runs
        for trace, style in zip(chosen[run.name], frame.flow_styles(runs, run, chosen[run.name]), strict=True)
    )
    highest = max(
        frame.after_warmup(run, trace.time, trace.columns["cwnd_packets"]) for run in runs for trace in chosen[run.name]
    )
    if any(float(np.nanmax(t.columns["cwnd_packets"])) > highest for traces in chosen.values() for t in traces):
        caption.insert(-1, frame.LEAVES)
    threshold = any("ssthresh_packets" in trace.columns for traces in chosen.values() for trace in traces)

    def draw(paper: Paper) -> Sequence[Panel]:
        up = Axis("Window", PACKETS, 0.0, nice_ceiling(highest * 1.05))
        panels = paper.column([run.name for run in runs], frame.time_axis(runs), up)
        frame.shade(panels, runs)
        for panel, run in zip(panels, runs, strict=True):
            _lines(panel, runs, run, chosen[run.name])
            styles = frame.flow_styles(runs, run, chosen[run.name])
            by_name = {trace.name: style for trace, style in zip(chosen[run.name], styles, strict=True)}
            reductions.draw(panel, run, found[run.name][0], by_name)
        return panels

    legend = [*keys, *([Key("ssthresh", "ssthresh", "faint")] if threshold else [])]
    legend += [*reductions.keys([(run, found[run.name][0]) for run in runs]), *frame.warm_up(runs)]
    drawn_flows = [{_key(runs, run, trace)[0]: trace.name for trace in chosen[run.name]} for run in runs]
    said = moments.moments(runs, drawn_flows)
    spoken = {runs[0].shown_replication: said} if said else {}
    return Figure("cwnd", title, caption, legend, draw, hint=moments.CAPTION if said else "", moments=spoken)


def _with_window(run: Run) -> list[Trace]:
    traces = [t for t in run.flow_traces(run.shown_replication) if t.first_with_data("cwnd_packets") is not None]
    return frame.a_few(traces, MOST_FLOWS)


def _key(runs: Sequence[Run], run: Run, trace: Trace) -> tuple[str, str]:
    return frame.flow_key(runs, run, trace.group, trace.name.removeprefix(trace.group))


def _lines(panel: Panel, runs: Sequence[Run], run: Run, traces: Sequence[Trace]) -> None:
    styles = frame.flow_styles(runs, run, traces)
    for trace, style in zip(traces, styles, strict=True):
        threshold = trace.columns.get("ssthresh_packets")
        if threshold is not None:
            panel.line("ssthresh", trace.time, threshold, style, kind="faint")
    for trace, style in zip(traces, styles, strict=True):
        panel.line(_key(runs, run, trace)[0], trace.time, trace.columns["cwnd_packets"], style)


MOST_FLOWS = 6
