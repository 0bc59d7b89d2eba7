# SPDX-License-Identifier: Apache-2.0
"""Rule: the units of iperf3, of NDT7 and of `tcp_info`, what is refused, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from damage import damaged
from narrows._internal.errors import InputError
from narrows._internal.trace import tables
from narrows._internal.trace.record import Flow, Place, Trace

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = Path("trace.json")

STREAM = {
    "socket": 5, "start": 0.0, "end": 0.5, "bytes": 500_000, "retransmits": 2, "snd_cwnd": 144_800, "snd_wnd": 65_536,
    "rtt": 20_500, "rttvar": 100, "pmtu": 1500, "omitted": False, "sender": True,
}  # fmt: skip
IPERF3: dict[str, Any] = {
    "start": {
        "connected": [
            {"socket": 5, "local_host": "10.0.0.1", "local_port": 40000, "remote_host": "fe80::2", "remote_port": 5201}
        ],
        "connecting_to": {"host": "fe80::2"},
        "test_start": {"protocol": "TCP", "reverse": 0},
        "tcp_mss_default": 1448,
    },
    "intervals": [
        {"streams": [{**STREAM, "omitted": True, "end": 0.4}]},
        {"streams": [STREAM]},
        {"streams": [{**STREAM, "start": 0.5, "end": 1.0, "retransmits": 0, "rtt": 0}]},
    ],
    "end": {"sender_tcp_congestion": "cubic", "receiver_tcp_congestion": "bbr"},
}

INFO = {
    "State": 1, "CAState": 0, "Backoff": 0, "Options": 8, "SndMSS": 1448, "RcvMSS": 1400, "Unacked": 60, "Sacked": 10,
    "Lost": 5, "Retrans": 2, "RTT": 20_500, "MinRTT": 19_750, "SndSsThresh": 50, "SndCwnd": 100, "SndWnd": 65_536,
    "TotalRetrans": 0, "DSackDups": 0, "BytesAcked": 0, "BytesReceived": 500, "BytesSent": 0, "BusyTime": 0,
    "RWndLimited": 0, "AppLimited": 0, "DeliveredCE": 7, "PacingRate": 8_812_500, "MaxPacingRate": -1,
    "DeliveryRate": 6_928_229, "ElapsedTime": 250_000,
}  # fmt: skip
LATER = {
    **INFO, "ElapsedTime": 1_250_000, "BytesAcked": 900_000, "BytesReceived": 600, "TotalRetrans": 3,
    "BusyTime": 600_000, "RWndLimited": 250_000, "SndSsThresh": 0x7FFFFFFF,
    "PacingRate": -1,
}  # fmt: skip
NDT: dict[str, Any] = {
    "ServerIP": "10.0.0.1", "ServerPort": 443, "ClientIP": "2001:db8::2", "ClientPort": 40000,
    "Download": {"ServerMeasurements": [{"BBRInfo": {"BW": 1}, "TCPInfo": INFO}, {"AppInfo": {}}, {"TCPInfo": LATER}]},
}  # fmt: skip


def only(trace: Trace) -> Flow:
    (flow,) = trace.flows
    return flow


def table(**columns: list[object]) -> str:
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


def test_each_value_of_iperf3_has_its_unit() -> None:
    trace = tables.read_iperf3(FILE, json.dumps(IPERF3))
    flow = only(trace)
    assert (flow.name, flow.place) == ("10.0.0.1:40000 > [fe80::2]:5201", Place.SENDER)
    assert (flow.protocol, flow.controller, flow.segment_bytes) == ("TCP", "cubic", 1448)
    assert flow.delivered.times_s.tolist() == [0.0, 0.5, 1.0]
    assert flow.delivered.values.tolist() == [0.0, 500_000.0, 1_000_000.0]
    assert flow.rtt.times_s.tolist() == [0.5]
    assert flow.rtt.values == pytest.approx([0.0205])
    assert flow.smoothed
    assert flow.window.values.tolist() == [144_800.0] * 2
    assert flow.receive_window.values.tolist() == [65_536.0] * 2
    assert flow.lost.times_s.tolist() == [0.5, 0.5]
    assert flow.application_limited is None
    assert np.isnan(flow.least_rtt_s)
    assert trace.left_out == ("bytes of a sender are those that its socket took, which may wait in the send buffer",)


def test_the_receiver_of_iperf3_has_what_arrived() -> None:
    rows = [{key: value for key, value in STREAM.items() if key in {"socket", "start", "end", "bytes"}}]
    result = {**IPERF3, "start": {**IPERF3["start"], "test_start": {"protocol": "TCP", "reverse": 1}}}
    flow = only(tables.read_iperf3(FILE, json.dumps(result | {"intervals": [{"streams": rows}]})))
    assert (flow.name, flow.place, flow.controller) == ("[fe80::2]:5201 > 10.0.0.1:40000", Place.RECEIVER, "")
    assert (len(flow.rtt), len(flow.window), flow.delivered_bytes) == (0, 0, 500_000)


def test_a_stream_of_iperf3_and_one_over_udp_are_read() -> None:
    events = [{"event": kind, "data": IPERF3[kind]} for kind in ("start", "end")]
    events[1:1] = [{"event": "interval", "data": each} for each in IPERF3["intervals"]]
    assert only(tables.read_iperf3(FILE, "\n".join(map(json.dumps, events)))).controller == "cubic"
    row = {**STREAM, "lost_packets": 3, "packets": 100, "jitter_ms": 1, "sender": False}
    result = {"start": {"test_start": {"protocol": "UDP"}}, "intervals": [{"streams": [row]}]}
    flow = only(tables.read_iperf3(FILE, json.dumps(result)))
    assert (flow.protocol, flow.name, len(flow.lost)) == ("UDP", "socket 5, received", 3)


def test_each_value_of_ndt_has_its_unit() -> None:
    flow = only(tables.read_ndt(FILE, json.dumps(NDT)))
    assert (flow.name, flow.place) == ("10.0.0.1:443 > [2001:db8::2]:40000", Place.SENDER)
    assert flow.rtt.times_s == pytest.approx([0.25, 1.25])
    assert flow.rtt.values == pytest.approx([0.0205] * 2)
    assert flow.least_rtt_s == pytest.approx(0.01975)
    assert flow.window.values.tolist() == [144_800.0] * 2
    assert flow.threshold.values.tolist() == [72_400.0]
    assert flow.in_flight.values.tolist() == [47 * 1448.0] * 2
    assert flow.delivered_bytes == 900_000
    assert flow.marked.values.tolist() == [7 * 1448.0] * 2
    assert flow.pacing_rate.values.tolist() == [70_500_000.0]
    assert flow.delivery_rate.values.tolist() == [6_928_229.0 * 8] * 2
    assert flow.lost.times_s.tolist() == [1.25] * 3
    # Within a second it was busy for 0.6 s, of which the receive window limited it for 0.25 s.
    assert flow.application_limited == pytest.approx(np.array([[0.85, 1.25]]))
    assert flow.receiver_limited == pytest.approx(np.array([[1.0, 1.25]]))


def test_an_upload_of_ndt_is_seen_by_its_receiver() -> None:
    result = {**NDT, "Upload": {"ServerMeasurements": [{"TCPInfo": INFO}, {"TCPInfo": LATER}]}}
    del result["Download"]
    flow = only(tables.read_ndt(FILE, json.dumps(result)))
    assert (flow.name, flow.place) == ("[2001:db8::2]:40000 > 10.0.0.1:443", Place.RECEIVER)
    assert (flow.delivered_bytes, flow.segment_bytes) == (100, 1400)


def test_the_lines_of_a_client_of_ndt_are_read() -> None:
    rows = [{"Origin": "server", "Test": "download", "TCPInfo": each} for each in (INFO, LATER)]
    rows.insert(1, {"Origin": "client", "Test": "download", "TCPInfo": INFO})
    text = "\n".join(json.dumps({"Key": "measurement", "Value": row}) for row in rows)
    assert tables.is_ndt(text)
    assert only(tables.read_ndt(FILE, text)).delivered_bytes == 900_000


@pytest.mark.parametrize(("clock", "scale"), [("time_s", 1), ("time_ms", 1e3), ("time_us", 1e6), ("time_ns", 1e9)])
@pytest.mark.parametrize("lines", [False, True])
def test_a_table_of_tcp_info_has_the_units_of_the_kernel(clock: str, scale: float, *, lines: bool) -> None:
    columns: dict[str, list[object]] = {
        clock: [1_700_000_000 * scale, 1_700_000_000.5 * scale],
        "tcpi_rtt": [20_500, 30_000],
        "tcpi_min_rtt": [4294967295, 19_750],
        "tcpi_snd_mss": [1448, 1448],
        "tcpi_snd_cwnd": [100, 90],
        "tcpi_snd_ssthresh": [2147483647, 50],
        "tcpi_total_retrans": [5, 7],
        "tcpi_total_rto": [0, 1],
        "tcpi_bytes_acked": [0, 500_000],
        "tcpi_pacing_rate": [18446744073709551615, 1000],
        "own_column": ["x", "y"],
    }
    if lines:
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        text = "\n".join(map(json.dumps, rows))
    else:
        text = table(**columns)
    assert tables.is_table(text)
    flow = only(tables.of_table(FILE, text))
    assert flow.rtt.times_s == pytest.approx([0.0, 0.5], abs=1e-6)
    assert flow.rtt.values == pytest.approx([0.0205, 0.03])
    assert flow.least_rtt_s == pytest.approx(0.01975)
    assert flow.window.values.tolist() == [144_800.0, 130_320.0]
    assert flow.threshold.values.tolist() == [72_400.0]
    assert flow.pacing_rate.values.tolist() == [8000.0]
    assert flow.lost.times_s == pytest.approx([0.5, 0.5], abs=1e-6)
    assert flow.timeouts_s == pytest.approx([0.5], abs=1e-6)
    # Not recorded, so not known.
    assert (len(flow.in_flight), len(flow.receive_window), flow.receiver_limited) == (0, 0, None)
    assert flow.application_limited is None


def test_a_table_has_a_flow_for_each_name() -> None:
    text = table(time_s=[1, 1, 2, 2], flow=["a", "b", "a", "b"], tcpi_bytes_acked=[0, 0, 10, 20])
    assert {flow.name: flow.delivered_bytes for flow in tables.of_table(FILE, text).flows} == {
        "a > peer": 10,
        "b > peer": 20,
    }


@pytest.mark.parametrize(
    ("reader", "text", "problem"),
    [
        (
            tables.of_table,
            table(t=[1], tcpi_rtt=[1]),
            "line 2 has no columns of time; allowed: one of time_s, time_ms",
        ),
        (tables.of_table, table(time_s=[1], time_ms=[1], tcpi_rtt=[1]), "line 2 has 2 columns of time"),
        (tables.of_table, table(time_s=[1, 2], tcpi_rtt=[1, "x"]), "line 3: rtt is 'x', no number from 0 to 2^64"),
        (tables.of_table, table(time_s=[1, 2], tcpi_rtt=[1, -2]), "line 3: rtt is -2.0, no number"),
        (tables.of_table, table(time_s=[2, 1], tcpi_rtt=[1, 1]), "line 3: its time is before"),
        (tables.of_table, table(time_s=["nan"], tcpi_rtt=[1]), "line 2: time_s is 'nan', no number"),
        (tables.of_table, "time_s,tcpi_rtt\n1\n", "line 2 has 1 values; the header has 2"),
        (tables.of_table, "time_s,tcpi_rtt\n", "without rows"),
        (tables.of_table, '{"time_s": 1, "tcpi_rtt": 1}\n{"tim', "line 2: cannot be read as JSON"),
        (
            tables.of_table,
            '{"time_s": 1, "tcpi_rtt": ' + "9" * 4000 + "}",
            "line 1: rtt is an integer that is too large",
        ),
        (
            tables.read_ndt,
            json.dumps(NDT).replace("1250000", "25"),
            "Download, measurement 3: its ElapsedTime is before",
        ),
        (tables.read_ndt, json.dumps(NDT).replace('"RTT": 20500', '"RTT": "x"'), "Download, measurement 1: rtt is 'x'"),
        (tables.read_ndt, json.dumps(NDT).replace("TCPInfo", "T"), "without TCPInfo of the server"),
        (tables.read_ndt, json.dumps(NDT)[:-9], "cannot be read as JSON"),
        (tables.read_iperf3, json.dumps(IPERF3).replace("20500", "-1"), "interval 2: rtt is -1, no number from 0"),
        (
            tables.read_iperf3,
            json.dumps(IPERF3).replace('"socket": 5, "start"', '"start"'),
            "a stream without a socket",
        ),
        (tables.read_iperf3, json.dumps(IPERF3).replace('"start": 0.5', '"start": 9'), "not one after the other"),
        (tables.read_iperf3, '{"error": "refused"}', "is a result of iperf3 that failed: 'refused'"),
        (tables.read_iperf3, '{"intervals": [{"sum": {}}]}', "interval 1 has no streams"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(reader: Callable[[Path, str], Trace], text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        reader(FILE, text)
    assert problem in refused.value.problem


READERS = {"iperf3": (tables.read_iperf3, IPERF3), "ndt": (tables.read_ndt, NDT)}


@pytest.mark.parametrize("name", sorted(READERS))
@settings(max_examples=300, deadline=None)
@given(data=some.data())
def test_damaged_results_are_read_or_refused(name: str, data: some.DataObject) -> None:
    reader, content = READERS[name]
    text = json.dumps(data.draw(damaged(content)))
    try:
        trace = reader(FILE, text[: data.draw(some.integers(len(text) // 2, 2 * len(text)))])
    except InputError:
        return
    assert all(flow.end_s >= flow.start_s for flow in trace.flows)


CELLS = some.sampled_from(
    ("1", "0", "-1", "2147483647", "18446744073709551616", "nan", "1e99", "9" * 400, "", "x", '"', "1.5")
)
NAMES = some.sampled_from(
    ("time_s", "time_ms", "flow", "tcpi_rtt", "tcpi_snd_mss", "tcpi_total_retrans", "tcpi_options", "tcpi_bytes_acked")
)


@settings(max_examples=300, deadline=None)
@given(
    names=some.lists(NAMES, min_size=1, max_size=5, unique=True),
    rows=some.lists(some.lists(CELLS, min_size=1, max_size=5), max_size=5),
)
def test_any_table_is_read_or_refused(names: list[str], rows: list[list[str]]) -> None:
    text = "\n".join(",".join(row) for row in [names, *rows])
    try:
        trace = tables.of_table(FILE, text)
    except InputError:
        return
    assert trace.flows
