# SPDX-License-Identifier: Apache-2.0
"""The quantities of claims that are computed from others, replication by replication. Pure functions."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from narrows._internal.frozen import frozen
from narrows._internal.reproduction.quantity import (
    FOLD,
    Domain,
    Number,
    Quantity,
    QuantityError,
    Same,
    Unsure,
    bound,
    described,
    either,
    folded,
    together,
)
from narrows._internal.statistics import POSITIVE, REAL, SHARE, Range
from narrows.analysis.ranks import ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from narrows._internal.reproduction.quantity import Binding, Cells, Values
    from narrows._internal.reproduction.resampling import Draws, Terms


@frozen
class Constant(Same):
    """A quantity that has the same value in every replication, used as a number."""

    quantity: Quantity

    def everywhere(self, cells: Cells, binding: Binding) -> float | Values:
        """Return the number, which must be equal in all replications; no values if none has one."""
        found = set(self.values(cells, binding).values())
        if len(found) > 1:
            raise QuantityError(f"{self.describe(binding)} is not the same in every replication")
        return found.pop() if found else {}

    def unsure(self, cells: Cells, binding: Binding) -> Unsure:
        """Return every replication if the number is only a bound."""
        found = super().unsure(cells, binding)
        every = frozenset(cell["replication"] for each in cells.values() for cell in each) if found.any else frozenset()
        return Unsure(every if found.higher else frozenset(), every if found.lower else frozenset())

    def term(self, terms: Terms, binding: Binding) -> int:
        """Return the number of its term."""
        number = self.everywhere(terms.cells, binding)
        return terms.constant(math.nan if isinstance(number, dict) else number)


class _Called(Same):
    """A quantity with a name for descriptions."""

    name: str

    def describe(self, binding: Binding) -> str:
        return str(bound(self.name, binding))


@frozen
class Named(_Called):
    """A quantity with a name for descriptions."""

    name: str  # `{x}` in it is replaced by the binding of x
    quantity: Quantity


@frozen
class Chosen(_Called):
    """One of several named quantities, by the condition under which it is taken."""

    name: str  # `{x}` in it is replaced by the binding of x
    quantities: Mapping[str, Quantity]

    def operands(self) -> Sequence[Quantity]:
        """Return all of them."""
        return list(self.quantities.values())

    def texts(self) -> Iterable[Any]:
        """Return the name."""
        return (self.name,)

    def under(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return the quantity that has the name under a condition."""
        name = self.describe(binding)
        if name not in self.quantities:
            raise QuantityError(f"no quantity is named {name}; there are {', '.join(self.quantities)}")
        return [(self.quantities[name], binding)]


@frozen
class Probability(Same):
    """Whether a quantity is within bounds, 1 or 0 by replication; its mean is the probability that it is."""

    quantity: Quantity
    least: float | None  # inclusive; None without a lower bound
    most: float | None  # inclusive; None without an upper bound

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return 1 or 0 by replication, for those in which it is known whether the quantity is within the bounds."""
        open_ones = self.unsure(cells, binding).any
        values = self.quantity.values(cells, binding).items()
        return {each: float(self._within(value)) for each, value in values if each not in open_ones}

    def unsure(self, cells: Cells, binding: Binding) -> Unsure:
        """Return the replications in which the quantity may lie on either side of a bound."""
        found, values = self.quantity.unsure(cells, binding), self.quantity.values(cells, binding)
        least = -math.inf if self.least is None else self.least
        most = math.inf if self.most is None else self.most
        rising = {
            each for each in found.higher & set(values) if values[each] < least or values[each] <= most < math.inf
        }
        falling = {
            each for each in found.lower & set(values) if values[each] > most or values[each] >= least > -math.inf
        }
        either_way = frozenset(rising | falling)
        return Unsure(either_way, either_way)

    def _within(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        bounds = [f"at least {self.least:g}"] if self.least is not None else []
        bounds += [f"at most {self.most:g}"] if self.most is not None else []
        return f"probability that {self.quantity.describe(binding)} is {' and '.join(bounds)}"

    def domain(self, _binding: Binding) -> Domain:
        """Return the probabilities."""
        return Domain("", SHARE)

    def of_means(self) -> bool:
        """Return False: it compares each replication's own value."""
        return False

    def term(self, terms: Terms, binding: Binding) -> int:
        """Return the number of its term."""
        return terms.measured((id(self), repr(dict(binding))), lambda: self.values(terms.cells, binding))


