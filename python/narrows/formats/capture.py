# SPDX-License-Identifier: Apache-2.0
"""The packets of a capture: pcapng (draft-ietf-opsawg-pcapng) and pcap (draft-ietf-opsawg-pcap)."""

from __future__ import annotations

import struct
from ipaddress import ip_address
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from narrows.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Packet(NamedTuple):
    """A packet of a capture.

    Attributes:
        interface: Number of the interface, from 0.
        time_ns: Time, nanoseconds.
        source: Source address.
        size_bytes: Size of the IP packet.
    """

    interface: int
    time_ns: int
    source: str
    size_bytes: int


def is_capture(head: bytes) -> bool:
    """Whether a file that begins with `head`, of four bytes, is a capture."""
    return head == SECTION or head in CLASSIC


def packets(file: Path) -> Iterator[Packet]:
    """Return the IP packets of a capture; all others are left out.

    Raises:
        InputError: The capture is damaged, or has a kind of link or of packet that is not read.
        OSError: The file cannot be read.
    """
    with file.open("rb") as source:
        head = source.read(4)
        found = _pcapng(file, source) if head == SECTION else _pcap(file, source, head)
        for interface, link, time_ns, content, length in found:
            packet = _ip(link, content, length)
            if packet is not None:
                yield Packet(interface, time_ns, *packet)


Frame = tuple[int, int, int, bytes, int]
"""Interface, kind of link, time in nanoseconds, captured bytes, length on the wire."""


def _pcap(file: Path, source: BinaryIO, magic: bytes) -> Iterator[Frame]:
    order, unit_ns = CLASSIC[magic]
    *_, link = struct.unpack(order + "HHiIII", _exactly(file, source, 20))
    link = _known(file, link & 0xFFFF)
    while head := source.read(RECORD):
        if len(head) < RECORD:
            raise _cut(file)
        seconds, part, captured, length = struct.unpack(order + "IIII", head)
        yield 0, link, seconds * 10**9 + part * unit_ns, _exactly(file, source, captured), length


def _pcapng(file: Path, source: BinaryIO) -> Iterator[Frame]:
    order = "<"
    interfaces: list[tuple[int, int]] = []
    source.seek(0)
    while head := source.read(BLOCK):
        if len(head) < BLOCK:
            raise _cut(file)
        if head[:4] == SECTION:
            magic = _exactly(file, source, 4)
            order = "<" if magic == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
            source.seek(-4, 1)
        kind, size = struct.unpack(order + "II", head)
        if size < BLOCK + TRAILER:
            raise InputError(str(file), "is damaged: a block is shorter than its ends")
        body = _exactly(file, source, size - BLOCK)[:-TRAILER]
        if kind == INTERFACE and len(body) >= INTERFACE_HEAD:
            interfaces.append((struct.unpack_from(order + "H", body)[0], _ticks(order, body[INTERFACE_HEAD:])))
        elif kind == PACKET and len(body) >= PACKET_HEAD:
            interface, high, low, captured, length = struct.unpack_from(order + "IIIII", body)
            if interface >= len(interfaces):
                raise InputError(str(file), "is damaged: a packet is of an interface that is not described")
            link, ticks = interfaces[interface]
            time_ns = (high << 32 | low) * 10**9 // ticks
            yield interface, _known(file, link), time_ns, body[PACKET_HEAD : PACKET_HEAD + captured], length
        elif kind in WITHOUT_TIME:
            raise InputError(str(file), "has packets without a time (simple packet blocks), or in obsolete blocks")


def _ticks(order: str, options: bytes) -> int:
    """Return the ticks per second of an interface, by its options (§4.2, if_tsresol)."""
    while len(options) > OPTION_HEAD:
        code, length = struct.unpack_from(order + "HH", options)
        if code == RESOLUTION and length >= 1:
            power = options[OPTION_HEAD]
            return int(2 ** (power & 0x7F) if power & 0x80 else 10**power)
        options = options[OPTION_HEAD + length + -length % 4 :]
    return 10**6


def _known(file: Path, link: int) -> int:
    if link not in LINKS:
        kinds = "Ethernet, Linux cooked, raw IP, loopback"
        raise InputError(str(file), f"has packets of link type {link}, which is not read; allowed: {kinds}")
    return link


def _ip(link: int, content: bytes, length: int) -> tuple[str, int] | None:
    """Return source address and size of the IP packet in a frame; None if there is none."""
    before = LINKS[link]
    if link == ETHERNET:
        while content[before - 2 : before] in VLAN:
            before += 4
    content, length = content[before:], length - before
    version = content[0] >> 4 if content else 0
    # The length of the frame stands in where a host left the packet to its device to be cut (a length of zero).
    if version == V4 and len(content) >= V4_HEAD:
        return str(ip_address(content[12:16])), int.from_bytes(content[2:4], "big") or length
    if version == V6 and len(content) >= V6_HEAD:
        payload = int.from_bytes(content[4:6], "big")
        return str(ip_address(content[8:24])), payload + V6_HEAD if payload else length
    return None


def _exactly(file: Path, source: BinaryIO, count: int) -> bytes:
    if count > LARGEST:
        raise InputError(str(file), "is damaged: a packet or block is larger than any")
    content = source.read(count)
    if len(content) < count:
        raise _cut(file)
    return content


def _cut(file: Path) -> InputError:
    return InputError(str(file), "is cut off: it ends within a packet or block")


SECTION = b"\x0a\x0d\x0d\x0a"
CLASSIC = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
"""Byte order and nanoseconds of a unit of the fractions of seconds, by the first bytes."""

ETHERNET = 1
LINKS = {0: 4, ETHERNET: 14, 12: 0, 14: 0, 101: 0, 108: 4, 113: 16, 228: 0, 229: 0, 276: 20}
"""Bytes before the IP packet, by the number of the kind of link (registry LINKTYPE)."""

BLOCK, TRAILER, INTERFACE, INTERFACE_HEAD, PACKET, PACKET_HEAD = 8, 4, 1, 8, 6, 20
"""Of a block of pcapng: bytes before and after its body; two kinds, with the bytes before their options or data."""

WITHOUT_TIME = {2, 3}
OPTION_HEAD, RESOLUTION = 4, 9
RECORD = 16
V4, V4_HEAD, V6, V6_HEAD = 4, 20, 6, 40
VLAN = {b"\x81\x00", b"\x88\xa8"}
LARGEST = 1 << 26
