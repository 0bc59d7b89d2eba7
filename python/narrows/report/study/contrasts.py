# SPDX-License-Identifier: Apache-2.0
"""Effects of a two-level design: both ends of each, their sizes, the residual deviation, two of them at once.

Sources: NIST/SEMATECH e-Handbook of Statistical Methods, 5.5.9.6 (Youden plot), 5.5.9.7 (plot of sizes), 5.5.9.9
(cumulative residual standard deviation) and 5.5.9.10 (contours).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from narrows.drawing.figure import Figure, Key, Paper
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import MINUS, linear_ticks, quantity
from narrows.drawing.style import Style
from narrows.drawing.svg import FloatArray
from narrows.report.study.rows import around, response_meaning, rows_panel, stacked_panels

if TYPE_CHECKING:
    from narrows.analysis.effects import Effect, Lenth


def youden(response: str, effects: Sequence[Effect], grand: float, limits: Lenth) -> Figure:
    """Draw the Youden plot: for each effect, the mean at the high level against the mean at the low level."""
    shown = response_meaning(response)
    ends = [(grand - effect.value / 2, grand + effect.value / 2) for effect in effects]

    def draw(paper: Paper) -> Sequence[Panel]:
        both = [value for pair in ends for value in pair]
        across, up = (around(f"{shown.title} at {end}", shown.unit, both, 0.15) for end in ("low", "high"))
        (panel,) = stacked_panels(replace(paper, low=paper.tall), [(across, up, "")])
        edge = np.array([across.low, across.high])
        panel.line("equal", edge, edge, _JOINT, kind="faint")
        for effect, (low, high), active in zip(effects, ends, limits.active, strict=True):
            text = f"{effect.name}: {quantity(low, shown.unit)} at low, {quantity(high, shown.unit)} at high"
            panel.point(*(("active", (low, high), _ACTIVE) if active else ("noise", (low, high), _LOOK)), text,
                        of_many=not active)  # fmt: skip
            if active:
                panel.word("active", (low, high), effect.name, side=1 if high > grand else -1)
        return [panel]

    caption = (
        "An effect that does nothing lies where the line of equal means and the mean of all meet.",
        "The farther from there, the more it moves the response; above the line high is more, below it less.",
    )
    keys = [*_KEYS, Key("equal", "equal means", "faint", _JOINT)]
    return Figure("youden", f"{shown.title} at both ends of each effect", caption, keys, draw)


def sizes(response: str, effects: Sequence[Effect], limits: Lenth) -> Figure:
    """Draw the magnitude of each effect, the largest on top, with Lenth's margins."""
    shown = response_meaning(response)
    order = sorted(range(len(effects)), key=lambda place: -abs(effects[place].value))[:_MOST]
    names = [", ".join((effects[place].name, *effects[place].aliases)) for place in order]

    def draw(paper: Paper) -> Sequence[Panel]:
        end = max(abs(effects[order[0]].value), limits.margin) * 1.2 or 1.0
        panel = rows_panel(paper, Axis(f"|Effect| on {shown.label}", shown.unit, 0.0, end), "", names, row=22.0)
        panel.guide(limits.margin, "ME", above=True)
        for row, place in enumerate(order):
            effect, active = effects[place], limits.active[place]
            key, style = ("active", _ACTIVE) if active else ("noise", _LOOK)
            panel.line(key, np.array([0.0, abs(effect.value)]), np.full(2, float(row)), style)
            relative = "" if effect.relative is None else f", {100 * effect.relative:+.1f} % of the mean"
            sign = f"{names[row]}: {quantity(effect.value, shown.unit, sign=True)}{relative}"
            panel.point(key, (abs(effect.value), row), style, sign)
            panel.word(key, (abs(effect.value), row), "+" if effect.value > 0 else MINUS)
        return [panel]

    left = len(effects) - len(order)
    caption = (
        "Mean at the high level less mean at the low one: its size, and its sign at the end.",
        "Names after a comma are effects that the design cannot distinguish from the first.",
        f"The {left} smallest are left out." if left else "",
    )
    return Figure("sizes", f"Sizes of the effects on {shown.label}", caption, _KEYS, draw)


