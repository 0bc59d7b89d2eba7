# SPDX-License-Identifier: Apache-2.0
"""Reliability: packets that no host would send end in flows whose series are in order, or in an error with the file."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest

import narrows as nw
from narrows._internal.formats import blocks, headers
from narrows._internal.trace import packets, segments
from narrows._internal.trace.ranges import Ranges

if TYPE_CHECKING:
    from pathlib import Path

    from narrows._internal.trace.record import Flow

HEADER = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 96, 101)


def options(draw: random.Random, number: int) -> bytes:
    """Return options as they are, as they are not, or none; a multiple of four bytes."""
    some = draw.randrange(8)
    if some == 0:
        return struct.pack(">BBBBII", 1, 1, 8, 10, draw.randrange(2**32), draw.randrange(2**32))
    if some in {1, 2, 3}:
        edges = [(number + draw.randrange(-5000, 30_000)) % 2**32 for _ in range(2 * draw.randint(1, 3))]
        return headers.sack_option(sorted(edges) if some < 3 else edges)
    if some == 4:
        return draw.randbytes(4 * draw.randint(1, 10))
    return b""


def record(time_ns: int, content: bytes, length: int) -> bytes:
    return struct.pack("<IIII", *divmod(time_ns, 10**9), len(content), length) + content


def segment(draw: random.Random, way: int, sequence: int, number: int) -> tuple[bytes, int]:
    """Return the headers of a segment and its length."""
    ends = (0x0A000001, 0x0A000002) if way == 0 else (0x0A000002, 0x0A000001)
    flags = draw.choice([0x10, 0x10, 0x10, 0x10, 0x18, 0x02, 0x12, 0x04, 0x11, 0x50, 0xD0, 0x00, draw.randrange(512)])
    payload = draw.choice([0, 0, 1, 100, 1000, 1460, 1460, 1460, 60_000])
    inner = headers.tcp(
        ends, 80,
        headers.Segment(
            sequence % 2**32, number % 2**32, flags, draw.choice([0, 1, 500, 65535]), options(draw, number), payload
        ),
    )  # fmt: skip
    whole = len(inner) + payload
    return headers.ipv4(ends, 6, min(whole, 65_000), ecn=draw.choice([0, 0, 2, 3]), number=0) + inner, 20 + whole


def hostile(draw: random.Random) -> bytes:
    """Return a capture of one connection, whose two ends mostly make sense."""
    time_ns, sequence, number = 10**18, draw.randrange(2**32), draw.randrange(2**32)
    content = [HEADER]
    for _ in range(draw.randrange(1, 300)):
        time_ns += draw.choice([0, 1000, 10**6, 10**7, 10**7, 10**9, -5, -(10**8)])
        way = draw.randrange(2)
        jump = draw.choice([0, 0, 0, -1460, 1460, 2920, -20_000, 40_000, 2**31, draw.randrange(2**32)])
        shown, length = segment(draw, way, (sequence, number)[way] + jump, (number, sequence)[way] + jump // 2)
        content.append(record(time_ns, shown, length))
        if way == 0:
            sequence += draw.choice([0, 1460])
    return b"".join(content)


def check(flow: Flow) -> None:
    """Check what holds of each flow."""
    assert len(flow.data) > 0
    for times_s in (flow.data.times_s, flow.lost.times_s, flow.timeouts_s):
        assert (np.diff(times_s) >= 0).all()
    for series in (flow.delivered, flow.rtt, flow.in_flight, flow.receive_window, flow.marked):
        assert series.times_s.shape == series.values.shape
        assert (np.diff(series.times_s) >= 0).all()
        assert (series.values >= 0).all()
        assert np.isfinite(series.values).all()
    for total in (flow.delivered, flow.marked):
        assert (np.diff(total.values) >= 0).all()
    for intervals in (flow.application_limited, flow.receiver_limited):
        if intervals is not None:
            assert intervals.shape[1] == 2
            assert (intervals[:, 1] >= intervals[:, 0]).all()
    assert flow.lost.sent_s.shape == flow.lost.times_s.shape == flow.lost.spurious.shape
    assert 0 <= flow.start_s <= flow.end_s


@pytest.mark.parametrize("seed", range(150))
def test_packets_without_sense_give_flows_in_order(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "c.pcap"
    file.write_bytes(hostile(random.Random(seed)))  # noqa: S311  # packets are no secret
    try:
        trace = packets.read(file)
    except nw.InputError as error:
        assert str(error).startswith(str(file))  # noqa: PT017  # both ends are allowed
        return
    for flow in trace.flows:
        check(flow)


def test_a_flood_of_connections_is_read_in_one_pass_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "MOST_CONNECTIONS", 3000)
    monkeypatch.setattr(packets, "MOST_FLOWS", 20)
    content = [HEADER]
    for number in range(5000):
        ends = (0x0B000000 + number, 0x0A000002)
        inner = headers.tcp(ends, 80, headers.Segment(number, 0, headers.ACK, 9, b"", 100 + number))
        head = headers.ipv4(ends, 6, len(inner) + 100 + number, ecn=0, number=0)
        content.append(record(10**18 + number, head + inner, len(head) + len(inner) + 100 + number))
    (tmp_path / "c.pcap").write_bytes(b"".join(content))
    trace = packets.read(tmp_path / "c.pcap")
    assert [flow.data.payload.tolist() for flow in trace.flows] == [[100.0 + 2999 - at] for at in range(20)]
    assert "2000 packets of connections after the first 3000" in trace.left_out
    assert any(part.startswith("2980 flows with less payload") for part in trace.left_out)


def test_a_clock_that_goes_back_is_named_with_its_time(tmp_path: Path) -> None:
    draw = random.Random(1)  # noqa: S311  # as above
    shown, length = segment(draw, 0, 5, 5)
    times = [10**18, 10**18 + 5 * 10**9, 10**18 - 20 * 10**9, 10**18 + 6 * 10**9]
    (tmp_path / "c.pcap").write_bytes(HEADER + b"".join(record(at, shown, length) for at in times))
    with pytest.raises(nw.InputError, match=r"packet 3 is 25\.0 s before an earlier one; cut it where its clock jumps"):
        packets.read(tmp_path / "c.pcap")


def test_times_before_1970_are_times_and_impossible_ones_are_refused(tmp_path: Path) -> None:
    def capture(offset_s: int) -> Path:
        draw = random.Random(1)  # noqa: S311  # as above
        shown, _ = segment(draw, 0, 5, 5)
        option = struct.pack("<HHq", 14, 8, offset_s) + blocks.END
        body = struct.pack("<HHI", 101, 0, 0) + option
        size = 12 + len(body)
        interface = struct.pack("<II", 1, size) + body + struct.pack("<I", size)
        inner = headers.tcp((1, 2), 80, headers.Segment(1, 1, headers.ACK, 9, b"", 100))
        shown = headers.ipv4((1, 2), 6, len(inner) + 100, ecn=0, number=0) + inner
        seen = b"".join(blocks.packet(blocks.Seen(0, at, shown, len(shown) + 100, None)) for at in (0, 10**6))
        (tmp_path / "c.pcapng").write_bytes(blocks.section("test") + interface + seen)
        return tmp_path / "c.pcapng"

    (flow,) = packets.read(capture(-1000)).flows
    assert flow.data.times_s.tolist() == [0, 1]
    with pytest.raises(nw.InputError, match="packet 1 has an impossible time"):
        packets.read(capture(2**40))


def test_what_is_no_capture_or_has_no_flow_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "c.pcap"
    for content, words in (
        (b"abc", "is no capture; allowed: pcapng and pcap"),
        (HEADER[:-3], "is cut off: it ends within its header"),
        (HEADER, "has no packets of TCP or UDP"),
        (HEADER + record(1, b"E" + bytes(40), 41), "has no packets of TCP or UDP; it has"),
    ):
        file.write_bytes(content)
        with pytest.raises(nw.InputError, match=words):
            packets.read(file)
    with pytest.raises(nw.InputError, match="cannot be read"):
        packets.read(tmp_path / "missing.pcap")
    inner = headers.tcp((1, 2), 80, headers.Segment(1, 1, headers.ACK, 9, b"", 100))
    shown = headers.ipv4((1, 2), 6, len(inner) + 100, ecn=0, number=0) + inner
    file.write_bytes(HEADER + record(1, shown, len(shown) + 100))
    assert len(packets.read(file).flows) == 1
    for source in ("0.0.0.1", "0.0.0.1:80", "0.0.0.1:80 > 0.0.0.2:80"):
        assert len(packets.read(file, source).flows) == 1
    with pytest.raises(nw.InputError, match=r"has no payload from 0\.0\.0\.2, only from 0\.0\.0\.1"):
        packets.read(file, "0.0.0.2")
    with pytest.raises(nw.InputError, match="has no payload from nothing, only from"):
        packets.read(file, "nothing")
    file.write_bytes(HEADER + record(1, shown[:38], len(shown) + 100))
    with pytest.raises(nw.InputError, match="packet 1 was cut to 38 bytes, within its headers"):
        packets.read(file)
    file.write_bytes(HEADER + record(1, shown, len(shown) + 100) + record(2, shown, 140)[:30])
    assert packets.read(file).left_out[-1] == "the last packet, which is cut off"


def test_ranges_are_the_sets_that_they_stand_for() -> None:
    draw = random.Random(3)  # noqa: S311  # as above
    ranges, model = Ranges(), set[int]()
    for _ in range(2000):
        start = draw.randrange(200)
        end = start + draw.randrange(30)
        whole = set(range(start, end))
        if draw.randrange(2):
            ranges.add(start, end)
            model |= whole
        else:
            assert ranges.remove(start, end) == len(model & whole)
            model -= whole
        gaps = ranges.gaps(50, 150)
        assert {each for gap in gaps for each in range(*gap)} == set(range(50, 150)) - model
        assert ranges.size == len(model)
        if model:
            assert ranges.highest() == max(model) + 1
    ranges.remove_below(60)
    assert ranges.size == len({each for each in model if each >= 60})


def test_of_very_many_ranges_the_lowest_are_forgotten() -> None:
    ranges = Ranges()
    for at in range(50_000):
        ranges.add(2 * at, 2 * at + 1)
    assert ranges.size <= 20_001
    assert ranges.gaps(99_990, 100_000) == [(at, at + 1) for at in range(99_991, 100_000, 2)]
