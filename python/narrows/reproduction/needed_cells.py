"""The cells that claims, tables and figures need, so that a size can run only these. Pure functions."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows.core import nearest
from narrows.reproduction.predicate import Bounded, Ordered, Several
from narrows.reproduction.quantity import (
    Asked,
    Chosen,
    Combined,
    Constant,
    Correlation,
    Folded,
    Measured,
    Named,
    Probability,
    Ranked,
    bound,
    comparable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows.reproduction.claims import Claim, Published
    from narrows.reproduction.predicate import Test
    from narrows.reproduction.quantity import Binding, Quantity
    from narrows.study.plan import Plan, Point

    # Selections by experiment, values of columns and column.
    Found = dict[tuple[str, str, str], "Selection"]


class Selection(NamedTuple):
    """What is read of an experiment.

    Attributes:
        experiment: Name of the experiment.
        where: Values of columns that its cells must have.
        column: Name of the column that is read.
    """

    experiment: str
    where: Mapping[str, Any]
    column: str


def of_claim(claim: Claim) -> list[Selection]:
    """Return what a claim reads for its direction and its magnitude, each selection once."""
    found: Found = {}
    if claim.direction is not None:
        _of_test(claim.direction, {}, found)
    if claim.magnitude is not None:
        _of_test(claim.magnitude.test, {}, found)
    return list(found.values())


def of_source(published: Published) -> list[Selection]:
    """Return what the tables and figures read that have values of the source, each selection once."""
    found: Found = {}
    for table in published.tables:
        for quantity in itertools.chain.from_iterable(table.rows.values()) if table.published else ():
            _gather(quantity, {}, found)
    for picture in published.pictures:
        for line, place in itertools.product(picture.lines, picture.places) if picture.published else ():
            _gather(line.quantity, {"x": place}, found)
    return list(found.values())


def of_quantity(quantity: Quantity, binding: Binding) -> list[Selection]:
    """Return what a quantity reads, each selection once."""
    found: Found = {}
    _gather(quantity, binding, found)
    return list(found.values())


def _of_test(test: Test, binding: Binding, found: Found) -> None:
    if isinstance(test, Bounded):
        _gather(test.quantity, binding, found)
    elif isinstance(test, Ordered):
        for quantity in test.quantities:
            _gather(quantity, binding, found)
    elif isinstance(test, Several):
        for part, each in test.tests:
            _of_test(part, {**binding, **each}, found)


def _gather(quantity: Quantity, binding: Binding, found: Found) -> None:
    if isinstance(quantity, Measured):
        where = {name: bound(value, binding) for name, value in quantity.where.items()}
        column = quantity.column(binding)
        found[quantity.experiment, repr(where), column] = Selection(quantity.experiment, where, column)
        return
    if isinstance(quantity, Chosen):
        _gather(quantity.under(binding), binding, found)
        return
    parts: Sequence[Quantity] = ()
    conditions: Iterable[Binding] = ({},)
    if isinstance(quantity, Named | Constant | Probability):
        parts = (quantity.quantity,)
    elif isinstance(quantity, Combined):
        parts = (quantity.first, quantity.second)
    elif isinstance(quantity, Correlation):
        parts, conditions = (quantity.first, quantity.second), quantity.over
    elif isinstance(quantity, Folded):
        parts, conditions = quantity.parts, quantity.over
    elif isinstance(quantity, Ranked):
        parts, conditions = (quantity.quantity,), quantity.among
    for each in conditions:
        inner = {**binding, **each}
        for part in parts:
            _gather(part, inner, found)


def missing(plan: Plan, wanted: Iterable[Selection], *, points: bool) -> str:
    """Return what a plan lacks of what is read of it, in words; empty if it has all.

    Args:
        plan: The plan of the experiment.
        wanted: What is read.
        points: Whether the plan must also have points with the wanted levels, not only the columns.
    """
    rows = Asked({**point.levels, "algorithm": point.algorithm} for point in plan.points)
    factors, columns = list(rows[0]), [column.name for column in plan.columns]
    for _, where, column in wanted:
        if unknown := [name for name in where if name not in factors]:
            return f"has no factor {unknown[0]}; there are {', '.join(factors)}"
        if column not in {*columns, *OF_EVERY_CELL}:
            near = nearest(column, columns)
            return f"has no column {column}" + (f"; did you mean {near}?" if near else "")
        if points and not rows.fitting(where):
            return f"has no cell with {', '.join(f'{name} = {value}' for name, value in where.items())}"
    return ""


def reduced(plan: Plan, selections: Iterable[Mapping[str, Any]]) -> Plan:
    """Return a plan with the points alone that one of the selections reads; rows are numbered anew."""
    # By the names of the wanted columns, so that the work does not grow with points times selections.
    wanted: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for each in selections:
        names = tuple(name for name in each if name in plan.points[0].levels or name == "algorithm")
        wanted.setdefault(names, set()).add(tuple(comparable(each[name]) for name in names))

    def read(point: Point) -> bool:
        levels = {**point.levels, "algorithm": point.algorithm}
        return any(tuple(comparable(levels[name]) for name in names) in wanted[names] for names in wanted)

    points = [point for point in plan.points if read(point)]
    numbers = {row: number for number, row in enumerate(dict.fromkeys(point.row for point in points))}
    return replace(plan, points=[replace(point, row=numbers[point.row]) for point in points])


# Columns of numbers that the cells of every experiment have.
OF_EVERY_CELL = ("replication", "seed", "cpu_s", "packet_hops")
