# SPDX-License-Identifier: Apache-2.0
"""Intervals of the quantity of a claim, at any level, of a fixed number of replications or of one that grows.

| values | fixed number of replications | number that grows (always valid) |
|---|---|---|
| any | Student's t | Gaussian mixture over the effect size |
| 0 or 1 | Clopper and Pearson | beta mixture |
| ranks, ratios of means | bootstrap over replications, expanded percentiles | the same at 5, 10, 20 … of them |
| all equal | the value itself, once the sign test is sure | the same, with the beta mixture of 1/2 |
| of one run without randomness | the value itself | the same |

Every interval is cut to the values that the quantity can have: a ratio of times is never negative, a share at most 1.

An always-valid interval (a confidence sequence) covers the true value at all numbers of replications at once with the
stated probability, so replications may stop as soon as it is narrow enough.

The levels of the bootstraps at 5, 10, 20 … replications are a half, a quarter, an eighth … of the whole.

Equal values give no estimate of their spread. The sign test asks how likely so many replications on one side of the
bound are if half of all are on the other: 2^-n.

Sources: A. M. Law, "Simulation Modeling and Analysis" (5th ed., 2015), eq. 4.12 (t); C. J. Clopper and E. S. Pearson,
Biometrika 26 (1934) 404; T. C. Hesterberg, The American Statistician 69 (2015) 371, §5.3.1 (expanded percentiles);
H. Wang and A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance",
Sequential Analysis 44 (2025) 56, eq. 4.17 (Gaussian mixture); H. Robbins, Annals of Mathematical Statistics 41 (1970)
1397 (beta mixture); W. J. Conover, "Practical Nonparametric Statistics" (3rd ed., 1999), 3.4 (sign test).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from narrows._internal.analysis.sequences import half_width
from narrows._internal.extras import load
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from narrows._internal.statistics import Range

Interval = tuple[float, float]


class Sample(Protocol):
    """One number per replication, or a statistic of all, and how sure it is."""

    @property
    def effect(self) -> float | None:
        """The estimate; None without data."""

    @property
    def seeds(self) -> int:
        """Number of replications."""

    @property
    def method(self) -> str:
        """Name of the method of the interval."""

    def interval(self, level: float, *, growing: bool) -> Interval | None:
        """Return the interval that misses the true value with probability `level`; None if there is none yet."""


@frozen
class _Values:
    """One value per replication, of which the mean is estimated."""

    values: Sequence[float]

    @property
    def effect(self) -> float | None:
        """The mean; None without replications."""
        return math.fsum(self.values) / len(self.values) if self.values else None

    @property
    def seeds(self) -> int:
        """Number of replications."""
        return len(self.values)


@frozen
class Mean(_Values):
    """The mean of one value per replication."""

    @property
    def method(self) -> str:
        """Name of the method."""
        return EQUAL if self._equal else "t"

    @cached_property
    def _equal(self) -> bool:
        return len(set(self.values)) == 1

    def interval(self, level: float, *, growing: bool) -> Interval | None:
        """Return the interval, as in `Sample`."""
        count = len(self.values)
        if count < TWO:
            return None
        if self._equal:
            one = self.values[0]
            return (one, one) if count >= same_side(level, growing=growing) else None
        mean = math.fsum(self.values) / count
        square = math.fsum((value - mean) ** 2 for value in self.values)
        half = (
            half_width(count, square / count, level, MIXTURE)
            if growing
            else quantile(level, count - 1) * math.sqrt(square / (count - 1) / count)
        )
        return None if math.isinf(half) else (mean - half, mean + half)


@frozen
class Frequency(_Values):
    """The probability of an event that each replication has or has not, 1 or 0."""

    @property
    def method(self) -> str:
        """Name of the method."""
        return "binomial"

    def interval(self, level: float, *, growing: bool) -> Interval | None:
        """Return the interval, as in `Sample`."""
        count, hits = len(self.values), round(math.fsum(self.values))
        if count == 0:
            return None
        if growing:
            return _beta_mixture(count, hits, level)
        special = load("scipy.special")
        low = float(special.betaincinv(hits, count - hits + 1, level / 2)) if hits else 0.0
        high = float(special.betaincinv(hits + 1, count - hits, 1 - level / 2)) if hits < count else 1.0
        return low, high


def possible(interval: Interval | None, sample: Sample, within: Range) -> Interval | None:
    """Return an interval cut to the range of its quantity, which misses the true value no more often."""
    if interval is None or sample.effect is None or not within.low <= sample.effect <= within.high:
        return interval
    return max(interval[0], within.low), min(interval[1], within.high)


def method_of(sample: Sample, *, growing: bool) -> str:
    """Return the name of the method of an interval: of a fixed number of replications, or of one that grows."""
    return f"confidence sequence of {SEQUENCES[sample.method]}" if growing else sample.method


class Drawn(NamedTuple):
    """A statistic of the means over the first replications, and its values over resamples of them."""

    statistic: float  # its value over these replications
    resamples: NDArray[np.float64]  # its values over resamples; resamples without a value are left out
    seeds: int  # number of these replications


@frozen
class Resampled:
    """A statistic of the means over replications, such as a rank, bootstrapped over replications."""

    stages: Sequence[Drawn]  # the statistic over the first 5, 10, 20 … replications; over all is the last

    @property
    def effect(self) -> float | None:
        """The statistic over all replications."""
        return self.stages[-1].statistic if self.stages and math.isfinite(self.stages[-1].statistic) else None

    @property
    def seeds(self) -> int:
        """Number of replications."""
        return self.stages[-1].seeds if self.stages else 0

    @property
    def method(self) -> str:
        """Name of the method."""
        return "bootstrap"

    def interval(self, level: float, *, growing: bool) -> Interval | None:
        """Return the interval, as in `Sample`."""
        if not growing:
            return _percentiles(self.stages[-1], level) if self.stages else None
        looks = [each for each in self.stages if each.seeds in LOOKS]
        return _percentiles(looks[-1], level / 2 ** len(looks)) if looks else None


def _percentiles(drawn: Drawn, level: float) -> Interval | None:
    if drawn.seeds < THREE or len(drawn.resamples) == 0:
        return None
    # Expanded percentiles: so wide that the interval of a mean would be Student's.
    wide = math.sqrt(drawn.seeds / (drawn.seeds - 1)) * quantile(level, drawn.seeds - 1)
    special = load("scipy.special")
    tail = float(special.ndtr(-wide))
    low, high = np.quantile(drawn.resamples, [tail, 1 - tail], method="inverted_cdf")
    return float(low), float(high)


def _beta_mixture(count: int, hits: int, level: float) -> Interval:
    special, optimize = load("scipy.special"), load("scipy.optimize")
    evidence = float(special.betaln(1 + hits, 1 + count - hits)) - math.log(1 / level)

    def beyond(share: float) -> float:
        return evidence - float(special.xlogy(hits, share) + special.xlog1py(count - hits, -share))

    middle = min(max(hits / count, _EDGE), 1 - _EDGE)
    low = 0.0 if hits == 0 else float(optimize.brentq(beyond, _EDGE, middle))
    high = 1.0 if hits == count else float(optimize.brentq(beyond, middle, 1 - _EDGE))
    return low, high


def same_side(level: float, *, growing: bool) -> int:
    """Return the number of equal replications that decide on which side of a bound their value lies."""
    if not growing:
        return math.ceil(math.log2(2 / level))
    return next(count for count in range(TWO, MANY) if 2**count / (count + 1) >= 2 / level)


def quantile(level: float, degrees: int) -> float:
    """Return the quantile of Student's t distribution that is exceeded with probability `level` / 2."""
    return float(load("scipy.special").stdtrit(degrees, 1 - level / 2))


