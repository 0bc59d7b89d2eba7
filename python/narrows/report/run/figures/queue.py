"""The bottleneck's queue over time, with a tick wherever packets were dropped or marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows.report.drawing.figure import Figure, Key
from narrows.report.drawing.plot import Axis
from narrows.report.drawing.scale import PACKETS, nice_ceiling
from narrows.report.drawing.style import Style, style_of
from narrows.report.run.figures import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.drawing.figure import Paper
    from narrows.report.drawing.plot import Panel
    from narrows.report.run.data import Run, Trace


def figure(runs: Sequence[Run]) -> Figure:
    """Draw the queue of the bottleneck, a panel per run."""
    title = "Queue at the bottleneck"
    links = [_link(run) for run in runs]
    traces = [trace for trace in links if trace is not None]
    if any(run.bottleneck is None for run in runs):
        return Figure("queue", title, (), absent="The packets of no group share a link, so there is no bottleneck.")
    if len(traces) < len(runs):
        return Figure("queue", title, (), absent="This run recorded no queue over time.")
    several = len(runs) > 1
    styles = [style_of(run.name).variant(0) if several else Style(0, 0, 0) for run in runs]
    styles = [Style(style.colour, 0, style.marker) for style in styles]
    drops = any(_happened(trace, "dropped_packets") for trace in traces)
    marks = any(_happened(trace, "marked_packets") for trace in traces)
    events = ", or ".join(word for word, found in (("dropped or lost", drops), ("marked", marks)) if found)
    caption = [
        f"Packets that wait at link {runs[0].bottleneck}, averaged over {frame.every(frame.interval_of(traces[0]))}.",
        f"A tick at the foot marks an interval in which packets were {events}."
        if events
        else "No packet was dropped or marked.",
        frame.shown(runs),
    ]
    keys = [
        Key(f"{run.name}/queue", run.name if several else "queue", "line", style)
        for run, style in zip(runs, styles, strict=True)
    ]
    keys += [Key("drops", "drops", "drop")] if drops else []
    keys += [Key("marks", "marks", "mark")] if marks else []

    def draw(paper: Paper) -> Sequence[Panel]:
        highest = max(float(np.nanmax(trace.columns["queue_packets"])) for trace in traces)
        panels = paper.column(
            [run.name for run in runs], frame.time_axis(runs), Axis("Queue", PACKETS, 0.0, nice_ceiling(highest * 1.02))
        )
        for panel, run, trace, style in zip(panels, runs, traces, styles, strict=True):
            panel.shade(run.warmup_s, "warm-up")
            panel.line(f"{run.name}/queue", trace.time, trace.columns["queue_packets"], style)
            for row, (key, column) in enumerate((("drops", "dropped_packets"), ("marks", "marked_packets"))):
                if _happened(trace, column):
                    panel.rug(key, trace.time[trace.columns[column] > 0], row, key)
        return panels

    return Figure("queue", title, caption, keys, draw)


def _link(run: Run) -> Trace | None:
    trace = run.link_trace(run.shown_replication, run.bottleneck) if run.bottleneck else None
    return trace if trace is not None and trace.first_with_data("queue_packets") is not None else None


def _happened(trace: Trace, column: str) -> bool:
    return column in trace.columns and bool((trace.columns[column] > 0).any())
