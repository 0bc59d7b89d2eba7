# SPDX-License-Identifier: Apache-2.0
"""The IP packets within frames of a capture, found by interpreting the headers.

Sources: the registry LINKTYPE of tcpdump.org; IEEE 802.3, 802.1Q and 802.1ad (and 0x9100, which was in use before it);
RFC 1042 (SNAP), RFC 2516 (PPPoE), RFC 791 and RFC 8200 (IP).
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Seen(NamedTuple):
    """Interface in a cooked header of Linux, and whether the packet left (1) or came (0) there; -1 for not known."""

    device: int
    outgoing: int


class Frames(NamedTuple):
    """Frames of a capture, each array of shape (n,).

    Attributes:
        first: Number of the first.
        content: The part of the file that has them, and 64 bytes more.
        interface: Interface.
        link: Kind of link.
        time_ns: Time, nanoseconds from 1970.
        start: Position of the first byte in `content`.
        captured: Bytes that were captured.
        length: Bytes on the wire.
    """

    first: int
    content: Bytes
    interface: Ints
    link: Ints
    time_ns: Ints
    start: Ints
    captured: Ints
    length: Ints


class Found(NamedTuple):
    """The IP packets in frames, each array of shape (n,).

    Attributes:
        at: Position of the first byte of the packet in the content.
        version: Version of IP; 0 for a frame that has no IP packet.
        size_bytes: Length of the packet.
        device: Interface in a cooked header of Linux; -1 without.
        outgoing: Direction in it, 1 or 0; -1 without.
        protocol: EtherType.
        is_cut: Whether the capture of the frame ends within the headers.
    """

    at: Ints
    version: Ints
    size_bytes: Ints
    device: Ints
    outgoing: Ints
    protocol: Ints
    is_cut: Bools


def number(content: Bytes, at: Ints, size: int) -> Ints:
    """Return the numbers of `size` bytes in network order at positions of a content; zero behind its end."""
    at = np.minimum(at, len(content) - size)
    found = content[at].astype(np.int64)
    for place in range(1, size):
        found = found << 8 | content[at + place]
    return found


def ip(of: Frames) -> Found:
    """Return the IP packets in frames."""
    protocol, at, device, outgoing = _link(of)
    protocol, at = _within(of, protocol, at)
    content, left = of.content, of.start + of.length - at
    nibble = number(content, at, 1) >> 4
    is_4, is_6 = protocol == V4, protocol == V6
    is_short = of.start + of.captured < at + np.where(is_4, NEEDED[V4], np.where(is_6, NEEDED[V6], 0))
    version = np.where(is_short, 0, np.where(is_4 & (nibble == 4), 4, np.where(is_6 & (nibble == 6), 6, 0)))  # noqa: PLR2004  # the versions of the protocol
    # The length of the frame stands in if a host left the packet to its device to be cut (a length of zero).
    total, payload = number(content, at + 2, 2), number(content, at + 4, 2)
    size_4 = np.where(total > 0, total, left)
    size_6 = np.where(payload > 0, payload + V6_HEAD, left)
    size = np.where(version == 4, size_4, np.where(version == 6, size_6, 0))  # noqa: PLR2004  # as above
    return Found(at, version, size, device, outgoing, protocol, is_short)


def fault(of: Frames, found: Found) -> tuple[int, str] | None:
    """Return the number of the first frame that cannot be read, and the problem."""
    cut = found.is_cut & (of.captured < of.length)
    bad = (cut | (~found.is_cut & np.isin(found.protocol, list(HOLDS_IP)))).nonzero()[0]
    if not len(bad):
        return None
    index = int(bad[0])
    if cut[index]:
        problem = f"was cut to {of.captured[index]} bytes, within its headers; capture the first 128 of each"
    else:
        where = "capture where packets have no such header"
        problem = f"is in a frame of {HOLDS_IP[int(found.protocol[index])]}, which is not read: {where}"
    return of.first + index, problem


def others(found: Found) -> Counter[str]:
    """Count the frames without an IP packet by their kind."""
    rest = found.version == 0
    is_damaged = found.is_cut | np.isin(found.protocol, list(NEEDED))
    counts = Counter({DAMAGED: int((rest & is_damaged).sum())})
    for protocol, count in zip(*np.unique(found.protocol[rest & ~is_damaged], return_counts=True), strict=True):
        counts[_kind(int(protocol))] += int(count)
    return +counts


def _link(of: Frames) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the protocol in each frame by its header, the position of its packet, and the device and direction."""
    count, content = len(of.start), of.content
    protocol, at = np.zeros(count, dtype=np.int64), of.start.copy()
    device, outgoing = np.full(count, -1), np.full(count, -1)
    for link in np.unique(of.link).tolist():
        (own,) = (of.link == link).nonzero()
        start, head = of.start[own], LINKS[link]
        at[own] += head
        if link == ETHERNET:
            kind = number(content, start + head - 2, 2)
        elif link == COOKED:
            kind = number(content, start + head - 2, 2)
            outgoing[own] = number(content, start, 2) == SENT
        elif link == COOKED_2:
            kind = number(content, start, 2)
            device[own] = number(content, start + 4, 4)
            outgoing[own] = number(content, start + 10, 1) == SENT
        elif link in {NULL, LOOP}:
            # NULL has the byte order of the host that captured.
            family = number(content, start, 4)
            if link == NULL:
                family = np.where(family >= 1 << 16, family.astype(np.uint32).byteswap().astype(np.int64), family)
            kind = _looked_up(FAMILIES, family)
        elif link in ALONE:
            kind = np.full(len(own), ALONE[link])
        else:
            kind = _looked_up(VERSIONS, number(content, start, 1) >> 4)
        protocol[own] = np.where(of.captured[own] >= head, kind, 0)
    return protocol, at, device, outgoing


