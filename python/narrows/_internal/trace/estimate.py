# SPDX-License-Identifier: Apache-2.0
"""A quantity that is inferred from a trace: a value with its interval and basis, or the reason why it is unknown."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from narrows._internal.trace.record import Floats


class Estimate(NamedTuple):
    """A quantity that the trace determines.

    Attributes:
        value: The best value.
        low: Lower bound of the 95 % interval.
        high: Upper bound; infinite if the trace bounds the quantity from below alone.
        basis: The observations that it rests on, as a part of a sentence.
    """

    value: float
    low: float
    high: float
    basis: str

    @property
    def bounded(self) -> bool:
        """Whether the interval has both bounds."""
        return math.isfinite(self.high)


class Unknown(NamedTuple):
    """A quantity of which the trace says nothing.

    Attributes:
        why: The reason, as a part of a sentence.
    """

    why: str


Found = Estimate | Unknown


def endpoint(minima: Floats) -> tuple[float, float]:
    """Return the least of independent minima and a lower bound of the true minimum, at 95 %.

    The bound is the least less 19 times its distance to the second least (Robson and Whitlock, Biometrika 51, 1964, for
    a density that is not zero at the end of its range).
    """
    ordered = np.sort(minima)
    least = float(ordered[0])
    gap = float(ordered[1] - ordered[0]) if len(ordered) > 1 else least
    return least, max(0.0, least - 19 * gap)


def share(events: int, trials: int) -> tuple[float, float, float]:
    """Return a share and its 95 % interval (Wilson, Journal of the American Statistical Association 22, 1927)."""
    if trials == 0:
        return 0.0, 0.0, 1.0
    found, square = min(1.0, events / trials), Z * Z / trials
    middle = (found + square / 2) / (1 + square)
    half = Z * math.sqrt(found * (1 - found) / trials + square / trials / 4) / (1 + square)
    return found, min(found, max(0.0, middle - half)), max(found, min(1.0, middle + half))


def mean(values: Floats, weights: Floats) -> tuple[float, float]:
    """Return the weighted mean of values in the order of time and half the width of its 95 % interval.

    Neighbours may be correlated, so that the number of independent values is reduced by the correlation of neighbours
    (the effective sample size of a first-order autoregressive series).
    """
    middle = float(np.average(values, weights=weights))
    if len(values) < FEW:
        return middle, float(np.ptp(values)) if len(values) > 1 else math.inf
    spread = values - middle
    power = float(np.dot(spread, spread))
    correlation = float(np.dot(spread[1:], spread[:-1])) / power if power > 0 else 0.0
    correlation = min(max(correlation, 0.0), MOST_CORRELATED)
    effective = max(1.0, len(values) * (1 - correlation) / (1 + correlation))
    return middle, Z * math.sqrt(power / len(values) / effective)


def same_distribution(some: Floats, all_values: Floats) -> float:
    """Return the probability that `some` are drawn from `all_values` (Kolmogorov and Smirnov, asymptotic)."""
    if not len(some) or not len(all_values):
        return 1.0
    ordered = np.sort(all_values)
    # Ties, as at an empty queue, get a place between the first and the last of them that suits the hypothesis best.
    low = np.sort(np.searchsorted(ordered, some, side="left") / len(ordered))
    high = np.sort(np.searchsorted(ordered, some, side="right") / len(ordered))
    count = len(some)
    above = np.arange(1, count + 1) / count - high
    below = low - np.arange(count) / count
    distance = max(0.0, float(above.max()), float(below.max()))
    root = math.sqrt(count)
    scaled = (root + 0.12 + 0.11 / root) * distance
    terms = (2 * (-1) ** (each - 1) * math.exp(-2 * each * each * scaled * scaled) for each in range(1, 101))
    return min(1.0, max(0.0, sum(terms))) if scaled > SMALL else 1.0


Z = 1.96
FEW = 3
MOST_CORRELATED = 0.95
SMALL = 0.2
"""Below it the series of Kolmogorov's distribution does not converge, and the probability is one."""
