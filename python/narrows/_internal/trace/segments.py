# SPDX-License-Identifier: Apache-2.0
"""The headers of TCP and UDP within the IP packets of a capture, as a table with a row for each packet.

Sources: RFC 791 and RFC 8200 with RFC 4302 (headers between IP and transport), RFC 768, RFC 9293, RFC 2018 and RFC 2883
(SACK), RFC 7323 (window scale, timestamps), RFC 3168 (ECN), RFC 9000 §17.2 and RFC 9369 (long headers of QUIC).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from narrows._internal.formats.capture import Batch, Capture, Place
from narrows._internal.formats.frames import Bools, Bytes, Ints, Seen, number

Rows = NDArray[Any]
"""Packets, with the fields of `ROW`."""

Edges = NDArray[np.uint32]
"""SACK blocks as sequence numbers, of shape (n, 4, 2)."""


class Packets(NamedTuple):
    """The packets of a capture.

    Attributes:
        rows: Packets in the order of the capture.
        blocks: Edges of SACK blocks, of shape (n, 4, 2); a block of two equal edges is none.
        ends: For each connection the protocol, and its two ends as address and port.
        places: Places of observation.
        first_ns: Time of the first record, nanoseconds from 1970.
        others: Packets that were left out, by their kind.
        is_whole: Whether all packets were read; otherwise their number passed `MOST_PACKETS`.
    """

    rows: Rows
    blocks: Edges
    ends: list[tuple[int, tuple[str, str]]]
    places: list[Place]
    first_ns: int
    others: Counter[str]
    is_whole: bool


def read(capture: Capture) -> Packets:
    """Return the packets of TCP and UDP in a capture."""
    tables = _Tables(capture)
    parts = list(tables.parts())
    rows = np.concatenate([part[0] for part in parts]) if parts else np.empty(0, ROW)
    blocks = np.concatenate([part[1] for part in parts]) if parts else np.empty((0, 4, 2), np.uint32)
    return Packets(
        rows, blocks, tables.ends, list(tables.places), tables.first_ns, tables.others, is_whole=tables.is_whole
    )


class _Tables:
    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._known: dict[bytes, int] = {}
        self._blocks = 0
        self.ends: list[tuple[int, tuple[str, str]]] = []
        self.places: dict[Place, int] = {}
        self.first_ns = 0
        self.others: Counter[str] = Counter()
        self.is_whole = True

    def parts(self) -> Iterator[tuple[Rows, Edges]]:
        """Return the rows of each part of the capture, and the SACK blocks in them."""
        firsts: list[int] = []
        count = 0
        for batch in self._capture.batches():
            if len(batch.frames.time_ns):
                firsts.append(int(batch.frames.time_ns.min()))
            rows, blocks = self._part(batch)
            count += len(rows)
            yield rows, blocks
            if count >= MOST_PACKETS:
                self.is_whole = False
                break
        self.first_ns = min(firsts, default=0)
        self.others.update(self._capture.others)

    def _part(self, batch: Batch) -> tuple[Rows, Edges]:
        of, found = batch
        content = of.content
        (own,) = found.version.nonzero()
        protocol, at, is_fragment = _transport(content, found.at[own], found.version[own])
        self._leave_out("fragments of packets", int(is_fragment.sum()))
        kept = ~is_fragment & ((protocol == TCP) | (protocol == UDP))
        for other, count in zip(*np.unique(protocol[~kept & ~is_fragment], return_counts=True), strict=True):
            self._leave_out(f"packets of IP protocol {other}", int(count))
        own, protocol, at = own[kept], protocol[kept], at[kept]
        need = np.where(protocol == TCP, TCP_HEAD, UDP_HEAD)
        behind = of.start[own] + of.captured[own]
        is_short = at + need > behind
        cut = (is_short & (of.captured[own] < of.length[own])).nonzero()[0]
        if len(cut):
            index = int(own[cut[0]])
            what = f"was cut to {of.captured[index]} bytes, within its headers; capture the first 128 of each"
            raise self._capture.fault(f"packet {of.first + index} {what}")
        head = np.where(protocol == TCP, (number(content, at + 12, 1) >> 4) * 4, UDP_HEAD)
        payload = found.at[own] + found.size_bytes[own] - at - head
        fits = found.at[own] + found.size_bytes[own] <= of.start[own] + of.length[own]
        good = ~is_short & (head >= need) & (payload >= 0) & (payload <= LARGEST_PAYLOAD) & fits
        self._leave_out("damaged packets", int((~good).sum()))
        own, protocol, at, head, payload, behind = (each[good] for each in (own, protocol, at, head, payload, behind))
        connection, way = self._connections(content, found.at[own], found.version[own], protocol, at)
        rows = np.zeros(len(own), ROW)
        rows["time_ns"], rows["connection"], rows["way"] = of.time_ns[own], connection, way
        rows["number"] = of.first + own
        rows["place"] = self._placed(of.interface[own], found.device[own], found.outgoing[own])
        rows["payload"], rows["is_tcp"] = payload, protocol == TCP
        rows["headers"] = at + head - found.at[own]
        rows["ecn"] = _codepoint(content, found.at[own], found.version[own])
        (udp,) = (protocol == UDP).nonzero()
        rows["is_long"][udp] = _is_long(content, at[udp] + UDP_HEAD, behind[udp], payload[udp])
        (tcp,) = (protocol == TCP).nonzero()
        for name, place, size in (("sequence", 4, 4), ("acknowledged", 8, 4), ("window", 14, 2)):
            rows[name][tcp] = number(content, at[tcp] + place, size)
        rows["flags"][tcp] = number(content, at[tcp] + 12, 2) & FLAGS
        blocks = self._options(content, rows, tcp, at[tcp] + TCP_HEAD, np.minimum(at[tcp] + head[tcp], behind[tcp]))
        known = connection >= 0
        self._leave_out(f"packets of connections after the first {MOST_CONNECTIONS}", int((~known).sum()))
        return rows[known], blocks

    def _leave_out(self, what: str, count: int) -> None:
        if count:
            self.others[what] += count

    def _connections(self, content: Bytes, ip: Ints, version: Ints, protocol: Ints, at: Ints) -> tuple[Ints, Ints]:
        """Return the number of each packet's connection, and whether it goes from its first end (0) or to it (1)."""
        (six,) = (version == 6).nonzero()  # noqa: PLR2004  # the version of the protocol
        ends = []
        for start_4, start_6, port in ((12, 8, 0), (16, 24, 2)):
            high, low = number(content, ip + start_4, 4), np.zeros(len(ip), dtype=np.int64)
            high[six], low[six] = number(content, ip[six] + start_6, 8), number(content, ip[six] + start_6 + 8, 8)
            ends.append((high, low, number(content, at + port, 2)))
        here, there = ends
        turned = np.zeros(len(ip), dtype=bool)
        for left, right in reversed(list(zip(here, there, strict=True))):
            turned = (left > right) | ((left == right) & turned)
        sides = [np.where(turned, b, a) for a, b in zip(here, there, strict=True)]
        sides += [np.where(turned, a, b) for a, b in zip(here, there, strict=True)]
        keys = np.stack([version << 8 | protocol, *sides], axis=1)
        mixed = np.zeros(len(ip), dtype=np.uint64)
        for column in keys.T:
            mixed = (mixed ^ column.astype(np.uint64)) * MIX
            mixed ^= mixed >> np.uint64(29)
        _, first, inverse = np.unique(mixed, return_index=True, return_inverse=True)
        if not (keys[first[inverse]] == keys).all():
            _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        # In the order in which they appear.
        numbers = np.empty(len(first), dtype=np.int64)
        for place in np.argsort(first):
            numbers[place] = self._number(keys[first[place]])
        return numbers[inverse.reshape(-1)], turned.astype(np.int64)

    def _number(self, key: Ints) -> int:
        name = key.tobytes()
        found = self._known.get(name)
        if found is None:
            if len(self._known) >= MOST_CONNECTIONS:
                return -1
            found = self._known[name] = len(self._known)
            kind, *ends = key.tolist()
            named = [_end(kind >> 8, *ends[:3]), _end(kind >> 8, *ends[3:])]
            self.ends.append((kind & 0xFF, (named[0], named[1])))
        return found

    def _placed(self, interface: Ints, device: Ints, outgoing: Ints) -> Ints:
        keys = np.stack([interface, device, outgoing], axis=1)
        if len(keys) and (keys == keys[0]).all():
            return np.full(len(keys), self._place(keys[0]))
        unique, inverse = np.unique(keys, axis=0, return_inverse=True)
        numbers = np.array([self._place(key) for key in unique], dtype=np.int64)
        return numbers[inverse.reshape(-1)]

    def _place(self, key: Ints) -> int:
        interface, device, outgoing = key.tolist()
        place = Place(interface, Seen(device, outgoing))
        # More places than a machine has are one.
        return self.places.setdefault(place, len(self.places)) if len(self.places) < MOST_PLACES else 0

    def _options(self, content: Bytes, rows: Rows, tcp: Ints, at: Ints, end: Ints) -> Edges:
        """Fill in what the options of TCP say, and return the SACK blocks."""
        rows["blocks"], rows["scale"] = -1, -1
        found: list[Edges] = []
        (active,) = (at < end).nonzero()
        at = at.copy()
        for _ in range(MOST_OPTIONS):
            if not len(active):
                break
            here = at[active]
            kind = number(content, here, 1)
            size = np.where(kind == PAD, 1, number(content, here + 1, 1))
            whole = (kind != 0) & (size > 0) & (here + size <= end[active]) & ((kind == PAD) | (size > 1))
            active, here, kind, size = active[whole], here[whole], kind[whole], size[whole]
            row = tcp[active]
            stamped = (kind == TIMESTAMPS) & (size == TIMESTAMPS_BYTES)
            rows["stamp"][row[stamped]] = number(content, here[stamped] + 2, 4)
            rows["echo"][row[stamped]] = number(content, here[stamped] + 6, 4)
            rows["is_stamped"][row[stamped]] = True
            segment = (kind == SEGMENT) & (size == 4)  # noqa: PLR2004  # its length
            rows["most"][row[segment]] = number(content, here[segment] + 2, 2)
            scaled = (kind == SCALE) & (size == 3)  # noqa: PLR2004  # its length
            rows["scale"][row[scaled]] = np.minimum(number(content, here[scaled] + 2, 1), 14)
            sack = (kind == SACK) & (size >= 10)  # noqa: PLR2004  # its least length
            if sack.any():
                edges = np.zeros((int(sack.sum()), 4, 2), dtype=np.uint32)
                for block in range(4):
                    inside = size[sack] >= 10 + 8 * block
                    start = here[sack][inside] + 2 + 8 * block
                    edges[inside, block, 0], edges[inside, block, 1] = (
                        number(content, start, 4),
                        number(content, start + 4, 4),
                    )
                rows["blocks"][row[sack]] = self._blocks + np.arange(len(edges))
                self._blocks += len(edges)
                found.append(edges)
            at[active] += size
            active = active[at[active] < end[active]]
        return np.concatenate(found) if found else np.empty((0, 4, 2), np.uint32)


