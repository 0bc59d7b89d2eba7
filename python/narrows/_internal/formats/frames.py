# SPDX-License-Identifier: Apache-2.0
"""The IP packets within frames of a capture, found by interpreting the headers.

Sources: the registry LINKTYPE of tcpdump.org; IEEE 802.3, 802.1Q and 802.1ad (and 0x9100, which was in use before it);
RFC 1042 (SNAP), RFC 2516 (PPPoE), RFC 791 and RFC 8200 (IP).
"""

from __future__ import annotations

from typing import NamedTuple


class Seen(NamedTuple):
    """Interface and direction in a cooked header of Linux."""

    device: int | None
    outgoing: bool | None


class Found(NamedTuple):
    """The IP packet in a frame."""

    source: bytes
    size_bytes: int
    seen: Seen


def ip(link: int, content: bytes, length: int) -> Found | str:
    """Return the IP packet in a frame, or the kind of a frame that has none."""
    protocol, at, seen = _link(link, content)
    protocol, at = _within(protocol, at, content)
    if len(content) < at + NEEDED.get(protocol, 0):
        if len(content) < length:
            raise ValueError(f"was cut to {len(content)} bytes, within its headers; capture the first 128 of each")
        return "damaged frames"
    if protocol in HOLDS_IP:
        where = "capture where packets have no such header"
        raise ValueError(f"is in a frame of {HOLDS_IP[protocol]}, which is not read: {where}")
    if protocol not in NEEDED:
        return _kind(protocol)
    version, left = content[at] >> 4, length - at
    # The length of the frame stands in if a host left the packet to its device to be cut (a length of zero).
    if protocol == V4 and version == 4:  # noqa: PLR2004  # the version of the protocol
        return Found(content[at + 12 : at + 16], _number(content, at + 2) or left, seen)
    if protocol == V6 and version == 6:  # noqa: PLR2004  # as above
        payload = _number(content, at + 4)
        return Found(content[at + 8 : at + 24], payload + V6_HEAD if payload else left, seen)
    return "damaged frames"


def _link(link: int, content: bytes) -> tuple[int, int, Seen]:
    """Return the protocol in a frame by its header, the offset of its packet, and the interface and direction."""
    at = LINKS[link]
    if link == ETHERNET:
        return _number(content, at - 2), at, NOWHERE
    if link == COOKED:
        return _number(content, at - 2), at, Seen(None, content[:2] == SENT)
    if link == COOKED_2:
        return _number(content, 0), at, Seen(int.from_bytes(content[4:8], "big"), content[10:11] == SENT[1:])
    if link in {NULL, LOOP}:
        # NULL has the byte order of the host that captured.
        family = int.from_bytes(content[:4], "big")
        if link == NULL and family >= 1 << 16:
            family = int.from_bytes(content[:4], "little")
        return FAMILIES.get(family, 0), at, NOWHERE
    if link in ALONE:
        return ALONE[link], at, NOWHERE
    return VERSIONS.get(content[0] >> 4 if content else 0, 0), at, NOWHERE


def _within(protocol: int, at: int, content: bytes) -> tuple[int, int]:
    """Return the protocol behind tags, PPPoE and SNAP, and the offset of its packet."""
    while True:
        if protocol in VLAN:
            protocol, at = _number(content, at + 2), at + 4
        elif protocol == PPPOE and _number(content, at + 6) in PPP:
            protocol, at = PPP[_number(content, at + 6)], at + 8
        elif protocol < FIRST_TYPE and content[at : at + 6] == SNAP:
            protocol, at = _number(content, at + 6), at + 8
        else:
            return protocol, at


def _number(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 2], "big")


def _kind(protocol: int) -> str:
    if protocol < FIRST_TYPE:
        return "IEEE 802.2, as of the spanning tree protocol"
    return KINDS.get(protocol, f"EtherType {protocol:#06x}")


ETHERNET, COOKED, COOKED_2, NULL, LOOP = 1, 113, 276, 0, 108
LINKS = {NULL: 4, ETHERNET: 14, 12: 0, 14: 0, 101: 0, LOOP: 4, COOKED: 16, 228: 0, 229: 0, COOKED_2: 20}
"""Bytes of the header of a frame, by the number of the kind of link."""

NOWHERE = Seen(None, None)
SENT = b"\x00\x04"
V4, V6, PPPOE = 0x0800, 0x86DD, 0x8864
VLAN = {0x8100, 0x88A8, 0x9100}
PPP = {0x0021: V4, 0x0057: V6}
SNAP = b"\xaa\xaa\x03\x00\x00\x00"
FIRST_TYPE = 0x0600
"""Smaller numbers in place of an EtherType are lengths."""

ALONE = {228: V4, 229: V6}
VERSIONS = {4: V4, 6: V6}
FAMILIES = {2: V4, 10: V6, 24: V6, 28: V6, 30: V6}
"""AF_INET, and AF_INET6 of Linux, NetBSD and OpenBSD, FreeBSD, macOS."""

V6_HEAD = 40
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
