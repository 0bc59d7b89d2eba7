# SPDX-License-Identifier: Apache-2.0
"""The quantities of claims: a number per replication, from the cells of experiments. Pure functions.

A quantity is a metric of the cells that certain levels pick out, a number, or computed from other quantities
(`computed.py`). Each kind declares the cells that it reads, its computation, its description and its domain.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from narrows._internal.experiments.measures import split
from narrows._internal.frozen import frozen
from narrows._internal.metrics.criteria import range_of
from narrows._internal.metrics.request import MetricError, card_of
from narrows._internal.statistics import POSITIVE, REAL, Range
from narrows.metrics import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from narrows._internal.reproduction.resampling import Draws, Terms

    Cell = Mapping[str, Any]
    Cells = Mapping[str, Sequence[Cell]]
    Values = dict[int, float]
    Binding = Mapping[str, Any]


class QuantityError(Exception):
    """A quantity refers to cells or columns that no experiment has."""


class LackingError(QuantityError):
    """An experiment has none of the cells that a quantity reads."""


class Asked(list["Cell"]):
    """Rows of an experiment, with a cache of the rows that match conditions."""

    def __init__(self, rows: Iterable[Cell]) -> None:
        """Take rows, which must not change any more."""
        super().__init__(rows)
        self._fitting: dict[tuple[str, ...], dict[tuple[str, ...], list[Cell]]] = {}

    def fitting(self, wanted: Mapping[str, Any]) -> list[Cell]:
        """Return the rows whose columns have the wanted values, by name of the column."""
        names = tuple(wanted)
        if names not in self._fitting:
            found: dict[tuple[str, ...], list[Cell]] = {}
            for row in self:
                found.setdefault(tuple(comparable(row[name]) for name in names), []).append(row)
            self._fitting[names] = found
        return self._fitting[names].get(tuple(comparable(value) for value in wanted.values()), [])


def different(used: Iterable[Cell]) -> set[int]:
    """Return the replications of some cells that are not the same run as an earlier one."""
    runs: dict[int, list[str]] = {}
    for cell in used:
        runs.setdefault(cell["replication"], []).append(str(cell["digest"]))
    return {*{tuple(each): replication for replication, each in sorted(runs.items(), reverse=True)}.values()}


class Selection(NamedTuple):
    """The cells and the column that a quantity reads of an experiment."""

    experiment: str
    where: Mapping[str, Any]  # values of columns that its cells must have
    column: str


class Domain(NamedTuple):
    """Unit and range of the values of a quantity."""

    unit: str  # as on metric cards ("bps", "s", "packets"); empty for pure numbers
    range: Range


class Unsure(NamedTuple):
    """The replications in which a value is only a bound, such as a time of an event that has not happened."""

    higher: frozenset[int] = frozenset()  # the true value may be higher: the known one is a lower bound
    lower: frozenset[int] = frozenset()  # the true value may be lower

    @property
    def any(self) -> frozenset[int]:
        """The replications of both kinds."""
        return self.higher | self.lower

    @property
    def reversed(self) -> Unsure:
        """The replications for the negative value, or its inverse."""
        return Unsure(self.lower, self.higher)


class Quantity(ABC):
    """A quantity: a number per replication under a condition, which binds the names in its texts."""

    @abstractmethod
    def describe(self, binding: Binding) -> str:
        """Return a description in words."""

    @abstractmethod
    def domain(self, binding: Binding) -> Domain:
        """Return its unit and range."""

    def operands(self) -> Sequence[Quantity]:
        """Return the quantities from which it can be computed."""
        return ()

    def under(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return the quantities from which it is computed under a condition, with the condition of each."""
        return [(each, binding) for each in self.operands()]

    def drawn(self, parts: Sequence[Draws], binding: Binding) -> Draws:
        """Return its values, such as one per resample, from the values of its parts."""
        raise NotImplementedError

    def operation(self, _binding: Binding) -> Hashable:
        """Return the key that distinguishes it from other quantities of the same parts."""
        return type(self)

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the value by replication, for the replications that have one."""
        shared, parts = together([self.part(each, cells, inner) for each, inner in self.under(binding)])
        found = self.drawn([np.array(part) for part in parts], binding).tolist() if shared else []
        return finite(dict(zip(shared, found, strict=True)))

    def part(self, each: Quantity, cells: Cells, binding: Binding) -> float | Values:
        """Return the value of one of its parts by replication, or the number that it is in all of them."""
        return each.everywhere(cells, binding)

    def everywhere(self, cells: Cells, binding: Binding) -> float | Values:
        """Return the value by replication, or the number that it is in all of them."""
        return self.values(cells, binding)

    def unsure(self, cells: Cells, binding: Binding) -> Unsure:
        """Return the replications in which its value is only a bound; it rises with all that it is computed from."""
        return either(each.unsure(cells, inner) for each, inner in self.under(binding))

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which it is computed."""
        return [cell for each, inner in self.under(binding) for cell in each.cells(cells, inner)]

    def read(self, _binding: Binding) -> Selection | None:
        """Return the selection that it reads itself under a condition; None if only its parts read any."""
        return None

    def texts(self) -> Iterable[Any]:
        """Return its own values in which a condition binds names and on which the selections depend."""
        return ()

    def passes_on(self) -> bool:
        """Return whether all its parts have its own condition."""
        return type(self).under is Quantity.under

    @cached_property
    def sources(self) -> Sequence[Quantity]:
        """The parts of parts, or itself, that read cells under its own condition, or give others to their parts."""
        if not self.operands() or not self.passes_on():
            return (self,)
        return tuple({id(inner): inner for each in self.operands() for inner in each.sources}.values())

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that a condition can bind in its texts and those of its parts."""
        own = {name for text in self.texts() if isinstance(text, str) for name in NAMES.findall(text)}
        return frozenset(own.union(*(each.names for each in self.operands())))

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells it uses."""
        return {name for each in self.operands() for name in each.experiments()}

    def of_means(self) -> bool:
        """Return whether a part of it is computed from means over replications: a rank, or a ratio of means."""
        return any(each.of_means() for each in self.operands())

    def term(self, terms: Terms, binding: Binding) -> int:
        """Return the number of its term in a statistic of means over replications."""
        parts = [terms.number(each, inner) for each, inner in self.under(binding)]
        return terms.computed(self.operation(binding), parts, lambda draws: self.drawn(draws, binding))


