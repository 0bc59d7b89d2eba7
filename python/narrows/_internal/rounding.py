# SPDX-License-Identifier: Apache-2.0
"""The notation of a mean and its interval: the same decimals, and words if one end is the mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from narrows._internal.statistics import EQUAL


def decimals_of(value: float, digits: int = 3) -> int:
    """Return the number of decimals with which a value has `digits` significant digits."""
    if value == 0 or not abs(value) < _MOST:
        return 0
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    # Rounding may carry into another digit: 9.996 is written 10.0, not 10.00.
    carried = abs(round(value, decimals)) >= 10.0 ** (digits - decimals)
    return max(decimals - carried, 0)


MOST_DIGITS = 5
"""Digits of a mean and its interval at most."""


def estimate_decimals(mean: float, low: float, high: float, digits: int = MOST_DIGITS) -> int | None:
    """Return the number of decimals of a mean and of both ends of its interval; None if they are one number as written.

    Examples:
        >>> estimate_decimals(61.24, 60.04, 62.44)
        1
        >>> estimate_decimals(99.6, 48.0, 99.9)
        1
        >>> estimate_decimals(99.99999, 99.99998, 100.0)
    """
    values, half = (mean, low, high), (high - low) / 2
    if not math.isfinite(half):
        return decimals_of(mean)
    if half <= 0:
        return None
    # Two significant digits of half the width, but no more than these of the largest value.
    most = decimals_of(max(map(abs, values)), digits)
    decimals = min(max(1 - math.floor(math.log10(half)), 0), most)
    wanted = len(set(values))
    written = _distinct(values, decimals)
    if written == wanted or decimals == most:
        return decimals if written > 1 else None
    return decimals + 1 if _distinct(values, decimals + 1) == wanted else decimals


def plus_minus(estimate: Mapping[str, Any] | None, scale: float) -> str:
    """Return an estimate as `mean ± half-width`, or `mean [low, high]` if the interval is clearly not symmetric.

    Examples:
        >>> plus_minus({"mean": 61.24e6, "ci95": [60.04e6, 62.44e6]}, 1e6)
        '61.2 ± 1.2'
        >>> plus_minus({"mean": 0.985, "ci95": [0.912, 0.998]}, 1.0)
        '0.985 [0.912, 0.998]'
        >>> plus_minus({"mean": 0.99999, "ci95": [0.48, 1.0]}, 0.01)
        '100 (at least 48)'
        >>> plus_minus({"mean": 1.0, "ci95": [0.48, 1.0], "interval_method": "equal"}, 0.01)
        '100 (all runs)'
        >>> plus_minus({"mean": 10.0, "ci95": None, "interval_method": "equal"}, 1.0)
        '10 (all runs)'
        >>> plus_minus({"mean": 0.9999999, "ci95": [0.9999998, 1.0]}, 0.01)
        '100'
        >>> plus_minus({"mean": 26.73, "ci95": None}, 1e-3)
        '26730'
        >>> plus_minus({"mean": None, "ci95": None}, 1.0)
        '-'
    """
    if estimate is None or estimate["mean"] is None:
        return "-"
    mean = estimate["mean"] / scale
    low, high = (end / scale for end in estimate["ci95"] or (estimate["mean"], estimate["mean"]))
    decimals = estimate_decimals(mean, low, high)
    equal = estimate.get("interval_method") == EQUAL
    if decimals is None or equal:
        text = f"{mean:.0f}" if abs(mean) >= WHOLE_FROM else f"{mean:.4g}"
        return f"{text} ({ALL_RUNS})" if equal else text
    half = (high - low) / 2
    value, left, right, width = (f"{each:z.{decimals}f}" for each in (mean, low, high, half))
    if abs((low + high) / 2 - mean) <= SYMMETRIC * half and float(width):
        return f"{value} ± {width}"
    words = other_end(value, left, right)
    return f"{value} ({words})" if words else f"{value} [{left}, {right}]"


def other_end(mean: str, low: str, high: str) -> str:
    """Return in words the end of an interval that is not the mean; empty if both, or neither, are."""
    if (mean == low) == (mean == high):
        return ""
    # `100 [48, 100]` would be misread.
    return f"at least {low}" if mean == high else f"at most {high}"


def _distinct(values: tuple[float, ...], decimals: int) -> int:
    return len({f"{each:.{decimals}f}" for each in values})


ALL_RUNS = "all runs"
"""What is written in place of an interval where all values are equal: it follows from their number, or is none."""
# Beyond, products have no representation.
_MOST = 1e150
# An interval is written with ± as long as its middle is no further from the mean than this part of its half-width.
SYMMETRIC = 0.1
# From here on the digits before the point say enough.
WHOLE_FROM = 1000
