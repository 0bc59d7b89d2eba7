# SPDX-License-Identifier: Apache-2.0
"""Means and intervals over replications.

The interval of a mean is Student's t interval. If the values have a bound, it is taken of the mean on a scale without
one, and brought back: the interval of g(mean) is g(mean) ± t g'(mean) s / √n (the delta method). So an interval stays
within the possible values, and covers the mean of skewed values more often than the plain one; a test counts how often.

| values | g | method |
|---|---|---|
| any | m | `t` |
| positive | ln m | `log t` |
| at most b | ln (b - m) | `log t` |
| counts from 0 | √m | `square-root t` |
| in an interval | ln (u / (1 - u)), u the share of the interval below m | `logit t` |

Equal values say nothing about their spread, and their method is `equal`. If they bound the mean all the same, the
interval is this bound: of n counts the exact one of a Poisson distribution, from 0 to 3.7 / n if all are
0; of n values at one bound of a range of width w, w (1 - 0.025^(1/n)) from there: were the mean further away, so many
values elsewhere that one of the n would be among them. Of a share of things that are counted, such as frames, n is the
number of these things in all replications, each taken as a trial of its own. Other equal values have none.

Replications that are one and the same run are one value (`distinct`).

Sources: A. M. Law, "Simulation Modeling and Analysis" (5th ed., 2015), eq. 4.12 (t interval) and 10.1 (paired, under
common random numbers); B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), 12.6 (intervals by
transformation); M. S. Bartlett, Biometrics 3 (1947) 39 (square root of counts, logit of shares); F. Garwood, Biometrika
28 (1936) 437 (counts); C. J. Clopper and E. S. Pearson, Biometrika 26 (1934) 404 (n of n).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, TypeVar

from narrows._internal.quantiles import gamma_quantile, t_quantile

Value = TypeVar("Value")


class Estimate(TypedDict):
    """A mean over replications, its 95 % interval, both in the unit of the metric, and the method of the interval."""

    mean: float | None
    ci95: list[float] | None
    interval_method: str | None


class Range(NamedTuple):
    """The values that a metric can have."""

    low: float = -math.inf
    high: float = math.inf
    counted: bool = False  # whether the values are counts
    trials: float = 0.0  # the total, in all replications, that the values are shares of; 0 if it is unknown

    @property
    def method(self) -> str:
        """The method of its intervals."""
        if math.isinf(self.low):
            return "t" if math.isinf(self.high) else "log t"
        if math.isfinite(self.high):
            return "logit t"
        return "square-root t" if self.counted else "log t"

    def less(self, other: Range) -> Range:
        """Return the differences of one of its values and one of another range."""
        return Range(self.low - other.high, self.high - other.low)


REAL = Range()
POSITIVE = Range(0.0)
COUNT = Range(0.0, counted=True)
SHARE = Range(0.0, 1.0)


def estimate(values: Iterable[float], within: Range = REAL) -> Estimate:
    """Estimate a mean from one value per replication.

    Examples:
        >>> estimate([1.0, 3.0])["mean"]
        2.0
        >>> estimate([float("nan")])
        {'mean': None, 'ci95': None, 'interval_method': None}
        >>> [round(end, 3) for end in estimate([0.999, 0.93, 0.99], SHARE)["ci95"]]
        [0.509, 0.999]
        >>> [round(end, 3) for end in estimate([0.0] * 5, COUNT)["ci95"]]
        [0.0, 0.738]
    """
    counted = [value for value in values if math.isfinite(value)]
    count = len(counted)
    if count == 0:
        return {"mean": None, "ci95": None, "interval_method": None}
    least, most = min(counted), max(counted)
    # The rounding of a sum must not lead out of the values.
    mean = min(max(math.fsum(counted) / count, least), most)
    if count == 1:
        return {"mean": mean, "ci95": None, "interval_method": None}
    if least == most:
        return {"mean": mean, "ci95": _of_equal(mean, count, within), "interval_method": EQUAL}
    variance = math.fsum((value - mean) ** 2 for value in counted) / (count - 1)
    half = t_quantile(count - 1) * math.sqrt(variance / count)
    beyond = _ROUNDING * max(abs(least), abs(most))
    if least < within.low - beyond or most > within.high + beyond:
        within = REAL
    widened = within._replace(low=min(within.low, least), high=max(within.high, most))
    if not widened.low < mean < widened.high:
        # The values differ by less than a mean of them can show.
        return {"mean": mean, "ci95": [least, most], "interval_method": widened.method}
    return {"mean": mean, "ci95": _ends(mean, half, widened), "interval_method": widened.method}


def _of_equal(value: float, count: int, within: Range) -> list[float] | None:
    """Return the interval of the mean of which so many values are all this one; None if they do not bound it."""
    low, high = within.low, within.high
    if within.counted:
        events = count * (value - low)
        least = gamma_quantile(events, _TAIL) if events > _ROUNDING else 0.0
        return [low + least / count, min(low + gamma_quantile(events + 1, _TAIL, upper=True) / count, high)]
    near = _ROUNDING * max(abs(low), abs(high))
    if math.isinf(near) or not (value <= low + near or value >= high - near):
        return None
    reach = (high - low) * -math.expm1(math.log(_TAIL) / max(within.trials, count))
    return [min(value, low), low + reach] if value <= low + near else [high - reach, max(value, high)]


def _ends(mean: float, half: float, within: Range) -> list[float]:
    """Return the ends of the t interval, mean ± half, on the scale that suits the range."""
    low, high = within.low, within.high
    if within.method == "log t" and math.isinf(low):
        factor = math.exp(min(half / (high - mean), _GREATEST_EXPONENT))
        return [high - (high - mean) * factor, high - (high - mean) / factor]
    if within.method == "log t":
        factor = math.exp(min(half / (mean - low), _GREATEST_EXPONENT))
        return [low + (mean - low) / factor, low + (mean - low) * factor]
    if within.method == "square-root t":
        root, beyond = math.sqrt(mean - low), half / (2 * math.sqrt(mean - low))
        return [low + max(root - beyond, 0.0) ** 2, low + (root + beyond) ** 2]
    if within.method == "logit t":
        width, share = high - low, (mean - low) / (high - low)
        odds = share / (1 - share)
        factor = math.exp(min(half / (width * share * (1 - share)), _GREATEST_EXPONENT))
        return [low + width * each / (1 + each) for each in (odds / factor, odds * factor)]
    return [mean - half, mean + half]


def paired(of: Sequence[float], against: Sequence[float], within: Range = REAL, other: Range | None = None) -> Estimate:
    """Estimate the mean of `of - against`, replication by replication."""
    pairs = [(a, b) for a, b in zip(of, against, strict=True) if math.isfinite(a) and math.isfinite(b)]
    found = estimate(a - b for a, b in pairs)
    known = (within, within if other is None else other)
    if found["interval_method"] == EQUAL:
        one, two = (estimate(side, each) for side, each in zip(zip(*pairs, strict=True), known, strict=True))
        both = one["interval_method"] == two["interval_method"] == EQUAL
        if both and one["ci95"] is not None and two["ci95"] is not None:
            found["ci95"] = [one["ci95"][0] - two["ci95"][1], one["ci95"][1] - two["ci95"][0]]
    mean, ends, bounds = found["mean"], found["ci95"], known[0].less(known[1])
    if mean is not None and ends is not None:
        low, high = min(bounds.low, mean), max(bounds.high, mean)
        found["ci95"] = [max(ends[0], low), min(ends[1], high)]
    return found


def mean_of(found: Estimate) -> float:
    """Return the mean of an estimate; not a number without one."""
    return math.nan if found["mean"] is None else found["mean"]


def mean_in(measures: Mapping[str, Any] | None, name: str) -> float | None:
    """Return the mean of a metric of an owner in a summary; None without data."""
    found = (measures or {}).get(name)
    return found.get("mean") if isinstance(found, dict) else None


def ends_of(found: Estimate) -> tuple[float, float]:
    """Return the ends of the interval of an estimate; its mean twice without one."""
    low, high = found["ci95"] or (mean_of(found), mean_of(found))
    return low, high


def intervals_of(at_most: int | None) -> str:
    """Return the name of the intervals of results; `at_most` is the limit of replications that results decided."""
    if at_most is None:
        return "95 % intervals"
    return "95 % confidence sequences (valid at every number of replications)"


def distinct(replications: Sequence[Value], digests: Iterable[str]) -> Sequence[Value]:
    """Return the values of independent replications: the first alone if all are the same run."""
    return replications[:1] if len(set(digests)) == 1 else replications


EQUAL = "equal"
"""The method of the interval of values that are all equal."""
SEQUENCE = "confidence sequence"
"""The method of an interval that is valid at every number of replications (`narrows._internal.analysis.sequences`)."""
# The probability outside each end of an interval of 95 %.
_TAIL = 0.025
# Relative; by this much a rounded value may leave its range.
_ROUNDING = 1e-9
# A larger factor overflows.
_GREATEST_EXPONENT = 600.0
