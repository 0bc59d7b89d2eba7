# SPDX-License-Identifier: Apache-2.0
"""Convergence of a new flow to its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.metrics.stability import first

if TYPE_CHECKING:
    from narrows._internal.metrics.series import FloatArray


def bins_until_share(newcomer: FloatArray, others: FloatArray, rule: float) -> float | None:
    """Return the number of bins until the running mean of a new flow is a share of the others' mean (Ha et al., §4).

    Args:
        newcomer: Rate of the new flow in each bin since its start.
        others: Mean rate of the other flows in the same bins, in the same unit.
        rule: The share to be reached.

    Returns:
        The number of bins up to the one in which it is reached; None if it never is.
    """
    running, against = np.cumsum(newcomer), np.cumsum(others)
    place = first((running > 0) & (running >= rule * against))
    return None if place is None else place + 1


def bins_until_delta_fair(rates: FloatArray, delta: float) -> int | None:
    """Return the number of bins until the smallest share is within `delta` of an equal one (RFC 5166 §2.3.3).

    Args:
        rates: Rates, shape (bins since the start of the new flow, flows).
        delta: Two flows that share B are delta-fair from ((1 + delta) B / 2, (1 - delta) B / 2) on.

    Returns:
        The number of bins up to the one in which it is; None if it never is.
    """
    sums = rates.sum(axis=1)
    equal = sums / rates.shape[1]
    # What rounding does to a sum must not keep exactly equal shares apart at delta 0.
    place = first((sums > 0) & (rates.min(axis=1) >= (1 - delta) * equal * (1 - ROUNDING)))
    return None if place is None else place + 1


ROUNDING = 1e-12
