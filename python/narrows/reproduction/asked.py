"""The cells that claims, tables and figures ask for, so that a size can run these alone. Pure functions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from narrows.reproduction.predicate import Bounded, Ordered, Several
from narrows.reproduction.quantity import (
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
    from collections.abc import Iterable, Iterator, Mapping

    from narrows.reproduction.claims import Claim, Published
    from narrows.reproduction.predicate import Test
    from narrows.reproduction.quantity import Binding, Quantity
    from narrows.study.plan import Plan, Point

    # Name of an experiment, and the values of columns that its cells must have.
    Selection = tuple[str, Mapping[str, Any]]


def of_test(test: Test, binding: Binding | None = None) -> Iterator[Selection]:
    """Iterate over the selections of cells that a test reads, some of them several times."""
    binding = binding or {}
    if isinstance(test, Bounded):
        yield from of_quantity(test.quantity, binding)
    elif isinstance(test, Ordered):
        for quantity in test.quantities:
            yield from of_quantity(quantity, binding)
    elif isinstance(test, Several):
        for part, each in test.tests:
            yield from of_test(part, {**binding, **each})


def of_quantity(quantity: Quantity, binding: Binding) -> Iterator[Selection]:
    """Iterate over the selections of cells that a quantity reads, some of them several times."""
    if isinstance(quantity, Measured):
        yield quantity.experiment, {name: bound(value, binding) for name, value in quantity.where.items()}
        return
    parts: list[Quantity] = []
    conditions: Iterable[Binding] = [{}]
    if isinstance(quantity, Named | Constant | Probability):
        parts = [quantity.quantity]
    elif isinstance(quantity, Combined):
        parts = [quantity.first, quantity.second]
    elif isinstance(quantity, Correlation):
        parts, conditions = [quantity.first, quantity.second], quantity.over
    elif isinstance(quantity, Folded):
        parts, conditions = list(quantity.parts), quantity.over
    elif isinstance(quantity, Ranked):
        parts, conditions = [quantity.quantity], quantity.among
    for part in parts:
        for each in conditions:
            yield from of_quantity(part, {**binding, **each})


def of_claim(claim: Claim) -> Iterator[Selection]:
    """Iterate over what a claim reads, for its direction and its magnitude."""
    if claim.direction is not None:
        yield from of_test(claim.direction)
    if claim.magnitude is not None:
        yield from of_test(claim.magnitude.test)


def of_study(published: Published) -> Iterator[Selection]:
    """Iterate over what the claims read, and the tables and figures that have values of the source."""
    for claim in published.claims:
        yield from of_claim(claim)
    for quantity, binding in of_source(published):
        yield from of_quantity(quantity, binding)


def of_source(published: Published) -> Iterator[tuple[Quantity, Binding]]:
    """Iterate over the quantities of the tables and figures that have values of the source."""
    for table in published.tables:
        if table.published:
            yield from ((quantity, {}) for row in table.rows.values() for quantity in row)
    for picture in published.pictures:
        if picture.published:
            yield from ((line.quantity, {"x": place}) for line in picture.lines for place in picture.places)


def fits(point: Point, wanted: Mapping[str, Any]) -> bool:
    """Return whether the cells of a point have the wanted values of columns."""
    levels = {**point.levels, "algorithm": point.algorithm}
    return all(comparable(levels[name]) == comparable(value) for name, value in wanted.items() if name in levels)


def reduced(plan: Plan, selections: Iterable[Mapping[str, Any]]) -> Plan:
    """Return a plan with the points alone that one of the selections reads; rows are numbered anew."""
    distinct = {tuple((name, comparable(value)) for name, value in each.items()): each for each in selections}
    points = [point for point in plan.points if any(fits(point, each) for each in distinct.values())]
    numbers = {row: number for number, row in enumerate(dict.fromkeys(point.row for point in points))}
    return replace(plan, points=[replace(point, row=numbers[point.row]) for point in points])
