# SPDX-License-Identifier: Apache-2.0
"""Marks in the window figure: why each window was reduced, and where packets were lost.

The marks come from the table `events` of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from narrows._internal.drawing.figure import Key
from narrows._internal.drawing.plot import Panel
from narrows._internal.drawing.style import Style
from narrows._internal.frozen import frozen
from narrows._internal.report.run.data import Run, Trace


@frozen
class Mark:
    """A reduction of a window, a timeout, or the end of slow start without a loss."""

    time_s: float  # time of the run, seconds
    cause: str  # one of `CAUSES`
    before: float  # congestion window before, packets
    after: float  # congestion window after, packets
    ssthresh: float  # slow-start threshold after, packets; NaN for an algorithm without one

    @property
    def depth(self) -> float:
        """Share of the window that it took; 0 if it took nothing."""
        return max(0.0, 1.0 - self.after / self.before) if self.before > 0 else 0.0

    def read(self, flow: str) -> str:
        """Return the text of its tooltip."""
        windows = f"{self.before:.4g} \N{RIGHTWARDS ARROW} {self.after:.4g} packets"
        threshold = f", ssthresh {self.ssthresh:.4g}" if np.isfinite(self.ssthresh) else ""
        return f"{flow}, {self.time_s:.3f} s: {CAUSES[self.cause].label}, {windows}{threshold}"


@frozen
class Cause:
    """The presentation of a cause of reductions: the text in the legend, and the index of its marker."""

    label: str
    marker: int


def of_flows(run: Run, traces: Sequence[Trace]) -> tuple[dict[str, list[Mark]], int]:
    """Return the marks of some flows by their names, and the number of marks that were left out."""
    marks = {trace.name: _marks(run.flow_events(trace.name)) for trace in traces}
    depths = sorted((mark.depth for own in marks.values() for mark in own if mark.cause in MINOR), reverse=True)
    if len(depths) <= MOST_MINOR:
        return marks, 0
    least = depths[MOST_MINOR]
    kept = {
        name: [mark for mark in own if mark.cause not in MINOR or mark.depth > least] for name, own in marks.items()
    }
    return kept, sum(map(len, marks.values())) - sum(map(len, kept.values()))


def draw(panel: Panel, run: Run, marks: Mapping[str, Sequence[Mark]], styles: Mapping[str, Style]) -> None:
    """Draw the marks of flows at their windows, and their lost packets at the foot of the panel."""
    for name, own in marks.items():
        size = panel.room([mark.time_s for mark in own])
        for mark in own:
            shape = replace(styles[name], marker=CAUSES[mark.cause].marker)
            panel.event(_series(mark.cause), (mark.time_s, mark.before), shape, mark.read(name), size=size)
    lost = [_losses(run.flow_events(name)) for name in marks]
    if any(map(len, lost)):
        panel.rug(LOSSES, np.concatenate(lost), 0, "drops")


def keys(run_marks: Sequence[tuple[Run, Mapping[str, Sequence[Mark]]]]) -> list[Key]:
    """Return the entries of the legend: a cause each, and the lost packets."""
    found = {mark.cause for _, marks in run_marks for own in marks.values() for mark in own}
    entries = [
        Key(_series(cause), shown.label, "event", Style(0, 0, shown.marker))
        for cause, shown in CAUSES.items()
        if cause in found
    ]
    lost = any(len(_losses(run.flow_events(name))) for run, marks in run_marks for name in marks)
    return [*entries, *([Key(LOSSES, "packets lost", "drop")] if lost else [])]


def caption(runs: Sequence[Run], left_out: int) -> list[str]:
    """Return the sentences of the caption on the marks."""
    if not all(run.has_events for run in runs):
        return ["Why windows fell is recorded with `record.events = true`."]
    sentences = ["A mark shows the window when it was reduced or a loss episode began, and why."]
    if left_out:
        sentences.append(f"{left_out} smaller reductions by the algorithms' own rules are not marked.")
    full = next((check.detail for run in runs for check in run.checks if check.name == "event log complete"), "")
    return [*sentences, *([f"The log of events is not complete: {full}."] if full else [])]


def _marks(events: Mapping[str, np.ndarray]) -> list[Mark]:
    marks = []
    rows = zip(*(events[name] for name in COLUMNS), strict=True) if events else ()
    for time_s, event, rule, before, after, ssthresh in rows:
        cause = _cause(event, rule)
        if cause and np.isfinite(before):
            marks.append(Mark(float(time_s), cause, float(before), float(after), float(ssthresh)))
    return marks


def _cause(event: str, rule: str) -> str:
    """Return the cause of an event; empty if it is not marked."""
    if event == "timeout" and not rule:
        return "timeout"
    if event == "state" and rule:
        return "slow-start"
    # A timeout that reduces the window is marked as a timeout.
    if event == "idle-restart":
        return "idle"
    return rule if event == "reduction" and rule != "timeout" and rule in CAUSES else ""


def _losses(events: Mapping[str, np.ndarray]) -> np.ndarray:
    if not events:
        return np.empty(0)
    lost: np.ndarray = events["time_s"][np.isin(events["event"], ("dropped", "lost"))]
    return lost


def _series(cause: str) -> str:
    return f"reduction/{cause}"


COLUMNS = ("time_s", "event", "rule", "cwnd_before_packets", "cwnd_packets", "ssthresh_packets")
CAUSES = {
    "duplicate-acks": Cause("fast retransmit: three duplicate ACKs", 4),
    "sack": Cause("fast retransmit: SACK (RFC 6675)", 4),
    "rack": Cause("fast retransmit: RACK (RFC 8985)", 4),
    "probe": Cause("loss repaired by a tail loss probe", 1),
    "timeout": Cause("retransmission timeout", 5),
    "mark": Cause("ECN mark", 2),
    "later-echoes": Cause("loss: three later packets echoed", 4),
    "report": Cause("loss event reported", 4),
    "stack": Cause("fast retransmit by the hosted stack", 4),
    "slow-start": Cause("slow start ended by HyStart", 3),
    "idle": Cause("idle restart", 1),
    "algorithm": Cause("the algorithm's own rule", 0),
}
MINOR = ("algorithm",)
MOST_MINOR = 200
LOSSES = "losses"
