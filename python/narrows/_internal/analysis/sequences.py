# SPDX-License-Identifier: Apache-2.0
"""Intervals of a mean that are valid at every sample size at once, so that results may be inspected at any time.

The interval after n values x_1 … x_n is all m for which the mixture likelihood ratio of normal values with mean m and
unknown variance stays below 1 / alpha:

    sqrt(c² / (n + c²)) (1 - S² / ((n + c²) V))^(-n/2) < 1 / alpha,   S = Σ (x_i - m),   V = Σ (x_i - m)²

It is a martingale for independent normal values of any variance, so by Ville's inequality the probability that the
interval ever excludes the mean, at whatever sample size one stops, is at most alpha. The prior of the standardised mean
is normal with variance 1/c². No bound of the values is needed, as Bernstein's intervals need it; instead, values that
are not normal make it approximate, and a test counts how often it then fails.

Skewed values make it fail on one side: a long tail below the mean that a sample does not show draws the interval up.
So each end is the further one of that interval and of the one in which Hall's transformation takes the place of
Student's t, with the sample skewness G,

    g(t) = t + G (t² / 3 + 1 / 6) / √n + G² t³ / (27 n)

which is monotone and whose distribution lacks the first-order effect of skewness.

Sources: H. Wang and A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
variance", Sequential Analysis (2024), theorem 4.9; T. L. Lai, "On confidence sequences", Annals of Statistics 4 (1976)
265; S. R. Howard, A. Ramdas, J. McAuliffe and J. Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence
sequences", Annals of Statistics 49 (2021) 1055; P. Hall, "On the removal of skewness by
transformation", Journal of the Royal Statistical Society B 54 (1992) 221.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from narrows._internal.statistics import EQUAL, SEQUENCE, Estimate, Range


def confidence_sequence(values: Sequence[float], alpha: float = 0.05, prior: float = 1.0) -> tuple[float, float]:
    """Return the interval of the mean after these values.

    Args:
        values: The values so far, finite, in the order in which they came.
        alpha: Probability that any of the intervals excludes the mean, above 0 and below 1.
        prior: c², the inverse variance of the prior of the standardised mean; above 0.

    Returns:
        Its ends; infinite while there are too few values. Values that are all equal have their value as interval.

    Examples:
        >>> confidence_sequence([1.0, 2.0])
        (-inf, inf)
        >>> confidence_sequence([3.0, 3.0, 3.0])
        (3.0, 3.0)
        >>> [round(end, 2) for end in confidence_sequence([1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 1.0, 1.1])]
        [0.86, 1.14]
    """
    count = len(values)
    if count < LEAST:
        return -math.inf, math.inf
    mean = math.fsum(values) / count
    variance = math.fsum((each - mean) ** 2 for each in values) / count
    if variance == 0.0:
        return mean, mean
    half = half_width(count, variance, alpha, prior)
    if not math.isfinite(half):
        return -math.inf, math.inf
    error = math.sqrt(variance / count)
    skewness = _skewness([each - mean for each in values], variance)
    # The mean m has t = (mean - m) / error: the upper end belongs to the least t.
    least, greatest = (_untransformed(end, skewness, count) for end in (-half / error, half / error))
    return mean - max(half, greatest * error), mean + max(half, -least * error)


def always_valid(found: Estimate, values: Iterable[float], within: Range) -> Estimate:
    """Return the estimate of a mean with the interval of the confidence sequence, within the possible values.

    Args:
        found: The estimate of the mean of a fixed number of values.
        values: The values; those that are not finite do not count.
        within: The values that the mean can have.

    Returns:
        The estimate; its interval is None while the interval of the sequence is infinite. Values that are all equal
        keep the interval of their bound, which is valid at every number of them: the first n values are all equal
        only if the first n - 1 are, so looks at fewer of them add no error.
    """
    mean = found["mean"]
    if mean is None or found["interval_method"] in {None, EQUAL}:
        return found
    low, high = confidence_sequence([each for each in values if math.isfinite(each)])
    ends = [max(low, min(within.low, mean)), min(high, max(within.high, mean))] if math.isfinite(low) else None
    return {"mean": mean, "ci95": ends, "interval_method": SEQUENCE}


def batches(most: int) -> Iterator[range]:
    """Yield the numbers of the replications after which a sequential experiment is judged: `FIRST`, then `STEP` each.

    Args:
        most: Greatest number of replications, at least 1.

    Examples:
        >>> list(batches(13))
        [range(0, 10), range(10, 12), range(12, 13)]
    """
    done = 0
    while done < most:
        until = min(done + STEP if done else FIRST, most)
        yield range(done, until)
        done = until


def half_width(count: int, variance: float, alpha: float, prior: float) -> float:
    """Return half of the width of the interval of a mean; infinite while there are too few values.

    Args:
        count: Number of values, at least 1.
        variance: Their mean square deviation from their mean, above 0.
        alpha: Probability that any of the intervals excludes the mean, above 0 and below 1.
        prior: c², the inverse variance of the prior of the standardised mean; above 0.
    """
    rest = 1.0 - (alpha * math.sqrt(prior / (count + prior))) ** (2.0 / count)
    room = count - rest * (count + prior)
    return math.sqrt(variance * rest * (count + prior) / room) if room > 0.0 else math.inf


def _skewness(deviations: Sequence[float], variance: float) -> float:
    """Return the sample skewness, without the bias of small samples; 0 for two values."""
    count = len(deviations)
    if count < LEAST_OF_SKEWNESS:
        return 0.0
    third: float = math.fsum(each**3 for each in deviations) / count / variance**1.5
    return third * math.sqrt(count * (count - 1)) / (count - 2)


def _untransformed(transformed: float, skewness: float, count: int) -> float:
    """Return t from Hall's g(t)."""
    slope = skewness / math.sqrt(count)
    if abs(slope) < SYMMETRIC:
        return transformed
    return 3.0 / slope * (math.cbrt(1.0 + slope * (transformed - slope / 6.0)) - 1.0)


# Replications before the first look, between two looks, and at most unless more are asked for.
FIRST, STEP, MOST = 10, 2, 40
# A value alone has no spread, and two have no skewness.
LEAST = 2
LEAST_OF_SKEWNESS = 3
# Below this the transformation changes nothing that a float shows.
SYMMETRIC = 1e-9
