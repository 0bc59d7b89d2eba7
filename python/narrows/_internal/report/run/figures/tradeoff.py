# SPDX-License-Identifier: Apache-2.0
"""Throughput against one-way delay, on the axes that Pantheon made familiar.

Source: F. Y. Yan et al., "Pantheon: the training ground for Internet congestion-control research",
USENIX ATC 2018, figure 3: the delay axis is logarithmic and runs backwards, so that better is up and
to the right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from narrows._internal.drawing.figure import Figure, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import BITS_PER_SECOND, SECONDS, nice_ceiling, quantity
from narrows._internal.frozen import frozen
from narrows._internal.report.run.data import Measure, Run
from narrows._internal.report.run.figures import frame


@frozen
class _Cloud:
    """A flow group's points: one (number, delay in seconds, rate in bit/s) per replication, and the means."""

    entry: frame.Entry
    points: Sequence[tuple[int, float, float]]
    delay: Measure
    rate: Measure

    def describe(self, delay: float, rate: float) -> str:
        name = self.entry.run.name if self.entry.key in {frame.OWN, frame.OTHERS} else self.entry.key
        return f"{name}: {quantity(rate, BITS_PER_SECOND)}, {quantity(delay, SECONDS)}"


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
        frame.left_out(runs, [cloud.entry for cloud in clouds], _has),
        frame.pooled(runs),
    ]

    def draw(paper: Paper) -> Sequence[Panel]:
        titles = list(dict.fromkeys(cloud.entry.panel for cloud in clouds))
        logs = [math.log(end) for cloud in clouds for end in cloud.delay.interval or () if end > 0]
        # A delay of nothing has no place on a logarithmic axis.
        delays = [delay for cloud in clouds for _, delay, _ in cloud.points if delay > 0] or [1.0]
        ups = []
        for title in titles:
            own = [cloud for cloud in clouds if cloud.entry.panel == title]
            rates = [rate for cloud in own for _, _, rate in cloud.points]
            ups.append(_up(_with_ends(rates, [end for cloud in own for end in cloud.rate.interval or ()])))
        across = _across(_with_ends([math.log(each) for each in delays], logs))
        panels = paper.column(titles, frame.together(across, titles, "tradeoff"), ups)
        panels[0].hint("better ↗")
        for cloud in clouds:
            _paint(panels[titles.index(cloud.entry.panel)], cloud)
        return panels

    return Figure("tradeoff", title, caption, frame.legend([each.entry for each in clouds], "dot"), draw)


def _with_ends(values: Sequence[float], ends: Sequence[float]) -> tuple[float, float]:
    """Return the range of the values and of the ends of their intervals, as far as these do not hide the values."""
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
    if cloud.entry.key == frame.OTHERS:
        middle = (cloud.delay.mean or 0.0, cloud.rate.mean or 0.0)
        panel.point(cloud.entry.key, middle, cloud.entry.style, f"{cloud.describe(*middle)} (mean)", of_many=True)
        return
    if len(cloud.points) == 1:
        ((_, delay, rate),) = cloud.points
        panel.point(cloud.entry.key, (delay, rate), cloud.entry.style, cloud.describe(delay, rate))
        return
    for number, delay, rate in cloud.points:
        text = f"{cloud.describe(delay, rate)} (replication {number + 1})"
        panel.point(cloud.entry.key, (delay, rate), cloud.entry.style, text, of_many=True)
    middle = (cloud.delay.mean or 0.0, cloud.rate.mean or 0.0)
    if cloud.delay.interval and cloud.rate.interval:
        panel.whiskers(cloud.entry.key, middle, cloud.delay.interval, cloud.rate.interval, cloud.entry.style)
    panel.point(cloud.entry.key, middle, cloud.entry.style, f"{cloud.describe(*middle)} (mean)")


def _clouds(runs: Sequence[Run]) -> list[_Cloud]:
    return [
        _Cloud(each, _points(each.run, each.group), measures[_DELAY], measures[_RATE])
        for each in frame.entries(runs, _has)
        for measures in [each.run.groups[each.group]]
    ]


def _has(run: Run, group: str) -> bool:
    return bool(_points(run, group))


def _points(run: Run, group: str) -> list[tuple[int, float, float]]:
    delays, rates = run.values(group, _DELAY), run.values(group, _RATE)
    return [(number, delay, rates[number]) for number, delay in delays.items() if number in rates]


# Rates that differ by less than this part of the greatest have an axis of their own.
_NEAR = 0.6
# How far beyond all values the end of an interval is shown, as part of their range.
_FAR = 1.0
# Room above and below rates that are alike, as part of them.
_LEAST = 0.01
_DELAY = "delay_p95_s"
_RATE = "goodput_bps"
