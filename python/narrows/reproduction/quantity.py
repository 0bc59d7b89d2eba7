"""The quantities of claims: a number per replication, from the cells of experiments. Pure functions.

A quantity is a measure of the cells that certain levels pick out, a number, the ratio of two quantities, their
difference, their sum or product, several folded into one (sum, mean, greatest, least), or their Spearman correlation
over several conditions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Cell = Mapping[str, Any]
    Cells = Mapping[str, Sequence[Cell]]
    Values = dict[int, float]
    Binding = Mapping[str, Any]


class QuantityError(Exception):
    """A quantity refers to cells or columns that no experiment has."""


class Asked(list["Cell"]):
    """Rows of an experiment, with a cache of the rows that match conditions."""

    def __init__(self, rows: Iterable[Cell]) -> None:
        """Take rows, which do not change from here on."""
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


@dataclass(frozen=True)
class Measured:
    """A metric of some cells.

    Attributes:
        experiment: Name of the experiment.
        measure: Name of the column; `{name}` in it is replaced by the binding of that name, as in `where`.
        where: Values of columns that select the cells; `{name}` in a text is replaced by the binding of that name.
        over: Aggregation over several cells of one replication: "mean", "max", "min", "sum", or "spread" (standard
            deviation divided by mean); "one" allows a single cell only.
        missing: Value of a cell without data; None omits the cell.
    """

    experiment: str
    measure: str
    where: Mapping[str, Any]
    over: str = "one"
    missing: float | None = None

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed.

        Raises:
            QuantityError: There is no such cell, or a column is missing.
        """
        wanted = {name: bound(value, binding) for name, value in self.where.items()}
        rows = cells[self.experiment]
        for name in (*wanted, bound(self.measure, binding)):
            if rows and name not in rows[0]:
                raise QuantityError(f"experiment {self.experiment} has no column {name}")
        found = (rows if isinstance(rows, Asked) else Asked(rows)).fitting(wanted)
        if not found:
            raise QuantityError(f"experiment {self.experiment} has no cell with {_describe_levels(wanted)}")
        return found

    def column(self, binding: Binding) -> str:
        """Return the name of the column under a condition."""
        return str(bound(self.measure, binding))

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the value by replication, for the replications that have one."""
        by_replication: dict[int, list[float]] = {}
        found, measure = self.cells(cells, binding), bound(self.measure, binding)
        for row in found:
            value = self.missing if row[measure] is None else float(row[measure])
            if value is not None and math.isfinite(value):
                by_replication.setdefault(row["replication"], []).append(value)
        if self.over == "one" and any(len(each) > 1 for each in by_replication.values()):
            raise QuantityError(f"several cells of {self.experiment} fit {_describe_levels(self.where)}: say `over`")
        folded = {replication: FOLD[self.over](each) for replication, each in by_replication.items()}
        return {replication: value for replication, value in folded.items() if math.isfinite(value)}

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        where = _describe_levels({name: bound(value, binding) for name, value in self.where.items()})
        of = f" of {where}" if where else ""
        measure = bound(self.measure, binding)
        return f"{'' if self.over == 'one' else f'{self.over} '}{measure}{of} ({self.experiment})"

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used."""
        return {self.experiment}


@dataclass(frozen=True)
class Number:
    """A constant number, the same in every replication.

    Attributes:
        value: The number.
    """

    value: float

    def values(self, _cells: Cells, _binding: Binding) -> Values:
        """Return no values: a number has no replications of its own."""
        return {}

    def cells(self, _cells: Cells, _binding: Binding) -> list[Cell]:
        """Return no cells."""
        return []

    def describe(self, _binding: Binding) -> str:
        """Return a description in words."""
        return f"{self.value:g}"

    def experiments(self) -> set[str]:
        """Return no experiments."""
        return set()


