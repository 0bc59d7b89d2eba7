"""Throughput against one-way delay, on the axes that Pantheon made familiar.

Source: F. Y. Yan et al., "Pantheon: the training ground for Internet congestion-control research",
USENIX ATC 2018, figure 3: the delay axis is logarithmic and runs backwards, so that better is up and
to the right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from narrows.report.drawing.figure import Figure, Key
from narrows.report.drawing.plot import Axis
from narrows.report.drawing.scale import BITS_PER_SECOND, SECONDS, nice_ceiling, quantity
from narrows.report.run.figures import frame
from narrows.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.drawing.figure import Paper
    from narrows.report.drawing.plot import Panel
    from narrows.report.drawing.style import Style
    from narrows.report.run.data import Histogram, Run


@dataclass(frozen=True)
class _Cloud:
    """A flow group's points: one (delay in seconds, rate in bit/s) per replication."""

    key: str
    label: str
    style: Style
    points: Sequence[tuple[float, float]]

    def describe(self, delay: float, rate: float) -> str:
        return f"{self.label}: {quantity(rate, BITS_PER_SECOND)}, {quantity(delay, SECONDS)}"


def figure(runs: Sequence[Run]) -> Figure:
    """Draw throughput against one-way delay, per run and group: a point per replication, and the mean with intervals."""
    title = "Throughput against delay"
    clouds = _clouds(runs)
    if not clouds:
        return Figure("tradeoff", title, (), absent="This run recorded no one-way delays.")
    caption = [
        (
            "Goodput of a group's flows together against the 95th percentile of its packets' one-way delay. "
            "The delay axis is logarithmic and runs backwards: better is up and to the right."
        ),
        "Small marks are replications; the large one is their mean, with 95 % intervals."
        if runs[0].replications > 1
        else "",
        frame.pooled(runs),
    ]

    def draw(paper: Paper) -> Sequence[Panel]:
        delays = [delay for cloud in clouds for delay, _ in cloud.points]
        highest = max(rate for cloud in clouds for _, rate in cloud.points)
        across = Axis(
            "95th-percentile one-way delay", SECONDS, min(delays) / 1.25, max(delays) * 1.25, log=True, inverted=True
        )
        (panel,) = paper.column([""], across, Axis("Goodput", BITS_PER_SECOND, 0.0, nice_ceiling(highest * 1.05)))
        panel.hint("better ↗")
        for cloud in clouds:
            _paint(panel, cloud)
        return [panel]

    return Figure("tradeoff", title, caption, [Key(c.key, c.label, "dot", c.style) for c in clouds], draw)


def _paint(panel: Panel, cloud: _Cloud) -> None:
    if len(cloud.points) == 1:
        panel.point(cloud.key, cloud.points[0], cloud.style, cloud.describe(*cloud.points[0]))
        return
    for place, point in enumerate(cloud.points, start=1):
        panel.point(cloud.key, point, cloud.style, f"{cloud.describe(*point)} (replication {place})", of_many=True)
    delay, rate = (_interval(values) for values in zip(*cloud.points, strict=True))
    middle = (sum(delay) / 2, sum(rate) / 2)
    panel.whiskers(cloud.key, delay, rate, cloud.style)
    panel.point(cloud.key, middle, cloud.style, f"{cloud.describe(*middle)} (mean)")


def _interval(values: Sequence[float]) -> tuple[float, float]:
    interval = estimate(values)["ci95"]
    return (interval[0], interval[1]) if interval else (values[0], values[0])


def _clouds(runs: Sequence[Run]) -> list[_Cloud]:
    clouds = []
    for run in runs:
        for place, group in enumerate(run.groups):
            points = [
                (_percentile(histogram, 0.95), _goodput(run, group, replication))
                for replication in run.replication_numbers
                if (histogram := run.histogram(group, "delay_s", replication)) is not None
            ]
            if points:
                style = frame.group_style(runs, run, place)
                clouds.append(_Cloud(f"{run.name}/{group}", frame.flow_label(runs, run, group), style, points))
    return clouds


def _goodput(run: Run, group: str, replication: int) -> float:
    rows = run.flow_rows
    chosen = (rows["group"] == group) & (rows["replication"] == replication)
    return float(np.nansum(rows["goodput_bps"][chosen]))


def _percentile(histogram: Histogram, part: float) -> float:
    cumulated = np.cumsum(histogram.packets)
    return float(histogram.values[np.searchsorted(cumulated, part * cumulated[-1])])
