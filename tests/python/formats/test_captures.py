# SPDX-License-Identifier: Apache-2.0
"""Product: captures as people have them: headers of frames, and clocks that jump."""

from __future__ import annotations

import gzip
import os
import struct
from typing import TYPE_CHECKING

import pytest

import narrows as nw
from narrows._internal.formats import blocks, headers

if TYPE_CHECKING:
    from pathlib import Path

    from narrows._internal.formats.rates import Rates

SENDER, RECEIVER = 0x0A000001, 0x0A000002
V4 = headers.ipv4((SENDER, RECEIVER), headers.UDP, 1480, ecn=0, number=0) + bytes(1480)
V6 = struct.pack(">IHBB", 0x60000000, 1460, 17, 64) + bytes(15) + b"\x01" + bytes(15) + b"\x02" + bytes(1460)
ADDRESSES = bytes(12)
Frames = list[tuple[float, bytes]]


def pcap(file: Path, frames: Frames, link: int = 1, snap: int = 1 << 16) -> Path:
    content = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snap, link)]
    for at, frame in frames:
        kept = frame[:snap]
        content.append(struct.pack("<IIII", int(at), round(at % 1 * 1e6), len(kept), len(frame)) + kept)
    file.write_bytes(b"".join(content))
    return file


def steady(*frames: bytes) -> Frames:
    """Each of these frames once in a millisecond, for three seconds: 12 Mbps for each with a packet of 1500 bytes."""
    return [(1000 + at / 1000, frame) for at in range(3000) for frame in frames]


def rates(file: Path, source: str | None = None, step_s: float | None = None) -> Rates:
    table = file.with_suffix(".csv")
    table.unlink(missing_ok=True)
    return nw.import_rates(file, table, source=source, step_s=step_s)


def refusal(file: Path, source: str | None = None, step_s: float | None = None) -> str:
    with pytest.raises(nw.InputError) as error:
        rates(file, source, step_s)
    assert str(error.value).startswith(str(file))
    return str(error.value)


def cooked(direction: int, kind: int = 0x0800) -> bytes:
    return struct.pack(">HHH8sH", direction, 1, 6, bytes(8), kind)


def cooked_2(interface: int, direction: int = 4) -> bytes:
    return struct.pack(">HHIHBB8s", 0x0800, 0, interface, 1, direction, 6, bytes(8))


READ = {
    "Ethernet": (1, ADDRESSES + b"\x08\x00" + V4),
    "IPv6": (1, ADDRESSES + b"\x86\xdd" + V6),
    "a tag": (1, ADDRESSES + b"\x81\x00\x00\x07\x08\x00" + V4),
    "two tags": (1, ADDRESSES + b"\x88\xa8\x00\x07\x81\x00\x00\x08\x08\x00" + V4),
    "an old outer tag": (1, ADDRESSES + b"\x91\x00\x00\x07\x81\x00\x00\x08\x86\xdd" + V6),
    "PPPoE": (1, ADDRESSES + b"\x88\x64\x11\x00\x00\x01\x05\xde\x00\x21" + V4),
    "PPPoE and IPv6": (1, ADDRESSES + b"\x81\x00\x00\x07\x88\x64\x11\x00\x00\x01\x05\xde\x00\x57" + V6),
    "SNAP": (1, ADDRESSES + b"\x05\xe4\xaa\xaa\x03\x00\x00\x00\x08\x00" + V4),
    "cooked": (113, cooked(4) + V4),
    "cooked, with a tag": (113, cooked(0, 0x8100) + b"\x00\x07\x08\x00" + V4),
    "cooked, version 2": (276, cooked_2(3) + V4),
    "raw": (101, V6),
    "loopback": (0, struct.pack("<I", 2) + V4),
    "loopback of the other byte order": (0, struct.pack(">I", 30) + V6),
}


@pytest.mark.parametrize("name", READ)
def test_the_protocol_in_a_header_is_read(name: str, tmp_path: Path) -> None:
    link, frame = READ[name]
    found = rates(pcap(tmp_path / "c.pcap", steady(frame), link))
    assert found.bps == pytest.approx([12e6] * 28)
    assert found.what == f"IP packets from {'::1' if V6 in frame else '10.0.0.1'}, over 0.1 s each"


def test_frames_that_look_like_packets_are_left_out_by_their_type(tmp_path: Path) -> None:
    # The first four bits behind the header are the version of IPv4.
    bpdu = ADDRESSES + struct.pack(">H", 38) + bytes.fromhex("424203") + bytes(43)
    strange = ADDRESSES + b"\x12\x34" + V4
    arp = ADDRESSES + b"\x08\x06" + bytes(46)
    frames = steady(ADDRESSES + b"\x08\x00" + V4) + [(1000.5, frame) for frame in (bpdu, bpdu, strange, arp)]
    found = rates(pcap(tmp_path / "c.pcap", frames))
    assert found.bps == pytest.approx([12e6] * 28)
    for words in ("2 frames of IEEE 802.2", "1 frame of EtherType 0x1234", "1 frame of ARP"):
        assert words in found.what
    assert "has no IP packets; it has 2 of ARP" in refusal(pcap(tmp_path / "d.pcap", [(1, arp), (2, arp)]))