@frozen
class Measured(Quantity):
    """A metric of some cells."""

    experiment: str
    measure: str  # name of the column; `{name}` in it is replaced by the binding, as in `where`
    where: Mapping[str, Any]  # values of columns that select the cells
    # Aggregation over several cells of one replication: "mean", "max", "min", "sum", or "spread" (standard deviation
    # divided by mean); "one" allows a single cell only.
    over: str = "one"
    missing: float | None = None  # value of a cell without data; None omits the cell

    def selection(self, binding: Binding) -> Selection:
        """Return the selection that it reads under a condition."""
        where = {name: bound(value, binding) for name, value in self.where.items()}
        return Selection(self.experiment, where, str(bound(self.measure, binding)))

    def read(self, binding: Binding) -> Selection:
        """Return the selection that it reads under a condition."""
        return self.selection(binding)

    def texts(self) -> Iterable[Any]:
        """Return the values of columns and the name of the measure."""
        return (*self.where.values(), self.measure)

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which it is computed."""
        _, where, column = self.selection(binding)
        rows = cells[self.experiment]
        for name in (*where, column):
            if rows and name not in rows[0]:
                raise QuantityError(f"experiment {self.experiment} has no column {name}")
        found = (rows if isinstance(rows, Asked) else Asked(rows)).fitting(where)
        if not found:
            raise LackingError(f"experiment {self.experiment} has no cell with {described(where)}")
        return found

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the value by replication, for the replications that have one."""
        by_replication = self._read(cells, binding)
        if self.over == "one" and any(len(each) > 1 for each in by_replication.values()):
            raise QuantityError(f"several cells of {self.experiment} fit {described(self.where)}: say `over`")
        return finite({replication: FOLD[self.over](each) for replication, each in by_replication.items()})

    def _read(self, cells: Cells, binding: Binding) -> dict[int, list[float]]:
        by_replication: dict[int, list[float]] = {}
        column = self.selection(binding).column
        for row in self.cells(cells, binding):
            value = self.missing if row[column] is None else float(row[column])
            if value is not None and math.isfinite(value):
                by_replication.setdefault(row["replication"], []).append(value)
        return by_replication

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        _, where, column = self.selection(binding)
        of = f" of {described(where)}" if where else ""
        return f"{'' if self.over == 'one' else f'{self.over} '}{column}{of} ({self.experiment})"

    def experiments(self) -> set[str]:
        """Return the name of its experiment."""
        return {self.experiment}

    def domain(self, binding: Binding) -> Domain:
        """Return the domain of the metric, folded over several cells."""
        owner, measure = split(self.selection(binding).column)
        unit = _units().get(measure.partition("(")[0], "")
        # A bare name is a metric of the group or of its bottleneck.
        for kind in [owner.partition(".")[0]] if owner else ["group", "link"]:
            with suppress(MetricError):
                return Domain(unit, folded(self.over, range_of(card_of(measure, kind))))
        return Domain(unit, REAL)

    def term(self, terms: Terms, binding: Binding) -> int:
        """Return the number of its term."""
        key = (repr(self.selection(binding)), self.over, self.missing)
        return terms.measured(key, lambda: self.values(terms.cells, binding))


