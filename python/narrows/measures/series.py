"""Bins of a series: rates that hold over intervals, averaged between any two times."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float64]"


def accumulate(ends_s: FloatArray, rates: FloatArray) -> FloatArray:
    """Sum a rate over time.

    Args:
        ends_s: Where each interval ends; the first begins at 0.
        rates: What holds in each interval, per second.

    Returns:
        The sum at 0 and at the end of each interval: one value more.
    """
    widths = np.diff(ends_s, prepend=0.0)
    return np.concatenate([[0.0], np.cumsum(rates * widths)])


def total(ends_s: FloatArray, rates: FloatArray, at_s: FloatArray) -> FloatArray:
    """Return the sum of a rate from 0 to each of some times; within an interval it grows evenly."""
    return np.interp(at_s, np.concatenate([[0.0], ends_s]), accumulate(ends_s, rates))


def mean(ends_s: FloatArray, rates: FloatArray, start_s: float, stop_s: float) -> float:
    """Return the mean of a rate between two times; not a number if there is no time between them."""
    if not stop_s > start_s:
        return float("nan")
    before, behind = total(ends_s, rates, np.array([start_s, stop_s]))
    return float((behind - before) / (stop_s - start_s))


def edges(start_s: float, stop_s: float, bin_s: float) -> FloatArray:
    """Return where the bins between two times begin and the last one ends; what is left of a bin is left out."""
    # A bin may miss its end by what rounding does to a sum of intervals.
    count = max(int(np.floor((stop_s - start_s) / bin_s * (1 + ROUNDING))), 0)
    return start_s + bin_s * np.arange(count + 1, dtype=np.float64)


def bins(ends_s: FloatArray, rates: FloatArray, start_s: float, stop_s: float, bin_s: float) -> FloatArray:
    """Return the mean of a rate in each whole bin between two times."""
    return np.diff(total(ends_s, rates, edges(start_s, stop_s, bin_s))) / bin_s


def whole_intervals(span_s: float, interval_s: float) -> float:
    """Return the shortest multiple of an interval that is not shorter than a span."""
    return interval_s * max(int(np.ceil(span_s / interval_s * (1 - ROUNDING))), 1)


ROUNDING = 1e-9
