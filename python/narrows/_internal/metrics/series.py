# SPDX-License-Identifier: Apache-2.0
"""Averages of a series over bins: a rate is constant within an interval of the series."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float64]"


def accumulate(ends_s: FloatArray, rates: FloatArray) -> FloatArray:
    """Return the integral of a rate over time.

    Args:
        ends_s: End of each interval, seconds, shape (n,); the first starts at 0.
        rates: Rate in each interval, per second, shape (n,).

    Returns:
        The integral from 0 to 0 and to the end of each interval, shape (n + 1,).
    """
    widths = np.diff(ends_s, prepend=0.0)
    return np.concatenate([[0.0], np.cumsum(rates * widths)])


def total(ends_s: FloatArray, rates: FloatArray, at_s: FloatArray) -> FloatArray:
    """Return the integral of a rate from 0 to each of `at_s`, seconds; other arguments are as for `accumulate`."""
    return np.interp(at_s, np.concatenate([[0.0], ends_s]), accumulate(ends_s, rates))


def mean(ends_s: FloatArray, rates: FloatArray, start_s: float, stop_s: float) -> float:
    """Return the mean of a rate between two times; not a number unless `stop_s` is later than `start_s`."""
    if not stop_s > start_s:
        return float("nan")
    before, behind = total(ends_s, rates, np.array([start_s, stop_s]))
    return float((behind - before) / (stop_s - start_s))


def edges(start_s: float, stop_s: float, bin_s: float) -> FloatArray:
    """Return the edges of the whole bins between two times, seconds; an incomplete last bin is left out."""
    # A bin may miss its end by what rounding does to a sum of intervals.
    count = max(int(np.floor((stop_s - start_s) / bin_s * (1 + ROUNDING))), 0)
    return start_s + bin_s * np.arange(count + 1, dtype=np.float64)


def bins(ends_s: FloatArray, rates: FloatArray, start_s: float, stop_s: float, bin_s: float) -> FloatArray:
    """Return the mean of a rate in each whole bin of `bin_s` seconds between two times."""
    return np.diff(total(ends_s, rates, edges(start_s, stop_s, bin_s))) / bin_s


def mean_of_known(values: Iterable[float]) -> float:
    """Return the mean of the values that are numbers; not a number if none is."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else float("nan")


def whole_intervals(span_s: float, interval_s: float) -> float:
    """Return the shortest multiple of an interval that is not shorter than a span, seconds."""
    return interval_s * max(int(np.ceil(span_s / interval_s * (1 - ROUNDING))), 1)


ROUNDING = 1e-9
