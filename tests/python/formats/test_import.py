# SPDX-License-Identifier: Apache-2.0
"""Product: rates over time from files as people have them, by `narrows import` and by the keys of a rate."""

from __future__ import annotations

import json
import struct
import subprocess
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import narrows as nw
from command_line import command, environment
from narrows._internal.formats import blocks, headers

if TYPE_CHECKING:
    from pathlib import Path

LINK = """
duration = "6s"
[path]
rate = { file = "rates.csv" }
rtt = "20ms"
queue = { kind = "droptail", limit = "100pkt" }
[[flows]]
name = "one"
algorithm = "cubic"
"""
SENDER, RECEIVER = 0x0A000001, 0x0A000002


def narrows(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = command([str(each) for each in arguments])
    return subprocess.run(line, capture_output=True, text=True, check=False, env=environment())


def packet(source: int, payload: int) -> bytes:
    content = headers.udp((source, SENDER + RECEIVER - source), 9, b"", payload)
    head = headers.ipv4((source, SENDER + RECEIVER - source), headers.UDP, 8 + payload, ecn=0, number=0)
    return head + content


def sent() -> list[tuple[int, int, int]]:
    """A packet of 1000 bytes every 10 ms for 2 s, twice as many in the second, and 60 bytes back for each."""
    times = [*range(0, 1000, 10), *range(1000, 2005, 5)]
    return [(at * 10**6, source, size) for at in times for source, size in ((SENDER, 972), (RECEIVER, 32))]


def pcapng(file: Path) -> Path:
    captured = (blocks.packet(blocks.Seen(0, at, packet(source, size), 28 + size, None)) for at, source, size in sent())
    file.write_bytes(blocks.section("test") + blocks.interface("sender", "all") + b"".join(captured))
    return file


def pcap(file: Path, order: str) -> Path:
    """A classic capture on Ethernet, the packets of one direction with a VLAN tag, cut after 60 bytes."""
    content = struct.pack(order + "IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 60, 1)
    for at, source, size in sent():
        frame = bytes(12) + (b"\x81\x00\x00\x07" if source == SENDER else b"") + b"\x08\x00" + packet(source, size)
        head = struct.pack(order + "IIII", at // 10**9, at % 10**9 // 1000, len(frame[:60]), len(frame) + size)
        content += head + frame[:60]
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("form", ["pcapng", "pcap", "pcap of the other byte order"])
def test_the_rates_of_a_capture_are_those_of_its_packets(form: str, tmp_path: Path) -> None:
    file = tmp_path / "capture"
    if form == "pcapng":
        pcapng(file)
    else:
        pcap(file, "<" if form == "pcap" else ">")
    rates = nw.import_rates(file, tmp_path / "rates.csv", source="10.0.0.1", step_s=0.5)
    # Packets of 1000 bytes: 0.8 Mbps, then 1.6 Mbps; the first and the last step of 0.5 s are not counted.
    assert rates.bps == [800_000.0, 1_600_000.0, 1_600_000.0]
    assert (tmp_path / "rates.csv").read_text() == "time_s,Mbps,end_s\n0,0.8,0.5\n0.5,1.6,1\n1,1.6,1.5\n"


def test_a_capture_of_a_run_gives_the_rate_of_its_link(tmp_path: Path) -> None:
    scenario = LINK.replace('{ file = "rates.csv" }', '"8Mbps"') + "[record]\npackets = true\n"
    (tmp_path / "scenario.toml").write_text(scenario)
    assert narrows("run", tmp_path / "scenario.toml", "--out", tmp_path / "run").returncode == 0
    capture, table = tmp_path / "c.pcapng", tmp_path / "rates.csv"
    assert narrows("export", "pcapng", tmp_path / "run", "--at", "receiver", "--out", capture).returncode == 0
    refused = narrows("import", capture, "--out", table)
    assert (refused.returncode, table.exists()) == (2, False)
    assert "--from ADDRESS, one of 10.0.0.0" in refused.stderr
    done = narrows("import", capture, "--from", "10.0.0.0", "--step", "1s", "--out", table)
    assert done.returncode == 0, done.stderr
    rates = [float(line.split(",")[1]) for line in table.read_text().splitlines()[1:]]
    assert len(rates) == 4
    assert rates == pytest.approx([8.0] * 4, rel=0.01)
    (tmp_path / "scenario.toml").write_text(LINK)
    checked = narrows("check", tmp_path / "scenario.toml")
    assert "in Mbps, from the header" in " ".join(checked.stdout.split()), checked


START = {
    "connected": [{"local_host": "192.168.1.10", "remote_host": "198.51.100.5"}],
    "connecting_to": {"host": "198.51.100.5", "port": 5201},
    "test_start": {"protocol": "TCP", "reverse": 0},
}


def iperf3(file: Path, *, both: bool = False, stream: bool = False) -> Path:
    def sums(start: int) -> dict[str, Any]:
        found = {"sum": {"start": start, "end": start + 1, "bits_per_second": 1e6 * (start + 1), "omitted": start == 0}}
        return found | ({"sum_bidir_reverse": {**found["sum"], "bits_per_second": 5e5}} if both else {})

    intervals = [sums(start) for start in range(4)]
    if stream:
        events = [{"event": "start", "data": START}, *({"event": "interval", "data": each} for each in intervals)]
        file.write_text("\n".join(map(json.dumps, events)) + "\n")
    else:
        file.write_text(json.dumps({"start": START, "intervals": intervals, "end": {}}))
    return file


@pytest.mark.parametrize("stream", [False, True])
def test_the_rates_of_iperf3_are_those_of_its_intervals_that_count(*, stream: bool, tmp_path: Path) -> None:
    rates = nw.import_rates(iperf3(tmp_path / "a.json", stream=stream), tmp_path / "rates.csv")
    assert (rates.times, rates.bps) == ([0.0, 1.0, 2.0], [2e6, 3e6, 4e6])
    assert (rates.ends, rates.mean_bps()) == ([1.0, 2.0, 3.0], 3e6)
    assert nw.import_rates(tmp_path / "a.json", tmp_path / "c.csv", source="192.168.1.10").bps == rates.bps
    both = iperf3(tmp_path / "b.json", both=True, stream=stream)
    assert nw.import_rates(both, tmp_path / "b.csv", source="server").bps == [5e5] * 3
    assert nw.import_rates(both, tmp_path / "d.csv", source="198.51.100.5").bps == [5e5] * 3
    (tmp_path / "wide.json").write_text(both.read_text(), encoding="utf-16")
    assert nw.import_rates(tmp_path / "wide.json", tmp_path / "e.csv", source="client").bps == [2e6, 3e6, 4e6]


def test_the_last_interval_of_iperf3_counts_by_its_length(tmp_path: Path) -> None:
    sums = [{"start": at, "end": at + 1, "bits_per_second": 8e6} for at in range(3)]
    sums.append({"start": 3, "end": 3.004, "bits_per_second": 0.0})
    (tmp_path / "r.json").write_text(json.dumps({"intervals": [{"sum": each} for each in sums]}))
    rates = nw.import_rates(tmp_path / "r.json", tmp_path / "rates.csv")
    assert rates.mean_bps() == pytest.approx(24e6 / 3.004)
    (tmp_path / "scenario.toml").write_text(LINK)
    checked = narrows("check", tmp_path / "scenario.toml")
    assert "repeated every 3004ms" in " ".join(checked.stdout.split()), checked


ODD = ("1" + "0" * 400, "NaN", "Infinity", "-1", "1e400", "1e16", '"1"', "true", "null", "[]", "1" * 5000)


@pytest.mark.parametrize("key", ["start", "end", "bits_per_second"])
def test_a_number_that_is_none_is_refused(key: str, tmp_path: Path) -> None:
    accepted = []
    for odd in ODD:
        text = json.dumps({"intervals": [{"sum": {"start": 0, "end": 1, "bits_per_second": 1, key: "HERE"}}]})
        (tmp_path / "r.json").write_text(text.replace('"HERE"', odd))
        with pytest.raises(nw.InputError, match=r"r\.json"):
            accepted.append((odd, nw.import_rates(tmp_path / "r.json", tmp_path / "rates.csv")))
    assert accepted == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"intervals": [{"sum": {"start": 0}, "sum": {"start": 0}}]}', "the key 'sum' is twice"),
        ('{"intervals": [], "intervals": []}', "the key 'intervals' is twice"),
        ('{"start": {}, "intervals": [], "error": "unable to connect"}', "failed: 'unable to connect'"),
        ('{"event": "error", "data": "no\\u001b"}\n{"event": "end", "data": {}}', r"failed: 'no\x1b'"),
        ('{"intervals": [{"sum": {}}, {"sum_bidir_reverse": {}}]}', "interval 2 has no sum"),
        ('{"start": {}, "interv', "or is cut off"),
    ],
)
def test_a_result_that_cannot_be_used_is_named(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(nw.InputError) as error:
        nw.import_rates(tmp_path / "r.json", tmp_path / "rates.csv")
    assert said in str(error.value)


def broken(folder: Path) -> list[tuple[Path, list[str], str]]:
    """Files, options, and what is said of them."""
    pcapng(folder / "good")
    fine = iperf3(folder / "fine.json")
    contents = {
        "short-block": blocks.section("test") + struct.pack("<II", 6, 4) + bytes(9),
        "empty": b"",
        "text": b"1\n2\n",
        "list": b"[1, 2]",
        "object": b'{"intervals": []}',
        "no-sum": b'{"intervals": [{}]}',
        "no-rate": b'{"intervals": [{"sum": {"start": 0}}]}',
        "binary": bytes(range(256)),
        "nothing": blocks.section("test"),
        "no-interface": blocks.section("test") + blocks.packet(blocks.Seen(3, 0, b"", 0, None)),
        "wifi": struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 60, 105),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    neither = "is neither a capture"
    return [
        (folder / "short-block", [], "impossible length"),
        (folder / "empty", [], neither),
        (folder / "text", [], 'a scenario names a table of text itself: rate = { file = "text" }'),
        (folder / "list", [], neither),
        (folder / "object", [], neither),
        (folder / "no-sum", [], "interval 1 has no sum"),
        (folder / "no-rate", [], "interval 1 has no end"),
        (folder / "binary", [], neither),
        (folder / "nothing", [], "has no IP packets"),
        (folder / "no-interface", [], "not described"),
        (folder / "wifi", [], "link type 105"),
        (folder / "missing", [], "No such file"),
        (folder, [], "Is a directory"),
        (folder / "good", [], "say --from ADDRESS, one of 10.0.0.1"),
        (folder / "good", ["--from", "10.9.9.9"], "has no packets from 10.9.9.9"),
        (folder / "good", ["--from", "10.0.0.1", "--step", "0.0000001ms"], "no time from"),
        (fine, ["--step", "1s"], "takes no --step"),
        (fine, ["--from", "server"], "has one direction, that from the client"),
        (iperf3(folder / "both.json", both=True), [], "both directions"),
        (folder / "both.json", ["--from", "10.0.0.1"], "neither client nor server"),
    ]


def test_what_is_neither_or_is_damaged_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    for file, options, said in broken(tmp_path):
        done = narrows("import", file, "--out", tmp_path / "rates.csv", *options)
        assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (2, True, False), done.stderr
        assert not (tmp_path / "rates.csv").exists()


def test_a_recorded_rate_drives_the_link(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("time,Mbps\n0,8\n1,2\n2,4\n")
    (tmp_path / "scenario.toml").write_text(LINK)
    assert narrows("run", tmp_path / "scenario.toml", "--out", tmp_path / "run").returncode == 0
    series = pq.read_table(tmp_path / "run" / "series.parquet").to_pylist()
    seconds = [0.0] * 6
    for row in series:
        if row["name"] == "bottleneck":
            seconds[min(int(row["time_s"] - 1e-9), 5)] += row["capacity_bps"]
    mean = [total / (sum(seconds) / 28e6) / 1e6 for total in seconds]
    assert mean == pytest.approx([8, 2, 4, 8, 2, 4], rel=0.02)
