# SPDX-License-Identifier: Apache-2.0
"""Fewer points that draw the same picture: no peak of a line is lost, and stacked areas still add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def extremes(x: FloatArray, y: FloatArray, columns: int) -> tuple[FloatArray, FloatArray]:
    """Thin a line to at most four points in each of `columns` equal slices of x."""
    if len(x) <= 4 * columns:
        return x, y
    slices = np.minimum((x - x[0]) / (x[-1] - x[0]) * columns, columns - 1).astype(np.int64)
    starts = np.flatnonzero(np.diff(slices, prepend=-1))
    ends = np.append(starts[1:], len(x)) - 1
    order = np.lexsort((y, slices))
    kept = distinct(np.concatenate((starts, ends, order[starts], order[ends])))
    return x[kept], y[kept]


def distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return each value once, in ascending order; without an index, `np.unique` loads the masked arrays of numpy."""
    return np.unique(values, return_index=True)[0]


def median(values: FloatArray) -> float:
    """Return the median of at least one value; `np.median` loads the masked arrays of numpy."""
    ordered = np.sort(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


def without_flats(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Leave out the points inside a stretch in which y does not change; both ends of each are kept."""
    if len(x) < _ENDS:
        return x, y
    drawn = np.round(y, 1)
    kept = np.r_[True, (drawn[1:-1] != drawn[:-2]) | (drawn[1:-1] != drawn[2:]), True]
    return x[kept], y[kept]


def means(x: FloatArray, y: FloatArray, edges: FloatArray) -> FloatArray:
    """Average y over the bins between `edges`; a bin without a sample is NaN."""
    # A sample on an edge belongs to the bin it ends: a record is stamped with the end of its interval.
    good = np.isfinite(y)
    bins = np.searchsorted(edges, x[good], side="left") - 1
    inside = (bins >= 0) & (bins < len(edges) - 1)
    count = np.bincount(bins[inside], minlength=len(edges) - 1)
    total = np.bincount(bins[inside], weights=y[good][inside], minlength=len(edges) - 1)
    averages = np.full(len(edges) - 1, np.nan)
    np.divide(total, count, out=averages, where=count > 0)
    return averages


_ENDS = 3