def _transport(content: Bytes, ip: Ints, version: Ints) -> tuple[Ints, Ints, Bools]:
    """Return the protocol in each IP packet, the position of its header, and whether it is a later fragment without."""
    is_6 = version == 6  # noqa: PLR2004  # the version of the protocol
    protocol = number(content, ip + np.where(is_6, 6, 9), 1)
    at = ip + np.where(is_6, 40, (number(content, ip, 1) & 0xF) * 4)
    is_fragment = ~is_6 & ((number(content, ip + 6, 2) & 0x1FFF) > 0)
    (active,) = (is_6 & np.isin(protocol, EXTENSIONS)).nonzero()
    for _ in range(MOST_EXTENSIONS):
        if not len(active):
            break
        kind, here = protocol[active], at[active]
        size = number(content, here + 1, 1)
        is_fragment[active] |= (kind == FRAGMENT) & ((number(content, here + 2, 2) >> 3) > 0)
        protocol[active] = number(content, here, 1)
        at[active] += np.where(kind == FRAGMENT, 8, np.where(kind == AUTHENTICATION, (size + 2) * 4, (size + 1) * 8))
        active = active[np.isin(protocol[active], EXTENSIONS)]
    return protocol, at, is_fragment


def _codepoint(content: Bytes, ip: Ints, version: Ints) -> Ints:
    """Return the codepoint of ECN."""
    return np.where(version == 4, number(content, ip + 1, 1), number(content, ip, 2) >> 4) & 3  # noqa: PLR2004  # as above


