# SPDX-License-Identifier: Apache-2.0
"""Flows from results of iperf3 and of NDT, and from tables of `tcp_info`.

Sources: `iperf_api.c` of iperf3 (`--json`, `--json-stream`), whose intervals have `snd_cwnd` in bytes and `rtt` in
microseconds; the data format of ndt-server (spec/data-format.md, ndt7/model), with `ElapsedTime` in microseconds and
`TCPInfo` as the kernel has it; linux/tcp.h for tables, whose columns have its names, as `tcpi_rtt`. The time of a row
is `time_s`, `time_ms`, `time_us` or `time_ns`, and `flow` names the flow of a row if there are several.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from narrows._internal.errors import InputError
from narrows._internal.formats import iperf3
from narrows._internal.trace import tcp_info
from narrows._internal.trace.record import Floats, Flow, Lost, Place, Series, Trace
from narrows._internal.trace.values import label, shown


def is_ndt(text: str) -> bool:
    """Return whether a text in JSON looks like a result of NDT7."""
    return '"ServerMeasurements"' in text or ('"TCPInfo"' in text and '"Origin"' in text)


def is_iperf3(text: str) -> bool:
    """Return whether a text in JSON looks like a result of iperf3."""
    return '"intervals"' in text or ('"event"' in text and '"interval"' in text)


def is_table(text: str) -> bool:
    """Return whether a text looks like a table of `tcp_info`: CSV, or an object in JSON on each line."""
    return "tcpi_" in text.lstrip().split("\n", 1)[0][:HEAD]


def read_iperf3(file: Path, text: str) -> Trace:
    """Read the streams of a result of iperf3."""
    start, found, end, failure = iperf3.parts(file, text)
    stated = end.get("sender_tcp_congestion")
    controller = stated[:SHOWN] if isinstance(stated, str) else ""
    if not found:
        raise InputError(str(file), f"is a result of iperf3 that failed: {failure}" if failure else "has no intervals")
    streams: dict[tuple[object, bool], list[tuple[int, dict[str, Any]]]] = {}
    for number, interval in enumerate(found, 1):
        rows = interval.get("streams") if isinstance(interval, dict) else None
        if not isinstance(rows, list):
            raise InputError(str(file), f"is no result of iperf3: interval {number} has no streams")
        for row in rows:
            if not isinstance(row, dict) or not isinstance(row.get("socket"), int):
                raise InputError(str(file), f"is no result of iperf3: interval {number} has a stream without a socket")
            if not row.get("omitted", False):
                sends = row.get("sender")
                key = (row["socket"], sends if isinstance(sends, bool) else _sends(start))
                streams.setdefault(key, []).append((number, row))
    flows = tcp_info.bounded(file, (_stream(file, start, key, rows, controller) for key, rows in streams.items()))
    if not flows:
        raise InputError(str(file), "has no intervals that count")
    left_out = [f"it ended with the error {failure}"] if failure else []
    if any(flow.place is Place.SENDER for flow in flows):
        left_out.append("bytes of a sender are those that its socket took, which may wait in the send buffer")
    return Trace(file, "result of iperf3", tuple(flows), tuple(left_out))


def _sends(start: Mapping[str, Any]) -> bool:
    """Return whether the end that wrote a result sends, for versions without `sender`."""
    test = start.get("test_start")
    reverse = isinstance(test, dict) and test.get("reverse") == 1
    return ("connecting_to" in start) != reverse


def _stream(
    file: Path,
    start: Mapping[str, Any],
    key: tuple[object, bool],
    rows: list[tuple[int, dict[str, Any]]],
    controller: str,
) -> Flow:
    """Return the flow of a stream from its intervals."""
    socket, sends = key

    def column(name: str, most: float) -> Floats:
        return np.asarray([_amount(file, f"interval {number}", row, name, most) for number, row in rows])

    starts, ends = column("start", LONGEST_S), column("end", LONGEST_S)
    if not np.isfinite(starts + ends).all() or (np.diff(ends) <= 0).any() or (ends < starts).any():
        raise InputError(str(file), f"is damaged: the intervals of socket {socket} are not one after the other")
    amounts, again = column("bytes", MOST_BYTES), column("retransmits", MOST_PACKETS)
    test = start.get("test_start")
    udp = isinstance(test, dict) and test.get("protocol") == "UDP"
    lost = tcp_info.counts(column("lost_packets", MOST_PACKETS) if udp else again)
    times = np.concatenate([starts[:1], ends])
    mss = start.get("tcp_mss_default")
    return Flow(
        name=_name(start, socket, sends=sends),
        protocol="UDP" if udp else "TCP",
        place=Place.SENDER if sends else Place.RECEIVER,
        start_s=float(starts[0]),
        end_s=float(ends[-1]),
        segment_bytes=mss if isinstance(mss, int) and 0 < mss <= LARGEST_SEGMENT and not udp else 0,
        delivered=Series(times, np.concatenate([[0.0], np.cumsum(np.nan_to_num(amounts))])),
        rtt=tcp_info.series(ends, np.where(column("rtt", MOST_RTT_US) > 0, column("rtt", MOST_RTT_US), np.nan) / 1e6),
        smoothed=True,
        window=tcp_info.series(ends, column("snd_cwnd", MOST_BYTES)),
        receive_window=tcp_info.series(ends, column("snd_wnd", MOST_BYTES)),
        lost=Lost(np.repeat(ends, lost), np.full(int(lost.sum()), np.nan), np.zeros(int(lost.sum()), dtype=np.bool_)),
        controller=controller if sends else "",
    )


def _name(start: Mapping[str, Any], socket: object, *, sends: bool) -> str:
    """Return the addresses and ports of a stream in its direction."""
    connected = start.get("connected")
    for each in connected if isinstance(connected, list) else []:
        if isinstance(each, dict) and each.get("socket") == socket:
            ends = [_end(each.get(f"{end}_host"), each.get(f"{end}_port")) for end in ("local", "remote")]
            return " > ".join(ends if sends else reversed(ends))
    return f"socket {socket}, {'sent' if sends else 'received'}"


def read_ndt(file: Path, text: str) -> Trace:
    """Read the subtests of a result of NDT7: of the server (an object), or of its client (an object on each line)."""
    flows: list[Flow] = []
    left_out = []
    for (name, ends), rows in _subtests(file, text):
        samples = tcp_info.Samples()
        for number, row in enumerate(rows, 1):
            place = f"{name}, measurement {number}"
            info = row.get("TCPInfo") if isinstance(row, dict) else None
            if not isinstance(info, dict):
                continue
            elapsed = _amount(file, place, info, "ElapsedTime", LONGEST_S * 1e6)
            if math.isnan(elapsed):
                raise InputError(str(file), f"{place}: TCPInfo has no ElapsedTime")
            if samples.times and elapsed / 1e6 < samples.times[-1]:
                raise InputError(str(file), f"{place}: its ElapsedTime is before that of the one before it")
            samples.add(elapsed / 1e6, _kernel(file, place, {name: info.get(key) for key, name in NAMES.items()}))
        if not samples.times:
            left_out.append(f"{name} has no measurements with TCPInfo")
            continue
        found = tcp_info.bounded(file, tcp_info.flows(ends, samples, 0.0))
        # The other direction has the messages of the test.
        place_of_payload = Place.SENDER if name == "Download" else Place.RECEIVER
        flows += [flow for flow in found if flow.place is place_of_payload] or found
    if not flows:
        raise InputError(str(file), "is a result of NDT without TCPInfo of the server, which has the round-trip times")
    return Trace(file, "result of NDT7", tuple(flows), tuple(left_out))


def _subtests(file: Path, text: str) -> Iterator[tuple[tuple[str, tuple[str, str]], list[Any]]]:
    """Yield name, ends of the server and measurements of each subtest."""
    try:
        content = [_json(file, text, "")]
    except InputError:
        lines = text.splitlines()
        content = [_json(file, line, f"line {at}: ") for at, line in enumerate(lines, 1) if line.strip()]
    found: dict[str, list[Any]] = {}
    for each in content:
        if not isinstance(each, dict):
            continue
        ends = [_end(each.get(f"{end}IP", end.lower()), each.get(f"{end}Port")) for end in ENDS]
        for name in SUBTESTS:
            part = each.get(name)
            rows = part.get("ServerMeasurements") if isinstance(part, dict) else None
            if isinstance(rows, list):
                yield (name, (ends[0], ends[1])), rows
        row = each.get("Value")
        if isinstance(row, dict) and row.get("Origin") == "server" and isinstance(row.get("Test"), str):
            found.setdefault(row["Test"].capitalize(), []).append(row)
    yield from (((name, ("server", "client")), rows) for name, rows in found.items() if name in SUBTESTS)


def of_table(file: Path, text: str) -> Trace:
    """Read a table of `tcp_info`."""
    flows: dict[str, tcp_info.Samples] = {}
    for place, row in _rows(file, text):
        clocks = [name for name in CLOCKS if name in row]
        if len(clocks) != 1:
            allowed = ", ".join(CLOCKS)
            raise InputError(str(file), f"{place} has {len(clocks) or 'no'} columns of time; allowed: one of {allowed}")
        time = _amount(file, place, row, clocks[0], MOST_TIME_S / CLOCKS[clocks[0]])
        if math.isnan(time):
            raise InputError(str(file), f"{place} has no {clocks[0]}")
        name = label(row.get("flow")) or "tcp_info"
        if name not in flows and len(flows) >= MOST_FLOWS:
            raise InputError(str(file), f"{place}: more than {MOST_FLOWS} flows")
        samples = flows.setdefault(name, tcp_info.Samples())
        time_s = time * CLOCKS[clocks[0]]
        if samples.times and time_s < samples.times[-1]:
            raise InputError(str(file), f"{place}: its time is before that of the row before it")
        samples.add(time_s, _kernel(file, place, {key[5:]: each for key, each in row.items() if key[:5] == "tcpi_"}))
    if not flows:
        raise InputError(str(file), "is a table of tcp_info without rows")
    zero_s = min(samples.times[0] for samples in flows.values())
    parts = (part for name, samples in flows.items() for part in tcp_info.flows((name, "peer"), samples, zero_s))
    return Trace(file, "table of tcp_info", tuple(tcp_info.bounded(file, parts)))


def _rows(file: Path, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the columns of each row."""
    lines = text.lstrip().splitlines()
    if lines[0].startswith("{"):
        for number, line in enumerate(lines, 1):
            if line.strip():
                row = _json(file, line, f"line {number}: ")
                if not isinstance(row, dict):
                    raise InputError(str(file), f"line {number} is no object")
                yield f"line {number}", row
        return
    header, *rows = lines
    names = [name.strip() for name in next(csv.reader([header]), [])]
    if len(set(names)) < len(names):
        raise InputError(str(file), "line 1 has a column twice")
    try:
        for number, row in enumerate(csv.reader(rows, strict=True), 2):
            if not row:
                continue
            if len(row) != len(names):
                raise InputError(str(file), f"line {number} has {len(row)} values; the header has {len(names)}")
            pairs = zip(names, map(str.strip, row), strict=True)
            yield f"line {number}", {name: _digits(value) for name, value in pairs if value}
    except csv.Error as error:
        raise InputError(str(file), f"cannot be read as CSV: {error}") from None


