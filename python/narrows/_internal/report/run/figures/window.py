# SPDX-License-Identifier: Apache-2.0
"""Congestion window and slow-start threshold over time, and why the window fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import PACKETS, nice_ceiling
from narrows._internal.drawing.style import Style
from narrows._internal.report.run.data import Run, Trace
from narrows._internal.report.run.figures import frame, moments, reductions


def figure(runs: Sequence[Run]) -> Figure:
    """Draw cwnd and ssthresh of a few flows, a panel per run, with as many flows as the legend has room for."""
    for most in range(MOST_FLOWS, 1, -1):
        found = _figure(runs, most)
        if len(found.keys) <= frame.MOST_ENTRIES:
            return found
    return _figure(runs, 1)


def _figure(runs: Sequence[Run], most: int) -> Figure:
    title = "Congestion window"
    chosen = {run.name: _with_window(run, most) for run in runs}
    if not any(chosen.values()):
        return Figure("cwnd", title, (), absent=frame.NO_SERIES)
    count = sum(len(run.flow_traces(run.shown_replication)) for run in runs)
    drawn = sum(map(len, chosen.values()))
    found = {run.name: reductions.of_flows(run, chosen[run.name]) for run in runs}
    flows = frame.flows(runs, chosen)
    caption = [
        (
            "Congestion window of each flow (line) and its slow-start threshold (dots of the same colour), "
            "as the algorithm holds them; while recovery lasts the usable window may differ."
        ),
        *reductions.caption(runs, sum(left_out for _, left_out in found.values())),
        f"{drawn} of {count} flows are drawn." if drawn < count else "",
        frame.shown(runs),
    ]
    highest = {
        run.name: max((frame.after_warmup(run, t.time, t.columns["cwnd_packets"]) for t in chosen[run.name]), default=0)
        for run in runs
    }
    tops = frame.alike(highest)
    if any(float(np.nanmax(t.columns["cwnd_packets"])) > tops[name] for name, own in chosen.items() for t in own):
        caption.insert(-1, frame.LEAVES)
    threshold = any("ssthresh_packets" in trace.columns for traces in chosen.values() for trace in traces)

    def draw(paper: Paper) -> Sequence[Panel]:
        ups = [Axis("Window", PACKETS, 0.0, nice_ceiling(tops[run.name] * 1.05)) for run in runs]
        panels = paper.column([run.name for run in runs], frame.time_axis(runs), ups)
        frame.shade(panels, runs)
        for panel, run in zip(panels, runs, strict=True):
            looks = {trace.name: flows.of[run.name, trace.name] for trace in chosen[run.name]}
            _lines(panel, chosen[run.name], looks)
            reductions.draw(panel, run, found[run.name][0], {name: style for name, (_, style) in looks.items()})
        return panels

    legend = [*flows.keys, *([Key("ssthresh", "ssthresh", "faint")] if threshold else [])]
    legend += [*reductions.keys([(run, found[run.name][0]) for run in runs]), *frame.warm_up(runs)]
    series = [{flows.of[run.name, trace.name][0]: trace.name for trace in chosen[run.name]} for run in runs]
    said = moments.moments(runs, series)
    spoken = {runs[0].shown_replication: said} if said else {}
    return Figure("cwnd", title, caption, legend, draw, hint=moments.CAPTION if said else "", moments=spoken)


def _with_window(run: Run, most: int) -> list[Trace]:
    traces = [t for t in run.flow_traces(run.shown_replication) if t.first_with_data("cwnd_packets") is not None]
    return frame.a_few(traces, most)


def _lines(panel: Panel, traces: Sequence[Trace], looks: Mapping[str, tuple[str, Style]]) -> None:
    for trace in traces:
        threshold = trace.columns.get("ssthresh_packets")
        if threshold is not None:
            panel.line("ssthresh", trace.time, threshold, looks[trace.name][1], kind="faint")
    for trace in traces:
        key, style = looks[trace.name]
        panel.line(key, trace.time, trace.columns["cwnd_packets"], style)


def on_backends(runs: Sequence[Run]) -> Figure:
    """Draw the congestion windows of a few flows, a panel per flow and a line per backend."""
    title = "Congestion window on both backends"
    traces = {
        run.name: {
            trace.name: trace
            for trace in run.flow_traces(run.shown_replication)
            if trace.first_with_data("cwnd_packets") is not None
        }
        for run in runs
    }
    shared = [trace for name, trace in traces[runs[0].name].items() if all(name in each for each in traces.values())]
    flows = [trace.name for trace in frame.a_few(shared, MOST_BACKEND_FLOWS)]
    if not flows:
        return Figure(ON_BACKENDS, title, (), absent=frame.NO_SERIES)
    highest = max(
        frame.after_warmup(run, trace.time, trace.columns["cwnd_packets"])
        for run in runs
        for trace in (traces[run.name][flow] for flow in flows)
    )
    caption = [
        f"Congestion window of each flow on {' and '.join(run.name for run in runs)}, with the same random numbers.",
        f"{len(flows)} of {len(shared)} flows are drawn." if len(flows) < len(shared) else "",
        frame.LEAVES,
        frame.shown(runs),
    ]

    def draw(paper: Paper) -> Sequence[Panel]:
        up = Axis("Window", PACKETS, 0.0, nice_ceiling(highest * 1.05))
        panels = paper.column(flows, frame.time_axis(runs), up)
        frame.shade(panels, [runs[0] for _ in panels])
        for panel, flow in zip(panels, flows, strict=True):
            for run in runs:
                trace = traces[run.name][flow]
                panel.line(run.name, trace.time, trace.columns["cwnd_packets"], run.style)
        return panels

    keys = [Key(run.name, run.name, "line", run.style) for run in runs]
    return Figure(ON_BACKENDS, title, caption, [*keys, *frame.warm_up(runs[:1])], draw)


MOST_FLOWS = 6
ON_BACKENDS = "cwnd-backends"
MOST_BACKEND_FLOWS = 6