@frozen
class Folded(Quantity):
    """The aggregate of several quantities, each under several conditions, replication by replication."""

    how: str  # "sum", "mean", "max" or "min"
    parts: Sequence[Quantity]  # at least one
    over: Sequence[Binding]  # bindings of each condition; one empty binding without conditions

    def operands(self) -> Sequence[Quantity]:
        """Return the quantities."""
        return self.parts

    def passes_on(self) -> bool:
        """Return whether it is not taken under several conditions."""
        return list(self.over) == [{}]

    def under(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return each quantity under each condition."""
        return [(part, {**binding, **each}) for part in self.parts for each in self.over]

    def values(self, cells: Cells, binding: Binding) -> Values:
        """Return the aggregate by replication, its sums rounded once, for the replications that have all values."""
        shared, parts = together([self.part(each, cells, inner) for each, inner in self.under(binding)])
        found = [FOLD[self.how](each) for each in zip(*parts, strict=True)]
        return dict(zip(shared, found, strict=True))

    def unsure(self, cells: Cells, binding: Binding) -> Unsure:
        """Return the replications in which a part is only a bound, unless a known part is the least or greatest."""
        found = super().unsure(cells, binding)
        if self.how not in {"min", "max"} or not found.any:
            return found
        whole = self.values(cells, binding)
        open_ones = found.higher if self.how == "min" else found.lower
        for each, inner in self.under(binding):
            own, bounds = each.everywhere(cells, inner), each.unsure(cells, inner)
            values = own if isinstance(own, dict) else dict.fromkeys(whole, own)
            known = set(values) - (bounds.higher if self.how == "min" else bounds.lower)
            open_ones -= {one for one in known & set(whole) if values[one] == whole[one]}
        return found._replace(**{"higher" if self.how == "min" else "lower": open_ones})

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        names = {**binding, **dict.fromkeys(self.over[0], "each")}
        return f"{self.how} of {', '.join(part.describe(names) for part in self.parts)}"

    def domain(self, binding: Binding) -> Domain:
        """Return the unit that all parts have, and their ranges together."""
        return Domain(_common(self.under(binding)), folded(self.how, _around(self.under(binding))))

    def operation(self, _binding: Binding) -> Hashable:
        """Return the aggregation."""
        return type(self), self.how

    def drawn(self, parts: Sequence[Draws], _binding: Binding) -> Draws:
        """Return the aggregates."""
        found: Draws = getattr(np.stack(parts, axis=1), self.how)(axis=1)
        return found


@frozen
class Combined(Quantity):
    """A combination of two quantities, replication by replication."""

    how: str  # "ratio", "minus", "plus" or "times"
    first: Quantity
    second: Quantity

    def operands(self) -> Sequence[Quantity]:
        """Return both operands."""
        return self.first, self.second

    def unsure(self, cells: Cells, binding: Binding) -> Unsure:
        """Return the replications with an operand that is only a bound; difference and ratio fall with the second."""
        first, second = (each.unsure(cells, inner) for each, inner in self.under(binding))
        found = either([first, second.reversed if self.how in {"minus", "ratio"} else second])
        if found.any and self.how in {"times", "ratio"} and _around(self.under(binding)).low < 0:
            # With a factor of either sign it may rise or fall.
            return Unsure(found.any, found.any)
        return found

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        sign = "over" if self.how == "ratio" else self.how
        return f"{self.first.describe(binding)} {sign} {self.second.describe(binding)}"

    def domain(self, binding: Binding) -> Domain:
        """Return the unit of a sum or difference; only a difference of nonnegative operands may be negative."""
        unit = _common(self.under(binding)) if self.how in {"minus", "plus"} else ""
        return Domain(unit, POSITIVE if self.how != "minus" and _around(self.under(binding)).low >= 0 else REAL)

    def operation(self, _binding: Binding) -> Hashable:
        """Return the operation."""
        return type(self), self.how

    def drawn(self, parts: Sequence[Draws], _binding: Binding) -> Draws:
        """Return the results, which are not finite if a divisor is zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Draws = COMBINE[self.how](*parts)
        return found


@frozen
class RatioOfMeans(Combined):
    """The mean of a quantity over the mean of another: of totals, a replication counts by its size."""

    def of_means(self) -> bool:
        """Return True."""
        return True

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        return f"mean {self.first.describe(binding)} over mean {self.second.describe(binding)}"


class _OfRanks(Quantity):
    """A quantity that is computed from ranks."""

    def part(self, each: Quantity, cells: Cells, binding: Binding) -> float | Values:
        return each.values(cells, binding)

    def of_means(self) -> bool:
        return True

    def unsure(self, _cells: Cells, _binding: Binding) -> Unsure:
        # Events that had not happened by the end have equal ranks, after all others.
        return Unsure()


@frozen
class Correlation(_OfRanks):
    """Spearman's rank correlation of two quantities over several conditions, -1 to 1, replication by replication."""

    first: Quantity
    second: Quantity
    over: Sequence[Binding]  # bindings of each condition

    def operands(self) -> Sequence[Quantity]:
        """Return both operands."""
        return self.first, self.second

    def under(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return both operands under each condition in turn."""
        return [(each, {**binding, **inner}) for inner in self.over for each in self.operands()]

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        names = {**binding, **dict.fromkeys(self.over[0], "each")}
        return f"rank correlation of {self.first.describe(names)} with {self.second.describe(names)}"

    def domain(self, _binding: Binding) -> Domain:
        """Return the coefficients."""
        return Domain("", Range(-1.0, 1.0))

    def drawn(self, parts: Sequence[Draws], _binding: Binding) -> Draws:
        """Return the coefficients."""
        return correlations(np.stack(parts[0::2], axis=1), np.stack(parts[1::2], axis=1))


@frozen
class Ranked(_OfRanks):
    """The rank of a quantity among several conditions, replication by replication; ties have their mean rank."""

    quantity: Quantity
    at: Binding  # bindings of the condition whose rank is taken
    among: Sequence[Binding]  # bindings of all conditions, among them `at`
    highest: bool  # whether the highest value has rank 1, instead of the lowest

    def operands(self) -> Sequence[Quantity]:
        """Return the ranked quantity."""
        return (self.quantity,)

    def under(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return the ranked quantity under each condition."""
        return [(self.quantity, {**binding, **each}) for each in self.among]

    def _own(self, binding: Binding) -> dict[str, Any]:
        return {name: bound(value, binding) for name, value in self.at.items()}

    def _place(self, binding: Binding) -> int:
        own = self._own(binding)
        if own not in self.among:
            raise QuantityError(f"{described(own)} is not among the values to rank")
        return list(self.among).index(own)

    def describe(self, binding: Binding) -> str:
        """Return a description in words."""
        return f"rank of {self.quantity.describe({**binding, **self._own(binding)})} among {len(self.among)}"

    def domain(self, _binding: Binding) -> Domain:
        """Return the ranks."""
        return Domain("", Range(1.0, float(len(self.among))))

    def operation(self, binding: Binding) -> Hashable:
        """Return the place of the condition whose rank is taken, and which value has rank 1."""
        return type(self), self._place(binding), self.highest

    def drawn(self, parts: Sequence[Draws], binding: Binding) -> Draws:
        """Return the ranks."""
        found: Draws = ranks(np.stack(parts, axis=1), higher_is_better=self.highest)[:, self._place(binding)]
        return found


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rank correlation, ties having mean ranks; not a number if one of the two is constant."""
    return float(correlations(np.array([one], float), np.array([other], float))[0])


def correlations(one: Draws, other: Draws) -> Draws:
    """Return Spearman's rank correlation of each two rows."""
    middle = (one.shape[1] + 1) / 2
    first, second = (ranks(each, higher_is_better=False) - middle for each in (one, other))
    spread = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Draws = (first * second).sum(axis=1) / spread
    return found


def _common(parts: Iterable[tuple[Quantity, Binding]]) -> str:
    """Return the unit of all parts except numbers; empty if they have several."""
    found = {part.domain(binding).unit for part, binding in parts if not isinstance(part, Number)}
    return found.pop() if len(found) == 1 else ""


def _around(parts: Iterable[tuple[Quantity, Binding]]) -> Range:
    """Return the smallest range that contains the ranges of all parts."""
    ranges = [part.domain(binding).range for part, binding in parts]
    if len(set(ranges)) == 1:
        return ranges[0]
    return Range(min(each.low for each in ranges), max(each.high for each in ranges))


COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "ratio": operator.truediv, "minus": operator.sub, "plus": operator.add, "times": operator.mul,
}  # fmt: skip
