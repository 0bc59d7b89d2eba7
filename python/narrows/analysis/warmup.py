"""Where the warm-up of a series ends: the marginal standard error rule on batches of five.

Source: K. P. White Jr., "An effective truncation heuristic for bias reduction in simulation output", Simulation 69
(1997) 323 (MSER: d* minimises Σ_{i>d} (y_i - mean)² / (n - d)²); K. P. White Jr., M. J. Cobb and S. C. Spratt, "A
comparison of five steady-state truncation heuristics for simulation", Proc. Winter Simulation Conference 2000, 755
(MSER-5: the same on means of five).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrows.analysis.table import AnalysisError

if TYPE_CHECKING:
    from narrows.analysis.table import FloatArray


@dataclass(frozen=True)
class Truncation:
    """How much of a series to leave out.

    Attributes:
        index: How many values at the start; a multiple of the batch size.
        mean: Of what is left, in the unit of the series.
        standard_error: The marginal standard error of what is left, in the unit of the series.
        settled: Whether the minimum lies in the first half; if not, the series is too short to tell.
    """

    index: int
    mean: float
    standard_error: float
    settled: bool


def mser(series: FloatArray, batch: int = 5) -> Truncation:
    """Find the truncation that gives the rest the least marginal standard error.

    Args:
        series: Values at equal intervals, shape (n,); a last incomplete batch does not count.
        batch: How many values are averaged into one; 5 is MSER-5.

    Returns:
        The first of the best truncations. The last five batches are never left alone: few values that happen to be
        alike would win.

    Raises:
        AnalysisError: There are fewer than ten batches, or a value is not finite.
    """
    import numpy as np

    count = len(series) // batch
    if count < _FEWEST:
        raise AnalysisError(f"{len(series)} values are too few to find a warm-up; {_FEWEST * batch} are needed")
    if not np.isfinite(series).all():
        raise AnalysisError("the series has gaps; a warm-up is found in one without")
    means = series[: count * batch].reshape(count, batch).mean(axis=1)
    left = np.arange(count, _KEPT - 1, -1)
    # Sums of what is left after each truncation, about the series' own mean to lose no digits.
    centred = means - means.mean()
    sums, squares = (np.cumsum(each[::-1])[::-1][: len(left)] for each in (centred, centred**2))
    errors = np.maximum(squares - sums**2 / left, 0.0) / left**2
    best = int(np.argmin(errors))
    return Truncation(best * batch, float(means[best:].mean()), float(np.sqrt(errors[best])), 2 * best <= count)


_FEWEST = 10
_KEPT = 5
