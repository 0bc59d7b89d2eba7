# SPDX-License-Identifier: Apache-2.0
"""A metric of a study against any of its factors, as a figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.experiments.layout import Asked, Layout
from narrows._internal.experiments.measures import Column, split
from narrows._internal.experiments.numbers import numbers_of
from narrows._internal.experiments.plan import Plan
from narrows._internal.experiments.store import MEASURED, NOTE, independent, is_repeated
from narrows._internal.experiments.stored import stored, studies_in
from narrows._internal.files.shape import fitting
from narrows._internal.report.study.against import against, level_text, levels_of

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.drawing.figure import Figure


def response(folder: Path, asked: Asked, experiment: str | None = None) -> Figure:
    """Draw a metric of a study, or of an experiment of a reproduction, against factors."""
    places = studies_in(folder)
    if not places:
        raise InputError(str(folder), "has no experiment yet")
    if experiment is not None:
        if experiment not in places:
            raise InputError(experiment, f"no experiment of {folder}; allowed: {_listed(places)}")
        return _drawn(places[experiment], asked)
    if len(places) == 1:
        return _drawn(next(iter(places.values())), asked)
    names = {name: _Source(place) for name, place in places.items()}
    fitting_ones = [name for name, source in names.items() if source.fits(asked)]
    if len(fitting_ones) != 1:
        having = "several experiments have" if fitting_ones else "no experiment has"
        each = "; ".join(f"{name}: {', '.join(source.factors)}" for name, source in names.items())
        problem = f"{having} {asked.y} and all these factors; choose one by `experiment`. Their factors: {each}"
        raise InputError(str(folder), problem)
    return _drawn(places[fitting_ones[0]], asked)


def _drawn(place: Path, asked: Asked) -> Figure:
    with fitting(place):
        return _Source(place).figure(asked)


class _Source:
    """The cells of a study, and the names of its metrics and factors."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._study = stored(place)
        self._everything = self._study.table()
        self.plan: Plan = self._study.plan
        self.cells = independent(self._everything)

    @cached_property
    def factors(self) -> list[str]:
        return [*self.plan.factors, "algorithm"]

    @cached_property
    def measured(self) -> list[str]:
        """The full names of all metrics of its cells."""
        rows = self.cells[MEASURED].slice(0, MOST_ROWS).to_pylist()
        return list(dict.fromkeys(name for row in rows for name, _ in row))

    def fits(self, asked: Asked) -> bool:
        """Return whether it has the metric and the factors."""
        try:
            self._column(asked.y)
            for each in (asked.x, asked.lines, *asked.panels, *asked.at, *asked.average):
                if each is not None:
                    self._factor(each, "")
        except InputError:
            return False
        return True

    def figure(self, asked: Asked) -> Figure:
        """Return the figure."""
        if not self.cells.num_rows:
            raise InputError(str(self.place), "has no finished cell yet")
        column = self._column(asked.y)
        fixed = {self._factor(each, "where"): level for each, level in asked.at.items()}
        at = {factor: self._level(factor, level) for factor, level in fixed.items()}
        x, panels = self._factor(asked.x, "x"), [self._factor(each, "panels") for each in asked.panels]
        average = [self._factor(each, "average") for each in asked.average]
        lines = asked.lines and self._factor(asked.lines, "lines")
        placed = [x, *panels, *at, *average]
        if lines is None and "algorithm" not in placed and len(levels_of(self.cells, "algorithm")) > 1:
            lines = "algorithm"
        layout = Layout(x, lines, panels, at)
        self._check(layout, average)
        cells = self._with(column)
        drawn = against(self.plan, cells, column, layout)
        return replace(drawn, caption=[*drawn.caption, *self._state()])

    def _state(self) -> Iterator[str]:
        state = self._study.status()
        if state.finished < state.cells:
            yield f"{state.finished} of {state.cells} cells have finished."
        if is_repeated(self._everything):
            yield NOTE

    def _check(self, layout: Layout, average: Sequence[str]) -> None:
        """Check that every factor with several levels has one place in the figure."""
        named = [layout.x, *([layout.lines] if layout.lines else []), *layout.panels, *layout.at, *average]
        twice = [each for each in dict.fromkeys(named) if named.count(each) > 1]
        if twice:
            raise InputError(twice[0], "is named twice; each factor has one place: x, lines, panels, where or average")
        several = {each: levels_of(self.cells, each) for each in self.factors}
        if len(several[layout.x]) < _TWO:
            raise InputError(f"x {layout.x}", f"has one level; allowed: {self._offered(_TWO)}")
        left = {each: levels for each, levels in several.items() if len(levels) > 1 and each not in named}
        if left:
            said = "; ".join(f"{each} ({_listed(levels)})" for each, levels in left.items())
            problem = (
                f"has several levels of factors without a place in the figure: {said}. Give each of them one: lines, "
                "panels, where FACTOR=LEVEL for one level, or average for the mean over all"
            )
            raise InputError(str(self.place), problem)

    def _factor(self, name: str, where: str) -> str:
        """Return a factor by its name, or by the name of the column of its numbers."""
        numbers = {each.name: each.factor for each in numbers_of(self.plan)}
        if name in self.factors or name in numbers:
            return numbers.get(name, name)
        raise InputError(
            f"{where} {name}", f"no factor of {self.place}; {_meant(name, self.factors)}{self._offered(1)}"
        )

    def _offered(self, least: int) -> str:
        return _listed(each for each in self.factors if len(levels_of(self.cells, each)) >= least)

    def _level(self, factor: str, given: object) -> str:
        levels, text = levels_of(self.cells, factor), level_text(given)
        if text not in levels:
            raise InputError(f"where {factor}={text}", f"no level of {factor}; allowed: {_listed(levels)}")
        return text

    def _column(self, name: str) -> Column:
        """Return the metric of this name."""
        own = {column.name: column for column in self.plan.columns}
        if name in own:
            return own[name]
        if name in self.measured:
            owner, measure = split(name)
            of, _, owner = owner.partition(".")
            return Column(name, of, owner, measure)
        kinds: dict[str, list[str]] = {"group": [], "link": []}
        for of, _, measure in map(_parts, self.measured):
            kinds[of].append(measure)
        for of, owners in (("group", "subjects"), ("link", "bottlenecks")):
            if name in kinds[of] and all(len(getattr(point, owners)) == 1 for point in self.plan.points):
                return Column(name, of, "", name)
        known = [*own, *self.measured, *kinds["group"], *kinds["link"]]
        near = core.nearest(name, list(dict.fromkeys(known)))
        allowed = f"did you mean {near}?" if near else f"allowed: {self._metrics()}"
        raise InputError(f"y {name}", f"no metric of {self.place}; {allowed}")

    def _metrics(self) -> str:
        """Return the names of all metrics, as text."""
        parts = [_parts(each) for each in self.measured]
        said = [f"the columns {_listed(column.name for column in self.plan.columns)}"]
        for of, tested in (("group", "the group under test"), ("link", "its bottleneck")):
            owners = dict.fromkeys(owner for kind, owner, _ in parts if kind == of)
            measures = sorted({measure for kind, _, measure in parts if kind == of})
            if owners:
                every = f"{of}.NAME.METRIC with NAME of {_listed(owners)}"
                said.append(f"{every}, or METRIC alone for {tested}, with METRIC of {', '.join(measures)}")
        return "; ".join(said)

    def _with(self, column: Column) -> pa.Table:
        """Return the cells with a column of a metric."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if column.name in self.cells.column_names:
            return self.cells
        if column.owner:
            found = pc.map_lookup(self.cells[MEASURED], f"{column.of}.{column.owner}.{column.measure}", "first")
            return self.cells.append_column(column.name, found)
        keys = dict(zip(self.cells["cell"].to_pylist(), self.cells[MEASURED].to_pylist(), strict=True))
        values: dict[str, float | None] = {}
        for number in set(self.cells["replication"].to_pylist()):
            for point in self.plan.points:
                key = self.plan.key(point, number)
                owner = (point.subjects if column.of == "group" else point.bottlenecks)[0]
                values[key] = dict(keys.get(key, [])).get(f"{column.of}.{owner}.{column.measure}")
        return self.cells.append_column(column.name, pa.array([values.get(key) for key in keys], pa.float64()))


def _parts(name: str) -> tuple[str, str, str]:
    """Return kind, owner and metric of a full name."""
    head, measure = split(name)
    of, _, owner = head.partition(".")
    return of, owner, measure


def _meant(name: str, known: Iterable[str]) -> str:
    near = core.nearest(name, list(known))
    return f"did you mean {near}? allowed: " if near else "allowed: "


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(shown[:MOST_NAMES]) + (f" … ({len(shown)})" if len(shown) > MOST_NAMES else "") or "none"


# Cells in which the names of metrics are looked for, and names that an error lists.
MOST_ROWS, MOST_NAMES = 1000, 40
_TWO = 2
