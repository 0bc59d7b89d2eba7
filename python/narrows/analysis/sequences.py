"""Intervals of a mean that are valid at every sample size at once, so that looking early is honest.

The interval after n values x_1 … x_n is all m for which the mixture likelihood ratio of normal values with mean m and
unknown variance stays below 1 / alpha:

    sqrt(c² / (n + c²)) (1 - S² / ((n + c²) V))^(-n/2) < 1 / alpha,   S = Σ (x_i - m),   V = Σ (x_i - m)²

It is a martingale for independent normal values of any variance, so by Ville's inequality the probability that the
interval ever excludes the mean, at whatever sample size one stops, is at most alpha. The prior of the standardised mean
is normal with variance 1/c². No bound of the values is needed, as Bernstein's intervals need it; instead, values that
are not normal make it approximate, and a test counts how often it then fails.

Sources: H. Wang and A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
variance", Sequential Analysis (2024), theorem 4.9; T. L. Lai, "On confidence sequences", Annals of Statistics 4 (1976)
265; S. R. Howard, A. Ramdas, J. McAuliffe and J. Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence
sequences", Annals of Statistics 49 (2021) 1055.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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
        [0.89, 1.14]
    """
    count = len(values)
    if count < LEAST:
        return -math.inf, math.inf
    mean = math.fsum(values) / count
    variance = math.fsum((each - mean) ** 2 for each in values) / count
    if variance == 0.0:
        return mean, mean
    half = half_width(count, variance, alpha, prior)
    return mean - half, mean + half


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


# A value alone has no spread.
LEAST = 2