def left_over(response: str, effects: Sequence[Effect], deviations: FloatArray) -> Figure:
    """Draw the residual standard deviation of models as effects are added."""
    shown = response_meaning(response)
    order = sorted(range(len(effects)), key=lambda place: -abs(effects[place].value))
    names = ["mean alone", *(f"+ {effects[place].name}" for place in order)][: min(len(deviations), _MOST + 1)]

    def draw(paper: Paper) -> Sequence[Panel]:
        across = Axis("Residual standard deviation", shown.unit, 0.0, float(deviations.max()) * 1.12 or 1.0)
        panel = rows_panel(paper, across, "", names, row=22.0)
        values = deviations[: len(names)]
        panel.line("left", values, np.arange(len(values), dtype=np.float64), _LOOK)
        for row, value in enumerate(values.tolist()):
            panel.point("left", (value, row), _LOOK, f"{names[row]}: {quantity(value, shown.unit)} left")
        return [panel]

    caption = (
        "Effects enter the model by size; a mark is what spread of the response the model then leaves.",
        "Where the line stops falling to the left, further effects explain nothing.",
    )
    return Figure("residual", f"What is left of {shown.label} as effects are taken in", caption, (), draw)


def contours(response: str, pair: tuple[Effect, Effect], together: float, grand: float,
             levels: Mapping[str, tuple[str, str]]) -> Figure:  # fmt: skip
    """Draw lines of equal response over the two factors that move it most, all others at their mean."""
    shown = response_meaning(response)
    (one,), (other,) = (effect.factors for effect in pair)
    a, b, c = pair[0].value / 2, pair[1].value / 2, together / 2
    corners = [grand + a * x + b * y + c * x * y for x in (-1, 1) for y in (-1, 1)]

    def draw(paper: Paper) -> Sequence[Panel]:
        across, up = (Axis.of_names(factor, levels[factor]) for factor in (one, other))
        (panel,) = stacked_panels(replace(paper, low=paper.tall), [(across, up, "")])
        # The first factor moves the response more, so that each line has one place on its axis for each of the other.
        y = np.linspace(-_BEYOND, _BEYOND, 201)
        for value in linear_ticks(min(corners), max(corners), 7):
            with np.errstate(divide="ignore", invalid="ignore"):
                x = (value - grand - b * y) / (a + c * y)
            _contour(panel, x, y, quantity(value, shown.unit))
        for place, corner in enumerate(corners):
            at = (place // 2, place % 2)
            text = f"{one} = {levels[one][at[0]]}, {other} = {levels[other][at[1]]}: {quantity(corner, shown.unit)}"
            panel.point("corners", at, _ACTIVE, text)
        return [panel]

    caption = (
        f"Lines of equal {shown.label} by the model of {one}, {other} and their interaction.",
        "All other factors are at their mean.",
        "Marks are the four corners; between them the model interpolates: curved lines are the interaction.",
    )
    return Figure("contours", f"{shown.title} over {one} and {other}", caption, (), draw)


def _contour(panel: Panel, x: FloatArray, y: FloatArray, text: str) -> None:
    """Draw one line in coded units, whose ends -1 and 1 are the places 0 and 1, and name its middle."""
    inside = np.flatnonzero(np.abs(x) <= _BEYOND)
    for run in np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1):
        if len(run) > 1:
            across, up = (x[run] + 1) / 2, (y[run] + 1) / 2
            panel.line("contour", across, up, _LOOK)
            middle = len(run) // 2
            panel.word("contour", (float(across[middle]), float(up[middle])), text, side=1)


_LOOK = Style(0, 0, 0)
_ACTIVE = Style(1, 0, 2)
_JOINT = Style(7, 0, 0)
_KEYS = (Key("active", "beyond ME", "dot", _ACTIVE), Key("noise", "within ME", "dot", _LOOK))
# Rows that a figure shows at most; how far beyond the coded levels contours go.
_MOST = 24
_BEYOND = 1.3