class Needed(NamedTuple):
    """Numbers of replications that would decide, if mean and spread stayed the same."""

    even: float  # with a chance of one half; infinity if no number does
    sure: float  # with a chance of nine in ten


def seeds_that_decide(half: float, seeds: int, away: float, level: float) -> Needed:
    """Return the numbers of replications whose interval would exclude a bound, `away` from the mean."""
    spread = half * math.sqrt(seeds) / quantile(ALPHA, seeds - 1)
    found = []
    for extra in (0.0, float(load("scipy.special").ndtri(_SURE))):
        low, high = TWO, TWO
        while (quantile(level, high - 1) + extra) * spread / math.sqrt(high) >= away:
            low, high = high, 2 * high
            if high > MOST:
                break
        else:
            while high - low > 1:
                middle = (low + high) // 2
                narrow = (quantile(level, middle - 1) + extra) * spread / math.sqrt(middle) < away
                low, high = (low, middle) if narrow else (middle, high)
        found.append(float(high) if high <= MOST else math.inf)
    return Needed(*found)


ALPHA = 0.05
# The subject of a confidence sequence, by the method for a fixed number of replications.
EQUAL = "sign"
SEQUENCES = {"t": "a mean", EQUAL: "equal values", "binomial": "a probability", "bootstrap": "ranks or ratios of means"}
TWO, THREE = 2, 3
# The numbers of replications at which a growing bootstrap is evaluated.
LOOKS = tuple(5 * 2**stage for stage in range(12))
MANY = 1000
MOST = 1_000_000
# Variance of the effect size under the mixture, inverted: effects of about one standard deviation.
MIXTURE = 1.0
_SURE = 0.9
_EDGE = 1e-12
