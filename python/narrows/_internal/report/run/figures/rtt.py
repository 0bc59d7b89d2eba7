# SPDX-License-Identifier: Apache-2.0
"""The distribution of round-trip times."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from narrows._internal.drawing.figure import Figure, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import PERCENT, SECONDS, nice_step
from narrows._internal.report.run.data import Histogram, Run
from narrows._internal.report.run.figures import frame


def figure(runs: Sequence[Run]) -> Figure:
    """Draw the distribution function of round-trip times, a curve per run and a panel per group."""
    title = "Round-trip times"
    curves = _curves(runs)
    if not curves:
        return Figure("rtt", title, (), absent="This run recorded no round-trip times.")
    caption = [
        (
            "Cumulative distribution: how many of the round-trip times measured were at most this long; "
            "further left is better. Values are recorded to about 1 %; the axis ends at the 99.9th percentile."
        ),
        frame.left_out(runs, [each for each, _ in curves], _has),
        frame.pooled(runs),
    ]
    keys = frame.legend([each for each, _ in curves], "line")

    def draw(paper: Paper) -> Sequence[Panel]:
        across = _across([histogram for _, histogram in curves])
        titles = list(dict.fromkeys(each.panel for each, _ in curves))
        panels = paper.column(
            titles, frame.together(across, titles, "rtt"), Axis("Share of packets", PERCENT, 0.0, 1.0)
        )
        for each, histogram in curves:
            share = np.cumsum(histogram.packets) / histogram.packets.sum()
            first, panel = histogram.values[0], panels[titles.index(each.panel)]
            if each.key == frame.OTHERS:
                panel.line(each.key, histogram.values, share, each.style, kind="behind")
                continue
            panel.steps(
                each.key,
                np.r_[first, histogram.values, max(across.high, histogram.values[-1])],
                np.r_[0.0, share, 1.0],
                each.style,
            )
        return panels

    return Figure("rtt", title, caption, keys, draw)


def _has(run: Run, group: str) -> bool:
    return run.histogram(group, "rtt_s") is not None


def _curves(runs: Sequence[Run]) -> list[tuple[frame.Entry, Histogram]]:
    entries = frame.entries(runs, _has)
    found = ((each, each.run.histogram(each.group, "rtt_s")) for each in entries)
    return [(each, histogram) for each, histogram in found if histogram is not None]


def _across(histograms: Sequence[Histogram]) -> Axis:
    low = min(float(each.values[0]) for each in histograms)
    high = max(_quantile(each, _SHOWN) for each in histograms)
    if high > _WIDE * low:
        return Axis("Round-trip time", SECONDS, low * 0.95, high * 1.05, log=True)
    step = nice_step((high - low) / 8 + low / 100)
    return Axis("Round-trip time", SECONDS, math.floor(low / step) * step, math.ceil(high / step) * step)


def _quantile(histogram: Histogram, part: float) -> float:
    counts = np.cumsum(histogram.packets)
    return float(histogram.values[np.searchsorted(counts, part * counts[-1])])


# The axis ends at this percentile of the curve that goes farthest: a few outliers would take most of it.
_SHOWN = 0.999
# From this ratio of the longest to the shortest on, the axis is logarithmic.
_WIDE = 10.0
