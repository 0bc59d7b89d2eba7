# SPDX-License-Identifier: Apache-2.0
"""Product: a trace is recognised by its content, and what is no trace is refused with the formats that are read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as some

from narrows._internal.errors import InputError
from narrows._internal.formats.capture import is_capture
from narrows._internal.formats.rates import COMPRESSED
from narrows._internal.trace.read import read
from narrows._internal.trace.record import Place

DATA = Path(__file__).parent / "data"
INFO = {"ElapsedTime": 1, "RTT": 20_000, "SndCwnd": 10, "SndMSS": 1448, "BytesAcked": 1}
SENT = {"time": 0, "name": "quic:packet_sent", "data": {"frames": [{"frame_type": "stream", "length": 9}]}}
SEQUENCE = "".join(f"\x1e{json.dumps(each)}\n" for each in ({"qlog_format": "JSON-SEQ", "trace": {"title": "x"}}, SENT))
TRACES = {
    "samples of ss": (DATA / "ss.txt").read_text(),
    "result of iperf3": (DATA / "iperf3.json").read_text(),
    "result of NDT7": json.dumps({"Download": {"ServerMeasurements": [{"TCPInfo": INFO}]}}),
    "table of tcp_info": "time_s,tcpi_rtt,tcpi_snd_mss,tcpi_snd_cwnd\n1,20000,1448,10\n",
    "qlog (JSON-SEQ)": SEQUENCE,
    "qlog 0.3 (JSON)": json.dumps({"qlog_version": "0.3", "traces": [{"common_fields": {}, "events": [SENT]}]}),
}
FORMATS = (
    "is no trace that can be read; allowed: a capture (pcapng or pcap), qlog (JSON or JSON-SEQ), the output of "
    "`while true; do date +%s.%N; ss -tin dst ADDRESS; sleep 0.1; done`, a result of iperf3 (--json) or of NDT7 in "
    "JSON, and a table of tcp_info (columns tcpi_*)"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("form", sorted(TRACES))
def test_a_trace_is_recognised_by_its_content(form: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(TRACES[form], encoding=encoding)
    found = read(tmp_path / "trace")
    assert found.form == form
    assert found.file == tmp_path / "trace"
    amounts = [max(flow.delivered_bytes, flow.data.payload.sum()) for flow in found.flows]
    assert amounts == sorted(amounts, reverse=True)
    # With the line ends of another system.
    (tmp_path / "trace").write_bytes(TRACES[form].replace("\n", "\r\n").encode(encoding))
    assert [flow.name for flow in read(tmp_path / "trace").flows] == [flow.name for flow in found.flows]


def test_both_ends_of_a_transfer_logged_the_same_packets() -> None:
    server, client = (read(DATA / f"{name}.qlog").flows[0] for name in ("server", "client"))
    assert [flow.place for flow in (server, client)] == [Place.SENDER, Place.RECEIVER]
    assert server.data.payload.tolist() == client.data.payload.tolist()
    assert server.segment_bytes == client.segment_bytes == 1167
    # Packets of the handshake have no acknowledgement once their keys are gone.
    assert 20_000 <= server.delivered.values[-1] <= server.data.payload.sum() == client.delivered.values[-1]
    # The initial window of RFC 9002, §7.2: ten datagrams, of 1200 bytes.
    assert server.window.values[0] == 12_000
    assert server.in_flight.values[-1] == 0
    assert server.in_flight.values.max() <= server.window.values.max()
    assert server.least_rtt_s == server.rtt.values.min()
    assert len(server.lost) == len(server.timeouts_s) == len(client.window) == 0


def test_the_flows_from_an_end_are_chosen() -> None:
    file = DATA / "ss.txt"
    assert len(read(file).flows) == len(read(file, "10.0.0.1").flows) == 2
    name = "10.0.0.1:60168 > 10.0.1.1:5201"
    assert [flow.name for flow in read(file, "10.0.0.1:60168").flows] == [name]
    assert [flow.name for flow in read(file, name).flows] == [name]
    with pytest.raises(
        InputError, match=r"has no flow from 10\.0\.1\.1, only from 10\.0\.0\.1:60164, 10\.0\.0\.1:60168"
    ):
        read(file, "10.0.1.1")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello\n",
        b"{}",
        b"[1, 2]",
        b"{",
        b"\x00" * 100,
        b"\xff\xfeab\xd8",
        b"\xff" * 100,
        b"a,b\n1,2\n",
        b"\xef\xbb\xbf",
    ],
)
def test_what_is_no_trace_is_refused_with_the_formats_that_are_read(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(InputError) as refused:
        read(tmp_path / "file")
    assert refused.value.problem == FORMATS


def test_an_output_of_ss_without_connections_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("12:00:00.5\nState Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n")
    with pytest.raises(InputError, match="has no connections with `cwnd:` and `rtt:`: record it with"):
        read(tmp_path / "file")


def test_a_compressed_trace_names_the_command(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(gzip.compress(SEQUENCE.encode()))
    with pytest.raises(InputError, match=r"is compressed \(gzip\): decompress it first, as with gunzip"):
        read(tmp_path / "file")
    for magic, (form, _) in COMPRESSED.items():
        (tmp_path / "file").write_bytes(magic + b"x" * 100)
        with pytest.raises(InputError) as refused:
            read(tmp_path / "file")
        assert form in refused.value.problem


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "nowhere")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read(tmp_path)
    with (tmp_path / "large").open("wb") as large:
        large.write(b"1700000000\n")
        large.truncate(300 << 20)
    with pytest.raises(InputError, match="is no capture and no sequence of qlog, and larger than 256 MiB"):
        read(tmp_path / "large")


def test_bytes_that_are_no_text_are_taken_in_names_alone(tmp_path: Path) -> None:
    (tmp_path / "named").write_bytes(SEQUENCE.encode().replace(b'"x"', b'"\xff"'))
    assert [flow.name for flow in read(tmp_path / "named").flows] == ["\ufffd"]
    (tmp_path / "cut").write_bytes(SEQUENCE.encode() + b"\x1e\xff\x1e{}")
    with pytest.raises(InputError, match="record 3 is damaged: Expecting value"):
        read(tmp_path / "cut")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=some.data())
def test_damaged_files_are_read_or_refused(tmp_path: Path, data: some.DataObject) -> None:
    content = bytearray(TRACES[data.draw(some.sampled_from(sorted(TRACES)))].encode()[:4000])
    for _ in range(data.draw(some.integers(1, 4))):
        at = data.draw(some.integers(0, len(content)))
        match data.draw(some.integers(0, 2)):
            case 0:
                del content[at : at + data.draw(some.integers(1, 200))]
            case 1:
                content[at:at] = data.draw(some.binary(max_size=8))
            case _:
                content[at:at] = data.draw(
                    some.sampled_from((b"9" * 400, b"-1", b"NaN", b"null", b"[" * 2000, b'"', b"\x1e"))
                )
    # Those have tests of their own.
    assume(not is_capture(bytes(content[:4])))
    (tmp_path / "trace").write_bytes(content)
    try:
        found = read(tmp_path / "trace")
    except InputError:
        return
    assert found.flows
