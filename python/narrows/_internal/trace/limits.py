# SPDX-License-Identifier: Apache-2.0
"""The intervals in which something other than congestion control held a sender back, from packets at the sender."""

from __future__ import annotations

import numpy as np

from narrows._internal.formats.frames import Bools, Ints
from narrows._internal.trace.record import Data, Floats, Series


def receiver_limited(times_s: Floats, room: Ints, data: Data, segment: int, rtt: Series) -> Floats:
    """Return the intervals in which the sender had sent to within a segment of the end of the offered window.

    Args:
        times_s: Times of the packets at the sender.
        room: Bytes between the data that is sent and the end of the offered window, after each packet.
        data: Packets with payload.
        segment: Bytes of payload of a packet on the link.
        rtt: Round-trip times.

    Returns:
        Intervals of at least a round trip, of shape (n, 2), s; breaks of less than half of one, as between an
        acknowledgement and the data that it releases, do not end them.
    """
    # A host that leaves the cutting of packets to its device sends several segments or none.
    unit = max(segment, int(np.median(data.payload)))
    trip_s = float(np.median(rtt.values))
    full = room < unit
    return _merged(_runs(times_s, full), trip_s / 2, trip_s)


def application_limited(data: Data, segment: int, in_flight: Series, rtt: Series, disturbed_s: Floats) -> Floats:
    """Return the intervals in which the program had nothing to send, by a rule that misses some and adds none lightly.

    A pause between two packets with new data counts if it is longer than a quarter of a round trip and than four usual
    gaps, if there were no losses, SACK blocks and echoes of marks from a round trip before it to its end, and if all
    data was acknowledged long before its end, or the packet before it was no full segment and the bytes in flight fell
    below half of their maximum over the last round trips: a program that has more to send fills its segments.

    Args:
        data: Packets with payload at the sender.
        segment: Bytes of payload of a packet on the link.
        in_flight: Bytes in flight.
        rtt: Round-trip times.
        disturbed_s: Times of losses, SACK blocks and echoes of marks, ascending.

    Returns:
        Intervals of shape (n, 2), s.
    """
    if len(data) < 2 or not len(in_flight):  # noqa: PLR2004  # a pause lies between two
        return np.empty((0, 2))
    starts, ends = data.times_s[:-1], data.times_s[1:]
    pauses = ends - starts
    trips = np.concatenate([rtt.values[:1], rtt.values])[np.searchsorted(rtt.times_s, starts, "right")]
    (long,) = (pauses > np.maximum(trips / 4, USUAL * np.median(pauses))).nonzero()
    if not len(long):
        return np.empty((0, 2))
    starts, ends, trips, payload = starts[long], ends[long], trips[long], data.payload[long]
    disturbed = np.searchsorted(disturbed_s, ends, "right") > np.searchsorted(disturbed_s, starts - trips, "left")
    again = data.again[long] | data.again[long + 1]
    # The last value before the next packet, its time, and the most over the trips before.
    at = np.searchsorted(in_flight.times_s, ends, "left") - 1
    left, since_s = in_flight.values[at], in_flight.times_s[at]
    first = np.searchsorted(in_flight.times_s, starts - MEMORY * trips, "left")
    here = np.searchsorted(in_flight.times_s, starts, "right")
    first = np.maximum(first, here - MOST_VALUES)
    most = np.array([in_flight.values[a:b].max(initial=0.0) for a, b in zip(first, here, strict=True)])
    emptied = (left == 0) & (ends - since_s > np.maximum(trips / 10, SHORTEST_S))
    short = (payload % segment != 0) & (left < most / 2)
    found = ~disturbed & ~again & (emptied | short)
    return np.stack([starts[found], ends[found]], axis=1)


def without(intervals: Floats, others: Floats) -> Floats:
    """Return the intervals that overlap none of the others, which are in order."""
    if not len(others):
        return intervals
    behind = np.searchsorted(others[:, 1], intervals[:, 0], "right")
    overlaps = (behind < len(others)) & (others[np.minimum(behind, len(others) - 1), 0] < intervals[:, 1])
    kept: Floats = intervals[~overlaps]
    return kept


def _runs(times_s: Floats, holds: Bools) -> Floats:
    """Return the intervals over which something holds after each of these times until the next."""
    change = np.diff(holds.astype(np.int8), prepend=0, append=0)
    begins, ends = (change > 0).nonzero()[0], (change < 0).nonzero()[0]
    return np.stack([times_s[begins], times_s[np.minimum(ends, len(times_s) - 1)]], axis=1)


def _merged(intervals: Floats, gap_s: float, least_s: float) -> Floats:
    """Return intervals with gaps of at least `gap_s`, and of at least `least_s`."""
    if not len(intervals):
        return intervals
    apart = intervals[1:, 0] - intervals[:-1, 1] >= gap_s
    starts = intervals[np.concatenate([[True], apart]), 0]
    ends = intervals[np.concatenate([apart, [True]]), 1]
    found = np.stack([starts, ends], axis=1)
    kept: Floats = found[found[:, 1] - found[:, 0] >= least_s]
    return kept


USUAL = 4
"""Usual gaps between packets that a pause lasts at least."""

MEMORY = 4
"""Round trips over which the most bytes in flight count."""

MOST_VALUES = 10_000
"""Values over which that maximum is taken at most."""

SHORTEST_S = 0.001
