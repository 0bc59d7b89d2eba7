# SPDX-License-Identifier: Apache-2.0
"""Levels of factors that are quantities, as numbers in one unit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal import core
from narrows._internal.experiments.factors import QUANTITY
from narrows._internal.experiments.keys import RESERVED

if TYPE_CHECKING:
    from narrows._internal.experiments.plan import Plan


class Numbers(NamedTuple):
    """A column with the numbers of a factor whose levels are texts."""

    name: str  # of the column
    factor: str
    unit: str  # the end of the column's name; empty for numbers without a unit
    values: Mapping[Any, float]  # by level


def numbers_of(plan: Plan) -> list[Numbers]:
    """Return a column of numbers for each factor of a study whose levels are texts, and quantities of one kind."""
    levels = {name: list(dict.fromkeys(point.levels[name] for point in plan.points)) for name in plan.points[0].levels}
    taken = {*levels, *RESERVED, *(column.name for column in plan.columns)}
    found = []
    for factor, each in levels.items():
        read = numbers(each) if any(isinstance(level, str) for level in each) else None
        if read is None:
            continue
        values, unit = read
        end = unit or "number"
        # A factor `rate` may stand beside the metric `rate_bps`.
        name = next((name for name in (f"{factor}_{end}", f"{factor}_level_{end}") if name not in taken), None)
        if name is not None:
            found.append(Numbers(name, factor, unit, values))
            taken.add(name)
    return found


def numbers(levels: Iterable[Any]) -> tuple[dict[Any, float], str] | None:
    """Return the numbers of levels, and their unit; None unless all of them are quantities of one kind."""
    read = {level: number(level) for level in levels}
    units = {unit for value, unit in read.values() if value != math.inf}
    if len(units) != 1 or None in units:
        return None
    return {level: value for level, (value, _) in read.items()}, str(*units)


def number(level: Any) -> tuple[float, str | None]:
    """Return the number of a level and its unit, one of `UNITS` or empty; NaN and None if it is not a quantity."""
    if isinstance(level, bool):
        return math.nan, None
    if isinstance(level, int | float):
        return float(level), ""
    if level == UNLIMITED:
        return math.inf, ""
    for dimension, its_unit in DIMENSIONS.items():
        try:
            return core.quantity(level, dimension), its_unit
        except ValueError:
            continue
    found = QUANTITY.fullmatch(level)
    unit = {"": "", "pkt": "packets", "bdp": "bdp"}.get(found["unit"]) if found else None
    return (math.nan, None) if found is None or unit is None else (float(found["number"]), unit)


DIMENSIONS = {"time": "s", "rate": "bps", "size": "bytes", "fraction": "fraction"}
UNITS = {
    "s": "seconds",
    "bps": "bits per second",
    "bytes": "bytes",
    "fraction": "a part of 1",
    "packets": "packets",
    "bdp": "bandwidth-delay products",
}
"""Every unit of a column of numbers, and what it is in words."""

UNLIMITED = "infinite"