def _is_long(content: Bytes, at: Ints, behind: Ints, payload: Ints) -> Bools:
    """Return whether datagrams begin with a long header of a known version of QUIC."""
    version = number(content, at + 1, 4)
    known = np.isin(version, VERSIONS) | (version >> 8 == DRAFTS)
    fits = (payload > LONG_HEAD) & (at + 5 <= behind)
    found: Bools = fits & (number(content, at, 1) >= 0xC0) & known  # noqa: PLR2004  # header form and fixed bit
    return found


def _end(version: int, high: int, low: int, port: int) -> str:
    if version == 4:  # noqa: PLR2004  # the version of the protocol
        return f"{IPv4Address(high)}:{port}"
    return f"[{IPv6Address((high % 2**64) << 64 | low % 2**64)}]:{port}"


ROW = np.dtype(
    [
        ("time_ns", "i8"),
        ("number", "i4"),
        ("connection", "i4"),
        ("place", "i4"),
        ("sequence", "u4"),
        ("acknowledged", "u4"),
        ("stamp", "u4"),
        ("echo", "u4"),
        ("blocks", "i4"),
        ("headers", "u2"),
        ("payload", "i4"),
        ("window", "u2"),
        ("flags", "u2"),
        ("most", "u2"),
        ("scale", "i1"),
        ("way", "u1"),
        ("ecn", "u1"),
        ("is_tcp", "?"),
        ("is_stamped", "?"),
        ("is_long", "?"),
    ]
)

TCP, UDP = 6, 17
TCP_HEAD, UDP_HEAD = 20, 8
FLAGS = 0x1FF
SYN, RST, ACK, ECE, CE = 0x02, 0x04, 0x10, 0x40, 3
PAD, SEGMENT, SCALE, SACK, TIMESTAMPS, TIMESTAMPS_BYTES = 1, 2, 3, 5, 8, 10
FRAGMENT, AUTHENTICATION = 44, 51
EXTENSIONS = [0, 43, FRAGMENT, AUTHENTICATION, 60, 135]
VERSIONS = [1, 0x6B3343CF]
DRAFTS = 0xFF0000
LONG_HEAD = 7
MIX = np.uint64(0x9E3779B97F4A7C15)

MOST_PACKETS = 10_000_000
MOST_CONNECTIONS = 200_000
MOST_PLACES = 1_000
MOST_OPTIONS = 40
MOST_EXTENSIONS = 8
LARGEST_PAYLOAD = 1 << 20