@pytest.mark.parametrize(("kind", "name"), [(0x8847, "MPLS"), (0x88E7, "provider backbone"), (0x88E5, "MACsec")])
def test_headers_that_hide_packets_are_named(kind: int, name: str, tmp_path: Path) -> None:
    frames = [*steady(ADDRESSES + b"\x08\x00" + V4)[:10], (1001, ADDRESSES + struct.pack(">H", kind) + V4)]
    said = refusal(pcap(tmp_path / "c.pcap", frames))
    assert f"packet 11 is in a frame of {name}" in said


def test_packets_cut_within_their_headers_are_refused_and_others_are_not(tmp_path: Path) -> None:
    frames = steady(ADDRESSES + b"\x08\x00" + V4)
    assert rates(pcap(tmp_path / "c.pcap", frames, snap=34)).bps == pytest.approx([12e6] * 28)
    assert "packet 1 was cut to 33 bytes" in refusal(pcap(tmp_path / "d.pcap", frames, snap=33))


@pytest.mark.parametrize(
    ("link", "there", "back", "words"),
    [
        (276, cooked_2(2), cooked_2(3), ("interface 2, outgoing", "interface 3, outgoing")),
        (276, cooked_2(2, 0), cooked_2(2, 4), ("interface 2, incoming", "interface 2, outgoing")),
        (113, cooked(0), cooked(4), ("interface 0, incoming", "interface 0, outgoing")),
    ],
)
def test_a_packet_that_is_there_twice_is_not_counted_twice(
    link: int, there: bytes, back: bytes, words: tuple[str, str], tmp_path: Path
) -> None:
    said = refusal(pcap(tmp_path / "c.pcap", steady(there + V4, back + V4), link))
    assert "at 2 places" in said
    assert all(each in said for each in words)
    assert rates(pcap(tmp_path / "d.pcap", steady(there + V4), link)).bps == pytest.approx([12e6] * 28)


def test_a_capture_that_was_stopped_within_a_packet_is_read_to_there(tmp_path: Path) -> None:
    whole = pcap(tmp_path / "c.pcap", steady(ADDRESSES + b"\x08\x00" + V4))
    (tmp_path / "d.pcap").write_bytes(whole.read_bytes()[:-7])
    found = rates(tmp_path / "d.pcap")
    assert (found.bps, "the last packet is cut off" in found.what) == (rates(whole).bps, True)
    section = blocks.section("test") + blocks.interface("sender", "all")
    packets = [blocks.packet(blocks.Seen(0, at * 10**6, V4, 1500, None)) for at in range(3000)]
    (tmp_path / "e.pcapng").write_bytes(section + b"".join(packets)[:-7])
    assert (found := rates(tmp_path / "e.pcapng")).bps == pytest.approx([12e6] * 28)
    assert "the last packet is cut off" in found.what


def test_the_offset_of_the_times_of_an_interface_counts(tmp_path: Path) -> None:
    # if_tsoffset, option 14: the second section's clock began 10 s later.
    def section(offset_s: int) -> bytes:
        option = struct.pack("<HHq", 14, 8, offset_s) + struct.pack("<HHB3x", 9, 1, 9) + blocks.END
        body = struct.pack("<HHI", 101, 0, 0) + option
        size = 12 + len(body)
        return blocks.section("test") + struct.pack("<II", 1, size) + body + struct.pack("<I", size)

    packets = b"".join(blocks.packet(blocks.Seen(0, at * 10**8, V4, 1500, None)) for at in range(10))
    (tmp_path / "c.pcapng").write_bytes(section(1000) + packets + section(1010) + packets)
    assert len(rates(tmp_path / "c.pcapng", step_s=1).bps) == 9


def test_a_clock_that_jumps_is_named_with_its_place(tmp_path: Path) -> None:
    frame = ADDRESSES + b"\x08\x00" + V4
    said = refusal(pcap(tmp_path / "c.pcap", [(0, frame), (1, frame), (1_790_000_000, frame)]))
    assert "packet 3 is 1789999999.0 s" in said
    assert "more than 1000000 steps" in said
    # It jumps back as well.
    assert "packet 2 is -1790000000.0 s" in refusal(pcap(tmp_path / "d.pcap", [(1_790_000_000, frame), (0, frame)]))


def test_many_addresses_are_read_in_one_pass(tmp_path: Path) -> None:
    heads = [ADDRESSES + b"\x08\x00" + V4[:12] + (SENDER + number).to_bytes(4, "big") for number in range(20_000)]
    file = pcap(tmp_path / "c.pcap", [(1, head + bytes(4)) for head in heads])
    assert "packets from 20000 addresses" in refusal(file)


def test_what_is_no_file_or_is_compressed_is_named(tmp_path: Path) -> None:
    whole = pcap(tmp_path / "c.pcap", steady(ADDRESSES + b"\x08\x00" + V4)[:10])
    (tmp_path / "c.pcap.gz").write_bytes(gzip.compress(whole.read_bytes()))
    assert "is compressed (gzip): decompress it first, as with gunzip" in refusal(tmp_path / "c.pcap.gz")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "fifo")
        for place in (tmp_path / "fifo", type(tmp_path)("/dev/zero")):
            with pytest.raises(nw.InputError, match="is not a regular file"):
                nw.import_rates(place, tmp_path / "rates.csv")
