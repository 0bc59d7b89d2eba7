# SPDX-License-Identifier: Apache-2.0
"""The queues of bottlenecks and access links over time, with a tick for dropped or marked packets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import PACKETS, SECONDS, nice_ceiling
from narrows._internal.report.run.data import Run, Trace
from narrows._internal.report.run.figures import frame


def figure(runs: Sequence[Run]) -> Figure:
    """Draw the queues of the bottlenecks, a panel per run and bottleneck."""
    views = [view for view in frame.views(runs, _with_queue) if view.link]
    links = list(dict.fromkeys(view.link for view in views if view.link))
    waits = [(run, group, wait) for run in runs for group in run.access_links
             if (wait := run.access_wait(run.shown_replication, group)) is not None]  # fmt: skip
    title = "Queue at the bottleneck" if len(links) <= 1 and not waits else "Queues of the links"
    if {view.run.name for view in views} != {run.name for run in runs}:
        return Figure("queue", title, (), absent="The packets of no group share a link, so there is no bottleneck.")
    traces = [trace for view in views if (trace := _trace(view)) is not None]
    if len(traces) < len(views):
        return Figure("queue", title, (), absent="This run recorded no queue over time.")
    # A panel is one link of one run, so that it needs no colour; a colour would denote a flow.
    style = frame.PLAIN
    drops = any(_happened(trace, "dropped_packets") for trace in traces)
    marks = any(_happened(trace, "marked_packets") for trace in traces)
    events = ", or ".join(word for word, found in (("dropped or lost", drops), ("marked", marks)) if found)
    caption = [
        f"Packets that wait at {_named(links)}, averaged over {frame.every(frame.interval_of(traces[0]))}.",
        f"A tick at the foot marks an interval in which packets were {events}."
        if events
        else "No packet was dropped or marked.",
        _AT_ACCESS if waits else "",
        frame.shown(runs),
    ]
    keys = [Key("queue", "queue", "line", style)]
    keys += [Key("drops", "drops", "drop")] if drops else []
    keys += [Key("marks", "marks", "mark")] if marks else []
    keys += frame.warm_up(runs)

    highest = {
        view.title: float(np.nanmax(trace.columns["queue_packets"])) for view, trace in zip(views, traces, strict=True)
    }
    tops = frame.alike(highest)

    named = [view.title or str(view.link) if waits else view.title for view in views]
    named += [(f"{run.name}: " if len(runs) > 1 else "") + f"access links of {group}" for run, group, _ in waits]

    def draw(paper: Paper) -> Sequence[Panel]:
        ups = [Axis("Queue", PACKETS, 0.0, nice_ceiling(tops[view.title] * 1.02)) for view in views]
        ups += [Axis("Delay", SECONDS, 0.0, nice_ceiling(float(delay.max()) * 1.02, 10)) for *_, (_, delay) in waits]
        panels = paper.column(named, frame.time_axis(runs), ups)
        frame.shade(panels, [*(view.run for view in views), *(run for run, *_ in waits)])
        for panel, (*_, (time, delay)) in zip(panels[len(views) :], waits, strict=True):
            panel.line("queue", time, delay, style)
        for panel, trace in zip(panels, traces, strict=False):
            panel.line("queue", trace.time, trace.columns["queue_packets"], style)
            for row, (key, column) in enumerate((("drops", "dropped_packets"), ("marks", "marked_packets"))):
                if _happened(trace, column):
                    panel.rug(key, trace.time[trace.columns[column] > 0], row, key)
        return panels

    return Figure("queue", title, caption, keys, draw)


def _with_queue(run: Run) -> Sequence[str]:
    """Return the bottlenecks, then the other links that dropped, marked or delayed packets and were recorded."""
    others = [
        link
        for link, measures in run.links.items()
        if link not in run.shared_links
        and any((each := measures.get(name)) and (each.mean or 0.0) > least for name, least in _QUEUES)
        and run.link_trace(run.shown_replication, link) is not None
    ]
    return [*run.shared_links, *others[:_MOST]]


def _named(links: Sequence[str]) -> str:
    return f"link {links[0]}" if len(links) == 1 else f"links {' and '.join(links)}"


def _trace(view: frame.View) -> Trace | None:
    trace = view.run.link_trace(view.run.shown_replication, view.link) if view.link else None
    return trace if trace is not None and trace.first_with_data("queue_packets") is not None else None


def _happened(trace: Trace, column: str) -> bool:
    return column in trace.columns and bool((trace.columns[column] > 0).any())


# The queue of a link is shown if one of these exceeds its limit.
_QUEUES = (("loss_rate", 0.0), ("mark_rate", 0.0), ("queue_delay_p95_s", 1e-3))
_MOST = 3
_AT_ACCESS = (
    "Access links, where packets of a group wait longer than at its bottleneck: the mean time that they wait there, "
    "in an unlimited FIFO, by the time at which they come to it."
)
