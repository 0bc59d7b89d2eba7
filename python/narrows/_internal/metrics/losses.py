# SPDX-License-Identifier: Apache-2.0
"""The loss rate after a change: how long it stays above its steady value (Bansal et al., SIGCOMM 2001, §3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from narrows._internal.metrics.series import FloatArray, total
from narrows._internal.metrics.stability import first


class Stabilization(NamedTuple):
    """The transient of the loss rate after a change.

    Attributes:
        time_rtt: Stabilization time, round trips.
        cost: Stabilization cost: that time multiplied by the mean loss rate over it, round trips.
    """

    time_rtt: float
    cost: float


def stabilization(  # noqa: PLR0913  # the series, and the source's parameters
    ends_s: FloatArray,
    arrived: FloatArray,
    dropped: FloatArray,
    *,
    after_s: float,
    at_s: float,
    rtt_s: float,
    factor: float,
) -> Stabilization:
    """Return the transient of the loss rate after a change.

    Args:
        ends_s: End of each interval of the series, seconds; the first interval starts at 0.
        arrived: Packets per second that reached the queue, by interval.
        dropped: Packets per second that the queue dropped, by interval.
        after_s: Start of the time over which the steady loss rate is taken, seconds.
        at_s: End of the interval and time of the change, seconds.
        rtt_s: Round-trip time, seconds.
        factor: Ratio to the steady loss rate below which the loss rate is stable; 1.5 in the source.

    Returns:
        The transient: not a number if nothing arrives before the change or `rtt_s` is not a number; 0 if the loss rate
        never rises; to the end of the series if it never falls again.
    """

    def rate(start_s: FloatArray, stop_s: FloatArray) -> FloatArray:
        came = total(ends_s, arrived, stop_s) - total(ends_s, arrived, start_s)
        gone = total(ends_s, dropped, stop_s) - total(ends_s, dropped, start_s)
        return np.divide(gone, came, out=np.zeros_like(gone), where=came > 0)

    later = ends_s[ends_s > at_s]
    before = np.diff(total(ends_s, arrived, np.array([after_s, at_s])))[0]
    if np.isnan(rtt_s) or not at_s > after_s or not len(later) or not before > 0:
        return Stabilization(float("nan"), float("nan"))
    steady = rate(np.array([after_s]), np.array([at_s]))[0]
    recent = rate(later - WINDOW_RTT * rtt_s, later)
    rise = first(recent > factor * steady)
    if rise is None:
        return Stabilization(0.0, 0.0)
    fall = first(recent[rise:] <= factor * steady)
    end_s = later[-1] if fall is None else later[rise + fall]
    time_rtt = float((end_s - at_s) / rtt_s)
    return Stabilization(time_rtt, time_rtt * float(rate(np.array([at_s]), np.array([end_s]))[0]))


WINDOW_RTT = 10
