# SPDX-License-Identifier: Apache-2.0
"""IPv4, TCP and UDP headers for simulated packets, which have none.

Sources: RFC 791, RFC 9293, RFC 768; options by RFC 7323 (window scale) and RFC 2018 (SACK); ECN by RFC 3168. Payload is
all zeros, so that it does not change a checksum and a capture can leave it out.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

Addresses = tuple[int, int]
"""Of source and destination."""


def ipv4(addresses: Addresses, protocol: int, content: int, *, ecn: int, number: int) -> bytes:
    """Return an IPv4 header (RFC 791 §3.1)."""
    head = IPV4.pack(0x45, ecn, 20 + content, number & 0xFFFF, DONT_FRAGMENT, HOPS, protocol, 0, *addresses)
    return head[:10] + checksum(head).to_bytes(2, "big") + head[12:]


class Segment(NamedTuple):
    """The fields of a TCP header."""

    sequence: int
    acknowledgement: int
    flags: int
    window: int
    options: bytes
    payload: int


def tcp(addresses: Addresses, port: int, segment: Segment) -> bytes:
    """Return a TCP header (RFC 9293 §3.1) with its checksum; source and destination have the same port."""
    sequence, acknowledgement, flags, window, options, payload = segment
    sizes = (20 + len(options)) // 4 << 12 | flags
    head = TCP_HEAD.pack(port, port, sequence & WRAP, acknowledgement & WRAP, sizes, window, 0, 0) + options
    found = checksum(PSEUDO.pack(*addresses, 0, TCP, len(head) + payload) + head)
    return head[:16] + found.to_bytes(2, "big") + head[18:]


def udp(addresses: Addresses, port: int, content: bytes, payload: int) -> bytes:
    """Return a UDP header with the first bytes of its payload."""
    length = 8 + payload
    head = UDP_HEAD.pack(port, port, length, 0)
    # RFC 768: a sum of zero is sent as all ones.
    found = checksum(PSEUDO.pack(*addresses, 0, UDP, length) + head + content) or 0xFFFF
    return head[:6] + found.to_bytes(2, "big") + content


def syn_options(segment: int, scale: int) -> bytes:
    """Return the options of a SYN: maximum segment size, SACK permitted, window scale."""
    return struct.pack(">BBHBBBBBBBB", 2, 4, segment, 4, 2, 1, 3, 3, scale, 1, 1)


def sack_option(edges: list[int]) -> bytes:
    """Return the SACK option of blocks given by the sequence numbers of their edges in order; empty without blocks."""
    if not edges:
        return b""
    return struct.pack(f">BBBB{len(edges)}I", 1, 1, 5, 2 + 4 * len(edges), *(edge & WRAP for edge in edges))


def checksum(content: bytes) -> int:
    """Return the Internet checksum of RFC 1071."""
    if len(content) % 2:
        content += b"\0"
    total: int = sum(struct.unpack(f">{len(content) // 2}H", content))
    while total > 0xFFFF:  # noqa: PLR2004  # 16 bits
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


IPV4 = struct.Struct(">BBHHHBBHII")
TCP_HEAD = struct.Struct(">HHIIHHHH")
UDP_HEAD = struct.Struct(">HHHH")
PSEUDO = struct.Struct(">IIBBH")
DONT_FRAGMENT = 0x4000
HOPS = 64
TCP = 6
UDP = 17
WRAP = 0xFFFFFFFF
SYN, ACK, ECE, CWR = 0x02, 0x10, 0x40, 0x80
