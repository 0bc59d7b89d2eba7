# SPDX-License-Identifier: Apache-2.0
"""The flows of a capture (pcapng or pcap): each direction of a connection of TCP, QUIC or UDP that carries payload."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

import numpy as np

from narrows._internal.errors import InputError
from narrows._internal.files.text import open_regular
from narrows._internal.formats import capture
from narrows._internal.formats.frames import Bools, Ints
from narrows._internal.plural import counted
from narrows._internal.trace import segments, tcp
from narrows._internal.trace.record import Data, Floats, Flow, Place, Trace
from narrows._internal.trace.segments import ACK, SYN, Rows
from narrows._internal.trace.stream import handshake, stream


def read(file: Path, source: str | None = None) -> Trace:
    """Read the flows of a capture.

    Args:
        file: A capture, pcapng or pcap.
        source: Address whose flows are read, with or without its port, or the name of a flow; None for all.

    Returns:
        The flows, of which at most `MOST_FLOWS` are kept.

    Raises:
        InputError: The file is no capture, is damaged, or has no flow with payload.
    """
    try:
        with open_regular(file) as opened:
            head = opened.read(4)
        if not capture.is_capture(head):
            raise InputError(str(file), "is no capture; allowed: pcapng and pcap, not compressed")
        return _Reading(file, source).trace("pcapng" if head == capture.SECTION else "pcap")
    except OSError as error:
        raise InputError(str(file), f"cannot be read: {error.strerror or error}") from error


class _Part(NamedTuple):
    """One direction of a connection between two ends, from one handshake to the next.

    Attributes:
        rows: Packets of the connection in both directions.
        way: The direction.
        ends: Sender and receiver.
    """

    rows: slice
    way: int
    protocol: int
    ends: tuple[str, str]


class _Reading:
    def __init__(self, file: Path, source: str | None) -> None:
        self._file = file
        self._source = None if source is None else _written(source)
        self._capture = capture.Capture(file)
        self._left_out: list[str] = []
        self._lacking: dict[str, list[str]] = {}

    def trace(self, form: str) -> Trace:
        """Return the flows."""
        packets = segments.read(self._capture)
        if not len(packets.rows):
            kinds = ", ".join(f"{count} {kind}" for kind, count in packets.others.most_common(SHOWN))
            raise self._fault("has no packets of TCP or UDP" + (f"; it has {kinds}" if kinds else ""))
        self._ordered(packets)
        rows, splits = self._connections(packets.rows)
        packets = packets._replace(rows=rows)
        parts = self._parts(packets, splits)
        flows = [self._flow(packets, rows[part.rows], part) for part in parts]
        self._general(packets)
        return Trace(self._file, f"capture ({form})", tuple(flows), tuple(dict.fromkeys(self._left_out)))

    def _fault(self, problem: str) -> InputError:
        return InputError(str(self._file), problem)

    def _ordered(self, packets: segments.Packets) -> None:
        """Check that times ascend, but for what several interfaces mix up."""
        steps = np.diff(packets.rows["time_ns"])
        back = steps < 0
        if not back.any():
            return
        behind = np.maximum.accumulate(packets.rows["time_ns"]) - packets.rows["time_ns"]
        if behind.max() > MOST_BACK_NS:
            index = int(behind.argmax())
            what = f"packet {packets.rows['number'][index]} is {behind[index] / 1e9:.1f} s before an earlier one"
            raise self._fault(f"is not in order of time: {what}; cut it where its clock jumps")
        count = counted(int(back.sum()), "packet")
        self._left_out.append(f"the order of the file: {count} before a packet that is earlier, now in order of time")

    def _connections(self, rows: Rows) -> tuple[Rows, Ints]:
        """Return the packets by connection and time, and the places at which connections begin."""
        order = np.lexsort((rows["time_ns"], rows["connection"]))
        if (order != np.arange(len(rows))).any():
            rows = rows[order]
        first = np.diff(rows["connection"], prepend=-1) != 0
        # The same ends again: a SYN with another sequence number, from either side.
        (asks,) = (rows["is_tcp"] & ((rows["flags"] & (SYN | ACK)) == SYN)).nonzero()
        ask = rows[asks]
        same = (ask["connection"][1:] == ask["connection"][:-1]) & (ask["way"][1:] == ask["way"][:-1])
        other = np.concatenate([[True], ~same | (ask["sequence"][1:] != ask["sequence"][:-1])])[: len(asks)]
        first[asks[other]] = True
        return rows, np.append(first.nonzero()[0], len(rows))

    def _parts(self, packets: segments.Packets, splits: Ints) -> list[_Part]:
        """Return the directions with payload, those with most of it first."""
        rows = packets.rows
        numbers = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        payload = np.bincount(numbers * 2 + rows["way"], rows["payload"], minlength=2 * (len(splits) - 1))
        connection = rows["connection"][splits[:-1]]
        if self._source is not None:
            is_own = np.array(
                [[self._source in _names(*each) for each in (ends, ends[::-1])] for _, ends in packets.ends], dtype=bool
            )
            wanted = is_own[connection].reshape(-1)
            if not (wanted & (payload > 0)).any():
                known = np.argsort(-payload, kind="stable")[:SHOWN]
                hosts = [_host(packets.ends[connection[each // 2]][1][each % 2]) for each in known if payload[each]]
                problem = f"has no payload from {self._source}"
                raise self._fault(problem + (f", only from {', '.join(dict.fromkeys(hosts))}" if hosts else ""))
            payload = np.where(wanted, payload, 0)
        largest = np.argsort(-payload, kind="stable")
        largest = largest[payload[largest] > 0]
        if not len(largest):
            raise self._fault("has no packets of TCP or UDP with payload")
        if len(largest) > MOST_FLOWS:
            rest = payload[largest[MOST_FLOWS:]].sum()
            what = counted(len(largest) - MOST_FLOWS, "flow")
            self._left_out.append(f"{what} with less payload than the first {MOST_FLOWS} ({rest / 1e6:.3g} MB in all)")
        found = []
        for each in largest[:MOST_FLOWS].tolist():
            index, way = divmod(each, 2)
            protocol, ends = packets.ends[connection[index]]
            named = ends if way == 0 else ends[::-1]
            found.append(_Part(slice(int(splits[index]), int(splits[index + 1])), way, protocol, named))
        return found

    def _flow(self, packets: segments.Packets, rows: Rows, part: _Part) -> Flow:
        name = f"{part.ends[0]} > {part.ends[1]}"
        rows, copies = _at_one_place(rows, packets.places)
        if copies:
            self._lacking.setdefault("copies of packets at other places of observation", []).append(name)
        is_copy = _copies(rows, part.way)
        if is_copy.any():
            rows = rows[~is_copy]
            self._lacking.setdefault("packets that were captured twice", []).append(name)
        times_s = (rows["time_ns"] - packets.first_ns) / 1e9
        if part.protocol != segments.TCP:
            return _datagrams(rows, times_s, part.way, name)
        segment = _segment(rows, part.way)
        of = stream(rows, packets.blocks, times_s, part.way)
        flow, lacking = tcp.flow(of, name, handshake(rows, times_s), segment)
        for each in lacking:
            self._lacking.setdefault(each, []).append(name)
        return flow

    def _general(self, packets: segments.Packets) -> None:
        """Note what the flows lack, and what was left out of the capture."""
        for lack, (first, *others) in self._lacking.items():
            of = f"{first} and {counted(len(others), 'other flow')}" if others else first
            self._left_out.append(f"of {of}: {lack}")
        for kind, count in packets.others.most_common(SHOWN):
            self._left_out.append(f"{count} {kind}")
        if self._capture.is_cut:
            self._left_out.append("the last packet, which is cut off")
        if not packets.is_whole:
            self._left_out.append(f"all after the first {segments.MOST_PACKETS} packets")


def _written(source: str) -> str:
    """Return an address as names of flows have it."""
    try:
        return str(ip_address(source))
    except ValueError:
        return source


def _names(sender: str, receiver: str) -> tuple[str, str, str]:
    """Return the words that choose a flow: its address, with its port, and its name."""
    return _host(sender), sender, f"{sender} > {receiver}"


def _host(end: str) -> str:
    return end.rpartition(":")[0].strip("[]")


def _at_one_place(rows: Rows, places: list[capture.Place]) -> tuple[Rows, int]:
    """Return the packets of one place of observation for each direction, and how many are left out.

    A packet is captured more than once on several interfaces of a host. A place that has both directions is better
    than two places, and more payload is better than less.
    """
    if (rows["place"] == rows["place"][0]).all():
        return rows, 0
    amounts: list[dict[int, float]] = []
    for way in (0, 1):
        own = rows[rows["way"] == way]
        # Packets without payload count a little.
        amounts.append(
            {int(place): float((own["payload"][own["place"] == place] + 1).sum()) for place in np.unique(own["place"])}
        )
    best = max(
        ((there, back) for there in amounts[0] or {-1: 0.0} for back in amounts[1] or {-1: 0.0}),
        key=lambda pair: (
            _is_one(places, pair),
            amounts[0].get(pair[0], 0.0) + amounts[1].get(pair[1], 0.0),
            -pair[0],
            -pair[1],
        ),
    )
    kept = rows["place"] == np.where(rows["way"] == 0, best[0], best[1])
    return rows[kept], int((~kept).sum())


def _copies(rows: Rows, way: int) -> Bools:
    """Return which packets with payload are copies of the one before, as a port that mirrors others makes them."""
    found = np.zeros(len(rows), dtype=bool)
    (data,) = ((rows["way"] == way) & (rows["payload"] > 0)).nonzero()
    here, before = rows[data[1:]], rows[data[:-1]]
    same = rows["is_tcp"][data[1:]] & (here["time_ns"] - before["time_ns"] < COPY_NS)
    for name in ("sequence", "acknowledged", "payload", "stamp", "echo", "window", "flags"):
        same &= here[name] == before[name]
    found[data[1:]] = same
    return found


def _is_one(places: list[capture.Place], pair: tuple[int, int]) -> int:
    """Return how well two places for the two directions fit: on one device, and on its way out and in."""
    if min(pair) < 0:
        return 0
    there, back = places[pair[0]], places[pair[1]]
    if (there.interface, there.seen.device) != (back.interface, back.seen.device):
        return 0
    return 1 + (there.seen.outgoing < 0 or there.seen.outgoing != back.seen.outgoing)


def _segment(rows: Rows, way: int) -> int:
    """Return the bytes of payload of a packet on the link, which a host may have joined before the capture.

    By the maximum segment sizes of the handshake (RFC 9293 §3.7.1, less the timestamps of RFC 7323) if larger packets
    were captured; without a handshake by the size below a frame of Ethernet that divides most of the larger ones.
    """
    payload = rows["payload"][(rows["way"] == way) & (rows["payload"] > 0)]
    largest = int(payload.max())
    sizes = [int(size) for size in rows["most"][rows["most"] > 0]]
    if sizes:
        offered = min(sizes) - (STAMP_BYTES if rows["is_stamped"][rows["way"] == way].any() else 0)
        return min(largest, offered) if offered > 0 else largest
    if largest <= FRAME:
        return largest
    values, counts = np.unique(payload, return_counts=True)
    joined = values > FRAME
    candidates = values[~joined & (values >= LEAST_SEGMENT)]
    divided = [int(counts[joined & (values % size == 0)].sum()) for size in candidates]
    best = int(np.argmax(divided)) if divided else 0
    return int(candidates[best]) if divided and divided[best] > counts[joined].sum() / 2 else largest


def _datagrams(rows: Rows, times_s: Floats, way: int, name: str) -> Flow:
    """Return one direction of datagrams; of QUIC the headers that are not encrypted show no more."""
    own = (rows["way"] == way) & (rows["payload"] > 0)
    payload = rows["payload"][own].astype(float)
    data = Data(times_s[own], payload, np.cumsum(payload) - payload, np.zeros(len(payload), dtype=bool))
    return Flow(
        name=name,
        protocol="QUIC" if rows["is_long"].any() else "UDP",
        place=Place.UNKNOWN,
        start_s=float(times_s[0]),
        end_s=float(times_s[-1]),
        segment_bytes=int(payload.max()),
        header_bytes=float(rows["headers"][own].mean()),
        data=data,
    )


COPY_NS = 50_000
"""Time within which nothing is sent again: the same packet was captured twice."""

MOST_FLOWS = 1_000
MOST_BACK_NS = 10 * 10**9
"""How far a time may lie before an earlier packet's: the buffers of several interfaces are written by turns."""

STAMP_BYTES = 12
FRAME = 1500
LEAST_SEGMENT = 500
SHOWN = 6
