# SPDX-License-Identifier: Apache-2.0
"""Harm: the part of a flow's performance when alone that it loses to competitors.

Source: R. Ware, M. K. Mukerjee, S. Seshan and J. Sherry, "Beyond Jain's Fairness Index: Setting the Bar for the
Deployment of Congestion Control Algorithms", ACM HotNets 2019, §3.
"""

from __future__ import annotations


def harm(alone: float, here: float, *, more_is_better: bool = True) -> float:
    """Return the share of a performance lost to competitors (Ware et al., HotNets 2019): 0 none, 1 all, below 0 a gain.

    Args:
        alone: The performance without competitors, in any unit.
        here: The performance beside them, in the same unit.
        more_is_better: True for a rate, False for a delay or a completion time.

    Returns:
        The harm, a pure number; not a number if the better of the two performances is not positive.

    Examples:
        >>> harm(10e6, 4e6)
        0.6
    """
    best, worst = (alone, here) if more_is_better else (here, alone)
    return (best - worst) / best if best > 0 else float("nan")
