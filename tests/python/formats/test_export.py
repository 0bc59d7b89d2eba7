# SPDX-License-Identifier: Apache-2.0
"""Product: a run in the forms of other tools. Validation: Wireshark's own reading of a capture."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from command_line import command, environment, write
from narrows._internal.formats import headers
from optional import needs, require

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "6s"
[path]
rate = "8Mbps"
rtt = "40ms"
queue = { kind = "red", ecn = true, min = "5pkt", max = "15pkt", limit = "30pkt" }
[[flows]]
name = "marked"
algorithm = "cubic"
ecn = true
[[flows]]
name = "dropped"
algorithm = "newreno"
receive_window = "300pkt"
count = 2
[[flows]]
name = "datagrams"
algorithm = "tfrc"
[[flows]]
name = "requests"
algorithm = "cubic"
size = { kind = "exponential", mean = "30kB" }
source = { kind = "poisson", interval = "200ms", concurrent = 3 }
[record]
packets = true
"""


def narrows(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = command([str(each) for each in arguments])
    return subprocess.run(line, capture_output=True, text=True, check=False, env=environment())


def cli(*arguments: object) -> None:
    done = narrows(*arguments)
    assert done.returncode == 0, done.stderr


needs_tshark = needs("tshark")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("export")
    run = place / "run"
    cli("run", write(place, SCENARIO), "--replications", 2, "--out", run, "--quiet")
    return run


def tshark(capture: Path, *arguments: str) -> list[str]:
    # A machine's own settings for Wireshark are not to be met.
    line = [require("tshark"), "-n", "-C", "Default", "-r", str(capture), *arguments]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def frames(capture: Path, condition: str) -> int:
    return len(tshark(capture, "-Y", condition, "-T", "fields", "-e", "frame.number"))


@needs_tshark
def test_wireshark_finds_the_retransmissions_that_there_were(folder: Path, tmp_path: Path) -> None:
    capture = tmp_path / "sender.pcapng"
    cli("export", "pcapng", folder, "--out", capture)
    log = pq.read_table(folder / "packets.parquet")
    mine = log.filter(pc.and_(pc.equal(log["replication"], 0), pc.equal(log["place"], "sender")))
    assert frames(capture, "ip") == mine.num_rows
    again = mine.filter(pc.and_(mine["retransmission"], pc.equal(mine["event"], "sent"))).num_rows
    # In a capture at the sender nothing is reordered: what looks so was sent again.
    assert again > 20
    assert frames(capture, "tcp.analysis.retransmission or tcp.analysis.out_of_order") == again
    assert frames(capture, "_ws.malformed or tcp.analysis.lost_segment or tcp.analysis.ack_lost_segment") == 0
    assert frames(capture, "tcp.analysis.window_full") == 0


@needs_tshark
def test_writes_that_end_within_a_segment_leave_no_gap(tmp_path: Path) -> None:
    (tmp_path / "two.cvec").write_text("SEQ 0 2 1 1\n> 3000\n< 2000\nt 1000\n> 10\n< 1460\n", encoding="utf-8")
    text = """
duration = "2s"
path = { rate = "8Mbps", rtt = "40ms" }
record = { packets = true }
[[flows]]
name = "recorded"
algorithm = "cubic"
source = { kind = "vectors", vectors = "two.cvec" }
"""
    cli("run", write(tmp_path, text), "--out", tmp_path / "run", "--quiet")
    cli("export", "pcapng", tmp_path / "run", "--out", tmp_path / "sender.pcapng")
    assert frames(tmp_path / "sender.pcapng", "tcp.analysis.flags") == 0
    ends = tshark(tmp_path / "sender.pcapng", "-Y", "tcp.len > 0", "-T", "fields", "-e", "tcp.nxtseq")
    assert {"3001", "3011", "2001", "3461"} <= set(ends)


@needs_tshark
def test_a_capture_says_what_the_log_says(folder: Path, tmp_path: Path) -> None:
    capture = tmp_path / "receiver.pcapng"
    cli("export", "pcapng", folder, "--at", "receiver", "--replication", 1, "--out", capture)
    log = pq.read_table(folder / "packets.parquet")
    mine = log.filter(pc.and_(pc.equal(log["replication"], 1), pc.equal(log["place"], "receiver")))
    times = [int(text) for text in mine["time_ps"].to_pylist()]
    seen = [float(text) for text in tshark(capture, "-T", "fields", "-e", "frame.time_epoch")]
    assert seen == pytest.approx([time // 1000 * 1e-9 for time in times], abs=1e-9)

    def count(condition: str) -> int:
        return frames(capture, condition)

    assert count("ip.dsfield.ecn == 3") == mine.filter(pc.equal(mine["ecn"], "ce")).num_rows > 0
    echoes = mine.filter(pc.and_(mine["ecn_echo"], pc.equal(mine["kind"], "ack"))).num_rows
    assert count("tcp.flags.ece == 1 and not tcp.flags.syn == 1") == echoes > 0
    assert count("tcp.options.sack_le") == mine.filter(pc.is_valid(mine["sack1_start"])).num_rows > 0
    assert count("udp") == mine.filter(pc.equal(mine["group"], "datagrams")).num_rows > 0
    bad = "tcp.checksum.status == 0 or ip.checksum.status == 0 or udp.checksum.status == 0"
    verified = tshark(capture, *CHECKED, "-Y", bad, "-T", "fields", "-e", "frame.number")
    assert verified == []
    good = tshark(capture, *CHECKED, "-Y", "tcp.checksum.status == 1 and ip.checksum.status == 1")
    assert len(good) > 100


@needs_tshark
def test_each_capture_point_is_an_interface(folder: Path, tmp_path: Path) -> None:
    capture = tmp_path / "all.pcapng"
    cli("export", "pcapng", folder, "--at", "all", "--out", capture)
    names = set(tshark(capture, "-T", "fields", "-e", "frame.interface_name"))
    assert {"sender", "receiver", "bottleneck", "bottleneck dropped", "bottleneck reverse"} <= names
    log = pq.read_table(folder / "packets.parquet")
    first = log.filter(pc.equal(log["replication"], 0))
    dropped = first.filter(pc.equal(first["event"], "dropped")).num_rows
    assert frames(capture, 'frame.interface_name == "bottleneck dropped"') == dropped > 0


def test_checksums_are_those_of_the_rfc() -> None:
    # The example of RFC 1071 §3, and a header that sums to nothing once its checksum stands in it.
    assert headers.checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2
    assert headers.checksum(headers.ipv4((10 << 24, 10 << 24 | 1), headers.TCP, 1480, ecn=2, number=7)) == 0
    addresses, payload = (10 << 24, 10 << 24 | 1), 1460
    options = headers.sack_option([1461, 2921])
    content = headers.Segment(2**32 + 5, 1, headers.ACK, 65535, options, payload)
    segment = headers.tcp(addresses, 49152, content)
    whole = headers.PSEUDO.pack(*addresses, 0, headers.TCP, len(segment) + payload) + segment + bytes(payload)
    assert headers.checksum(whole) == 0
    datagram = headers.udp(addresses, 49152, (9).to_bytes(8, "big"), 1000)
    whole = headers.PSEUDO.pack(*addresses, 0, headers.UDP, 1008) + datagram + bytes(992)
    assert headers.checksum(whole) == 0


def test_every_table_becomes_csv(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "csv"
    cli("export", "csv", folder, "--out", out)
    tables = {path.stem: pq.read_table(path) for path in folder.glob("*.parquet")}
    assert {path.stem for path in out.glob("*")} == set(tables) >= {"flows", "series", "packets", "census"}
    for name, table in tables.items():
        with (out / f"{name}.csv").open(newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == table.column_names
        assert len(rows) == table.num_rows + 1
    with (out / "flows.csv").open(newline="") as file:
        goodput = [float(row["goodput_bps"]) for row in csv.DictReader(file)]
    assert goodput == tables["flows"]["goodput_bps"].to_pylist()


def test_the_series_of_a_flow_becomes_qlog(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "qlog"
    cli("export", "qlog", folder, "--out", out)
    assert {path.name for path in out.glob("*")} == {f"{name}.sqlog" for name in FLOWS}
    # RFC 7464: each text stands between a record separator and a line feed.
    texts = (out / "dropped-1.sqlog").read_text().split("\x1e")
    assert texts[0] == ""
    assert all(text.endswith("\n") for text in texts[1:])
    head, *events = (json.loads(text) for text in texts[1:])
    assert (head["qlog_version"], head["qlog_format"]) == ("0.3", "JSON-SEQ")
    series = pq.read_table(folder / "series.parquet")
    of_flow = pc.and_(pc.equal(series["name"], "dropped[1]"), pc.equal(series["replication"], 0))
    rows = series.filter(pc.and_(of_flow, pc.is_valid(series["srtt_s"]))).to_pylist()
    assert len(events) >= len(rows) > 50
    last = next(event for event in reversed(events) if "smoothed_rtt" in event["data"])["data"]
    assert last["smoothed_rtt"] == pytest.approx(rows[-1]["srtt_s"] * 1000)
    assert last["congestion_window"] == round(rows[-1]["cwnd_packets"] * 1460)
    assert 0 < last["min_rtt"] <= last["smoothed_rtt"]
    assert last["bytes_in_flight"] > 0


def qlog_events(file: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in file.read_text().split("\x1e")[2:]]


def test_qlog_carries_packets_losses_and_states(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "qlog"
    cli("export", "qlog", folder, "--out", out)
    events = qlog_events(out / "dropped-0.sqlog")
    assert {event["name"] for event in events} == {
        "transport:packet_sent",
        "transport:packet_received",
        "recovery:packet_lost",
        "recovery:congestion_state_updated",
        "recovery:metrics_updated",
    }
    times = [event["time"] for event in events]
    assert times == sorted(times)
    for event in events:
        check_event(event)

    def rows(table: str, **wanted: object) -> list[dict[str, Any]]:
        flow = {"replication": 0, "group": "dropped", "flow": 0, "place": "sender", **wanted}
        found = pq.read_table(folder / f"{table}.parquet").to_pylist()
        return [row for row in found if all(row[key] == value for key, value in flow.items())]

    def data(name: str) -> list[dict[str, Any]]:
        return [event["data"] for event in events if event["name"] == name]

    sent = [each["header"]["packet_number"] for each in data("transport:packet_sent")]
    assert sent == [row["number"] for row in rows("packets", event="sent")]
    assert len(data("transport:packet_received")) == len(rows("packets", event="received"))
    lost = [each["header"]["packet_number"] for each in data("recovery:packet_lost")]
    assert lost == [row["number"] for row in rows("events", event="declared-lost")]
    assert lost
    assert {each["trigger"] for each in data("recovery:packet_lost")} == {"time_threshold"}
    states = [each["new"] for each in data("recovery:congestion_state_updated")]
    assert states[:2] == ["slow_start", "recovery"]
    assert "congestion_avoidance" in states
    changes = data("recovery:congestion_state_updated")
    assert all(change["old"] == before["new"] for before, change in itertools.pairwise(changes))


def test_a_mark_is_the_trigger_of_a_change_of_state(folder: Path, tmp_path: Path) -> None:
    cli("export", "qlog", folder, "--out", tmp_path / "qlog")
    events = qlog_events(tmp_path / "qlog/marked-0.sqlog")
    triggers = [event["data"].get("trigger") for event in events if event["name"].endswith("state_updated")]
    assert "ECN" in triggers


def check_event(event: dict[str, Any]) -> None:
    """Check an event against the definitions of draft-ietf-quic-qlog-quic-events-01."""
    assert set(event) == {"time", "name", "data"}
    data = event["data"]
    match event["name"]:
        case "transport:packet_sent" | "transport:packet_received":
            assert set(data) == {"header", "raw", "frames"}
            assert data["raw"]["length"] >= data["raw"]["payload_length"] >= 0
            for frame in data["frames"]:
                needed = {"stream": {"stream_id", "offset", "length"}, "ack": {"acked_ranges"}}[frame["frame_type"]]
                assert set(frame) == {"frame_type", *needed}
                assert all(first <= last for first, last in frame.get("acked_ranges", []))
        case "recovery:packet_lost":
            assert set(data) == {"header", "trigger"}
            assert data["trigger"] in {"reordering_threshold", "time_threshold", "pto_expired"}
        case "recovery:congestion_state_updated":
            assert {"new"} <= set(data) <= {"old", "new", "trigger"}
            assert data.get("trigger", "ECN") in {"persistent_congestion", "ECN"}
        case "recovery:metrics_updated":
            assert set(data) <= METRICS
    if "header" in data:
        assert data["header"]["packet_type"] in {"initial", "handshake", "0RTT", "1RTT"}
        assert data["header"]["packet_number"] >= 0


METRICS = {
    *("min_rtt", "smoothed_rtt", "latest_rtt", "rtt_variance", "pto_count"),
    *("congestion_window", "bytes_in_flight", "ssthresh", "packets_in_flight", "pacing_rate"),
}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pcapng", "--at", "bottlneck"], "allowed: sender, receiver, bottleneck"),
        (["pcapng", "--replication", "5"], "allowed: 0, 1"),
        (["qlog", "--replication", "5"], "allowed: 0, 1"),
        (["pcapng", "--out", "."], "exists"),
        (["csv", "--out", "."], "not empty"),
    ],
)
def test_what_cannot_be_exported_is_said(folder: Path, arguments: list[str], words: str) -> None:
    arguments = [str(folder) if each == "." else each for each in arguments]
    done = narrows("export", arguments[0], folder, *arguments[1:])
    assert done.returncode == 2
    assert words in done.stderr
    assert not list(folder.glob("*.pcapng"))


def test_a_run_without_a_log_has_no_capture(tmp_path: Path) -> None:
    text = SCENARIO.replace("packets = true", 'flows = "none"')
    cli("run", write(tmp_path, text), "--out", tmp_path / "run", "--quiet")
    capture, qlog = (narrows("export", form, tmp_path / "run") for form in ("pcapng", "qlog"))
    assert (capture.returncode, qlog.returncode) == (2, 2)
    assert "record.packets = true" in capture.stderr
    assert "record.flows" in qlog.stderr
    assert narrows("export", "csv", tmp_path).returncode == 2


CHECKED = ("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE")
FLOWS = ("marked-0", "dropped-0", "dropped-1", "datagrams-0")


def test_names_of_groups_are_neither_formulas_nor_mixed_up(tmp_path: Path) -> None:
    names = ["=1+1|cmd", "a/b", "a%2Fb", "x" * 250]
    flows = "".join(f'[[flows]]\nname = "{name}"\nalgorithm = "cubic"\n' for name in names)
    file = write(tmp_path, f'duration = "2s"\npath = {{ rate = "8Mbps", rtt = "40ms" }}\n{flows}')
    cli("run", file, "--out", tmp_path / "out")
    cli("export", "qlog", tmp_path / "out")
    assert len(list((tmp_path / "out/qlog").iterdir())) == len(names)
    cli("export", "csv", tmp_path / "out")
    with (tmp_path / "out/csv/groups.csv").open(encoding="utf-8", newline="") as table:
        found = {row["group"] for row in csv.DictReader(table)}
    assert found == {"'=1+1|cmd", *names[1:]}
