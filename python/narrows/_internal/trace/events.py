# SPDX-License-Identifier: Apache-2.0
"""The events of a flow in a trace: losses, timeouts, reductions, marks, stalls, and what else held the sender back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from narrows._internal.plural import counted
from narrows._internal.trace.record import Floats, Flow, Place, Series


class Event(NamedTuple):
    """An event of a flow.

    Attributes:
        time_s: Time, seconds from the first record of the trace.
        end_s: Time of its end; the same for an event of a moment.
        kind: `loss`, `spurious`, `timeout`, `reduction`, `mark`, `stall`, `receiver-limited` or `application-limited`.
        values: Its numbers by name, with their units.
        text: A sentence.
    """

    time_s: float
    end_s: float
    kind: str
    values: dict[str, Any]
    text: str


def events(flow: Flow) -> list[Event]:
    """Return the events of a flow in order of time."""
    trip_s = trip(flow)
    found = [
        *_losses(flow, trip_s),
        *_timeouts(flow),
        *_marks(flow, trip_s),
        *_stalls(flow, trip_s),
        *_limits(flow),
    ]
    known = np.array([event.time_s for event in found if event.kind in CAUSES])
    found += _reductions(flow, trip_s, known)
    return sorted(found, key=lambda event: event.time_s)


def trip(flow: Flow) -> float:
    """Return the usual round-trip time, seconds: the middle one, or that of the handshake."""
    if len(flow.rtt):
        return float(np.median(flow.rtt.values))
    return DEFAULT_S if np.isnan(flow.handshake_rtt_s) else flow.handshake_rtt_s


def _losses(flow: Flow, trip_s: float) -> Iterator[Event]:
    """Return the losses of one window as one event, and spurious ones apart.

    A loss belongs to the event before it if it was sent before that began, as one reduction is the reaction to all of
    them (RFC 6582, RFC 9002 §7.3.2); of losses whose sending was not observed, if it follows within a round trip.
    Packets that a timeout sent again are not repeated here.
    """
    lost = flow.lost
    by_timeout = np.isin(lost.times_s, flow.timeouts_s)
    for is_spurious in (False, True):
        own = (lost.spurious == is_spurious) & ~by_timeout
        times_s, sent_s = lost.times_s[own], lost.sent_s[own]
        for low, high in _episodes(times_s, sent_s, trip_s):
            count = high - low
            begin, end = float(times_s[low]), float(times_s[high - 1])
            values: dict[str, Any] = {"packets": count}
            if is_spurious:
                packets = f"{counted(count, 'packet')} that had arrived"
                yield Event(begin, end, "spurious", values, f"The sender sent {packets} again.")
                continue
            text = f"{counted(count, 'packet')} {'was' if count == 1 else 'were'} lost and sent again"
            sent = sent_s[low:high][~np.isnan(sent_s[low:high])]
            if len(sent):
                values["sent_s"] = float(sent.min())
                text += f", sent first from {sent.min():.4g} s on"
            text += _change(flow, begin, end, trip_s, values)
            yield Event(begin, end, "loss", values, text[0].upper() + text[1:] + ".")


def _change(flow: Flow, begin_s: float, end_s: float, trip_s: float, values: dict[str, Any]) -> str:
    """Return what the bytes in flight, or the window, did around an interval; empty if that is not known."""
    for of, what in ((flow.window, "the congestion window"), (flow.in_flight, "the bytes in flight")):
        before = _within(of, begin_s - trip_s, begin_s)
        after = _within(of, end_s + trip_s, end_s + 2 * trip_s)
        if not len(before) or not len(after):
            continue
        values |= {"before_bytes": float(before.max()), "after_bytes": float(after.max())}
        verb = "fell" if after.max() < before.max() else "went"
        return f"; {what} {verb} from {_size(before.max())} to {_size(after.max())}"
    return ""


def _timeouts(flow: Flow) -> Iterator[Event]:
    times_s = flow.data.times_s
    for time_s in flow.timeouts_s.tolist():
        at = int(np.searchsorted(times_s, time_s, "left"))
        values, text = {}, "A timeout: the sender sent the first packet that was not acknowledged again"
        if at > 0:
            values["silence_s"] = time_s - float(times_s[at - 1])
            text += f", {_time(values['silence_s'])} after the packet before it"
        yield Event(time_s, time_s, "timeout", values, text + ".")


def _marks(flow: Flow, trip_s: float) -> Iterator[Event]:
    steps = np.diff(flow.marked.values, prepend=flow.marked.values[:1])
    (rows,) = (steps > 0).nonzero()
    times_s = flow.marked.times_s[rows]
    for low, high in _groups(times_s, trip_s):
        amount = float(steps[rows[low:high]].sum())
        begin, end = float(times_s[low]), float(times_s[high - 1])
        values: dict[str, Any] = {"marked_bytes": amount}
        text = f"Congestion marks on {_size(amount)}" + _change(flow, begin, end, trip_s, values)
        yield Event(begin, end, "mark", values, text + ".")


def _stalls(flow: Flow, trip_s: float) -> Iterator[Event]:
    """Return the times without progress of the deliveries while data was in flight, which a receiver cannot know."""
    if flow.place is Place.RECEIVER:
        return
    (rows,) = (np.diff(flow.delivered.values, prepend=-1.0) > 0).nonzero()
    times_s = flow.delivered.times_s[rows]
    long = np.diff(times_s) > max(TRIPS * trip_s, SHORTEST_S)
    for begin, end in zip(times_s[:-1][long].tolist(), times_s[1:][long].tolist(), strict=True):
        left = _within(flow.in_flight, begin, end)
        # Where the bytes in flight are not known, the packets that passed show that there were some.
        sent = flow.data.times_s[(flow.data.times_s > begin) & (flow.data.times_s < end)]
        first = begin if len(left) and left[0] > 0 else float(sent.min()) if len(sent) else end
        if end - first > max(TRIPS * trip_s, SHORTEST_S):
            text = f"Nothing was delivered for {_time(end - first)} while data was in flight."
            yield Event(first, end, "stall", {"duration_s": end - first}, text)


def _limits(flow: Flow) -> Iterator[Event]:
    for kind, intervals, text in (
        ("receiver-limited", flow.receiver_limited, "The receive window held the sender back for {}{}."),
        ("application-limited", flow.application_limited, "The program had nothing to send for {}."),
    ):
        for begin, end in (np.empty((0, 2)) if intervals is None else intervals).tolist():
            offered = _within(flow.receive_window, begin, end)
            values: dict[str, Any] = {"duration_s": end - begin}
            size = ""
            if kind == "receiver-limited" and len(offered):
                values["receive_window_bytes"] = float(offered.max())
                size = f": it was {_size(offered.max())} at most"
            yield Event(begin, end, kind, values, text.format(_time(end - begin), size))


def _reductions(flow: Flow, trip_s: float, known_s: Floats) -> Iterator[Event]:
    """Return the falls of the window of which no other event is the cause."""
    of = flow.window
    if not len(of):
        return
    (rows,) = (of.values[1:] < SMALLER * of.values[:-1]).nonzero()
    known_s = np.sort(known_s)
    for row in rows.tolist():
        time_s, before, after = float(of.times_s[row + 1]), float(of.values[row]), float(of.values[row + 1])
        at = int(np.searchsorted(known_s, time_s - trip_s, "left"))
        if at < len(known_s) and known_s[at] <= time_s + trip_s:
            continue
        text = f"The congestion window fell from {_size(before)} to {_size(after)} without a loss or mark before it."
        yield Event(time_s, time_s, "reduction", {"before_bytes": before, "after_bytes": after}, text)


def _episodes(times_s: Floats, sent_s: Floats, apart_s: float) -> list[tuple[int, int]]:
    """Return the first and the end of each episode of loss."""
    cuts: list[int] = []
    begin = before = -np.inf
    for index, (time_s, sent) in enumerate(zip(times_s.tolist(), sent_s.tolist(), strict=True)):
        if (time_s - before > apart_s) if np.isnan(sent) else sent > begin:
            cuts.append(index)
            begin = time_s
        before = time_s
    return list(pairwise([*cuts, len(times_s)]))


def _groups(times_s: Floats, apart_s: float) -> list[tuple[int, int]]:
    """Return the first and the end of each group of times with less than `apart_s` between them."""
    if not len(times_s):
        return []
    cuts = ((np.diff(times_s) > apart_s).nonzero()[0] + 1).tolist()
    return list(zip([0, *cuts], [*cuts, len(times_s)], strict=True))


def _within(of: Series, begin_s: float, end_s: float) -> Floats:
    low, high = np.searchsorted(of.times_s, [begin_s, end_s], "left")
    return of.values[low:high]


def _size(amount: float) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if amount >= unit:
            return f"{amount / unit:.3g} {name}"
    return f"{amount:.0f} B"


def _time(duration_s: float) -> str:
    return f"{duration_s:.3g} s" if duration_s >= 1 else f"{duration_s * 1e3:.3g} ms"


CAUSES = {"loss", "timeout", "mark", "application-limited"}
TRIPS = 3
"""Round trips without deliveries that are a stall."""

SHORTEST_S = 0.2
SMALLER = 0.9
DEFAULT_S = 0.2
