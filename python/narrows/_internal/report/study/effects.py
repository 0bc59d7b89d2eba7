# SPDX-License-Identifier: Apache-2.0
"""Effects of factors: means by level and by pairs of levels, and the plots of effects of a two-level design.

Sources: NIST/SEMATECH e-Handbook of Statistical Methods, 5.5.9.3 (main effects), 5.5.9.4 (interactions), 5.5.9.6
(Youden plot), 5.5.9.7 (plot of sizes), 5.5.9.9 (cumulative residual standard deviation) and 5.5.9.10 (contours);
C. Daniel, Technometrics 1 (1959) 311 (half-normal plot); R. V. Lenth, Technometrics 31 (1989) 469 (its limits).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from narrows._internal.analysis.effects import Effect, Lenth, Mean, half_normal, named
from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.lettering import kept_inside, lanes
from narrows._internal.drawing.plot import LINE, Axis, Panel
from narrows._internal.drawing.scale import INDEX, MINUS, Unit, linear_ticks, quantity
from narrows._internal.drawing.style import HUES, Style, apart
from narrows._internal.drawing.svg import FloatArray
from narrows._internal.report.study.rows import around, response_meaning, rows_panel, stacked_panels


def main_effects(response: str, means: Mapping[str, Sequence[Mean]]) -> Figure:
    """Draw the mean at each level, a row per factor, the factor with the largest effect on top."""
    shown = response_meaning(response)
    factors = sorted(means, key=lambda factor: -float(np.ptp([mean.mean for mean in means[factor]])))
    values = [mean.mean for each in means.values() for mean in each]
    first = next(iter(means.values()))
    grand = sum(mean.mean * mean.cells for mean in first) / sum(mean.cells for mean in first)

    def draw(paper: Paper) -> Sequence[Panel]:
        across = around(shown.title, shown.unit, values, 0.25)
        lower = _level_places(rows_panel(paper, across, "", factors), means, factors)
        # A name is above the line of its row; a name that would cover it is below, then farther out on either side.
        most = max(abs(_line_of(lane)) for each in lower.values() for lane in each.values())
        panel = rows_panel(paper, across, "", factors, row=30.0 + 2 * most)
        panel.guide(grand, "mean of all", above=True)
        for row, factor in enumerate(factors):
            points = sorted((mean.mean, mean.levels[factor]) for mean in means[factor])
            ends = np.array([points[0][0], points[-1][0]])
            panel.line(factor, ends, np.full(2, float(row)), _LOOK)
            for value, level in points:
                text = f"{factor} = {level}: {quantity(value, shown.unit)}"
                panel.point(factor, (value, row), _LOOK, text)
                panel.word(factor, (value, row), level, side=0, lower=_line_of(lower[factor][level]))
        return [panel]

    caption = (
        f"Mean of {shown.label} at each level of a factor, over all cells with that level.",
        "The longer the bar, the more the factor matters by itself.",
    )
    return Figure("main-effects", f"Main effects on {shown.label}", caption, (), draw)


def _line_of(lane: int) -> float:
    """Return the drawing units by which a name in a lane is lower than one directly above its mark."""
    away = LINE * (lane // 2)
    return _BELOW + away if lane % 2 else -away


def _level_places(
    panel: Panel, means: Mapping[str, Sequence[Mean]], factors: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Return, by factor, the lane in which the name of each level stands, so that none covers another."""
    found = {}
    for factor in factors:
        points = sorted((mean.mean, mean.levels[factor]) for mean in means[factor])
        names = [level for _, level in points]
        edges = (panel.box.left, panel.box.right)
        centres = [kept_inside(panel.across.position(value), level, *edges) for value, level in points]
        found[factor] = dict(zip(names, lanes(centres, names), strict=True))
    return found


