"""What a congestion window does: cuts, growth after them, and how far it swings.

A cut is a fall of the window that changes ssthresh or ends at it: a cut from the same window as the last one leaves
ssthresh as it is. The window before is that at the end of the interval before, so intervals should be short against a
round trip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows.measures import series

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from narrows.measures.series import FloatArray


def cuts(windows: FloatArray, thresholds: FloatArray) -> NDArray[np.int64]:
    """Return the places at which the window is lower than at the place before because it was cut."""
    falls = windows[1:] < windows[:-1]
    changed = thresholds[1:] != thresholds[:-1]
    return np.asarray(np.flatnonzero(falls & (changed | (windows[1:] == thresholds[1:]))) + 1, dtype=np.int64)


def kept(windows: FloatArray, thresholds: FloatArray) -> FloatArray:
    """Return the part of the window that each cut keeps: ssthresh over the window before."""
    places = cuts(windows, thresholds)
    return np.asarray(thresholds[places] / windows[places - 1], dtype=np.float64)


def growth(ends_s: FloatArray, windows: FloatArray, thresholds: FloatArray, span_s: tuple[float, float]) -> FloatArray:
    """Return by how many packets per second the window grew between two times after each cut.

    Args:
        ends_s: Where each interval ends.
        windows: The window there.
        thresholds: ssthresh there.
        span_s: The two times, counted from the cut. A cut with another one before the second of them is left out.
    """
    at_s = ends_s[cuts(windows, thresholds)]
    following_s = np.append(at_s[1:], np.inf)
    begins_s, stops_s = at_s + span_s[0], at_s + span_s[1]
    alone = (stops_s < following_s) & (stops_s <= ends_s[-1])
    before, behind = (np.interp(times, ends_s, windows) for times in (begins_s[alone], stops_s[alone]))
    return np.asarray((behind - before) / (span_s[1] - span_s[0]), dtype=np.float64)


def near_cuts(ends_s: FloatArray, windows: FloatArray, thresholds: FloatArray, within_s: float) -> float:
    """Return the share of intervals that end at most so long after a cut."""
    at_s = ends_s[cuts(windows, thresholds)]
    if not len(ends_s):
        return float("nan")
    latest = np.searchsorted(at_s, ends_s, side="right") - 1
    since = np.where(latest >= 0, ends_s - np.append(at_s, np.inf)[latest], np.inf)
    return float(np.mean(since <= within_s))


def swing(windows: FloatArray, per_bin: int) -> float:
    """Return the mean over bins of largest minus smallest window, over the mean of all; whole bins only."""
    whole = windows[: len(windows) // per_bin * per_bin].reshape(-1, per_bin)
    if not len(whole) or not windows.mean() > 0:
        return float("nan")
    return float((whole.max(axis=1) - whole.min(axis=1)).mean() / windows.mean())


def changes(windows: FloatArray) -> int:
    """Return how often the window differs from the one before."""
    return int(np.count_nonzero(np.diff(windows)))


def intervals(span_s: float, interval_s: float) -> int:
    """Return how many intervals make a span, at least one."""
    return round(series.whole_intervals(span_s, interval_s) / interval_s)
