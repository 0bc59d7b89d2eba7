# SPDX-License-Identifier: Apache-2.0
"""Means of responses with their intervals, as the marks of figures of a study."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from narrows._internal.drawing.plot import Axis
from narrows._internal.drawing.scale import Unit
from narrows._internal.drawing.style import Style, apart
from narrows._internal.experiments.findings import within
from narrows._internal.frozen import frozen
from narrows._internal.page.estimates import estimate_text, how_made
from narrows._internal.page.metrics import Meaning
from narrows._internal.report.study.rows import around
from narrows._internal.statistics import EQUAL, Estimate, Range, ends_of, estimate, mean_of

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.measures import Column
    from narrows._internal.experiments.plan import Plan

    Row = Mapping[str, Any]


@frozen
class Place:
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


def grouped(rows: Iterable[Row], key: Callable[[Row], str], order: Sequence[str] = ()) -> list[tuple[str, list[Row]]]:
    """Return rows by key, in a given order, or in the order of first occurrence."""
    found: dict[str, list[Row]] = {name: [] for name in order}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return list(found.items())


def possible_in(plan: Plan, cells: pa.Table, columns: Iterable[Column]) -> dict[str, Range]:
    """Return the values that each of some metrics can have in the cells of a study, by the name of its column."""
    return {column.name: within(plan, cells, column) for column in columns}


def estimates(possible: Mapping[str, Range], rows: Sequence[Row]) -> dict[str, Estimate]:
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


def near(shown: Meaning, places: Sequence[Place], response: str, *, log: bool = True) -> Axis:
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


def made(plan: Plan, found: Iterable[Estimate]) -> str:
    return how_made((each["interval_method"] for each in found if each["ci95"]), plan.replications.maximum)


def text_of(place: Place, response: str, unit: Unit) -> str:
    found = place.found[response]
    return estimate_text(found["mean"], found["ci95"], unit, found["interval_method"])


def styles_of_lines(lines: Iterable[str]) -> dict[str, Style]:
    return {name: Style(0, 0, 0) if name == ALL else style for name, style in apart(list(lines)).items()}


ALL = "all cells"
# From this ratio of the greatest value to the least on, an axis is logarithmic.
WIDE = 10
# How far an axis goes beyond all means for the ends of intervals: by this factor, or by this part of the range.
NEAR = 3.0
BEYOND = 0.75
# Means that differ by less than this part of them are alike.
ALIKE = 1e-3