def interactions(response: str, pairs: Sequence[Sequence[Mean]]) -> Figure:
    """Draw a panel per pair of factors: the levels of the first across, a line per level of the second."""
    shown = response_meaning(response)
    values = [mean.mean for pair in pairs for mean in pair]
    up = around(shown.title, shown.unit, values)

    def draw(paper: Paper) -> Sequence[Panel]:
        axes = []
        for pair in pairs:
            across, lines = pair[0].levels
            axes.append((Axis.of_names(across, _levels(pair, across)), up, named((across, lines))))
        panels = stacked_panels(paper, axes)
        for panel, pair in zip(panels, pairs, strict=True):
            _lines(panel, pair, shown.unit)
        return panels

    of_lines: dict[str, list[str]] = {}
    for pair in pairs:
        _, lines = pair[0].levels
        of_lines.setdefault(lines, []).extend(_levels(pair, lines))
    keys = [
        Key(f"{lines}={level}", f"{lines} = {level}", "dot", style)
        for lines, levels in of_lines.items()
        for level, style in _styles(lines, levels).items()
    ]
    caption = ("Lines that run alike say that the two factors act apart; lines that cross or open, that they do not.",)
    return Figure("interactions", f"Interactions in {shown.label}", caption, keys, draw)


def half_normal_plot(response: str, effects: Sequence[Effect], limits: Lenth) -> Figure:
    """Draw the half-normal plot: magnitudes of effects against their scores under noise alone, with Lenth's limits."""
    shown = response_meaning(response)
    order, scores = half_normal(np.array([effect.value for effect in effects]))
    sizes = [abs(effect.value) for effect in effects]

    def draw(paper: Paper) -> Sequence[Panel]:
        greatest = max(*sizes, limits.simultaneous_margin) or 1.0
        up = Axis("Half-normal score", INDEX, 0.0, float(scores[-1]) * 1.12)
        across = Axis(f"|Effect| on {shown.label}", shown.unit, 0.0, greatest * 1.08)
        (panel,) = stacked_panels(paper, [(across, up, "")])
        panel.guide(limits.margin, "ME")
        panel.guide(limits.simultaneous_margin, "SME")
        for place, score in zip(order, scores.tolist(), strict=True):
            effect, active = effects[place], limits.active[place]
            text = f"{effect.name}: {quantity(effect.value, shown.unit, sign=True)}"
            key = "active" if active else "noise"
            panel.point(key, (sizes[place], score), _ACTIVE if active else _LOOK, text, of_many=not active)
            if active:
                near_end = sizes[place] > 0.6 * greatest
                panel.word(key, (sizes[place], score), effect.name, side=-1 if near_end else 1)
        return [panel]

    caption = (
        "Effects that are nothing but noise lie on a line through the origin; what leaves it to the right is active.",
        "ME: margin of error of one effect by Lenth's pseudo standard error, 95 %; SME: of all of them together.",
    )
    return Figure("half-normal", f"Which effects on {shown.label} are active", caption, _KEYS, draw)


def _lines(panel: Panel, pair: Sequence[Mean], unit: Unit) -> None:
    across, lines = pair[0].levels
    places = {level: place for place, level in enumerate(_levels(pair, across))}
    for level, style in _styles(lines, _levels(pair, lines)).items():
        chosen = sorted((places[mean.levels[across]], mean.mean) for mean in pair if mean.levels[lines] == level)
        key = f"{lines}={level}"
        panel.line(key, np.array([float(x) for x, _ in chosen]), np.array([y for _, y in chosen]), style)
        for x, y in chosen:
            name = f"{lines} = {level}, {across} = {panel.x.names[x]}"
            panel.point(key, (x, y), style, f"{name}: {quantity(y, unit)}")


def _levels(pair: Sequence[Mean], factor: str) -> list[str]:
    return list(dict.fromkeys(mean.levels[factor] for mean in pair))


def _styles(factor: str, levels: Sequence[str]) -> dict[str, Style]:
    """Return the style of each level of a factor: an algorithm's own, else one by its place."""
    if factor == "algorithm":
        return apart(levels)
    return {level: Style(place % len(HUES), place % 6, place % 6) for place, level in enumerate(dict.fromkeys(levels))}


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
# From above a mark to below it, in drawing units.
_BELOW = 30.0
_ACTIVE = Style(1, 0, 2)
_JOINT = Style(7, 0, 0)
_KEYS = (Key("active", "beyond ME", "dot", _ACTIVE), Key("noise", "within ME", "dot", _LOOK))
# Rows that a figure shows at most; how far beyond the coded levels contours go.
_MOST = 24
_BEYOND = 1.3
