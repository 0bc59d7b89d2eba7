"""IPv4, TCP and UDP headers for packets that never had any.

Sources: RFC 791, RFC 9293, RFC 768; options by RFC 7323 (window scale) and RFC 2018 (SACK); ECN by RFC 3168. Payload is
nothing but zeros, so that a checksum over it is that of the headers and a capture can leave it out.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

Addresses = tuple[int, int]
"""Of source and destination."""


def ipv4(addresses: Addresses, protocol: int, content: int, *, ecn: int, number: int) -> bytes:
    """Build an IPv4 header.

    Args:
        addresses: Of source and destination.
        protocol: `TCP` or `UDP`.
        content: Bytes behind the header.
        ecn: The ECN field, 0 to 3.
        number: Its low 16 bits become the identification.
    """
    head = IPV4.pack(0x45, ecn, 20 + content, number & 0xFFFF, DONT_FRAGMENT, HOPS, protocol, 0, *addresses)
    return head[:10] + checksum(head).to_bytes(2, "big") + head[12:]


class Segment(NamedTuple):
    """What a TCP header says.

    Attributes:
        sequence: Number of the first byte; wraps.
        acknowledgement: Number of the next byte expected; wraps.
        flags: `SYN | ACK`, …
        window: As in the field: scaled already.
        options: As many bytes as four divide.
        payload: Bytes behind the header.
    """

    sequence: int
    acknowledgement: int
    flags: int
    window: int
    options: bytes
    payload: int


def tcp(addresses: Addresses, port: int, segment: Segment) -> bytes:
    """Build a TCP header; both ends have the same port."""
    sequence, acknowledgement, flags, window, options, payload = segment
    sizes = (20 + len(options)) // 4 << 12 | flags
    head = TCP_HEAD.pack(port, port, sequence & WRAP, acknowledgement & WRAP, sizes, window, 0, 0) + options
    found = checksum(PSEUDO.pack(*addresses, 0, TCP, len(head) + payload) + head)
    return head[:16] + found.to_bytes(2, "big") + head[18:]


def udp(addresses: Addresses, port: int, content: bytes, payload: int) -> bytes:
    """Build a UDP header with the first bytes of its payload.

    Args:
        addresses: Of source and destination.
        port: Of both.
        content: The first bytes of the payload.
        payload: All its bytes.
    """
    length = 8 + payload
    head = UDP_HEAD.pack(port, port, length, 0)
    # RFC 768: a sum of zero is sent as all ones.
    found = checksum(PSEUDO.pack(*addresses, 0, UDP, length) + head + content) or 0xFFFF
    return head[:6] + found.to_bytes(2, "big") + content


def syn_options(segment: int, scale: int) -> bytes:
    """Build the options of a SYN: segment size, SACK permitted, window scale."""
    return struct.pack(">BBHBBBBBBBB", 2, 4, segment, 4, 2, 1, 3, 3, scale, 1, 1)


def sack_option(edges: list[int]) -> bytes:
    """Build the SACK option of blocks whose edges, as sequence numbers, follow one another; nothing for none."""
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
