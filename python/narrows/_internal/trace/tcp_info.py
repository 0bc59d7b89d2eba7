# SPDX-License-Identifier: Apache-2.0
"""The flows of a connection from samples of the kernel's `tcp_info`.

Source: `struct tcp_info` of linux/tcp.h and `tcp_get_info` of net/ipv4/tcp.c. Names and units are the kernel's:
windows and packets in segments of `snd_mss`, round-trip times and durations in microseconds, rates in bytes per second.
Packets in flight are counted as in `tcp_packets_in_flight`: `unacked - sacked - lost + retrans`.

A sample shows counters, so an event between two samples has the time of the second: a retransmission by
`total_retrans`, a timeout by `total_rto` or by a `backoff` that has grown. Of the time between two samples, the idle
part (what `busy_time` leaves) and the part limited by the receive window are placed at the end.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.errors import InputError
from narrows._internal.trace.record import Floats, Flow, Lost, Place, Series

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Samples:
    """Samples of one socket.

    Attributes:
        times: Times, s, ascending.
        columns: The values of each of `FIELDS`, NaN if not observed.
    """

    def __init__(self) -> None:
        """Make an empty list."""
        self.times = array("d")
        self.columns = {name: array("d") for name in FIELDS}

    def add(self, time_s: float, values: Mapping[str, float]) -> bool:
        """Add a sample, or replace the sample of the same time; return whether it is later than the one before."""
        if self.times and time_s <= self.times[-1]:
            for name, column in self.columns.items():
                column[-1] = values.get(name, math.nan)
            return False
        self.times.append(time_s)
        for name, column in self.columns.items():
            column.append(values.get(name, math.nan))
        return True

    def fill(self, names: Sequence[str]) -> None:
        """Set the fields that are not observed to zero."""
        for name in names:
            self.columns[name] = array("d", np.nan_to_num(np.asarray(self.columns[name])).tobytes())


def flows(ends: tuple[str, str], samples: Samples, zero_s: float, controller: str = "") -> Iterator[Flow]:
    """Yield the flows of a socket with a local and a remote end: one for each direction and each connection."""
    times = np.asarray(samples.times) - zero_s
    columns = {name: np.asarray(column) for name, column in samples.columns.items()}
    for start, end in _connections(columns, len(times)):
        part = {name: column[start:end] for name, column in columns.items()}
        yield from _directions(ends, times[start:end], part, controller)


def bounded(file: Path, flows: Iterable[Flow]) -> list[Flow]:
    """Return flows whose events are few enough to be listed, which a counter that is damaged has not."""
    found, events = [], 0
    for flow in flows:
        events += len(flow.lost) + len(flow.timeouts_s)
        if events > MOST:
            raise InputError(str(file), f"has counters of more than {MOST} retransmissions and timeouts")
        found.append(flow)
    return found


def number(value: object) -> float | None:
    """Return a field of `tcp_info`: NaN for one with all bits set, also as a signed number; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not (0 <= value <= LARGEST or value == -1):
        return None
    return math.nan if value == -1 or value >= SIGNED else float(value)


def _connections(columns: Mapping[str, Floats], count: int) -> Iterator[tuple[int, int]]:
    """Yield the samples of each connection: the counters of a new one on the same ports start again."""
    falls = np.zeros(max(count - 1, 0), dtype=bool)
    for name in ("bytes_acked", "bytes_received", "bytes_sent"):
        falls |= np.diff(columns[name]) < 0
    cuts = [0, *(np.flatnonzero(falls) + 1).tolist(), count]
    yield from pairwise(cuts)


def _directions(ends: tuple[str, str], times: Floats, columns: Mapping[str, Floats], controller: str) -> Iterator[Flow]:
    sent, received = _grown(columns["bytes_acked"]), _grown(columns["bytes_received"])
    known = {
        "protocol": "TCP",
        "start_s": float(times[0]),
        "end_s": float(times[-1]),
        "rtt": _rtt(times, columns),
        "smoothed": True,
        "least_rtt_s": _least(columns["min_rtt"]) / MICROSECONDS,
    }
    if sent > 0 or received <= 0:
        local = Flow(name=" > ".join(ends), place=Place.SENDER, controller=controller, **known)  # type: ignore[arg-type]
        yield _sender(local, times, columns)
    if received > 0:
        yield Flow(
            name=" > ".join(reversed(ends)),
            place=Place.RECEIVER,
            delivered=series(times, columns["bytes_received"]),
            segment_bytes=_last(columns["rcv_mss"]),
            **known,  # type: ignore[arg-type]
        )


def _sender(flow: Flow, times: Floats, columns: Mapping[str, Floats]) -> Flow:
    """Return a flow with the fields that its sender knows."""
    segment = columns["snd_mss"]
    flying = columns["unacked"] - columns["sacked"] - columns["lost"] + columns["retrans"]
    threshold = np.where(columns["snd_ssthresh"] < INFINITE, columns["snd_ssthresh"], np.nan)
    return replace(
        flow,
        segment_bytes=_last(segment),
        delivered=series(times, columns["bytes_acked"]),
        in_flight=series(times, np.maximum(flying, 0) * segment),
        window=series(times, columns["snd_cwnd"] * segment),
        threshold=series(times, threshold * segment),
        receive_window=series(times, columns["snd_wnd"]),
        lost=_lost(times, columns),
        timeouts_s=_timeouts(times, columns),
        marked=_marked(times, columns),
        pacing_rate=series(times, columns["pacing_rate"] * 8),
        delivery_rate=series(times, columns["delivery_rate"] * 8),
        application_limited=_idle(times, columns),
        receiver_limited=_limited(times, columns["rwnd_limited"]),
    )


