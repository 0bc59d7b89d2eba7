# SPDX-License-Identifier: Apache-2.0
"""The path that a flow shows by itself, as far as a simulation of the same flow needs it."""

from __future__ import annotations

import math

import numpy as np

from narrows._internal.frozen import frozen
from narrows._internal.trace.record import Floats, Flow, Series

# Bytes of a packet beside its payload: IPv4, TCP and timestamps.
HEADER = 52
SEGMENT = 1448
# A window over which a rate is measured has as many packets or round trips, and lasts as long, at least.
RATE_PACKETS, RATE_ROUND_TRIPS, RATE_S = 60, 4, 0.05
# A loss at this part of the longest queue, or above, is of a full queue.
FULL = 0.75
# From so many others, and this part of all, losses are taken for random.
FEWEST, RANDOM = 3, 0.3


@frozen
class SeenPath:
    """The path of one flow as the flow shows it.

    Attributes:
        rate_bps: Rate of the bottleneck, headers included: the median over windows in which a queue stands.
        rtt_s: Round-trip time without a queue and without the serialization of a packet.
        least_s: Least round-trip time, the unit of time of all features.
        buffer_packets: Longest queue at a loss; if no loss is of a full queue, twice the longest that was seen.
        overflows: Whether losses of a full queue were seen.
        loss: Share of packets lost with a short queue; 0 if there are few.
    """

    rate_bps: float
    rtt_s: float
    least_s: float
    buffer_packets: int
    overflows: bool
    loss: float


def seen_path(flow: Flow) -> SeenPath | None:
    """Return the path that a flow shows; None if it has no round-trip times, or delivers too little to show a rate."""
    times, rtts = flow.rtt.times_s, flow.rtt.values
    duration = flow.end_s - flow.start_s
    if not len(rtts) or not flow.delivered_bytes > 0 or not duration > 0:
        return None
    segment = flow.segment_bytes or SEGMENT
    base = float(np.nanmin([rtts.min(), flow.least_rtt_s]))
    window = max(RATE_ROUND_TRIPS * base, RATE_PACKETS * segment * duration / flow.delivered_bytes, RATE_S)
    if not base > 0 or duration < 2 * window:
        return None
    edges = np.arange(flow.start_s, flow.end_s, window)
    rates = np.diff(np.interp(edges, flow.delivered.times_s, flow.delivered.values)) / window
    queue = mean_in(flow.rtt, edges) - base
    high = float(np.quantile(rtts, 0.95)) - base
    busy = rates[queue > 0.2 * high] if high > 0.02 * base else rates[:0]
    rate = float(np.median(busy) if len(busy) >= max(5, 0.05 * len(rates)) else np.quantile(rates, 0.97))
    if not rate > 0:
        return None
    packet_s = segment / rate
    longest = float(np.quantile(rtts, 0.998)) - base
    unknown = max(2 * base / packet_s, 2 * longest / packet_s, 20.0)
    buffer, overflows, loss = unknown, False, 0.0
    found = clusters(flow.lost.times_s, 2 * float(np.median(rtts)))
    if len(found):
        at = np.array([_longest_before(times, rtts, first, 2 * base + longest, base) for first in found[:, 0]]) - base
        full = (at > FULL * longest) & (longest > 0.03 * base)
        overflows = bool(full.any())
        if (~full).sum() >= FEWEST and (~full).mean() > RANDOM:
            loss = float(found[~full, 2].sum()) / max(1.0, flow.delivered_bytes / segment)
        if overflows:
            buffer = max(2.0, float(np.median(at[full])) / packet_s)
    wire_bps = rate * 8 * (segment + HEADER) / segment
    return SeenPath(
        rate_bps=_rounded(wire_bps),
        rtt_s=_rounded(max(base - packet_s, 0.2 * base)),
        least_s=base,
        buffer_packets=round(_rounded(buffer)) if buffer > COUNTED else round(buffer),
        overflows=overflows,
        loss=min(loss, 0.5),
    )


def mean_in(series: Series, edges: Floats) -> Floats:
    """Return the mean of a series between edges, of shape (n - 1,); interpolated where it has no value."""
    place = np.clip(np.searchsorted(edges, series.times_s, side="right") - 1, 0, len(edges) - 2)
    count = np.bincount(place, minlength=len(edges) - 1)
    total = np.bincount(place, weights=series.values, minlength=len(edges) - 1)
    return _filled(np.divide(total, count, out=np.full(len(count), math.nan), where=count > 0))


def greatest_in(series: Series, edges: Floats) -> Floats:
    """Return the greatest value of a series between edges, as `mean_in`."""
    place = np.clip(np.searchsorted(edges, series.times_s, side="right") - 1, 0, len(edges) - 2)
    found = np.full(len(edges) - 1, -np.inf)
    np.maximum.at(found, place, series.values)
    return _filled(np.where(np.isfinite(found), found, math.nan))


def clusters(times_s: Floats, gap_s: float) -> Floats:
    """Return the first time, the last and the number of losses without a longer gap between them, of shape (n, 3)."""
    if not len(times_s):
        return np.empty((0, 3))
    cut = np.flatnonzero(np.diff(times_s) > gap_s)
    first, last = np.r_[0, cut + 1], np.r_[cut, len(times_s) - 1]
    return np.column_stack([times_s[first], times_s[last], last - first + 1])


def _filled(values: Floats) -> Floats:
    known = np.flatnonzero(np.isfinite(values))
    return np.interp(np.arange(len(values)), known, values[known]) if len(known) else np.zeros(len(values))


def _longest_before(times: Floats, rtts: Floats, at: float, reach: float, least: float) -> float:
    first, last = np.searchsorted(times, [at - reach, at], side="left")
    return float(rtts[first : last + 1].max(initial=least))


def _rounded(value: float) -> float:
    """Return the nearest power of 1.01, so that flows over one path are compared with the same simulations."""
    return float(GRID ** round(math.log(value) / math.log(GRID)))


GRID = 1.01
# Queues of this number of packets or fewer are whole numbers; longer ones lie on the grid.
COUNTED = 50