def _within(of: Frames, protocol: Ints, at: Ints) -> tuple[Ints, Ints]:
    """Return the protocol behind tags, PPPoE and SNAP, and the position of its packet."""
    content, end = of.content, of.start + of.captured
    wrapped = np.isin(protocol, [*VLAN, PPPOE]) | (protocol < FIRST_TYPE)
    (active,) = wrapped.nonzero()
    for _ in range(MOST_TAGS):
        if not len(active):
            break
        kind, here = protocol[active], at[active]
        inner = _looked_up(PPP, number(content, here + 6, 2))
        is_tag = np.isin(kind, list(VLAN))
        is_ppp = (kind == PPPOE) & (inner > 0)
        is_snap = (kind < FIRST_TYPE) & (number(content, here, 6) == SNAP)
        size = np.select([is_tag, is_ppp, is_snap], [4, 8, 8], 0)
        goes_on = (size > 0) & (here + size <= end[active])
        kind = np.select([is_tag, is_ppp], [number(content, here + 2, 2), inner], number(content, here + 6, 2))
        # A header that is cut makes a position behind the end, which is found to be short.
        at[active] += size
        active = active[goes_on]
        protocol[active] = kind[goes_on]
    return protocol, at


def _looked_up(table: dict[int, int], keys: Ints) -> Ints:
    """Return the value of each key; 0 without."""
    found = np.zeros(len(keys), dtype=np.int64)
    for key, value in table.items():
        found[keys == key] = value
    return found


def _kind(protocol: int) -> str:
    if protocol < FIRST_TYPE:
        return "IEEE 802.2, as of the spanning tree protocol"
    return KINDS.get(protocol, f"EtherType {protocol:#06x}")


ETHERNET, COOKED, COOKED_2, NULL, LOOP = 1, 113, 276, 0, 108
LINKS = {NULL: 4, ETHERNET: 14, 12: 0, 14: 0, 101: 0, LOOP: 4, COOKED: 16, 228: 0, 229: 0, COOKED_2: 20}
"""Bytes of the header of a frame, by the number of the kind of link."""

SENT = 4
V4, V6, PPPOE = 0x0800, 0x86DD, 0x8864
VLAN = {0x8100, 0x88A8, 0x9100}
PPP = {0x0021: V4, 0x0057: V6}
SNAP = 0xAAAA03000000
FIRST_TYPE = 0x0600
"""Smaller numbers in place of an EtherType are lengths."""

ALONE = {228: V4, 229: V6}
VERSIONS = {4: V4, 6: V6}
FAMILIES = {2: V4, 10: V6, 24: V6, 28: V6, 30: V6}
"""AF_INET, and AF_INET6 of Linux, NetBSD and OpenBSD, FreeBSD, macOS."""

MOST_TAGS = 16
"""Headers between that of a frame and an IP packet that are read."""

DAMAGED = "damaged frames"
V6_HEAD = 40
SOURCE = {4: (12, 16), 6: (8, 24)}
"""Place of the source address in a packet, by the version of IP."""

NEEDED = {V4: 20, V6: 24}
"""Bytes of a packet that are read."""

HOLDS_IP = {
    0x8847: "MPLS",
    0x8848: "MPLS",
    0x88E5: "MACsec",
    0x88E7: "provider backbone bridges (802.1ah)",
    0x6558: "bridged Ethernet",
}
KINDS = {
    0x0806: "ARP",
    0x8863: "PPPoE discovery",
    PPPOE: "PPP control",
    0x88CC: "LLDP",
    0x888E: "IEEE 802.1X",
    0x9000: "Ethernet loopback tests",
    0x88F7: "PTP",
}
