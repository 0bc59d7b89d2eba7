# SPDX-License-Identifier: Apache-2.0
"""The packets of a capture: pcapng (draft-ietf-opsawg-pcapng) and pcap (draft-ietf-opsawg-pcap)."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

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


def is_capture(head: bytes) -> bool:
    """Whether a file that begins with `head`, of four bytes, is a capture."""
    return head == SECTION or head in CLASSIC


class Capture:
    """A capture, which is read once for each call of `packets`."""

    def __init__(self, file: Path) -> None:
        """Take the capture in a file."""
        self.file = file
        self.others: Counter[str] = Counter()
        self.is_cut = False

    def packets(self) -> Iterator[Packet]:
        """Return the IP packets, and count all others."""
        self.others.clear()
        with open_regular(self.file) as source:
            head = source.read(4)
            found = self._pcapng(source) if head == SECTION else self._pcap(source, head)
            for number, (interface, link, time_ns, content, length) in enumerate(found, 1):
                try:
                    packet = frames.ip(link, content, length)
                except ValueError as error:
                    raise self._fault(f"packet {number} {error}") from None
                if isinstance(packet, str):
                    self.others[packet] += 1
                else:
                    yield Packet(number, Place(interface, packet.seen), time_ns, packet.source, packet.size_bytes)

    def _pcap(self, source: BinaryIO, magic: bytes) -> Iterator[Frame]:
        order, unit_ns = CLASSIC[magic]
        header = source.read(HEADER)
        if len(header) < HEADER:
            raise self._fault("is cut off: it ends within its header")
        *_, most, link = struct.unpack(order + "HHiIII", header)
        link = self._known(link & 0xFFFF)
        number = 0
        while head := source.read(RECORD):
            number += 1
            seconds, part, captured, length = struct.unpack(order + "IIII", head.ljust(RECORD, b"\0"))
            if captured > max(most, LARGEST_PACKET) or captured > LARGEST or part * unit_ns >= SECOND:
                raise self._fault(f"is damaged: packet {number} has an impossible length or time")
            content = source.read(captured)
            if len(head) < RECORD or len(content) < captured:
                self.is_cut = True
                return
            yield 0, link, seconds * SECOND + part * unit_ns, content, length

    def _pcapng(self, source: BinaryIO) -> Iterator[Frame]:
        order = "<"
        interfaces: list[Interface] = []
        source.seek(0)
        number = 0
        while head := source.read(BLOCK):
            if head[:4] == SECTION:
                magic = source.read(4)
                if magic not in ORDERS:
                    raise self._fault("is damaged, or ends within its header: a section has no byte order")
                order = ORDERS[magic]
                interfaces = []
                source.seek(-4, 1)
            kind, size = struct.unpack(order + "II", head.ljust(BLOCK, b"\0"))
            if len(head) == BLOCK and not BLOCK + TRAILER <= size <= LARGEST:
                raise self._fault(f"is damaged: the block after packet {number} has an impossible length")
            body = source.read(max(size - BLOCK, 0))
            if len(head) < BLOCK or len(body) < size - BLOCK:
                self.is_cut = True
                return
            if body[-TRAILER:] != head[4:]:
                raise self._fault(f"is damaged: the block after packet {number} has two lengths")
            body = body[:-TRAILER]
            if kind == INTERFACE and len(body) >= INTERFACE_HEAD:
                link = self._known(struct.unpack_from(order + "H", body)[0])
                interfaces.append(Interface(link, *_clock(order, body[INTERFACE_HEAD:])))
            elif kind == PACKET and len(body) >= PACKET_HEAD:
                number += 1
                yield self._enhanced(number, order, body, interfaces)
            elif kind in WITHOUT_TIME:
                raise self._fault("has packets without a time (simple packet blocks), or in obsolete blocks")

    def _enhanced(self, number: int, order: str, body: bytes, interfaces: list[Interface]) -> Frame:
        """Return the frame of an enhanced packet block (§4.3)."""
        interface, high, low, captured, length = struct.unpack_from(order + "IIIII", body)
        if interface >= len(interfaces) or captured > len(body) - PACKET_HEAD:
            what = "is of an interface that is not described, or longer than its block"
            raise self._fault(f"is damaged: packet {number} {what}")
        link, ticks, offset_s = interfaces[interface]
        time_ns = (high << 32 | low) * SECOND // ticks + offset_s * SECOND
        return interface, link, time_ns, body[PACKET_HEAD : PACKET_HEAD + captured], length

    def _known(self, link: int) -> int:
        if link not in frames.LINKS:
            kinds = "Ethernet, Linux cooked, raw IP, loopback"
            raise self._fault(f"has packets of link type {link}, which is not read; allowed: {kinds}")
        return link

    def _fault(self, problem: str) -> InputError:
        return InputError(str(self.file), problem)


Frame = tuple[int, int, int, bytes, int]
"""Interface, kind of link, time in nanoseconds, captured bytes, length on the wire."""


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
