# SPDX-License-Identifier: Apache-2.0
"""A response of a study against a factor, with lines and panels by the levels of others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import BITS_PER_SECOND, BYTES, INDEX, PERCENT, SECONDS, Unit
from narrows._internal.drawing.style import Style, looks
from narrows._internal.experiments.layout import Layout
from narrows._internal.experiments.measures import Column
from narrows._internal.experiments.numbers import numbers
from narrows._internal.page.document import anchor
from narrows._internal.report.study.places import (
    ALL,
    WIDE,
    Place,
    estimates,
    grouped,
    made,
    near,
    possible_in,
    styles_of_lines,
    text_of,
)
from narrows._internal.report.study.rows import response_meaning

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.plan import Plan


def levels_of(cells: pa.Table, factor: str) -> dict[str, Any]:
    """Return the levels of a factor by their texts, in the order of the study."""
    return {level_text(value): value for value in dict.fromkeys(cells[factor].to_pylist())}


def level_text(value: Any) -> str:
    """Return a level as text."""
    if value is None:
        return ALL
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def against(plan: Plan, cells: pa.Table, column: Column, layout: Layout) -> Figure:
    """Draw the mean of a metric at each level of a factor; levels that are numbers are joined by a line."""
    # No line joins levels that are names: there is nothing between them, and lines stand beside each other.
    shown, x = response_meaning(column.name), layout.x
    cells = cells.select([*dict.fromkeys([*plan.factors, "algorithm", "replication", column.name])])
    rows = [
        row for row in cells.to_pylist() if all(level_text(row[factor]) == level for factor, level in layout.at.items())
    ]
    levels = levels_of(cells, x)
    across, positions = _axis(x, {level: levels[level] for level, _ in grouped(rows, lambda row: level_text(row[x]))})
    possible = possible_in(plan, cells, [column])

    def line_of(row: Mapping[str, Any]) -> str:
        return level_text(row[layout.lines]) if layout.lines else own

    def places(of: Sequence[Mapping[str, Any]]) -> list[Place]:
        found = [
            Place(level, positions[level], estimates(possible, at))
            for level, at in grouped(of, lambda row: level_text(row[x]))
        ]
        known = [each for each in found if math.isfinite(each.mean(column.name))]
        return sorted(known, key=lambda each: each.at)

    algorithms = [*levels_of(cells, "algorithm")]
    own = algorithms[0] if len(algorithms) == 1 else ALL
    order = [*levels_of(cells, layout.lines)] if layout.lines else [own]
    panels = {
        title: {line: places(of) for line, of in grouped(inside, line_of, order)}
        for title, inside in grouped(rows, lambda row: ", ".join(named(each, row[each]) for each in layout.panels))
    }
    lines = [line for line in order if any(each[line] for each in panels.values())]
    styles = _styles(layout.lines, lines)
    known = [place for each in panels.values() for line in lines for place in each[line]]
    name, title = f"response-{anchor(column.name)}-{anchor(x)}", f"{shown.title} against {x}"
    if not known:
        return Figure(name, title, (), absent="No cell has a value yet.")
    labels = {line: named(layout.lines, line) if layout.lines else line for line in lines}

    def draw(paper: Paper) -> Sequence[Panel]:
        drawn = paper.column(list(panels), across, near(shown, known, column.name, log=False))
        for panel, inside in zip(drawn, panels.values(), strict=True):
            for place, line in enumerate(lines):
                beside = BESIDE * ((place + 0.5) / len(lines) - 0.5) if across.names else 0.0
                _line(panel, labels[line], inside[line], styles[line], beside)
        return drawn

    def _line(panel: Panel, label: str, places: Sequence[Place], style: Style, beside: float) -> None:
        if not across.names:
            means = [each.mean(column.name) for each in places]
            panel.line(label, np.array([each.at for each in places]), np.array(means), style)
        for each in places:
            at = (each.at + beside, each.mean(column.name))
            panel.whiskers(label, at, (at[0], at[0]), each.ends(column.name), style)
            panel.event(label, at, style, f"{label}, {x} = {each.label}: {text_of(each, column.name, shown.unit)}")

    keys = [Key(labels[line], labels[line], "dot", styles[line]) for line in lines] if len(lines) > 1 else []
    caption = (*_said(plan, cells, layout), made(plan, (each.found[column.name] for each in known)))
    return Figure(name, title, (*caption, f"Seed {plan.seed}."), keys, draw)


def _said(plan: Plan, cells: pa.Table, layout: Layout) -> list[str]:
    """Return the sentences on the levels that are shown of each factor, and on the factors that are averaged over."""
    every = [*plan.factors, "algorithm"]
    others = [each for each in every if each not in layout.shown and len(levels_of(cells, each)) > 1]
    mean = f"Mean over all levels of {' and '.join(others)}, and over" if others else "Mean over"
    said = [f"{mean} replications at each level of {layout.x}."]
    parts = [f"a line per level of {layout.lines}"] if layout.lines not in {None, "algorithm"} else []
    parts += [f"a panel per level of {' and '.join(layout.panels)}"] if layout.panels else []
    if parts:
        text = ", ".join(parts).replace("level of algorithm", "algorithm")
        said.append(f"{text[0].upper()}{text[1:]}.")
    if layout.at:
        said.append(f"Only {', '.join(named(each, level) for each, level in layout.at.items())}.")
    return said


def named(factor: str, level: Any) -> str:
    """Return a level with its factor, as text; an algorithm is its name."""
    text = level_text(level)
    return text if factor == "algorithm" else f"{factor} = {text}"


def _styles(factor: str | None, lines: Sequence[str]) -> dict[str, Style]:
    if factor in {None, "algorithm"}:
        return styles_of_lines(lines)
    return looks({line: ("", line) for line in lines})


def _axis(factor: str, levels: Mapping[str, Any]) -> tuple[Axis, dict[str, float]]:
    """Return the axis of a factor, numeric if all its levels are numbers of one unit, and the place of each level."""
    read = numbers(levels.values())
    values = [] if read is None else [*read[0].values()]
    if read is None or len(set(values)) < max(len(levels), _TWO) or not all(map(math.isfinite, values)):
        names = list(levels)
        return Axis.of_names(factor, names), {level: float(place) for place, level in enumerate(names)}
    unit = UNITS.get(read[1]) or Unit(read[1])
    low, high = min(values), max(values)
    positions = dict(zip(levels, values, strict=True))
    if low > 0 and high / low >= WIDE:
        margin = (high / low) ** 0.06
        return Axis(factor, unit, low / margin, high * margin, log=True, at=tuple(sorted(values))), positions
    margin = 0.06 * (high - low)
    return Axis(factor, unit, low - margin, high + margin, at=tuple(sorted(values))), positions


# By the unit of a column of numbers.
UNITS = {"s": SECONDS, "bps": BITS_PER_SECOND, "bytes": BYTES, "fraction": PERCENT, "bdp": Unit("BDP"), "": INDEX}
# Part of the room of a name that the marks of its lines take.
BESIDE = 0.6
_TWO = 2