@dataclass(frozen=True)
class Constant:
    """A quantity that has the same value in every replication, used as a number.

    Attributes:
        quantity: The quantity.
    """

    quantity: Quantity

    def number(self, cells: Cells, binding: Binding) -> float | None:
        """Return its value; None if no replication has one.

        Raises:
            QuantityError: The values of replications differ.
        """
        different = set(self.values(cells, binding).values())
        if len(different) > 1:
            raise QuantityError(f"{self.describe(binding)} is not the same in every replication")
        return different.pop() if different else None

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the value by replication, for the replications that have one."""
        return self.quantity.values(cells, binding)

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed."""
        return self.quantity.cells(cells, binding)

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        return self.quantity.describe(binding)

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used."""
        return self.quantity.experiments()


@dataclass(frozen=True)
class Folded:
    """The aggregate of several quantities, each under several conditions, replication by replication.

    Attributes:
        how: Aggregation: "sum", "mean", "max" or "min".
        parts: The quantities, at least one.
        over: Bindings of each condition; one empty binding if there are no conditions.
    """

    how: str
    parts: Sequence[Quantity]
    over: Sequence[Binding]

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the aggregate by replication, for the replications that have all values."""
        parts = [(part, {**binding, **each}) for part in self.parts for each in self.over]
        return {replication: FOLD[self.how](values) for replication, values in _together(parts, cells).items()}

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed."""
        return [cell for part in self.parts for each in self.over for cell in part.cells(cells, {**binding, **each})]

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        names = {**binding, **dict.fromkeys(self.over[0], "each")}
        return f"{self.how} of {', '.join(part.describe(names) for part in self.parts)}"

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used."""
        return set.union(*(part.experiments() for part in self.parts))


@dataclass(frozen=True)
class Named:
    """A quantity with a name for descriptions.

    Attributes:
        name: The name; `{x}` in it is replaced by the binding of that name.
        quantity: The quantity.
    """

    name: str
    quantity: Quantity

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the value by replication, for the replications that have one."""
        return self.quantity.values(cells, binding)

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed."""
        return self.quantity.cells(cells, binding)

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        return str(bound(self.name, binding))

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used."""
        return self.quantity.experiments()


@dataclass(frozen=True)
class Chosen:
    """One of several named quantities, by the condition under which it is taken.

    Attributes:
        name: The name; `{x}` in it is replaced by the binding of that name.
        quantities: The quantities by name.
    """

    name: str
    quantities: Mapping[str, Quantity]

    def under(self, binding: Binding) -> Quantity:
        """Return the quantity that the name under a condition is of.

        Raises:
            QuantityError: No quantity has this name.
        """
        name = bound(self.name, binding)
        if name not in self.quantities:
            raise QuantityError(f"no quantity is named {name}; there are {', '.join(self.quantities)}")
        return self.quantities[name]

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the value by replication, for the replications that have one."""
        return self.under(binding).values(cells, binding)

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed."""
        return self.under(binding).cells(cells, binding)

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        return str(bound(self.name, binding))

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used under some condition."""
        return set.union(*(quantity.experiments() for quantity in self.quantities.values()))


@dataclass(frozen=True)
class Combined:
    """A combination of two quantities, replication by replication.

    Attributes:
        how: Operation: "ratio", "minus", "plus" or "times".
        first: The first operand.
        second: The second operand.
    """

    how: str
    first: Quantity
    second: Quantity

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the result by replication, for the replications that both quantities have."""
        both = _together([(self.first, binding), (self.second, binding)], cells)
        if self.how == "plus":
            return {each: one + other for each, (one, other) in both.items()}
        if self.how == "times":
            return {each: one * other for each, (one, other) in both.items()}
        if self.how == "minus":
            return {each: one - other for each, (one, other) in both.items()}
        return {each: one / other for each, (one, other) in both.items() if other != 0}

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed."""
        return [*self.first.cells(cells, binding), *self.second.cells(cells, binding)]

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        sign = "over" if self.how == "ratio" else self.how
        return f"{self.first.describe(binding)} {sign} {self.second.describe(binding)}"

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used."""
        return self.first.experiments() | self.second.experiments()


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation of two quantities over several conditions, replication by replication.

    Attributes:
        first: The first operand.
        second: The second operand.
        over: Bindings of each condition.
    """

    first: Quantity
    second: Quantity
    over: Sequence[Binding]

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the coefficient, -1 to 1, by replication, for the replications that have all values."""
        pairs = [
            (self.first.values(cells, {**binding, **each}), self.second.values(cells, {**binding, **each}))
            for each in self.over
        ]
        shared = set.intersection(*(set(one) & set(other) for one, other in pairs))
        found = {
            each: spearman([one[each] for one, _ in pairs], [other[each] for _, other in pairs])
            for each in sorted(shared)
        }
        return {replication: value for replication, value in found.items() if math.isfinite(value)}

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed."""
        return [
            cell
            for each in self.over
            for quantity in (self.first, self.second)
            for cell in quantity.cells(cells, {**binding, **each})
        ]

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        names = {**binding, **dict.fromkeys(self.over[0], "each")}
        return f"rank correlation of {self.first.describe(names)} with {self.second.describe(names)}"

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used."""
        return self.first.experiments() | self.second.experiments()


@dataclass(frozen=True)
class Ranked:
    """The rank of a quantity among several conditions, replication by replication; ties have their mean rank.

    Attributes:
        quantity: The ranked quantity.
        at: Bindings of the condition whose rank is taken.
        among: Bindings of all conditions, among them `at`.
        highest: Whether rank 1 is that of the highest value; otherwise of the lowest.
    """

    quantity: Quantity
    at: Binding
    among: Sequence[Binding]
    highest: bool

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the rank by replication, for the replications in which all conditions have a value."""
        found = [self.quantity.values(cells, {**binding, **each}) for each in self.among]
        own = {name: bound(value, binding) for name, value in self.at.items()}
        if own not in self.among:
            raise QuantityError(f"{_describe_levels(own)} is none of those among which it is ranked")
        place, sign = list(self.among).index(own), -1 if self.highest else 1
        shared = set.intersection(*(set(each) for each in found))
        return {each: _ranks([sign * values[each] for values in found])[place] for each in sorted(shared)}

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed."""
        return [cell for each in self.among for cell in self.quantity.cells(cells, {**binding, **each})]

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        own = {name: bound(value, binding) for name, value in self.at.items()}
        return f"rank of {self.quantity.describe({**binding, **own})} among {len(self.among)}"

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used."""
        return self.quantity.experiments()


