# SPDX-License-Identifier: Apache-2.0
"""Throughput against one-way delay, on the axes that Pantheon made familiar.

Source: F. Y. Yan et al., "Pantheon: the training ground for Internet congestion-control research",
USENIX ATC 2018, figure 3: the delay axis is logarithmic and runs backwards, so that better is up and
to the right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrows.drawing.figure import Figure, Key, Paper
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import BITS_PER_SECOND, SECONDS, nice_ceiling, quantity
from narrows.report.run.figures import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.drawing.style import Style
    from narrows.report.run.data import Measure, Run


@dataclass(frozen=True)
class _Cloud:
    """A flow group's points: one (number, delay in seconds, rate in bit/s) per replication, and the means."""

    key: str
    label: str
    style: Style
    points: Sequence[tuple[int, float, float]]
    delay: Measure
    rate: Measure

    def describe(self, delay: float, rate: float) -> str:
        return f"{self.label}: {quantity(rate, BITS_PER_SECOND)}, {quantity(delay, SECONDS)}"


def figure(runs: Sequence[Run]) -> Figure:
    """Draw throughput against one-way delay per run and group: a point per replication, and the mean with intervals."""
    title = "Throughput against delay"
    clouds = _clouds(runs)
    if not clouds:
        return Figure("tradeoff", title, (), absent="This run recorded no one-way delays.")
    caption = [
        (
            "Goodput of a group's flows together against the 95th percentile of its packets' one-way delay. "
            "The delay axis is logarithmic and runs backwards: better is up and to the right."
        ),
        "Small marks are replications; the large one is their mean. An interval with an arrow goes on."
        if runs[0].replications > 1
        else "",
        frame.intervals(runs, (each for cloud in clouds for each in (cloud.delay, cloud.rate))),
        frame.pooled(runs),
    ]

    def draw(paper: Paper) -> Sequence[Panel]:
        logs = [math.log(end) for cloud in clouds for end in cloud.delay.interval or () if end > 0]
        # A delay of nothing has no place on a logarithmic axis.
        delays = [delay for cloud in clouds for _, delay, _ in cloud.points if delay > 0] or [1.0]
        rates = [rate for cloud in clouds for _, _, rate in cloud.points]
        (panel,) = paper.column(
            [""],
            _across(_with_ends([math.log(each) for each in delays], logs)),
            _up(_with_ends(rates, [end for cloud in clouds for end in cloud.rate.interval or ()])),
        )
        panel.hint("better ↗")
        for cloud in clouds:
            _paint(panel, cloud)
        return [panel]

    return Figure("tradeoff", title, caption, [Key(c.key, c.label, "dot", c.style) for c in clouds], draw)


def _with_ends(values: Sequence[float], ends: Sequence[float]) -> tuple[float, float]:
    """Return the range of the values and of the ends of their intervals, as far as those do not hide the values."""
    low, high = min(values), max(values)
    beyond = _FAR * (high - low)
    return max(min([low, *ends]), low - beyond), min(max([high, *ends]), high + beyond)


def _across(logarithms: tuple[float, float]) -> Axis:
    """Return the axis of delays, with a margin of part of their range, and a range of at least a few per cent."""
    low, high = map(math.exp, logarithms)
    margin = max((high / low) ** 0.15, 1 + _LEAST)
    return Axis("95th-percentile one-way delay", SECONDS, low / margin, high * margin, log=True, inverted=True)


def _up(rates: tuple[float, float]) -> Axis:
    """Return the axis of rates: from zero, unless that would leave most of the panel empty."""
    low, high = rates
    if low < _NEAR * high:
        return Axis("Goodput", BITS_PER_SECOND, 0.0, nice_ceiling(high * 1.05))
    margin = max(0.15 * (high - low), _LEAST * high)
    return Axis("Goodput", BITS_PER_SECOND, low - margin, high + margin)


def _paint(panel: Panel, cloud: _Cloud) -> None:
    if len(cloud.points) == 1:
        ((_, delay, rate),) = cloud.points
        panel.point(cloud.key, (delay, rate), cloud.style, cloud.describe(delay, rate))
        return
    for number, delay, rate in cloud.points:
        text = f"{cloud.describe(delay, rate)} (replication {number + 1})"
        panel.point(cloud.key, (delay, rate), cloud.style, text, of_many=True)
    middle = (cloud.delay.mean or 0.0, cloud.rate.mean or 0.0)
    if cloud.delay.interval and cloud.rate.interval:
        panel.whiskers(cloud.key, middle, cloud.delay.interval, cloud.rate.interval, cloud.style)
    panel.point(cloud.key, middle, cloud.style, f"{cloud.describe(*middle)} (mean)")


def _clouds(runs: Sequence[Run]) -> list[_Cloud]:
    clouds = []
    for run in runs:
        for place, (group, measures) in enumerate(run.groups.items()):
            delays, rates = run.values(group, _DELAY), run.values(group, _RATE)
            points = [(number, delay, rates[number]) for number, delay in delays.items() if number in rates]
            if points:
                style = frame.group_style(runs, run, place)
                label = frame.flow_label(runs, run, group)
                key = f"{run.name}/{group}"
                clouds.append(_Cloud(key, label, style, points, measures[_DELAY], measures[_RATE]))
    return clouds


# Rates that differ by less than this part of the greatest have an axis of their own.
_NEAR = 0.6
# How far beyond all values the end of an interval is shown, as part of their range.
_FAR = 1.0
# Room above and below rates that are alike, as part of them.
_LEAST = 0.01
_DELAY = "delay_p95_s"
_RATE = "goodput_bps"
