# SPDX-License-Identifier: Apache-2.0
"""The few blocks of pcapng that a capture needs (draft-ietf-opsawg-pcapng, §4)."""

from __future__ import annotations

import struct
from typing import NamedTuple


def section(application: str) -> bytes:
    """Return a section header block."""
    options = _option(4, application.encode()) + END
    return _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + options)


def interface(name: str, description: str) -> bytes:
    """Return an interface description block: raw IP packets, timestamps in nanoseconds."""
    options = _option(2, name.encode()) + _option(3, description.encode()) + _option(9, b"\x09") + END
    return _block(1, struct.pack("<HHI", LINKTYPE_RAW, 0, 0) + options)


class Seen(NamedTuple):
    """A captured packet."""

    interface: int
    time_ns: int
    content: bytes
    length: int
    outbound: bool | None


def packet(seen: Seen) -> bytes:
    """Return an enhanced packet block."""
    high, low = seen.time_ns >> 32, seen.time_ns & 0xFFFFFFFF
    head = struct.pack("<IIIII", seen.interface, high, low, len(seen.content), seen.length)
    options = b"" if seen.outbound is None else _option(2, struct.pack("<I", 2 - (not seen.outbound))) + END
    return _block(6, head + _padded(seen.content) + options)


def _block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _padded(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % 4)


END = b"\0\0\0\0"
LINKTYPE_RAW = 101
