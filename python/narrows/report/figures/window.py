"""Congestion window and slow-start threshold over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows.report.figures import frame
from narrows.report.figures.frame import Figure, Key
from narrows.report.plot import Axis
from narrows.report.scale import PACKETS, nice_ceiling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.data import Run, Trace
    from narrows.report.figures.frame import Paper
    from narrows.report.plot import Panel


def figure(runs: Sequence[Run]) -> Figure:
    """Draw cwnd and ssthresh of a few flows, a panel per run."""
    title = "Congestion window"
    chosen = {run.name: _with_window(run) for run in runs}
    if not any(chosen.values()):
        return Figure("cwnd", title, (), absent=frame.NO_SERIES)
    count = sum(len(run.flow_traces(run.shown_replication)) for run in runs)
    drawn = sum(map(len, chosen.values()))
    caption = [
        (
            "Congestion window of each flow (line) and its slow-start threshold (dots of the same colour), "
            "as the algorithm holds them; while recovery lasts the usable window may differ."
        ),
        f"{drawn} of {count} flows are drawn." if drawn < count else "",
        frame.shown(runs),
    ]
    keys = [
        Key(f"{run.name}/{trace.name}", frame.flow_label(runs, run, trace.name), "line", look)
        for run in runs
        for trace, look in zip(chosen[run.name], frame.flow_looks(run, chosen[run.name]), strict=True)
    ]
    threshold = any("ssthresh_packets" in trace.columns for traces in chosen.values() for trace in traces)

    def draw(paper: Paper) -> Sequence[Panel]:
        highest = max(float(np.nanmax(trace.columns["cwnd_packets"])) for traces in chosen.values() for trace in traces)
        up = Axis("Window", PACKETS, 0.0, nice_ceiling(highest * 1.02))
        panels = paper.column(runs, frame.time_axis(runs), up)
        for panel, run in zip(panels, runs, strict=True):
            panel.shade(run.warmup_s, "warm-up")
            _lines(panel, run, chosen[run.name])
        return panels

    legend = [*keys, *([Key("ssthresh", "ssthresh", "faint")] if threshold else [])]
    return Figure("cwnd", title, caption, legend, draw)


def _with_window(run: Run) -> list[Trace]:
    traces = [t for t in run.flow_traces(run.shown_replication) if t.first_with_data("cwnd_packets") is not None]
    return frame.a_few(traces, MOST_FLOWS)


def _lines(panel: Panel, run: Run, traces: Sequence[Trace]) -> None:
    looks = frame.flow_looks(run, traces)
    for trace, look in zip(traces, looks, strict=True):
        threshold = trace.columns.get("ssthresh_packets")
        if threshold is not None:
            # An initial threshold without limit would lie far above the paper.
            inside = np.where(threshold <= panel.y.high, threshold, np.nan)
            panel.line("ssthresh", trace.time, inside, look, kind="faint")
    for trace, look in zip(traces, looks, strict=True):
        panel.line(f"{run.name}/{trace.name}", trace.time, trace.columns["cwnd_packets"], look)


MOST_FLOWS = 6
