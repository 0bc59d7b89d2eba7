"""How long losses stay above their steady rate after a change (Bansal et al., SIGCOMM 2001, §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from narrows.measures.series import total
from narrows.measures.stability import first

if TYPE_CHECKING:
    from narrows.measures.series import FloatArray


class Stabilization(NamedTuple):
    """What a change cost.

    Attributes:
        time_rtt: Round trips until the loss rate was near the steady one again.
        cost: That time by the mean loss rate over it.
    """

    time_rtt: float
    cost: float


def stabilization(  # noqa: PLR0913  # the series, and what the source asks of it
    ends_s: FloatArray,
    arrived: FloatArray,
    dropped: FloatArray,
    *,
    after_s: float,
    at_s: float,
    rtt_s: float,
    factor: float,
) -> Stabilization:
    """Measure what follows a change.

    Args:
        ends_s: Where each interval of the series ends; the first begins at 0.
        arrived: Packets that reached the queue, per second of each interval.
        dropped: Packets that were dropped, the same.
        after_s: From here on the steady loss rate is taken.
        at_s: Until here, when the change comes.
        rtt_s: A round trip.
        factor: How far above the steady loss rate is stable: 1.5 in the source.

    Returns:
        Not numbers where nothing arrives before the change or the round trip is none; 0 where losses never rise; the
        time to the end of the series where they never fall again.
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
