# SPDX-License-Identifier: Apache-2.0
"""Product: flows in captures of runs, whose own records are the truth. Validation: iperf3's and Wireshark's own counts.

Rule: fields of a flow in captures that are built packet by packet.
"""

from __future__ import annotations

import gzip
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import narrows as nw
from command_line import finished
from narrows._internal.formats import blocks, headers
from narrows._internal.trace.packets import read
from narrows._internal.trace.record import Place
from optional import needs, require

if TYPE_CHECKING:
    from narrows._internal.trace.record import Flow, Trace

PATH = """
duration = "20s"
record = { packets = true, events = true }
[path]
rate = "6Mbps"
rtt = "50ms"
"""
RUNS = {
    "losses": 'queue = { kind = "droptail", limit = "30pkt" }\nloss = { kind = "bernoulli", rate = "0.5%" }\n'
    '[[flows]]\nname = "one"\nalgorithm = "cubic"\n',
    "outages": 'queue = { kind = "droptail", limit = "20pkt" }\n'
    'loss = { kind = "gilbert-elliott-time", good = "1500ms", bad = "350ms", loss_bad = "100%" }\n'
    '[[flows]]\nname = "one"\nalgorithm = "newreno"\n',
    "receiver": '[[flows]]\nname = "one"\nalgorithm = "cubic"\nreceive_window = "12pkt"\n',
    "writes": '[[flows]]\nname = "one"\nalgorithm = "cubic"\n'
    'source = { kind = "writes", size = "100kB", interval = "1s" }\n',
    "marks": 'queue = { kind = "red", ecn = true, min = "5pkt", max = "15pkt", limit = "60pkt" }\n'
    '[[flows]]\nname = "one"\nalgorithm = "cubic"\necn = true\n',
}
SEGMENT = 1460
CAPTURES = Path(__file__).parent / "captures"