@frozen
class Awaited(Measured):
    """A time of an event that may not happen during a run."""

    never: float = math.inf  # values from this on are lower bounds: the event had not happened by the end

    def unsure(self, cells: Cells, binding: Binding) -> Unsure:
        """Return the replications in which the event had not happened by the end."""
        read = self._read(cells, binding)
        # The minimum of several times is known if one is.
        late = {each for each, values in read.items() if (min if self.over == "min" else max)(values) >= self.never}
        higher = frozenset(late)
        return Unsure(higher, higher if self.over == "spread" else frozenset())


@frozen
class Number(Quantity):
    """A constant number, the same in every replication."""

    value: float

    def describe(self, _binding: Binding) -> str:
        """Return a description in words."""
        return f"{self.value:g}"

    def domain(self, _binding: Binding) -> Domain:
        """Return the numbers on its side of zero."""
        return Domain("", POSITIVE if self.value >= 0 else REAL)

    def everywhere(self, _cells: Cells, _binding: Binding) -> float:
        """Return the number; it has no replications of its own."""
        return self.value

    def term(self, terms: Terms, _binding: Binding) -> int:
        """Return the number of its term."""
        return terms.constant(self.value)


class Same(Quantity):
    """A quantity with the values of another one, `quantity` unless the condition chooses it."""

    quantity: Quantity

    def operands(self) -> Sequence[Quantity]:
        """Return the other one."""
        return (self.quantity,)

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return its values."""
        ((of, inner),) = self.under(binding)
        return of.values(cells, inner)

    def describe(self, binding: Binding) -> str:
        """Return its description."""
        return self.quantity.describe(binding)

    def domain(self, binding: Binding) -> Domain:
        """Return its unit and range."""
        ((of, inner),) = self.under(binding)
        return of.domain(inner)

    def term(self, terms: Terms, binding: Binding) -> int:
        """Return the number of its term."""
        ((of, inner),) = self.under(binding)
        return terms.number(of, inner)


def together(found: Sequence[float | Values]) -> tuple[list[int], list[list[float]]]:
    """Return the replications that all values have, and these values; a number is the same in every one."""
    known = [set(each) for each in found if isinstance(each, dict)]
    shared = sorted(set.intersection(*known)) if known else []
    return shared, [[each[n] for n in shared] if isinstance(each, dict) else [each] * len(shared) for each in found]


def either(parts: Iterable[Unsure]) -> Unsure:
    """Return the replications in which any of several values is only a bound."""
    found = list(parts)
    return Unsure(
        frozenset().union(*(each.higher for each in found)), frozenset().union(*(each.lower for each in found))
    )


def finite(values: Values) -> Values:
    """Return the values that are finite numbers."""
    return {replication: value for replication, value in values.items() if math.isfinite(value)}


def read_of(quantities: Iterable[tuple[Quantity, Binding]]) -> list[Selection]:
    """Return the selections that quantities read under conditions, each once."""
    found: dict[str, Selection] = {}
    seen: set[tuple[int, str]] = set()

    def visit(quantity: Quantity, binding: Binding) -> None:
        # A bound value may name others.
        whole = any(isinstance(value, str) and "{" in value for value in binding.values())
        for source in quantity.sources:
            # The same part is read thousands of times under conditions that differ in what it does not name.
            named = binding if whole else {name: value for name, value in binding.items() if name in source.names}
            if (key := (id(source), repr(named))) in seen:
                continue
            seen.add(key)
            if wanted := source.read(binding):
                found.setdefault(repr(wanted), wanted)
            for part, inner in source.under(binding):
                visit(part, inner)

    # All of them stay, so that no two have the same `id`.
    for quantity, binding in list(quantities):
        visit(quantity, binding)
    return list(found.values())


def repeated(quantity: Quantity, cells: Cells, binding: Binding) -> bool:
    """Return whether the replications of each cell that a quantity reads, two or more, are one and the same run."""
    read = read_of([(quantity, binding)])
    found = [Measured(each.experiment, each.column, each.where).cells(cells, {}) for each in read]
    return bool(found) and all(_one_run(each) for each in found)


def _one_run(rows: Iterable[Cell]) -> bool:
    runs: dict[int, list[str]] = {}
    for cell in rows:
        runs.setdefault(cell["replication"], []).append(_result(cell))
    return len(runs) > 1 and len({tuple(each) for each in runs.values()}) == 1


def _result(cell: Cell) -> str:
    # Records differ if a seed only shifts the start, so the results are compared. Of these, the number of packets on
    # the links shows any chance in a run; other implementations do not count them.
    if cell.get("packet_hops") is None:
        return str(cell["digest"])
    return repr(sorted((name, str(value)) for name, value in cell.items() if name not in OF_ONE_RUN))


def bound(value: Any, binding: Binding) -> Any:
    """Return a value with `{name}` replaced by bindings; a text that is only `{name}` becomes the bound value."""
    for name, content in binding.items():
        # Most values name nothing, and this is called for each value of each cell that a claim reads.
        if not isinstance(value, str) or "{" not in value:
            return value
        value = content if value == f"{{{name}}}" else value.replace(f"{{{name}}}", str(content))
    return value


def folded(how: str, within: Range) -> Range:
    """Return the range of an aggregate of values of a range; sums of nonnegative values are nonnegative."""
    if how in {"sum", "spread"}:
        return POSITIVE if within.low >= 0 else REAL
    return within


@cache
def _units() -> dict[str, str]:
    return {card["name"]: card["unit"] for card in catalogue()}


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed)


def _spread(values: Sequence[float]) -> float:
    mean = _mean(values)
    if len(values) == 1 or mean == 0:
        return math.nan
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)) / mean


def comparable(value: Any) -> str:
    """Return the same text for a number and for a text that denotes it."""
    if value is None or isinstance(value, bool):
        return str(value)
    try:
        return repr(float(value))
    except ValueError:
        return str(value)


def described(where: Mapping[str, Any]) -> str:
    """Return the values of columns in words."""
    return ", ".join(str(value) if name == "algorithm" else f"{name} = {value}" for name, value in where.items())


# Names in a text, as in `{name}`.
NAMES = re.compile(r"\{([^{}]*)\}")
# Columns of a cell that differ between equal runs.
OF_ONE_RUN = frozenset({"replication", "seed", "cell", "digest", "added", "made", "cpu_s"})
FOLD: dict[str, Callable[[Sequence[float]], float]] = {
    "one": max, "max": max, "min": min, "mean": _mean, "sum": math.fsum, "spread": _spread,
}  # fmt: skip
