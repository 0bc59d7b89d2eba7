"""Ranks and rank correlations as statistics of means, over resamples of the replications. Pure functions.

The rank of one replication's values says little where they differ by less than noise, and the mean of such ranks is no
rank of anything. So a quantity with a rank in it is computed from the means over replications, and its spread from
resamples: replications drawn with replacement, the same ones for all cells, so that they stay paired.

Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 6.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from narrows.reproduction.intervals import LOOKS, Drawn
from narrows.reproduction.quantity import (
    Chosen,
    Combined,
    Constant,
    Correlation,
    Folded,
    Measured,
    Named,
    Number,
    QuantityError,
    Ranked,
    bound,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from narrows.reproduction.quantity import Binding, Cells, Probability, Quantity, Values

    # One number per resample; the first is that of the replications as they are.
    Draws = NDArray[np.float64]


def has_ranks(quantity: Quantity) -> bool:
    """Return whether a rank or a rank correlation is part of a quantity."""
    if isinstance(quantity, Correlation | Ranked):
        return True
    if isinstance(quantity, Named | Constant):
        return has_ranks(quantity.quantity)
    if isinstance(quantity, Chosen):
        return any(has_ranks(each) for each in quantity.quantities.values())
    if isinstance(quantity, Combined):
        return has_ranks(quantity.first) or has_ranks(quantity.second)
    return isinstance(quantity, Folded) and any(has_ranks(part) for part in quantity.parts)


def stages(quantity: Quantity, cells: Cells, binding: Binding, counted: set[int]) -> list[Drawn]:
    """Return the statistic over the first 5, 10, 20 … replications, and over all, which is the last.

    Args:
        quantity: A quantity with ranks.
        cells: Rows of cells by experiment.
        binding: Values of names.
        counted: The replications that count.
    """
    terms = _Terms(cells)
    whole = terms.number(quantity, binding)
    shared = sorted(set.intersection(*map(set, terms.values.values())) & counted) if terms.values else []
    if not shared:
        return []
    numbers = [*(look for look in LOOKS if look < len(shared)), len(shared)]
    return [_drawn(terms, whole, shared[:number]) for number in numbers]


def _drawn(terms: _Terms, whole: int, replications: Sequence[int]) -> Drawn:
    number = len(replications)
    generator = np.random.Generator(np.random.PCG64(number))
    chosen = generator.integers(0, number, (RESAMPLES, number))
    weights = np.ones((RESAMPLES + 1, number))
    weights[1:] = (chosen[:, :, None] == np.arange(number)).sum(axis=1)
    found = _Means(terms, replications, weights / number).of(whole)
    rest = found[1:]
    return Drawn(float(found[0]), rest[np.isfinite(rest)], number)


class _Term(NamedTuple):
    """A quantity under a condition.

    Attributes:
        kind: "measured", "constant", "combined", "folded", "correlation" or "ranked".
        how: Its operation, or the value of a constant.
        parts: Numbers of the terms that it is computed from.
    """

    kind: str
    how: Any
    parts: tuple[int, ...]


class _Terms:
    """The terms of a quantity, each once.

    The distance of one algorithm from the best of all, in each of many environments, has the same few terms many times.
    They are numbered, so that each is computed once for all resamples.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.terms: list[_Term] = []
        # Of each measured term its values by replication.
        self.values: dict[int, Values] = {}
        self._numbers: dict[_Term, int] = {}
        self._known: dict[tuple[int, tuple[str, ...]], int] = {}
        self._names: dict[int, frozenset[str]] = {}

    def number(self, quantity: Quantity, binding: Binding) -> int:
        """Return the number of a quantity under a condition."""
        names = self._mentioned(quantity)
        # A value that is itself a text with a name may need any other.
        nested = any(isinstance(value, str) and "{" in value for value in binding.values())
        own = tuple(f"{name}={value!r}" for name, value in binding.items() if nested or name in names)
        known = self._known.get((id(quantity), own))
        if known is None:
            known = self._known[id(quantity), own] = self._new(quantity, binding)
        return known

    def _new(self, quantity: Quantity, binding: Binding) -> int:  # noqa: PLR0911  # a kind of quantity each
        if isinstance(quantity, Number):
            return self._numbered("constant", quantity.value)
        if isinstance(quantity, Constant):
            number = quantity.number(self.cells, binding)
            return self._numbered("constant", float("nan") if number is None else number)
        if isinstance(quantity, Named):
            return self.number(quantity.quantity, binding)
        if isinstance(quantity, Chosen):
            return self.number(quantity.under(binding), binding)
        if isinstance(quantity, Combined):
            both = (self.number(quantity.first, binding), self.number(quantity.second, binding))
            return self._numbered("combined", quantity.how, both)
        if isinstance(quantity, Folded):
            return self._numbered("folded", quantity.how, self._each(quantity.parts, quantity.over, binding))
        if isinstance(quantity, Correlation):
            first = self._each([quantity.first], quantity.over, binding)
            second = self._each([quantity.second], quantity.over, binding)
            return self._numbered("correlation", len(first), (*first, *second))
        if isinstance(quantity, Ranked):
            own = {name: bound(value, binding) for name, value in quantity.at.items()}
            if own not in quantity.among:
                raise QuantityError(f"{own} is none of those among which it is ranked")
            parts = self._each([quantity.quantity], quantity.among, binding)
            return self._numbered("ranked", (list(quantity.among).index(own), quantity.highest), parts)
        return self._measured(quantity, binding)

    def _measured(self, quantity: Measured | Probability, binding: Binding) -> int:
        what: Any = (id(quantity), repr(dict(binding)))
        if isinstance(quantity, Measured):
            where = tuple(f"{name}={bound(value, binding)!r}" for name, value in quantity.where.items())
            what = (quantity.experiment, quantity.column(binding), where, quantity.over, quantity.missing)
        number = self._numbered("measured", what)
        if number not in self.values:
            self.values[number] = quantity.values(self.cells, binding)
        return number

    def _each(self, parts: Sequence[Quantity], over: Sequence[Binding], binding: Binding) -> tuple[int, ...]:
        return tuple(self.number(part, {**binding, **each}) for part in parts for each in over)

    def _numbered(self, kind: str, how: Any, parts: tuple[int, ...] = ()) -> int:
        # Not a number is not equal to itself, but the same in all terms.
        term = _Term(kind, repr(how) if kind == "constant" else how, parts)
        if term not in self._numbers:
            self._numbers[term] = len(self.terms)
            self.terms.append(_Term(kind, how, parts))
        return self._numbers[term]

    def _mentioned(self, quantity: Quantity) -> frozenset[str]:
        """Return the names that texts of a quantity mention."""
        if id(quantity) not in self._names:
            self._names[id(quantity)] = frozenset(re.findall(r"\{([^{}]*)\}", repr(quantity)))
        return self._names[id(quantity)]


