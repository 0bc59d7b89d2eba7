# SPDX-License-Identifier: Apache-2.0
"""The first figures of a study: a response against a factor, and two responses against each other."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from narrows._internal import core
from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import BITS_PER_SECOND, INDEX, SECONDS, Unit
from narrows._internal.drawing.style import Style, apart, looks
from narrows._internal.experiments.findings import Finding, within
from narrows._internal.frozen import frozen
from narrows._internal.page.document import anchor
from narrows._internal.page.estimates import estimate_text, how_made
from narrows._internal.page.metrics import Meaning
from narrows._internal.report.study.rows import around, response_meaning
from narrows._internal.statistics import EQUAL, Estimate, Range, ends_of, estimate, mean_of

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.plan import Plan

    Row = Mapping[str, Any]


@frozen
class _Place:
    """The estimates of an algorithm at a level or under a condition, and its place on a numeric axis."""

    label: str
    at: float
    found: Mapping[str, Estimate]

    def mean(self, response: str) -> float:
        """Return the mean of a response; NaN without data."""
        return mean_of(self.found[response])

    def ends(self, response: str) -> tuple[float, float]:
        """Return the interval of a response; its mean twice without one, or if all values are equal."""
        found = self.found[response]
        return ends_of(found) if found["interval_method"] != EQUAL else (mean_of(found), mean_of(found))


def against_factor(plan: Plan, cells: pa.Table, response: str, factor: str, by: str | None = None) -> Figure:
    """Draw the mean of a response at each level of a factor, by algorithm; levels that are numbers have a line."""
    # Colour is the algorithm; dash and marker are the level of the factor `by`, over which no mean is taken. No line
    # joins levels that are names: there is nothing between them, and algorithms stand beside each other.
    shown = response_meaning(response)
    levels = list(dict.fromkeys(str(point.levels[factor]) for point in plan.points))
    across, positions = _axis(factor, levels)
    possible = _possible(plan, cells, [response])
    parts = {
        _line(name, by, other): (name, other, rows)
        for name, of in _algorithms(plan, cells, [response])
        for other, rows in _by(of, lambda row: "" if by is None else str(row[by]))
    }
    lines = {
        line: [
            _Place(level, positions[level], _estimates(possible, rows))
            for level, rows in _by(of, lambda row: str(row[factor]), levels)
        ]
        for line, (_, _, of) in parts.items()
    }
    styles = looks({line: (name, other) for line, (name, other, _) in parts.items()}) if by else _styles(lines)
    known = [each for places in lines.values() for each in places if math.isfinite(each.mean(response))]
    name = f"response-{anchor(response)}-{anchor(factor)}"
    title = f"{shown.title} against {factor}"
    if not known:
        return Figure(name, title, (), absent="No cell has a value yet.")

    def draw(paper: Paper) -> Sequence[Panel]:
        (panel,) = paper.column([""], across, _around(shown, known, response, log=False))
        for line, places in lines.items():
            style = styles[line]
            there = sorted((each for each in places if math.isfinite(each.mean(response))), key=lambda each: each.at)
            x, y = (np.array(each) for each in ([each.at for each in there], [each.mean(response) for each in there]))
            beside = 0.0
            if across.names:
                beside = BESIDE * ((list(lines).index(line) + 0.5) / len(lines) - 0.5)
            else:
                panel.line(line, x, y, style)
            for each in there:
                at = (each.at + beside, each.mean(response))
                panel.whiskers(line, at, (at[0], at[0]), each.ends(response), style)
                panel.event(line, at, style, f"{line}, {factor} = {each.label}: {_text(each, response, shown.unit)}")
        return [panel]

    others = [other for other in plan.factors if other not in {factor, by}]
    mean = f"Mean over all levels of {', '.join(others)} and over" if others else "Mean over"
    made = _made(plan, (each.found[response] for each in known))
    caption = (f"{mean} replications at each level of {factor}.", made, f"Seed {plan.seed}.")
    keys = [Key(line, line, "dot", style) for line, style in styles.items()] if len(lines) > 1 else []
    return Figure(name, title, caption, keys, draw)


def trade_off(plan: Plan, cells: pa.Table, found: Sequence[Finding]) -> Iterator[Figure]:
    """Yield the figure of two responses against each other; none with fewer than two."""
    # Up is the first response of which more is better, right the first of which less is better; else the first two.
    names = [finding.response for finding in found]
    rising = [name for name in names if response_meaning(name).better > 0]
    falling = [name for name in names if response_meaning(name).better < 0]
    pair = (falling[0], rising[0]) if rising and falling else tuple(names[:_TWO])
    if len(pair) < _TWO:
        return
    right, up = pair
    several = len(plan.rows) <= MOST_CONDITIONS
    possible = _possible(plan, cells, pair)
    clouds = {
        name: [
            _Place(condition, 0.0, _estimates(possible, rows))
            for condition, rows in _by(of, lambda row: _condition(plan, row) if several else "")
        ]
        for name, of in _algorithms(plan, cells, pair)
    }
    whole = {
        name: [each for each in places if all(math.isfinite(each.mean(response)) for response in pair)]
        for name, places in clouds.items()
    }
    if not any(whole.values()):
        return
    found_all = [each.found[name] for places in whole.values() for each in places for name in pair]
    yield _cloud_figure(whole, right, up, _made(plan, found_all))


def _made(plan: Plan, found: Iterable[Estimate]) -> str:
    return how_made((each["interval_method"] for each in found if each["ci95"]), plan.replications.maximum)


def _cloud_figure(clouds: Mapping[str, Sequence[_Place]], right: str, up: str, made: str) -> Figure:
    shown = {name: response_meaning(name) for name in (right, up)}
    better = shown[right].better < 0 < shown[up].better

    def draw(paper: Paper) -> Sequence[Panel]:
        across, upwards = (
            _around(shown[name], [each for places in clouds.values() for each in places], name) for name in (right, up)
        )
        styles = _styles(clouds)
        (panel,) = paper.column([""], replace(across, inverted=better), upwards)
        if better:
            panel.hint("better ↗")
        for name, places in clouds.items():
            style = styles[name]
            for each in places:
                at = (each.mean(right), each.mean(up))
                text = "; ".join(f"{shown[of].label} {_text(each, of, shown[of].unit)}" for of in (up, right))
                panel.whiskers(name, at, each.ends(right), each.ends(up), style)
                panel.event(name, at, style, f"{name}{f', {each.label}' if each.label else ''}: {text}")
        return [panel]

    caption = (
        "A mark is an algorithm under a condition: the means over its replications.",
        made,
        "Better is up and to the right." if better else "",
    )
    title = f"{shown[up].title} against {shown[right].label}"
    return Figure("trade-off", title, caption, _keys(clouds), draw)


def _around(shown: Meaning, places: Sequence[_Place], response: str, *, log: bool = True) -> Axis:
    """Return an axis over all means and the near parts of their intervals, logarithmic if they span `WIDE`."""
    # A wide interval leaves the panel, so that the means do not collapse into a line.
    means = [each.mean(response) for each in places]
    ends = [end for each in places for end in each.ends(response)]
    low, high = min(means), max(means)
    if log and low > 0 and high / low >= WIDE:
        low, high = max(min(ends), low / NEAR), min(max(ends), high * NEAR)
        margin = (high / low) ** 0.06
        return Axis(shown.title, shown.unit, low / margin, high * margin, log=True)
    # Values that hardly differ have an axis on which they do not seem to.
    room = max(BEYOND * (high - low), ALIKE * max(abs(low), abs(high)))
    kept = [end for end in ends if low - room <= end <= high + room]
    if high - low < ALIKE * max(abs(low), abs(high)):
        kept += [low - room, high + room]
    return around(shown.title, shown.unit, [*means, *kept])


def _algorithms(plan: Plan, cells: pa.Table, responses: Sequence[str]) -> list[tuple[str, list[Row]]]:
    # Of a row, most are metrics that are no responses.
    cells = cells.select([*plan.factors, "algorithm", "replication", *responses])
    return _by(cells.to_pylist(), lambda row: str(row["algorithm"] or ALL))


def _by(rows: Iterable[Row], key: Callable[[Row], str], order: Sequence[str] = ()) -> list[tuple[str, list[Row]]]:
    """Return rows by key, in a given order, or in the order of first occurrence."""
    found: dict[str, list[Row]] = {name: [] for name in order}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return list(found.items())


def _possible(plan: Plan, cells: pa.Table, responses: Sequence[str]) -> dict[str, Range]:
    return {column.name: within(plan, cells, column) for column in plan.columns if column.name in responses}


def _estimates(possible: Mapping[str, Range], rows: Sequence[Row]) -> dict[str, Estimate]:
    """Return the estimates of responses over replications, of the mean of all rows of each replication."""
    found = {}
    for response, within_ in possible.items():
        values: dict[int, list[float]] = {}
        for row in rows:
            if row[response] is not None:
                values.setdefault(row["replication"], []).append(float(row[response]))
        most = max(map(len, values.values()), default=0)
        # A replication counts if it has as many conditions as the others, so that all means are over the same ones.
        whole = [math.fsum(each) / len(each) for each in values.values() if len(each) == most]
        found[response] = estimate(whole, within_)
    return found


def _axis(factor: str, levels: Sequence[str]) -> tuple[Axis, dict[str, float]]:
    """Return the axis of a factor, numeric if all its levels are numbers of one unit, and the place of each level."""
    read = [_read(level) for level in levels]
    units = {unit for _, unit in read}
    if len(units) != 1 or None in units or len({value for value, _ in read}) < len(levels) or len(levels) < _TWO:
        return Axis.of_names(factor, levels), {level: float(place) for place, level in enumerate(levels)}
    values = [value for value, _ in read]
    low, high = min(values), max(values)
    (unit,) = units
    positions = dict(zip(levels, values, strict=True))
    if low > 0 and high / low >= WIDE:
        margin = (high / low) ** 0.06
        return Axis(factor, unit or INDEX, low / margin, high * margin, log=True, at=tuple(sorted(values))), positions
    margin = 0.06 * (high - low)
    return Axis(factor, unit or INDEX, low - margin, high + margin, at=tuple(sorted(values))), positions


def _read(level: str) -> tuple[float, Unit | None]:
    """Return the number and the unit of a level; no unit if it is not a number."""
    found = re.fullmatch(r"(-?[\d.]+(?:e-?\d+)?)\s*([a-zA-Zµ%]*)", level)
    if found is None:
        return math.nan, None
    for dimension, unit in (("rate", BITS_PER_SECOND), ("time", SECONDS)):
        try:
            return core.quantity(level, dimension), unit
        except ValueError:
            continue
    try:
        return float(found[1]), Unit(found[2]) if found[2] else INDEX
    except ValueError:
        return math.nan, None


def _text(place: _Place, response: str, unit: Unit) -> str:
    found = place.found[response]
    return estimate_text(found["mean"], found["ci95"], unit, found["interval_method"])


def _condition(plan: Plan, row: Row) -> str:
    return ", ".join(f"{factor} = {row[factor]}" for factor in plan.factors)


def _line(algorithm: str, by: str | None, level: str) -> str:
    """Return the name of a line: its algorithm, and its level of the other factor."""
    if by is None:
        return algorithm
    return ", ".join([*([] if algorithm == ALL else [algorithm]), f"{by} = {level}"])


def _styles(lines: Iterable[str]) -> dict[str, Style]:
    return {name: Style(0, 0, 0) if name == ALL else style for name, style in apart(list(lines)).items()}


def _keys(lines: Mapping[str, object]) -> list[Key]:
    return [Key(name, name, "dot", style) for name, style in _styles(lines).items()] if len(lines) > 1 else []


ALL = "all cells"
# Part of the room of a name that the marks of its algorithms take.
BESIDE = 0.6
# Conditions that have marks of their own.
MOST_CONDITIONS = 24
# From this ratio of the greatest level to the least on, the axis of a factor is logarithmic.
WIDE = 10
# How far an axis goes beyond all means for the ends of intervals: by this factor, or by this part of the range.
NEAR = 3.0
BEYOND = 0.75
# Means that differ by less than this part of them are alike.
ALIKE = 1e-3
_TWO = 2
