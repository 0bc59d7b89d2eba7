# SPDX-License-Identifier: Apache-2.0
"""Calls, games and videos over time, as their users perceive them: delay of frames, bit rate, what came too late."""

from __future__ import annotations

from collections.abc import Sequence

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import BITS_PER_SECOND, SECONDS, nice_ceiling
from narrows._internal.drawing.svg import FloatArray
from narrows._internal.frozen import frozen
from narrows._internal.report.run.data import Run, Trace
from narrows._internal.report.run.figures import frame
from narrows._internal.report.run.reading import client_traces


@frozen
class _Course:
    """A quantity of the first client of an application, in each run that recorded it: the content of a panel."""

    column: str
    title: str
    lines: Sequence[tuple[Run, Trace]]


def is_drawn(runs: Sequence[Run]) -> bool:
    """Return whether there is a figure: a run records a call, a game or a video, and a legend has room for the runs."""
    return len(runs) <= frame.MOST_ENTRIES and bool(_courses(runs))


def figure(runs: Sequence[Run]) -> Figure:
    """Draw the quantities that a user perceives, a small panel per application and quantity, a line per run."""
    courses = _courses(runs)
    left, alone, styles = len(courses) - MOST, len(runs) == 1, frame.of_groups(runs[0])
    courses = courses[:MOST]
    # Ticks of several runs would hide one another.
    ticks = [
        each for each in TICKS if alone and any(_at(trace, each[1]).size for of in courses for _, trace in of.lines)
    ]
    caption = [
        (
            "Of the first client of each application, in each interval: the longest delay of a frame, from its capture "
            "to its receipt; the bit rate at which it was encoded; and of a video the playback time in its buffer."
        ),
        "Ticks mark intervals in which frames were skipped or late, or a video stood still." if ticks else "",
        f"Not drawn are {left} more panels." if left > 0 else "",
        frame.LEAVES if any(run.warmup_s > 0 for run in runs) else "",
        frame.shown(runs),
    ]
    groups = dict.fromkeys(trace.group for of in courses for _, trace in of.lines)
    looks = {name: styles[name] for name in groups} if alone else {run.name: run.style for run in runs}
    keys = [Key(name, name, "line", style) for name, style in looks.items()]
    keys += [Key(key, key, css.removesuffix("s")) for key, _, css in ticks]

    def draw(paper: Paper) -> Sequence[Panel]:
        panels = paper.column([of.title for of in courses], frame.time_axis(runs), [_axis(of) for of in courses])
        frame.shade(panels, [runs[0]] * len(panels))
        for panel, of in zip(panels, courses, strict=True):
            for run, trace in of.lines:
                key = trace.group if alone else run.name
                panel.line(key, trace.time, trace.columns[of.column], looks[key])
                for row, (name, column, css) in enumerate(ticks):
                    if of.column in MARKED:
                        panel.rug(name, _at(trace, column), row, css)
        return panels

    return Figure("clients", "Applications over time", caption, [*keys, *frame.warm_up(runs)], draw)


def _courses(runs: Sequence[Run]) -> list[_Course]:
    found: dict[tuple[int, str], list[tuple[Run, Trace]]] = {}
    for run in runs:
        for trace in client_traces(run):
            for column in SHOWN:
                if trace.first_with_data(column) is not None:
                    found.setdefault((list(run.groups).index(trace.group), column), []).append((run, trace))
    return [
        _Course(column, f"{' / '.join(dict.fromkeys(trace.name for _, trace in lines))}: {SHOWN[column][0]}", lines)
        for (_, column), lines in sorted(found.items(), key=lambda each: (each[0][0], list(SHOWN).index(each[0][1])))
    ]


def _axis(of: _Course) -> Axis:
    highest = max(frame.after_warmup(run, trace.time, trace.columns[of.column]) for run, trace in of.lines)
    return Axis("", SHOWN[of.column][1], 0.0, nice_ceiling(highest * 1.05 or 1.0))


def _at(trace: Trace, column: str) -> FloatArray:
    """Return the intervals in which something happened."""
    return trace.time[trace.columns[column] > 0]


# The quantities with their titles and units, and those in whose panels ticks stand.
SHOWN = {
    "frame_delay_max_s": ("longest delay of a frame", SECONDS),
    "buffer_s": ("video in its buffer", SECONDS),
    "bitrate_bps": ("bit rate", BITS_PER_SECOND),
}
MARKED = frozenset({"frame_delay_max_s", "buffer_s"})
# What ticks mark: its entry of the legend, its column, and the looks of its ticks.
TICKS = (
    ("frames skipped", "skipped_frames", "drops"),
    ("frames late", "late_frames", "marks"),
    ("video stands still", "stalled_s", "drops"),
)
MOST = 8
