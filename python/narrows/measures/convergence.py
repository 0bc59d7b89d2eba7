"""When a newcomer has its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows.measures.stability import first

if TYPE_CHECKING:
    from narrows.measures.series import FloatArray


def bins_until_share(newcomer: FloatArray, others: FloatArray, rule: float) -> float | None:
    """Count bins until the newcomer's running mean is a share of the others' (Ha et al., §4).

    Args:
        newcomer: Its rate in each bin since its start.
        others: The mean rate of the others in the same bins.
        rule: The share.

    Returns:
        How many bins, the one in which it happens included; None if it never does.
    """
    running, against = np.cumsum(newcomer), np.cumsum(others)
    place = first((running > 0) & (running >= rule * against))
    return None if place is None else place + 1


def bins_until_delta_fair(rates: FloatArray, delta: float) -> int | None:
    """Count bins until the smallest share is within `delta` of an equal one (RFC 5166 §2.3.3).

    Args:
        rates: A row per bin since the newcomer's start, a column per flow.
        delta: Two flows that share B are delta-fair from ((1 + delta) B / 2, (1 - delta) B / 2) on.

    Returns:
        How many bins, the one in which it happens included; None if it never does.
    """
    sums = rates.sum(axis=1)
    equal = sums / rates.shape[1]
    # What rounding does to a sum must not keep exactly equal shares apart at delta 0.
    place = first((sums > 0) & (rates.min(axis=1) >= (1 - delta) * equal * (1 - ROUNDING)))
    return None if place is None else place + 1


ROUNDING = 1e-12