@dataclass(frozen=True)
class Probability:
    """Whether a quantity is within bounds, 1 or 0 by replication; its mean is the probability that it is.

    Attributes:
        quantity: The quantity.
        least: Lower bound, inclusive; None without one.
        most: Upper bound, inclusive; None without one.
    """

    quantity: Quantity
    least: float | None
    most: float | None

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return 1 or 0 by replication, for the replications in which the quantity has a value."""
        return {each: float(self._within(value)) for each, value in self.quantity.values(cells, binding).items()}

    def _within(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def cells(self, cells: Cells, binding: Binding) -> list[Cell]:
        """Return the cells from which the quantity is computed."""
        return self.quantity.cells(cells, binding)

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        bounds = [f"at least {self.least:g}"] if self.least is not None else []
        bounds += [f"at most {self.most:g}"] if self.most is not None else []
        return f"probability that {self.quantity.describe(binding)} is {' and '.join(bounds)}"

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells are used."""
        return self.quantity.experiments()


Quantity = Measured | Number | Constant | Combined | Folded | Named | Chosen | Correlation | Ranked | Probability


def _together(parts: Sequence[tuple[Quantity, Binding]], cells: Cells) -> dict[int, list[float]]:
    """Return the values of several quantities in each replication that all have; a number has every one."""
    found = [_everywhere(each, cells, binding) for each, binding in parts]
    known = [set(each) for each in found if isinstance(each, dict)]
    shared = sorted(set.intersection(*known)) if known else []
    return {
        replication: [each[replication] if isinstance(each, dict) else each for each in found] for replication in shared
    }


def _everywhere(quantity: Quantity, cells: Cells, binding: Binding) -> float | Values:
    if isinstance(quantity, Number):
        return quantity.value
    if isinstance(quantity, Constant):
        number = quantity.number(cells, binding)
        return {} if number is None else number
    return quantity.values(cells, binding)


def bound(value: Any, binding: Binding) -> Any:
    """Return a value with `{name}` replaced by bindings; a text that is only `{name}` becomes the bound value."""
    for name, content in binding.items():
        # Most values name nothing, and this is called for each value of each cell that a claim reads.
        if not isinstance(value, str) or "{" not in value:
            return value
        value = content if value == f"{{{name}}}" else value.replace(f"{{{name}}}", str(content))
    return value


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rank correlation, ties having mean ranks; not a number if one of the two is constant."""
    first, second = _ranks(one), _ranks(other)
    middle = (len(first) + 1) / 2
    spread = math.sqrt(math.fsum((each - middle) ** 2 for each in first))
    spread *= math.sqrt(math.fsum((each - middle) ** 2 for each in second))
    together = math.fsum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    return together / spread if spread > 0 else float("nan")


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed)


def _spread(values: Sequence[float]) -> float:
    mean = _mean(values)
    if len(values) == 1 or mean == 0:
        return float("nan")
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)) / mean


def comparable(value: Any) -> str:
    """Return the same text for a number and for what is written as that number."""
    if value is None or isinstance(value, bool):
        return str(value)
    try:
        return repr(float(value))
    except ValueError:
        return str(value)


def _describe_levels(where: Mapping[str, Any]) -> str:
    return ", ".join(str(value) if name == "algorithm" else f"{name} = {value}" for name, value in where.items())


FOLD: dict[str, Callable[[Sequence[float]], float]] = {
    "one": max, "max": max, "min": min, "mean": _mean, "sum": math.fsum, "spread": _spread,
}  # fmt: skip
