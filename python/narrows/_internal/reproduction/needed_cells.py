# SPDX-License-Identifier: Apache-2.0
"""The cells that claims, tables and figures need, so that a size can run only these. Pure functions."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from narrows._internal.names import unknown
from narrows._internal.reproduction.quantity import Asked, comparable, read_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from narrows._internal.experiments.plan import Plan, Point
    from narrows._internal.reproduction.claims import Claim, Published
    from narrows._internal.reproduction.quantity import Binding, Quantity, Selection


def of_claim(claim: Claim) -> list[Selection]:
    """Return the selections that a claim reads for direction, magnitude and printed values, each once."""
    tests = [claim.direction, claim.magnitude.test if claim.magnitude else None]
    compared = [taken for test in tests if test is not None for taken in test.compared({})]
    return read_of([*compared, *((each.quantity, {}) for each in claim.printed)])


def of_source(published: Published) -> list[Selection]:
    """Return the selections of the tables and figures with published values, each once."""
    rows = [row for table in published.tables if table.published for row in table.rows.values()]
    cells: list[tuple[Quantity, Binding]] = [(each, {}) for row in rows for each in row]
    pictures = [picture for picture in published.pictures if picture.published]
    drawn = [
        (line.quantity, {"x": place})
        for picture in pictures
        for line, place in itertools.product(picture.lines, picture.places)
    ]
    return read_of([*cells, *drawn])


def missing(plan: Plan, wanted: Iterable[tuple[str, Selection]], *, points: bool) -> tuple[str, str] | None:
    """Return the name of the first selection whose column, levels or points a plan lacks, and which; None if none."""
    rows = Asked({**point.levels, "algorithm": point.algorithm} for point in plan.points)
    columns = [column.name for column in plan.columns]
    known = {*columns, *OF_EVERY_CELL}
    for of, (_, where, column) in wanted:
        factors = rows[0]
        if strange := [name for name in where if name not in factors]:
            return of, unknown("factor", strange[0], list(factors))
        if column not in known:
            return of, unknown("column", column, columns)
        if points and not rows.fitting(where):
            return of, f"has no cell with {', '.join(f'{name} = {value}' for name, value in where.items())}"
    return None


def reduced(plan: Plan, selections: Iterable[Mapping[str, Any]]) -> Plan:
    """Return a plan with only the points that a selection reads; rows are numbered anew."""
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
