"""How evenly rates are shared, and at whose cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from narrows.measures.series import FloatArray


def jain(shares: FloatArray) -> float:
    """Return Jain's index (Σx)² / (n Σx²); not a number where there is nothing to share."""
    squares = float((shares**2).sum())
    return float(shares.sum() ** 2 / (len(shares) * squares)) if squares > 0 else float("nan")


def mean_jain(shares: FloatArray, present: NDArray[np.bool_]) -> float:
    """Return the mean over bins of Jain's index among those that are present.

    Args:
        shares: A row per bin, a column per flow.
        present: Of the same shape. A bin in which nobody has anything does not count.
    """
    indices = [jain(row[there]) for row, there in zip(shares, present, strict=True)]
    known = [index for index in indices if not math.isnan(index)]
    return math.fsum(known) / len(known) if known else float("nan")


def rtt_bias(ratio: float, rtt_ratio: float) -> float:
    """Return e where `ratio = rtt_ratio ** -e`; not a number for equal round trips or where one has nothing."""
    if not ratio > 0 or not math.isfinite(ratio) or rtt_ratio == 1:
        return float("nan")
    return -math.log(ratio) / math.log(rtt_ratio)


def harm(alone: float, here: float, *, more_is_better: bool = True) -> float:
    """Return the share of a performance that competitors take: 0 none, 1 all, below 0 a gain.

    Source: Ware, Mukerjee, Seshan, Sherry, "Beyond Jain's Fairness Index", HotNets 2019, §3.

    Args:
        alone: The performance without them.
        here: The performance with them, in the same unit.
        more_is_better: As with a rate; otherwise as with a delay or a completion time.
    """
    best, worst = (alone, here) if more_is_better else (here, alone)
    return (best - worst) / best if best > 0 else float("nan")