@dataclass(frozen=True)
class Captured:
    """A run, and its flow in captures at the sender, at the receiver and behind the bottleneck."""

    folder: Path
    sender: Flow
    receiver: Flow
    between: Flow

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the rows of a table of the run."""
        found: list[dict[str, Any]] = pq.read_table(self.folder / f"{table}.parquet").to_pylist()
        return found

    def events(self, kind: str) -> list[float]:
        """Return the times of the events of a kind."""
        return [row["time_ps"] / 1e12 for row in self.rows("events") if row["event"] == kind]

    @property
    def flow(self) -> dict[str, Any]:
        """Return the metrics of the flow."""
        return self.rows("flows")[0]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Captured]:
    found = {}
    for name, rest in RUNS.items():
        place = tmp_path_factory.mktemp(name)
        (place / "run.toml").write_text(PATH + rest, encoding="utf-8")
        run = place / "run"
        done = finished(["run", place / "run.toml", "--out", run, "--quiet"], place)
        assert done.returncode == 0, done.stderr
        at = {"sender": ["sender"], "receiver": ["receiver"], "between": ["bottleneck", "bottleneck reverse"]}
        flows = {}
        for where, points in at.items():
            file = nw.export("pcapng", run, place / f"{where}.pcapng", at=points)
            flows[where] = read(file, "10.0.0.0").flows[0]
        found[name] = Captured(run, **flows)
    return found


def test_the_place_of_observation_follows_from_the_handshake(captured: dict[str, Captured]) -> None:
    for each in captured.values():
        assert each.sender.place is Place.SENDER
        assert each.receiver.place is Place.RECEIVER
        assert each.between.place is Place.BETWEEN
        assert each.sender.handshake_rtt_s == pytest.approx(0.05, rel=0.05)
        assert each.sender.segment_bytes == SEGMENT


def test_round_trip_times_are_those_of_the_run(captured: dict[str, Captured]) -> None:
    for each in captured.values():
        assert each.sender.rtt.values.mean() == pytest.approx(each.flow["rtt_mean_s"], rel=0.05)
        # The bottleneck is passed before the place between the ends.
        assert each.between.rtt.values.min() == pytest.approx(0.025, rel=0.05)


def test_bytes_in_flight_are_those_of_the_run(captured: dict[str, Captured]) -> None:
    for name, each in captured.items():
        rows = [row for row in each.rows("series") if row["in_flight_packets"] is not None]
        # A sample of the run at the time of a write may lie before or behind it.
        rows = [row for row in rows if name != "writes" or row["time_s"] % 1 > 1e-6]
        of = each.sender.in_flight
        at = np.searchsorted(of.times_s, [row["time_s"] for row in rows], "right") - 1
        off = of.values[at] / SEGMENT - np.array([row["in_flight_packets"] for row in rows])
        assert np.abs(off).mean() < 1, name
        assert np.abs(off).max() <= 5, name


def test_every_packet_that_was_sent_again_is_a_loss_at_the_sender(captured: dict[str, Captured]) -> None:
    for each in captured.values():
        assert len(each.sender.lost) == each.sender.data.again.sum() == each.flow["retransmissions"]
        assert not np.isnan(each.sender.lost.sent_s).any()
        assert (each.sender.lost.sent_s < each.sender.lost.times_s).all()
    assert captured["losses"].flow["retransmissions"] > 50
    # Between the ends those before that place have not passed, and of the last of each the repetition may be missing.
    each = captured["losses"]
    before, behind = each.events("dropped"), each.events("lost")
    assert len(each.between.lost) == pytest.approx(len(before) + len(behind), abs=3)
    assert np.isnan(each.between.lost.sent_s).sum() == pytest.approx(len(before), abs=3)
    assert len(each.receiver.lost) == pytest.approx(len(before) + len(behind), abs=5)


def test_timeouts_are_those_of_the_run(captured: dict[str, Captured]) -> None:
    for name, each in captured.items():
        timeouts = each.events("timeout")
        assert (len(timeouts) > 3) == (name == "outages")
        assert each.sender.timeouts_s == pytest.approx(timeouts, abs=0.005)
        assert len(each.between.timeouts_s) <= len(timeouts)


def test_what_held_the_sender_back_is_found_and_not_invented(captured: dict[str, Captured]) -> None:
    for name, each in captured.items():
        idle, full = each.sender.application_limited, each.sender.receiver_limited
        assert idle is not None
        assert full is not None
        assert len(idle) == (19 if name == "writes" else 0)
        assert len(full) == (1 if name == "receiver" else 0)
        assert each.receiver.application_limited is None
    idle, full = captured["writes"].sender.application_limited, captured["receiver"].sender.receiver_limited
    assert idle is not None
    assert full is not None
    assert idle[:, 1] == pytest.approx(np.arange(1, 20), abs=0.002)
    assert full[0] == pytest.approx([0.1, 20], abs=0.1)
    assert set(captured["receiver"].sender.receive_window.values) == {12 * SEGMENT}


def test_marks_are_those_of_the_run(captured: dict[str, Captured]) -> None:
    each = captured["marks"]
    marked = each.flow["marked_packets"]
    assert marked > 5
    assert each.receiver.marked.values[-1] / SEGMENT == pytest.approx(marked, abs=1)
    # An echo lasts until the sender has reacted: at least the marks of different round trips are counted.
    assert marked / 2 < each.sender.marked.values[-1] / SEGMENT <= marked * 2
    assert not len(captured["losses"].sender.marked)


def test_bytes_delivered_are_those_of_the_run(captured: dict[str, Captured]) -> None:
    for each in captured.values():
        goodput = each.flow["goodput_bps"] * 20 / 8
        # The run measures until its end, and a capture until its last acknowledgement.
        assert each.sender.delivered_bytes == pytest.approx(goodput, rel=0.02)
        assert each.receiver.delivered_bytes == pytest.approx(goodput, rel=0.02)
        assert (np.diff(each.sender.delivered.values) >= 0).all()


def test_of_several_places_the_one_with_both_directions_and_most_payload_is_kept(
    captured: dict[str, Captured], tmp_path: Path
) -> None:
    each = captured["losses"]
    trace = read(nw.export("pcapng", each.folder, tmp_path / "all.pcapng", at=["all"]))
    (flow,) = trace.flows
    assert len(flow.data) == len(each.sender.data)
    assert flow.place is Place.SENDER
    assert any("at other places of observation" in part for part in trace.left_out)


def test_a_capture_that_begins_within_a_connection_shows_what_does_not_need_the_handshake(
    captured: dict[str, Captured], tmp_path: Path
) -> None:
    each = captured["losses"]
    whole = nw.export("pcapng", each.folder, tmp_path / "whole.pcapng").read_bytes()
    at = [0]
    while at[-1] < len(whole):
        at.append(at[-1] + struct.unpack_from("<I", whole, at[-1] + 4)[0])
    (tmp_path / "rest.pcapng").write_bytes(whole[: at[2]] + whole[at[9000] :])
    trace = read(tmp_path / "rest.pcapng")
    (flow,) = trace.flows
    # The simulator's packets have no timestamps, from which the place could follow.
    assert flow.place is Place.UNKNOWN
    assert not len(flow.receive_window)
    assert np.isnan(flow.handshake_rtt_s)
    assert flow.rtt.values.min() == pytest.approx(each.sender.rtt.values.min(), rel=0.02)
    begins = each.sender.end_s - (flow.end_s - flow.start_s)
    assert len(flow.lost) == pytest.approx((each.sender.lost.times_s > begins).sum(), abs=2)
    assert any("whose scale is in a handshake" in part for part in trace.left_out)
    assert any("the place of observation: no handshake" in part for part in trace.left_out)


def linux(name: str, folder: Path) -> Path:
    file = folder / name
    file.write_bytes(gzip.decompress((CAPTURES / f"{name}.gz").read_bytes()))
    return file


@pytest.mark.parametrize(("name", "source", "place", "again"), [
    ("linux-sender.pcap", "10.0.0.1", Place.SENDER, 67),
    ("linux-receiver.pcap", "10.0.0.2", Place.RECEIVER, 68),
])  # fmt: skip
def test_a_capture_of_linux_has_the_retransmissions_that_iperf3_reports(
    name: str, source: str, place: Place, again: int, tmp_path: Path
) -> None:
    flow = read(linux(name, tmp_path), source).flows[0]
    assert (flow.place, flow.segment_bytes, len(flow.lost)) == (place, 1448, again)
    # 25 packets of 1500 bytes at 6 Mbps are 50 ms, and the path has 40.
    assert 0.04 < flow.rtt.values.min() < 0.045
    assert 0.085 < flow.rtt.values.max() < 0.1
    assert not flow.lost.spurious.any()
    assert flow.delivered_bytes > 1.3e6


def tshark(file: Path, condition: str, *fields: str) -> list[list[str]]:
    named = [part for field in fields for part in ("-e", field)]
    line = [require("tshark"), "-n", "-C", "Default", "-r", str(file), "-Y", condition, "-T", "fields", *named]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return [row.split("\t") for row in done.stdout.splitlines()]


@needs("tshark")
@pytest.mark.parametrize("name", ["linux", "losses", "outages", "marks"])
def test_wireshark_measures_the_same(captured: dict[str, Captured], name: str, tmp_path: Path) -> None:
    if name == "linux":
        file = linux("linux-sender.pcap", tmp_path)
        flow, source = read(file).flows[0], "10.0.0.1"
    else:
        file = nw.export("pcapng", captured[name].folder, tmp_path / "sender.pcapng")
        flow, source = captured[name].sender, "10.0.0.0"
    port = flow.name.partition(" ")[0].rpartition(":")[2]
    again = "tcp.analysis.retransmission or tcp.analysis.out_of_order"
    assert len(tshark(file, f"ip.src == {source} and tcp.len > 0 and tcp.port == {port} and ({again})", "tcp.seq")) == (
        flow.data.again.sum()
    )
    rows = tshark(
        file, f"ip.dst == {source} and tcp.port == {port} and tcp.analysis.ack_rtt",
        "frame.time_relative", "tcp.analysis.ack_rtt", "tcp.options.sack_le",
    )  # fmt: skip
    theirs = {round(float(time), 6): float(rtt) for time, rtt, blocks in rows if not blocks}
    ours = {round(time, 6): rtt for time, rtt in zip(flow.rtt.times_s.tolist(), flow.rtt.values.tolist(), strict=True)}
    both = theirs.keys() & ours.keys()
    # Theirs has samples of acknowledgements that waited for a segment that was sent again as well.
    assert len(both) > 0.8 * len(theirs)
    off = np.array([ours[time] - theirs[time] for time in both])
    assert (np.abs(off) < 2e-6).mean() > 0.99
    rows = tshark(
        file, f"ip.src == {source} and tcp.port == {port} and tcp.analysis.bytes_in_flight",
        "frame.time_relative", "tcp.analysis.bytes_in_flight",
    )  # fmt: skip
    # Of packets at one time the last.
    last = {float(time): float(amount) for time, amount in rows}
    at = np.searchsorted(flow.in_flight.times_s, [time + 1e-7 for time in last], "right") - 1
    off = flow.in_flight.values[at] - np.array(list(last.values()))
    # Theirs counts what is selectively acknowledged or lost as well.
    assert (off == 0).mean() > 0.5
    assert (off <= 0).mean() > 0.9


SYN_OPTIONS = headers.syn_options(SEGMENT, 7)


def built(file: Path, packets: list[tuple[float, bool, headers.Segment, int]]) -> Trace:
    """Read a capture of a connection, each packet with its time, direction (forward), segment and ECN codepoint."""
    content = [blocks.section("test"), blocks.interface("one", "all")]
    for time_s, forward, segment, ecn in packets:
        ends = (0x0A000001, 0x0A000002) if forward else (0x0A000002, 0x0A000001)
        inner = headers.tcp(ends, 80, segment)
        head = headers.ipv4(ends, headers.TCP, len(inner) + segment.payload, ecn=ecn, number=0)
        seen = blocks.Seen(0, round(time_s * 1e9), head + inner, len(head) + len(inner) + segment.payload, None)
        content.append(blocks.packet(seen))
    file.write_bytes(b"".join(content))
    return read(file)


def opened(isn: int) -> list[tuple[float, bool, headers.Segment, int]]:
    """A handshake of 100 ms, at the sender."""
    return [
        (1.0, True, headers.Segment(isn, 0, headers.SYN, 65535, SYN_OPTIONS, 0), 0),
        (1.1, False, headers.Segment(7, isn + 1, headers.SYN | headers.ACK, 65535, SYN_OPTIONS, 0), 0),
        (1.1001, True, headers.Segment(isn + 1, 8, headers.ACK, 512, b"", 0), 0),
    ]


def data(time_s: float, sequence: int, payload: int = SEGMENT) -> tuple[float, bool, headers.Segment, int]:
    return time_s, True, headers.Segment(sequence, 8, headers.ACK, 512, b"", payload), 0


def ack(time_s: float, number: int, edges: list[int] | None = None) -> tuple[float, bool, headers.Segment, int]:
    return time_s, False, headers.Segment(8, number, headers.ACK, 512, headers.sack_option(edges or []), 0), 0


@pytest.mark.parametrize("isn", [0, 2**32 - 2000, 2**31 - 2000])
def test_sequence_numbers_wrap(isn: int, tmp_path: Path) -> None:
    first = isn + 1
    packets = opened(isn)
    packets += [data(1.2 + at / 1000, first + at * SEGMENT) for at in range(4)]
    packets += [ack(1.3 + at / 1000, first + (at + 1) * SEGMENT) for at in range(4)]
    (flow,) = built(tmp_path / "c.pcapng", packets).flows
    assert flow.data.offsets.tolist() == [0, 1460, 2920, 4380]
    assert flow.delivered_bytes == 4 * SEGMENT
    assert flow.rtt.values == pytest.approx([0.1] * 4)
    assert flow.in_flight.values.max() == 4 * SEGMENT
    assert set(flow.receive_window.values) == {512 << 7}


def test_karns_rule_and_selective_acknowledgements(tmp_path: Path) -> None:
    # The second of five is lost, and found after three later ones; its repetition gives no sample.
    first, place = 1, [1 + at * SEGMENT for at in range(6)]
    packets = [*opened(0), *(data(1.2 + at / 1000, place[at]) for at in range(5)), ack(1.3, place[1])]
    packets += [ack(1.3 + at / 1000, place[1], [place[2], place[at + 1]]) for at in (2, 3, 4)]
    packets += [data(1.3041, place[1]), ack(1.41, place[5])]
    (flow,) = built(tmp_path / "c.pcapng", packets).flows
    assert first == place[0]
    assert flow.rtt.values == pytest.approx([0.1] * 4)
    assert flow.lost.times_s == pytest.approx([0.3041])
    assert flow.lost.sent_s == pytest.approx([0.201])
    assert not flow.lost.spurious.any()
    assert not len(flow.timeouts_s)
    # Lost, and no longer in flight, from the third block behind it on; then sent again.
    assert flow.in_flight.values[-3:].tolist() == [0, SEGMENT, 0]


@pytest.mark.parametrize("shown", ["a D-SACK", "an early acknowledgement", "nothing"])
def test_spurious_retransmissions_are_distinguished_from_losses(shown: str, tmp_path: Path) -> None:
    place = [1 + at * SEGMENT for at in range(6)]
    packets = [*opened(0), *(data(1.2 + at / 1000, place[at]) for at in range(5)), ack(1.3, place[1])]
    packets += [ack(1.3 + at / 1000, place[1], [place[2], place[at + 1]]) for at in (2, 3, 4)]
    packets += [data(1.3041, place[1]), ack(1.32 if shown == "an early acknowledgement" else 1.41, place[5])]
    if shown == "a D-SACK":
        packets.append(ack(1.42, place[5], [place[1], place[2]]))
    (flow,) = built(tmp_path / "c.pcapng", packets).flows
    assert flow.lost.spurious.tolist() == [shown != "nothing"]


def test_a_repetition_after_silence_is_a_timeout(tmp_path: Path) -> None:
    packets = [
        *opened(0),
        data(1.2, 1),
        data(1.201, 1461),
        data(1.6, 1),
        ack(1.7, 1461),
        data(1.7001, 1461),
        ack(1.8, 2921),
    ]
    (flow,) = built(tmp_path / "c.pcapng", packets).flows
    assert flow.timeouts_s == pytest.approx([0.6])
    # All that was in flight is taken for lost.
    assert flow.in_flight.values.tolist()[-4:] == [SEGMENT, 0, SEGMENT, 0]


def test_segments_that_the_host_joined_have_the_size_of_the_handshake(tmp_path: Path) -> None:
    packets = [*opened(0), data(1.2, 1, 20 * SEGMENT), ack(1.3, 1 + 10 * SEGMENT), ack(1.301, 1 + 20 * SEGMENT)]
    (flow,) = built(tmp_path / "c.pcapng", packets).flows
    assert flow.segment_bytes == SEGMENT
    assert flow.data.payload.tolist() == [20 * SEGMENT]
    assert flow.in_flight.values.tolist()[-3:] == [20 * SEGMENT, 10 * SEGMENT, 0]


def test_ends_that_connect_again_are_two_connections(tmp_path: Path) -> None:
    later = [(at + 5, *rest) for at, *rest in [*opened(90_000), data(1.2, 90_001), ack(1.3, 90_001 + SEGMENT)]]
    packets = [*opened(0), data(1.2, 1), data(1.201, 1461), ack(1.3, 2921), *later]
    flows = built(tmp_path / "c.pcapng", packets).flows  # type: ignore[arg-type]
    assert [flow.delivered_bytes for flow in flows] == [2 * SEGMENT, SEGMENT]
    assert not any(flow.data.again.any() for flow in flows)


def test_a_keep_alive_is_no_loss(tmp_path: Path) -> None:
    packets = [*opened(0), data(1.2, 1), ack(1.3, 1461), data(9.0, 1460, 1), ack(9.1, 1461)]
    (flow,) = built(tmp_path / "c.pcapng", packets).flows
    assert not len(flow.lost)


def test_datagrams_are_quic_if_a_long_header_was_seen(tmp_path: Path) -> None:
    content = [blocks.section("test"), blocks.interface("one", "all")]
    ends = (0x0A000001, 0x0A000002)
    for at, port in enumerate([443, 443, 9, 9]):
        inner = headers.udp(ends, port, b"\xc3\0\0\0\1\x08" if at == 0 else b"\x41\0\0\0\1\x08", 1200)
        head = headers.ipv4(ends, headers.UDP, 1208, ecn=0, number=at)
        content.append(blocks.packet(blocks.Seen(0, at * 10**8, head + inner, 1228, None)))
    (tmp_path / "c.pcapng").write_bytes(b"".join(content))
    quic, udp = read(tmp_path / "c.pcapng").flows
    assert (quic.protocol, udp.protocol) == ("QUIC", "UDP")
    for flow in (quic, udp):
        assert (flow.data.payload.tolist(), flow.data.offsets.tolist()) == ([1200, 1200], [0, 1200])
        assert not len(flow.rtt)
        assert flow.place is Place.UNKNOWN
