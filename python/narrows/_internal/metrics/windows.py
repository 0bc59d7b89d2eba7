# SPDX-License-Identifier: Apache-2.0
"""Reductions of a congestion window, its growth after them, and its oscillation.

A reduction (cut) is a decrease of the window that changes ssthresh or ends at it: a reduction from the same window as
the last one leaves ssthresh unchanged. The window before a reduction is that at the end of the previous interval, so
intervals should be short compared with the round-trip time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.metrics import series
from narrows._internal.metrics.series import FloatArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def cuts(windows: FloatArray, thresholds: FloatArray) -> NDArray[np.int64]:
    """Return the indices at which the window has been reduced since the previous index."""
    falls = windows[1:] < windows[:-1]
    changed = thresholds[1:] != thresholds[:-1]
    return np.asarray(np.flatnonzero(falls & (changed | (windows[1:] == thresholds[1:]))) + 1, dtype=np.int64)


def kept(windows: FloatArray, thresholds: FloatArray) -> FloatArray:
    """Return ssthresh over the previous window for each reduction: the part of the window that it keeps."""
    places = cuts(windows, thresholds)
    return np.asarray(thresholds[places] / windows[places - 1], dtype=np.float64)


def growth(ends_s: FloatArray, windows: FloatArray, thresholds: FloatArray, span_s: tuple[float, float]) -> FloatArray:
    """Return the growth of the window between two times after each reduction, packets per second.

    Args:
        ends_s: End of each interval, seconds.
        windows: Congestion window at the ends, packets.
        thresholds: ssthresh at the ends, packets.
        span_s: The two times since the reduction, seconds. A reduction that is followed by another before the second
            time does not count.
    """
    at_s = ends_s[cuts(windows, thresholds)]
    following_s = np.append(at_s[1:], np.inf)
    begins_s, stops_s = at_s + span_s[0], at_s + span_s[1]
    alone = (stops_s < following_s) & (stops_s <= ends_s[-1])
    before, behind = (np.interp(times, ends_s, windows) for times in (begins_s[alone], stops_s[alone]))
    return np.asarray((behind - before) / (span_s[1] - span_s[0]), dtype=np.float64)


def near_cuts(ends_s: FloatArray, windows: FloatArray, thresholds: FloatArray, within_s: float) -> float:
    """Return the share of intervals that end within `within_s` seconds after a reduction; NaN without intervals."""
    at_s = ends_s[cuts(windows, thresholds)]
    if not len(ends_s):
        return float("nan")
    latest = np.searchsorted(at_s, ends_s, side="right") - 1
    since = np.where(latest >= 0, ends_s - np.append(at_s, np.inf)[latest], np.inf)
    return float(np.mean(since <= within_s))


def swing(windows: FloatArray, per_bin: int) -> float:
    """Return the mean over bins of largest minus smallest window, relative to the mean window.

    Args:
        windows: Congestion window by interval, packets.
        per_bin: Intervals per bin; an incomplete last bin does not count.
    """
    whole = windows[: len(windows) // per_bin * per_bin].reshape(-1, per_bin)
    if not len(whole) or not windows.mean() > 0:
        return float("nan")
    return float((whole.max(axis=1) - whole.min(axis=1)).mean() / windows.mean())


def changes(windows: FloatArray) -> int:
    """Return the number of intervals at whose end the window differs from the previous one."""
    return int(np.count_nonzero(np.diff(windows)))


def intervals(span_s: float, interval_s: float) -> int:
    """Return the number of intervals in a span, at least one."""
    return round(series.whole_intervals(span_s, interval_s) / interval_s)
