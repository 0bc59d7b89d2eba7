"""Means and intervals over replications.

Source: Student's t interval for the mean of independent replications, Law, "Simulation Modeling and Analysis"
(5th ed., 2015), eq. 4.12; the paired-t interval under common random numbers, same, eq. 10.1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Estimate(TypedDict):
    """A mean over replications and its 95 % interval, both in the unit of the metric."""

    mean: float | None
    ci95: list[float] | None


def estimate(values: Iterable[float]) -> Estimate:
    """Estimate a mean from one value per replication.

    Args:
        values: One per replication, in the unit of the metric. Values that are not finite say "no data" and do not
            count.

    Returns:
        The mean, null without data, and the 95 % t interval `[low, high]`, null with fewer than two values.

    Examples:
        >>> estimate([1.0, 3.0])["mean"]
        2.0
        >>> estimate([float("nan")])
        {'mean': None, 'ci95': None}
    """
    counted = [value for value in values if math.isfinite(value)]
    count = len(counted)
    if count == 0:
        return {"mean": None, "ci95": None}
    mean = math.fsum(counted) / count
    if count == 1:
        return {"mean": mean, "ci95": None}
    variance = math.fsum((value - mean) ** 2 for value in counted) / (count - 1)
    half = t_quantile(count - 1) * math.sqrt(variance / count)
    return {"mean": mean, "ci95": [mean - half, mean + half]}


def paired(of: Sequence[float], against: Sequence[float]) -> Estimate:
    """Estimate the mean of `of - against`, replication by replication.

    Args:
        of: One value per replication.
        against: The values of the same replications, in the same order and unit.

    Returns:
        The mean difference and its 95 % interval; a pair counts if both its values are finite.
    """
    return estimate(a - b for a, b in zip(of, against, strict=True))


def t_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution with `degrees` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.975))
