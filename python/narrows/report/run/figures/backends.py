# SPDX-License-Identifier: Apache-2.0
"""Congestion windows of the same flows on several backends, over each other."""

from __future__ import annotations

from collections.abc import Sequence

from narrows.drawing.figure import Figure, Key, Paper
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import PACKETS, nice_ceiling
from narrows.report.run.data import Run
from narrows.report.run.figures import frame


def figure(runs: Sequence[Run]) -> Figure:
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
    flows = [trace.name for trace in frame.a_few(shared, MOST_FLOWS)]
    if not flows:
        return Figure(NAME, title, (), absent=frame.NO_SERIES)
    highest = max(
        frame.after_warmup(run, trace.time, trace.columns["cwnd_packets"])
        for run in runs
        for trace in (traces[run.name][flow] for flow in flows)
    )
    caption = [
        "Congestion window of each flow in the simulator and on the kernel, with the same random numbers.",
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
    return Figure(NAME, title, caption, [*keys, *frame.warm_up(runs[:1])], draw)


NAME = "cwnd-backends"
MOST_FLOWS = 6
