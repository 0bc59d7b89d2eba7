# SPDX-License-Identifier: Apache-2.0
"""Ranks and rank correlations as statistics of means, over resamples of the replications. Pure functions.

If values differ by less than noise, the rank in one replication says little, and the mean of such ranks is not a rank.
So a quantity with a rank in it is computed from the means over replications, and its spread from resamples:
replications drawn with replacement, the same ones for all cells, so that they stay paired.

Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 6.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from narrows._internal.reproduction.intervals import LOOKS, Drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import Protocol

    from numpy.typing import NDArray

    # One number per resample; the first is the number of the replications themselves.
    Draws = NDArray[np.float64]

    class Quantity(Protocol):
        """A quantity that can be registered as a term."""

        def term(self, terms: Terms, binding: Mapping[str, Any]) -> int:
            """Return the number of its term, which is added if there is none."""


def stages(quantity: Quantity, cells: Mapping[str, Any], binding: Mapping[str, Any], counted: set[int]) -> list[Drawn]:
    """Return the statistic over the first 5, 10, 20 … replications, and over all, which is the last."""
    terms = Terms(cells)
    whole = terms.number(quantity, binding)
    shared = sorted(set.intersection(*map(set, terms.values.values())) & counted) if terms.values else []
    if not shared:
        return []
    numbers = [*(look for look in LOOKS if look < len(shared)), len(shared)]
    return [_drawn(terms, whole, shared[:number]) for number in numbers]


def _drawn(terms: Terms, whole: int, replications: Sequence[int]) -> Drawn:
    number = len(replications)
    generator = np.random.Generator(np.random.PCG64(number))
    chosen = generator.integers(0, number, (RESAMPLES, number))
    weights = np.ones((RESAMPLES + 1, number))
    weights[1:] = (chosen[:, :, None] == np.arange(number)).sum(axis=1)
    found = _Means(terms, replications, weights / number).of(whole)
    rest = found[1:]
    return Drawn(float(found[0]), rest[np.isfinite(rest)], number)


class _Term(NamedTuple):
    """A quantity under a condition: how it is computed, and the numbers of the terms that it is computed from."""

    parts: Sequence[int]
    compute: Callable[[Sequence[Draws]], Draws]


class Terms:
    """The terms of a quantity, each once."""

    def __init__(self, cells: Mapping[str, Any]) -> None:
        """Create an empty registry."""
        self.cells = cells
        self.terms: list[_Term] = []
        # The values of each measured term by replication.
        self.values: dict[int, Mapping[int, float]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[tuple[int, tuple[str, ...]], int] = {}
        self._names: dict[int, frozenset[str]] = {}

    def number(self, quantity: Quantity, binding: Mapping[str, Any]) -> int:
        """Return the number of a quantity under a condition."""
        names = self._mentioned(quantity)
        # A bound text may itself contain names, so any other name may matter.
        nested = any(isinstance(value, str) and "{" in value for value in binding.values())
        own = tuple(f"{name}={value!r}" for name, value in binding.items() if nested or name in names)
        known = self._known.get((id(quantity), own))
        if known is None:
            known = self._known[id(quantity), own] = quantity.term(self, binding)
        return known

    def constant(self, value: float) -> int:
        """Return the number of a term that is the same number in every resample."""
        # NaN is not equal to itself, but is one term.
        return self._numbered(repr(value), (), lambda _: np.array([value]))

    def computed(self, operation: Hashable, parts: Sequence[int], compute: Callable[[Sequence[Draws]], Draws]) -> int:
        """Return the number of a term that is computed from others."""
        return self._numbered((operation, tuple(parts)), parts, compute)

    def measured(self, what: Hashable, values: Callable[[], Mapping[int, float]]) -> int:
        """Return the number of a term whose mean over replications is used."""
        number = self._numbered(("measured", what), (), lambda _: np.array([np.nan]))
        if number not in self.values:
            self.values[number] = values()
        return number

    def _numbered(self, key: Hashable, parts: Sequence[int], compute: Callable[[Sequence[Draws]], Draws]) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.terms)
            self.terms.append(_Term(parts, compute))
        return self._numbers[key]

    def _mentioned(self, quantity: Quantity) -> frozenset[str]:
        """Return the names that texts of a quantity mention."""
        if id(quantity) not in self._names:
            self._names[id(quantity)] = frozenset(re.findall(r"\{([^{}]*)\}", repr(quantity)))
        return self._names[id(quantity)]


class _Means:
    """Terms as statistics of weighted means over replications."""

    def __init__(self, terms: Terms, replications: Sequence[int], weights: NDArray[np.float64]) -> None:
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
        if number in self.terms.values:
            values = self.terms.values[number]
            means: Draws = self.weights @ np.array([values[each] for each in self.replications])
            return means
        term = self.terms.terms[number]
        return np.broadcast_to(term.compute([self.of(part) for part in term.parts]), len(self.weights))


RESAMPLES = 4000
