# SPDX-License-Identifier: Apache-2.0
"""Variation of rates, and their reaction to changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from narrows._internal.metrics.series import FloatArray


def cov(rates: FloatArray) -> float:
    """Return the coefficient of variation, standard deviation over mean (RFC 5166 §2.2.1); NaN below two values."""
    middle = rates.mean() if len(rates) > 1 else 0.0
    return float(rates.std() / middle) if middle > 0 else float("nan")


def correlation(one: FloatArray, other: FloatArray) -> float:
    """Return Pearson's correlation of two columns; NaN for fewer than three rows or a constant column."""
    both = ~(np.isnan(one) | np.isnan(other))
    first, second = one[both].astype(np.float64), other[both].astype(np.float64)
    if both.sum() < LEAST_ROWS or not (first.std() > 0 and second.std() > 0):
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])


def smoothness(rates: FloatArray) -> float:
    """Return the smallest ratio of a rate to the previous one, at most 1.

    Args:
        rates: Sending rate per round trip. Ratios to a rate of zero do not count.
    """
    before, behind = rates[:-1], rates[1:]
    known = before > 0
    return float(min((behind[known] / before[known]).min(), 1.0)) if known.any() else float("nan")


def aggressiveness(rates: FloatArray, steady: NDArray[np.bool_]) -> float:
    """Return the largest rise from one value to the next where both are steady, in the unit of the rates."""
    both = steady[:-1] & steady[1:]
    rises = np.diff(rates)[both]
    return float(max(rises.max(), 0.0)) if len(rises) else float("nan")


def first(happens: NDArray[np.bool_]) -> int | None:
    """Return the index of the first True; None without one."""
    return int(np.argmax(happens)) if happens.any() else None


def bins_until_halved(before: float, rates: FloatArray) -> float:
    """Return the number of values up to the first that is at most half of `before`; NaN without one."""
    place = first(rates <= before / 2)
    return float("nan") if place is None or not before > 0 else place + 1.0


def bins_until_maximum(rates: FloatArray, share: float) -> float:
    """Return the number of values up to the first that is at least `share` of the highest; NaN without any."""
    if not len(rates) or not rates.max() > 0:
        return float("nan")
    return float(np.argmax(rates >= share * rates.max())) + 1.0


LEAST_ROWS = 3