def series(times: Floats, values: Floats) -> Series:
    """Return values over time, without those that are not observed."""
    known = np.isfinite(values)
    return Series(times[known], values[known])


def _rtt(times: Floats, columns: Mapping[str, Floats]) -> Series:
    """Return the smoothed round-trip times that are not older than the sample before."""
    acked = columns["bytes_acked"]
    fresh = np.ones(len(times), dtype=bool)
    fresh[1:] = ~(np.diff(acked) == 0)
    values = np.where(fresh & (columns["rtt"] > 0), columns["rtt"], np.nan)
    return series(times, values / MICROSECONDS)


def _lost(times: Floats, columns: Mapping[str, Floats]) -> Lost:
    """Return the retransmissions; a D-SACK (RFC 2883) makes the latest one spurious that is not yet so.

    More of them than retransmissions are due to packets that the path duplicated, as Linux has it (tcp_dsack_seen).
    """
    again, needless = _steps(columns["total_retrans"]), _steps(columns["dsack_dups"])
    if np.any(columns["dsack_dups"] > columns["total_retrans"]):
        needless[:] = 0
    spurious = np.zeros(int(again.sum()), dtype=np.bool_)
    latest: list[int] = []
    first = 0
    for more, vain in zip(again.tolist(), needless.tolist(), strict=True):
        latest.extend(range(first, first + more))
        first += more
        for _ in range(min(vain, len(latest))):
            spurious[latest.pop()] = True
    return Lost(np.repeat(times[1:], again), np.full(len(spurious), np.nan), spurious)


def _timeouts(times: Floats, columns: Mapping[str, Floats]) -> Floats:
    if np.isfinite(columns["total_rto"]).any():
        return np.repeat(times[1:], _steps(columns["total_rto"]))
    return times[1:][np.diff(columns["backoff"]) > 0]


def _marked(times: Floats, columns: Mapping[str, Floats]) -> Series:
    """Return the bytes that were delivered with a mark; nothing without negotiated ECN."""
    negotiated = bool(np.any(np.nan_to_num(columns["options"]).astype(np.uint64) & ECN))
    if not negotiated and not np.any(columns["delivered_ce"] > 0):
        return Series()
    return series(times, columns["delivered_ce"] * _last(columns["snd_mss"]))


def _idle(times: Floats, columns: Mapping[str, Floats]) -> Floats | None:
    """Return the intervals in which nothing was in flight, or which the program limited as the kernel says."""
    flags, busy = columns["delivery_rate_app_limited"], columns["busy_time"] / MICROSECONDS
    if not np.isfinite(flags).any() and not np.isfinite(busy).any():
        return None
    passed = np.diff(times)
    idle = passed - np.diff(busy)
    # The kernel counts in ticks, of which the longest are 10 ms.
    idle = np.where(idle > TICKS_S, np.minimum(idle, passed), 0.0)
    return joined(times[1:] - np.where(flags[1:] > 0, passed, idle), times[1:])


def _limited(times: Floats, total_us: Floats) -> Floats | None:
    if not np.isfinite(total_us).any():
        return None
    grown = np.clip(np.nan_to_num(np.diff(total_us)) / MICROSECONDS, 0.0, np.diff(times))
    return joined(times[1:] - grown, times[1:])


def joined(starts: Floats, ends: Floats) -> Floats:
    """Return intervals of shape (n, 2) without empty ones, ascending, those that touch as one."""
    found: list[list[float]] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if found and start - found[-1][1] <= TOUCHING_S:
            found[-1][1] = max(found[-1][1], end)
        elif end > start:
            found.append([start, end])
    return np.asarray(found, dtype=np.float64).reshape(-1, 2)


def _steps(counter: Floats) -> NDArray[np.int64]:
    """Return by how much a counter has grown at each sample but the first."""
    return counts(np.clip(np.diff(counter), 0, None))


def counts(numbers: Floats) -> NDArray[np.int64]:
    """Return numbers of events, whose sum is at most one more than `bounded` admits."""
    total = np.minimum(np.cumsum(np.nan_to_num(numbers)), MOST + 1)
    return np.diff(total, prepend=0.0).astype(np.int64)


def _grown(counter: Floats) -> float:
    """Return by how much a counter has grown, or its value if there is one."""
    known: Sequence[float] = counter[np.isfinite(counter)].tolist()
    return known[-1] - known[0] if len(known) > 1 else known[0] if known else 0.0


def _last(values: Floats) -> int:
    known = values[np.isfinite(values)]
    return int(known[-1]) if len(known) else 0


def _least(values: Floats) -> float:
    # The kernel has ~0 before the first measurement, and ss omits it.
    known = values[(values > 0) & (values < UNKNOWN_RTT)]
    return float(known.min()) if len(known) else math.nan


FIELDS = (
    "options", "backoff", "total_rto", "snd_mss", "rcv_mss", "unacked", "sacked", "lost", "retrans", "rtt", "min_rtt",
    "snd_ssthresh", "snd_cwnd", "snd_wnd", "total_retrans", "dsack_dups", "bytes_acked", "bytes_received", "bytes_sent",
    "busy_time", "rwnd_limited", "delivery_rate_app_limited", "delivered_ce", "pacing_rate", "delivery_rate",
)  # fmt: skip
"""The fields of `tcp_info` that a flow needs, without `tcpi_`."""

MICROSECONDS = 1e6
INFINITE = 0x7FFFFFFF
UNKNOWN_RTT = 0xFFFFFFFF
LARGEST = 2**64
SIGNED = 2**63
ECN = np.uint64(8)
TICKS_S = 0.02
TOUCHING_S = 1e-6
MOST = 2_000_000
