# SPDX-License-Identifier: Apache-2.0
"""Metrics of a flow's congestion window over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.metrics import series, stability, windows
from narrows._internal.metrics.card import Share, Time, Whole, metric
from narrows._internal.metrics.parameters import AFTER, FROM, MILLS, UNTIL, WELZL
from narrows._internal.metrics.series import FloatArray

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Choices
    from narrows._internal.metrics.observed import Flow, Observed


def _windows(seen: Observed, flow: Flow, choices: Choices) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Return times (s), congestion window and ssthresh (packets) of a flow while values count; None without any."""
    window, threshold = (seen.flow(flow, name) for name in ("cwnd_packets", "ssthresh_packets"))
    if window is None or threshold is None:
        return None
    start_s = max(seen.after_s(choices["after"], window), flow.start_s)
    within = (seen.ends_s >= start_s) & (seen.ends_s <= flow.stop_s) & ~np.isnan(window)
    return (seen.ends_s[within], window[within], threshold[within]) if within.any() else None


@metric("congestion window", Time("at", "time of the run", zero=True), of="flow", unit="packets", source=WELZL)
def window_at(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Congestion window at the time `at`."""
    windows = seen.flow(flow, "cwnd_packets")
    place = int(np.searchsorted(seen.ends_s, choices["at"]))
    return NAN if windows is None or place >= len(windows) else float(windows[place])


@metric(
    "time to a congestion window",
    Whole("packets", "congestion window to be reached, packets"),
    of="flow",
    unit="s",
    better="lower",
    source=WELZL,
)
def time_to_window(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Time from the flow's start until its congestion window reaches `packets`; no value if it never does."""
    windows = seen.flow(flow, "cwnd_packets")
    place = None if windows is None else stability.first(windows >= choices["packets"])
    return NAN if place is None else float(seen.ends_s[place]) - flow.start_s


@metric("fraction of the window kept at a reduction", AFTER, of="flow", unit="share", source=MILLS)
def window_kept(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Mean over reductions of the congestion window: ssthresh after it divided by the window an interval before.

    A reduction is a decrease of the window that changes ssthresh or ends at it.
    """
    found = _windows(seen, flow, choices)
    return NAN if found is None else series.mean_of_known(list(windows.kept(*found[1:])))


@metric(
    "share of the reductions",
    Share("least", "smallest reduction, relative to the window", "0"),
    Share("most", "largest reduction, relative to the window", "1"),
    AFTER,
    of="flow",
    unit="share",
    source=MILLS,
)
def cut_share(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Share of the reductions by at least `least` and at most `most` of the congestion window."""
    found = _windows(seen, flow, choices)
    kept = None if found is None else windows.kept(*found[1:])
    if kept is None or not len(kept):
        return NAN
    given_up = np.round(1 - kept, PLACES)
    return float(np.mean((given_up >= choices["least"]) & (given_up <= choices["most"])))


@metric(
    "growth after a reduction",
    Time("from", "start, as time since the reduction", "1ms"),
    Time("until", "end, as time since the reduction", "1s"),
    AFTER,
    of="flow",
    unit="packets",
    source=MILLS,
)
def growth_after_cut(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Growth of the congestion window per propagation round trip between `from` and `until` after a reduction.

    Mean over the reductions that no other one follows until then.
    """
    found = _windows(seen, flow, choices)
    if found is None:
        return NAN
    per_second = windows.growth(*found, (choices["from"], choices["until"]))
    return series.mean_of_known(list(per_second)) * seen.rtt_s(group)


@metric(
    "share of the time after reductions",
    Time("within", "time since the reduction", "1s"),
    AFTER,
    of="flow",
    unit="share",
    source=MILLS,
)
def time_near_cuts(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Share of the time that is at most `within` after a reduction of the congestion window."""
    found = _windows(seen, flow, choices)
    return NAN if found is None else windows.near_cuts(*found, choices["within"])


@metric(
    "share of the time with a small window",
    Whole("packets", "congestion window, packets"),
    AFTER,
    of="flow",
    unit="share",
    source=MILLS,
)
def window_below(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Share of the time in which the congestion window is at most `packets`."""
    found = _windows(seen, flow, choices)
    return NAN if found is None else float(np.mean(found[1] <= choices["packets"]))


@metric("coefficient of variation of the congestion window", AFTER, of="flow", better="lower", source=MILLS)
def window_cov(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Standard deviation divided by mean of the congestion window at the ends of intervals."""
    found = _windows(seen, flow, choices)
    return NAN if found is None else stability.cov(found[1])


@metric(
    "range of the congestion window",
    Time("bin", "length of a bin", "5s", ("rtt",)),
    AFTER,
    of="flow",
    better="lower",
    source=MILLS,
)
def window_swing(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Mean over bins of the largest minus the smallest congestion window, divided by the mean window."""
    found = _windows(seen, flow, choices)
    span_s = seen.rtt_s(group) if choices["bin"] == "rtt" else float(choices["bin"])
    return NAN if found is None else windows.swing(found[1], windows.intervals(span_s, seen.interval_s))


@metric("changes of the congestion window per round trip", FROM, UNTIL, of="flow", source=MILLS)
def window_changes(seen: Observed, group: str, flow: Flow, choices: Choices) -> float:
    """Number of intervals at whose end the congestion window has changed, per propagation round trip."""
    window, span_s = seen.flow(flow, "cwnd_packets"), choices["until"] - choices["from"]
    if window is None or not span_s > 0 or choices["until"] > seen.duration_s:
        return NAN
    within = (seen.ends_s >= choices["from"]) & (seen.ends_s <= choices["until"])
    return float(windows.changes(window[within]) * seen.rtt_s(group) / span_s)


PLACES = 9
NAN = float("nan")