class _Means:
    """Terms as statistics of weighted means over replications."""

    def __init__(self, terms: _Terms, replications: Sequence[int], weights: NDArray[np.float64]) -> None:
        self.terms, self.replications, self.weights = terms, replications, weights
        self._left = Counter(part for term in terms.terms for part in term.parts)
        self._found: dict[int, Draws] = {}

    def of(self, number: int) -> Draws:
        """Return the value of a term; it is forgotten once every term that is computed from it has been."""
        if number not in self._found:
            self._found[number] = self._new(number)
        self._left[number] -= 1
        return self._found[number] if self._left[number] > 0 else self._found.pop(number)

    def _new(self, number: int) -> Draws:
        term = self.terms.terms[number]
        if term.kind == "measured":
            values = self.terms.values[number]
            means: Draws = self.weights @ np.array([values[each] for each in self.replications])
            return means
        if term.kind == "constant":
            return np.full(len(self.weights), term.how)
        parts = [self.of(part) for part in term.parts]
        if term.kind == "combined":
            with np.errstate(divide="ignore", invalid="ignore"):
                combined: Draws = COMBINE[term.how](*parts)
            return combined
        if term.kind == "folded":
            folded: Draws = FOLDED[term.how](np.stack(parts, axis=1))
            return folded
        if term.kind == "correlation":
            first, second = parts[: term.how], parts[term.how :]
            return _correlation(ranks(np.stack(first, axis=1)), ranks(np.stack(second, axis=1)))
        place, highest = term.how
        ranked: Draws = ranks((-1.0 if highest else 1.0) * np.stack(parts, axis=1))[:, place]
        return ranked


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of the values in each row, 1 for the least; ties have their mean rank.

    Args:
        values: Of shape (rows, conditions).
    """
    above = (values[:, :, None] > values[:, None, :]).sum(axis=2)
    ties = (values[:, :, None] == values[:, None, :]).sum(axis=2)
    found: NDArray[np.float64] = above + (ties + 1) / 2
    return found


def _correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> Draws:
    middle = (first.shape[1] + 1) / 2
    one, other = first - middle, second - middle
    spread = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Draws = (one * other).sum(axis=1) / spread
    return found


COMBINE = {"ratio": np.divide, "minus": np.subtract, "plus": np.add, "times": np.multiply}
FOLDED = {
    "sum": lambda values: values.sum(axis=1),
    "mean": lambda values: values.mean(axis=1),
    "max": lambda values: values.max(axis=1),
    "min": lambda values: values.min(axis=1),
}
RESAMPLES = 4000
