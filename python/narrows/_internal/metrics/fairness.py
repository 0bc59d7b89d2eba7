# SPDX-License-Identifier: Apache-2.0
"""Fairness of rates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from narrows._internal import core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from narrows._internal.metrics.series import FloatArray


def mean_jain(shares: FloatArray, present: NDArray[np.bool_]) -> float:
    """Return the mean over bins of Jain's index of the flows that are active.

    Args:
        shares: Rate of each flow in each bin, shape (bins, flows). A bin in which all rates are zero does not count.
        present: Whether the flow is active in the whole bin, shape (bins, flows).
    """
    indices = [core.jain(row[there]) for row, there in zip(shares, present, strict=True)]
    known = [index for index in indices if not math.isnan(index)]
    return math.fsum(known) / len(known) if known else float("nan")


def rtt_bias(ratio: float, rtt_ratio: float) -> float:
    """Return e of `ratio = rtt_ratio ** -e`.

    Args:
        ratio: Ratio of two goodputs.
        rtt_ratio: Ratio of the round-trip times.

    Returns:
        The exponent; not a number for equal round-trip times, or if a goodput is zero.
    """
    if not ratio > 0 or not math.isfinite(ratio) or rtt_ratio == 1:
        return float("nan")
    return -math.log(ratio) / math.log(rtt_ratio)
