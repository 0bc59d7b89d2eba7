"""Ranks and rank correlations as statistics of means, over resamples of the replications. Pure functions.

The rank of one replication's values says little where they differ by less than noise, and the mean of such ranks is no
rank of anything. So a quantity with a rank in it is computed from the means over replications, and its spread from
resamples: replications drawn with replacement, the same ones for all cells, so that they stay paired.

Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows.reproduction.intervals import LOOKS, Drawn
from narrows.reproduction.quantity import (
    Combined,
    Constant,
    Correlation,
    Folded,
    Measured,
    Named,
    Number,
    Probability,
    QuantityError,
    Ranked,
    bound,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from narrows.reproduction.quantity import Binding, Cells, Quantity, Values

    # One number per resample; the first is that of the replications as they are.
    Draws = NDArray[np.float64]


def has_ranks(quantity: Quantity) -> bool:
    """Return whether a rank or a rank correlation is part of a quantity."""
    if isinstance(quantity, Correlation | Ranked):
        return True
    if isinstance(quantity, Named | Constant):
        return has_ranks(quantity.quantity)
    if isinstance(quantity, Combined):
        return has_ranks(quantity.first) or has_ranks(quantity.second)
    return isinstance(quantity, Folded) and any(has_ranks(part) for part in quantity.parts)


def stages(quantity: Quantity, cells: Cells, binding: Binding) -> list[Drawn]:
    """Return the statistic over the first 5, 10, 20 … replications, and over all, which is the last.

    Args:
        quantity: A quantity with ranks.
        cells: Rows of cells by experiment.
        binding: Values of names.
    """
    shared = _replications(quantity, cells, binding)
    if not shared:
        return []
    numbers = [*(look for look in LOOKS if look < len(shared)), len(shared)]
    return [_drawn(quantity, cells, binding, shared[:number]) for number in numbers]


def _drawn(quantity: Quantity, cells: Cells, binding: Binding, replications: Sequence[int]) -> Drawn:
    number = len(replications)
    generator = np.random.Generator(np.random.PCG64(number))
    chosen = generator.integers(0, number, (RESAMPLES, number))
    weights = np.ones((RESAMPLES + 1, number))
    weights[1:] = (chosen[:, :, None] == np.arange(number)).sum(axis=1)
    found = _Means(cells, replications, weights / number).of(quantity, binding)
    rest = found[1:]
    return Drawn(float(found[0]), rest[np.isfinite(rest)], number)


def _replications(quantity: Quantity, cells: Cells, binding: Binding) -> list[int]:
    found = [set(each) for each in _values(quantity, cells, binding)]
    return sorted(set.intersection(*found)) if found else []


def _values(quantity: Quantity, cells: Cells, binding: Binding) -> list[Values]:
    """Return the values of every measure in a quantity, but of what is constant."""
    if isinstance(quantity, Measured | Probability):
        return [quantity.values(cells, binding)]
    if isinstance(quantity, Named):
        return _values(quantity.quantity, cells, binding)
    if isinstance(quantity, Combined):
        return _values(quantity.first, cells, binding) + _values(quantity.second, cells, binding)
    if isinstance(quantity, Correlation):
        parts, over = [quantity.first, quantity.second], quantity.over
    elif isinstance(quantity, Folded):
        parts, over = list(quantity.parts), quantity.over
    elif isinstance(quantity, Ranked):
        parts, over = [quantity.quantity], quantity.among
    else:
        return []
    return [each for part in parts for where in over for each in _values(part, cells, {**binding, **where})]


class _Means:
    """Quantities as statistics of weighted means over replications."""

    def __init__(self, cells: Cells, replications: Sequence[int], weights: NDArray[np.float64]) -> None:
        self.cells, self.replications, self.weights = cells, replications, weights

    def of(self, quantity: Quantity, binding: Binding) -> Draws:  # noqa: PLR0911  # a kind of quantity each
        if isinstance(quantity, Number):
            return self._same(quantity.value)
        if isinstance(quantity, Constant):
            number = quantity.number(self.cells, binding)
            return self._same(float("nan") if number is None else number)
        if isinstance(quantity, Named):
            return self.of(quantity.quantity, binding)
        if isinstance(quantity, Combined):
            first, second = self.of(quantity.first, binding), self.of(quantity.second, binding)
            with np.errstate(divide="ignore", invalid="ignore"):
                combined: Draws = COMBINE[quantity.how](first, second)
            return combined
        if isinstance(quantity, Folded):
            folded: Draws = FOLDED[quantity.how](self._each(list(quantity.parts), quantity.over, binding))
            return folded
        if isinstance(quantity, Correlation):
            first = self._each([quantity.first], quantity.over, binding)
            return _correlation(ranks(first), ranks(self._each([quantity.second], quantity.over, binding)))
        if isinstance(quantity, Ranked):
            own = {name: bound(value, binding) for name, value in quantity.at.items()}
            if own not in quantity.among:
                raise QuantityError(f"{own} is none of those among which it is ranked")
            sign = -1.0 if quantity.highest else 1.0
            ranked = ranks(sign * self._each([quantity.quantity], quantity.among, binding))
            return ranked[:, list(quantity.among).index(own)]
        values = quantity.values(self.cells, binding)
        means: Draws = self.weights @ np.array([values[each] for each in self.replications])
        return means

    def _each(self, parts: Sequence[Quantity], over: Sequence[Binding], binding: Binding) -> NDArray[np.float64]:
        return np.stack([self.of(part, {**binding, **each}) for part in parts for each in over], axis=1)

    def _same(self, value: float) -> Draws:
        return np.full(len(self.weights), value)


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