def _digits(value: str) -> object:
    """Return the number that a value of a table is, or the value."""
    return float(value) if NUMBER.fullmatch(value) else value


def _kernel(file: Path, place: str, row: Mapping[str, Any]) -> dict[str, float]:
    """Return the fields of `tcp_info` that a row has."""
    values = {}
    for name in tcp_info.FIELDS:
        found = row.get(name)
        if found is None:
            continue
        value = tcp_info.number(int(found) if isinstance(found, bool) else found)
        if value is None:
            raise InputError(str(file), f"{place}: {name} is {shown(found)}, no number from 0 to 2^64")
        values[name] = value
    return values


def _amount(file: Path, place: str, row: Mapping[str, Any], name: str, most: float) -> float:
    """Return a number of a row; NaN if it has none."""
    found = row.get(name)
    if found is None:
        return math.nan
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= most:
        raise InputError(str(file), f"{place}: {name} is {shown(found)}, no number from 0 to {most:g}")
    return float(found)


def _end(address: object, port: object) -> str:
    host = label(address)
    host = f"[{host}]" if ":" in host else host
    return host if port is None else f"{host}:{label(port)}"


def _json(file: Path, text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(str(file), f"{place}is nested too deeply") from None
    except ValueError as error:
        raise InputError(str(file), f"{place}cannot be read as JSON: {str(error)[:SHOWN]}") from None


NAMES = {
    "Options": "options", "Backoff": "backoff", "TotalRTO": "total_rto", "SndMSS": "snd_mss", "RcvMSS": "rcv_mss",
    "Unacked": "unacked", "Sacked": "sacked", "Lost": "lost", "Retrans": "retrans", "RTT": "rtt", "MinRTT": "min_rtt",
    "SndSsThresh": "snd_ssthresh", "SndCwnd": "snd_cwnd", "SndWnd": "snd_wnd", "TotalRetrans": "total_retrans",
    "DSackDups": "dsack_dups", "BytesAcked": "bytes_acked", "BytesReceived": "bytes_received",
    "BytesSent": "bytes_sent", "BusyTime": "busy_time", "RWndLimited": "rwnd_limited",
    "AppLimited": "delivery_rate_app_limited",
    "DeliveredCE": "delivered_ce", "PacingRate": "pacing_rate", "DeliveryRate": "delivery_rate",
}  # fmt: skip
"""The names of M-Lab (github.com/m-lab/tcp-info, tcp/tcpinfo.go) for the fields of `tcp_info`."""

ENDS = ("Server", "Client")
SUBTESTS = ("Download", "Upload")
CLOCKS = {"time_s": 1.0, "time_ms": 1e-3, "time_us": 1e-6, "time_ns": 1e-9}
"""Seconds in the unit of each column of time."""

NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{0,20})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
LONGEST_S = 1e7
MOST_TIME_S = 1e10
MOST_RTT_US = 1e10
MOST_BYTES = 1e18
MOST_PACKETS = 1e12
MOST_FLOWS = 10_000
LARGEST_SEGMENT = 1 << 16
HEAD = 1 << 16
SHOWN = 80
