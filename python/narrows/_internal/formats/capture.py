# SPDX-License-Identifier: Apache-2.0
"""The packets of a capture: pcapng (draft-ietf-opsawg-pcapng) and pcap (draft-ietf-opsawg-pcap)."""

from __future__ import annotations

import struct
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from narrows._internal.errors import InputError
from narrows._internal.files.text import open_regular
from narrows._internal.formats import frames


class Place(NamedTuple):
    """The place at which a packet was captured."""

    interface: int
    seen: frames.Seen


class Packet(NamedTuple):
    """A packet of a capture."""

    number: int
    place: Place
    time_ns: int
    source: bytes
    size_bytes: int


class Batch(NamedTuple):
    """Frames that follow one another in a capture, with the IP packets in them."""

    frames: frames.Frames
    found: frames.Found


def is_capture(head: bytes) -> bool:
    """Whether a file that begins with `head`, of four bytes, is a capture."""
    return head == SECTION or head in CLASSIC


class Capture:
    """A capture, which is read once for each call of `packets` or `batches`."""

    def __init__(self, file: Path) -> None:
        """Take the capture in a file."""
        self.file = file
        self.others: Counter[str] = Counter()
        self.is_cut = False

    def packets(self) -> Iterator[Packet]:
        """Return the IP packets, and count all others."""
        for of, found in self.batches():
            (indices,) = found.version.nonzero()
            rows = zip(
                (indices + of.first).tolist(),
                of.interface[indices].tolist(),
                found.device[indices].tolist(),
                found.outgoing[indices].tolist(),
                of.time_ns[indices].tolist(),
                found.at[indices].tolist(),
                found.version[indices].tolist(),
                found.size_bytes[indices].tolist(),
                strict=True,
            )
            for number, interface, device, outgoing, time_ns, at, version, size_bytes in rows:
                start, end = frames.SOURCE[version]
                place = Place(interface, frames.Seen(device, outgoing))
                yield Packet(number, place, time_ns, of.content[at + start : at + end].tobytes(), size_bytes)

    def batches(self) -> Iterator[Batch]:
        """Return the frames in batches with the IP packets in them, and count all others."""
        self.others.clear()
        self.is_cut = False
        first = 1
        for content, table in self._tables():
            of = frames.Frames(first, content, *table.T)
            found = frames.ip(of)
            fault = frames.fault(of, found)
            if fault is not None:
                # All before the fault are read.
                end = fault[0] - first
                of = frames.Frames(first, content, *table[:end].T)
                found = frames.ip(of)
            self.others.update(frames.others(found))
            yield Batch(of, found)
            if fault is not None:
                raise self.fault(f"packet {fault[0]} {fault[1]}")
            first += len(table)

    def _tables(self) -> Iterator[tuple[frames.Bytes, frames.Ints]]:
        """Return the content of each part of the file, and the fields of `Frames` from `interface` for each frame."""
        with open_regular(self.file) as source:
            head = source.read(4)
            form: _Form = _Pcapng(self) if head == SECTION else _Pcap(self, head, source.read(HEADER))
            rest = head if head == SECTION else b""
            more = True
            fault: InputError | None = None
            while more and fault is None:
                chunk = source.read(CHUNK)
                more = bool(chunk)
                content = rest + chunk
                found: array[int] = array("q")
                used = 0
                try:
                    used = form.read(content, found)
                except InputError as error:
                    fault = error
                rest = content[used:]
                table = np.frombuffer(found, dtype=np.int64).reshape(-1, COLUMNS)
                yield np.frombuffer(content + PADDING, dtype=np.uint8), table
            if fault is not None:
                raise fault
            form.end(rest)
            self.is_cut = bool(rest)

    def known(self, link: int) -> int:
        """Return the number of a kind of link that is read."""
        if link not in frames.LINKS:
            kinds = "Ethernet, Linux cooked, raw IP, loopback"
            raise self.fault(f"has packets of link type {link}, which is not read; allowed: {kinds}")
        return link

    def fault(self, problem: str) -> InputError:
        """Return an error about the file."""
        return InputError(str(self.file), problem)


class _Form(Protocol):
    """A format of captures."""

    def read(self, content: bytes, found: array[int]) -> int:
        """Append a row for each whole frame, and return the position behind the last whole record."""

    def end(self, rest: bytes) -> None:
        """Refuse what remains at the end of the file if it is not the beginning of a record."""


class _Pcap:
    def __init__(self, capture: Capture, magic: bytes, header: bytes) -> None:
        self._capture = capture
        order, self._unit_ns = CLASSIC[magic]
        if len(header) < HEADER:
            raise capture.fault("is cut off: it ends within its header")
        *_, most, link = struct.unpack(order + "HHiIII", header)
        self._most = min(max(most, LARGEST_PACKET), LARGEST)
        self._link = capture.known(link & 0xFFFF)
        self._record = struct.Struct(order + "IIII")
        self._number = 0

    def read(self, content: bytes, found: array[int]) -> int:
        at, end, unit_ns, link, most = 0, len(content), self._unit_ns, self._link, self._most
        record, add = self._record.unpack_from, found.extend
        while at + RECORD <= end:
            seconds, part, captured, length = record(content, at)
            part *= unit_ns
            if captured > most or part >= SECOND:
                number = self._number + 1
                raise self._capture.fault(f"is damaged: packet {number} has an impossible length or time")
            start = at + RECORD
            if start + captured > end:
                break
            self._number += 1
            add((0, link, seconds * SECOND + part, start, captured, length))
            at = start + captured
        return at

    def end(self, rest: bytes) -> None:
        pass


class _Pcapng:
    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._order = "<"
        self._interfaces: list[Interface] = []
        self._number = 0

    def read(self, content: bytes, found: array[int]) -> int:
        at, end = 0, len(content)
        head = struct.Struct(self._order + "II").unpack_from
        while at + BLOCK <= end:
            if content[at : at + 4] == SECTION:
                if at + BLOCK + 4 > end:
                    break
                self._order = self._section(content[at + BLOCK : at + BLOCK + 4])
                self._interfaces = []
                head = struct.Struct(self._order + "II").unpack_from
            kind, size = head(content, at)
            if not BLOCK + TRAILER <= size <= LARGEST:
                raise self._fault(f"the block after packet {self._number} has an impossible length")
            after = at + size
            if after > end:
                break
            if content[after - TRAILER : after] != content[at + 4 : at + 8]:
                raise self._fault(f"the block after packet {self._number} has two lengths")
            body, length = at + BLOCK, size - BLOCK - TRAILER
            if kind == PACKET and length >= PACKET_HEAD:
                self._enhanced(content, body, length, found)
            elif kind == INTERFACE and length >= INTERFACE_HEAD:
                link = self._capture.known(struct.unpack_from(self._order + "H", content, body)[0])
                options = content[body + INTERFACE_HEAD : body + length]
                self._interfaces.append(Interface(link, *_clock(self._order, options)))
            elif kind in WITHOUT_TIME:
                problem = "has packets without a time (simple packet blocks), or in obsolete blocks"
                raise self._capture.fault(problem)
            at = after
        return at

    def end(self, rest: bytes) -> None:
        if rest[:4] == SECTION and len(rest) < BLOCK + 4:
            self._section(b"")

    def _section(self, magic: bytes) -> str:
        if magic not in ORDERS:
            raise self._fault("a section has no byte order, or the file ends within its header")
        return ORDERS[magic]

    def _enhanced(self, content: bytes, at: int, size: int, found: array[int]) -> None:
        """Append the frame of an enhanced packet block (§4.3)."""
        self._number += 1
        interface, high, low, captured, length = struct.unpack_from(self._order + "IIIII", content, at)
        if interface >= len(self._interfaces) or captured > size - PACKET_HEAD:
            what = "is of an interface that is not described, or longer than its block"
            raise self._fault(f"packet {self._number} {what}")
        link, ticks, offset_s = self._interfaces[interface]
        time_ns = (high << 32 | low) * SECOND // ticks + offset_s * SECOND
        if not -LATEST <= time_ns <= LATEST:
            raise self._fault(f"packet {self._number} has an impossible time")
        found.extend((interface, link, time_ns, at + PACKET_HEAD, captured, length))

    def _fault(self, problem: str) -> InputError:
        return self._capture.fault(f"is damaged: {problem}")


class Interface(NamedTuple):
    """An interface of pcapng: kind of link, ticks per second, seconds to add to its times."""

    link: int
    ticks: int
    offset_s: int


def _clock(order: str, options: bytes) -> tuple[int, int]:
    """Return the ticks per second and the offset of an interface, by its options (§4.2, if_tsresol, if_tsoffset)."""
    ticks, offset_s = 10**6, 0
    while len(options) > OPTION_HEAD:
        code, length = struct.unpack_from(order + "HH", options)
        value = options[OPTION_HEAD : OPTION_HEAD + length]
        if code == RESOLUTION and value:
            power = value[0]
            ticks = int(2 ** (power & 0x7F) if power & 0x80 else 10**power)
        elif code == OFFSET and len(value) == OFFSET_BYTES:
            offset_s = struct.unpack(order + "q", value)[0]
        options = options[OPTION_HEAD + length + -length % 4 :]
    return ticks, offset_s


SECTION = b"\x0a\x0d\x0d\x0a"
ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
CLASSIC = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
"""Byte order and nanoseconds of a unit of the fractions of seconds, by the first bytes."""

BLOCK, TRAILER, INTERFACE, INTERFACE_HEAD, PACKET, PACKET_HEAD = 8, 4, 1, 8, 6, 20
"""Of a block of pcapng: bytes before and after its body; two kinds, with the bytes before their options or data."""

WITHOUT_TIME = {2, 3}
OPTION_HEAD, RESOLUTION, OFFSET, OFFSET_BYTES = 4, 9, 14, 8
SECOND = 10**9
HEADER, RECORD = 20, 16
LARGEST_PACKET = 262_144
"""Bytes that tcpdump captures of a packet at most."""

LARGEST = 1 << 24
"""Bytes of the largest block that libpcap reads."""

CHUNK = 4 << 20
"""Bytes of the file that are read at once."""

PADDING = bytes(64)
"""Follows each part of the file: a field behind its end is zero."""

COLUMNS = 6
LATEST = 2**62
"""Nanoseconds before and after 1970 in which times lie, to the years 1823 and 2116: differences are whole numbers."""
