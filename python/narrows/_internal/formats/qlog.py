# SPDX-License-Identifier: Apache-2.0
"""The flows of a run as qlog 0.3, for qvis.

Sources: draft-ietf-quic-qlog-main-schema-02 (`qlog_version` 0.3, JSON text sequences of RFC 7464) and
draft-ietf-quic-qlog-quic-events-01: `recovery:metrics_updated` from the series, `recovery:packet_lost` and
`recovery:congestion_state_updated` from the log of events, `transport:packet_sent` and `transport:packet_received` from
the packet log, each if the run has it. Each flow has its own file: a sequence holds one trace.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.errors import InputError
from narrows._internal.files.folder import file_name

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.files.run_folder import RunFolder

Row = dict[str, Any]
Event = tuple[int, int, str, dict[str, Any]]
"""Time in picoseconds, place among simultaneous events, name, data."""


def write(run: RunFolder, folder: Path, replication: int | None) -> list[Path]:
    """Write `GROUP-N.sqlog` into `folder` for flow N of each group."""
    number = run.replication(replication)
    series = [row for row in _rows(run.table("series", "has no series"), number) if row["kind"] == "flow"]
    if not series:
        raise InputError(str(run.path), 'has no series of flows: the scenario must say record.flows = "all"')
    samples = _by_flow((row["name"], row) for row in series)
    logged = [_by_flow(_named(run.optional(table), number)) for table in ("events", "packets")]
    return [_write(run, folder, name, [rows.get(name, []) for rows in (samples, *logged)]) for name in samples]


def metrics(row: Mapping[str, Any], segment: int) -> dict[str, float]:
    """Return the data of a `recovery:metrics_updated` event: bytes, milliseconds, bits per second."""
    scaled = {
        "min_rtt": (row.get("min_rtt_s"), 1000.0),
        "smoothed_rtt": (row.get("srtt_s"), 1000.0),
        "latest_rtt": (row.get("rtt_s"), 1000.0),
        "congestion_window": (row.get("cwnd_packets"), segment),
        "bytes_in_flight": (row.get("in_flight_packets"), segment),
        "ssthresh": (row.get("ssthresh_packets"), segment),
        "pacing_rate": (row.get("pacing_rate_bps"), 1),
    }
    known = {name: value * factor for name, (value, factor) in scaled.items() if value is not None}
    return {name: value if name.endswith("rtt") else round(value) for name, value in known.items()}


def _sampled(rows: Iterable[Row], segment: int) -> Iterator[Event]:
    """Return the events of the series."""
    for row in rows:
        data = metrics(row, segment)
        if data:
            yield round(row["time_s"] * PICOSECONDS), METRICS, "recovery:metrics_updated", data


def _happened(rows: Iterable[Row], segment: int) -> Iterator[Event]:
    """Return the events of the log of events at the sender."""
    state = None
    for row in rows:
        if row["place"] != "sender":
            continue
        event, at = row["event"], row["time_ps"]
        if event == "declared-lost":
            header = {"packet_type": "1RTT", "packet_number": round(row["number"])}
            data = {"header": header, "trigger": TRIGGERS.get(row["rule"], "reordering_threshold")}
            yield at, LOST, "recovery:packet_lost", data
            continue
        new = {"recovery-start": "recovery", "recovery-end": row["state"] or "open", "state": row["state"]}.get(event)
        if new is not None and not (event == "state" and state == "recovery"):
            new = new.replace("-", "_")
            old: dict[str, str] = {} if state is None else {"old": state}
            trigger = {"trigger": "ECN"} if row["rule"] == "mark" else {}
            if new != state:
                yield at, STATE, "recovery:congestion_state_updated", {**old, "new": new, **trigger}
            state = new
        if event in {"reduction", "idle-restart", "timeout", "undo", "state"}:
            changed = metrics({name: row[name] for name in ("cwnd_packets", "ssthresh_packets")}, segment)
            if changed:
                yield at, METRICS, "recovery:metrics_updated", changed


def _exchanged(rows: Iterable[Row], segment: int) -> Iterator[Event]:
    """Return the events of the packet log at the sender."""
    received = 0
    for row in rows:
        if row["place"] != "sender":
            continue
        kind, number = row["kind"], row["number"]
        raw = {"length": row["size_bytes"], "payload_length": row["payload_bytes"]}
        # Deviation: the number of a data packet is its segment's, also if retransmitted; acknowledgements are counted.
        header = {"packet_type": "handshake" if kind in HANDSHAKE else "1RTT", "packet_number": number}
        if row["event"] == "sent":
            frames = [_data_frame(row, segment)] if kind in {"data", "datagram"} else []
            yield row["time_ps"], SENT, "transport:packet_sent", {"header": header, "raw": raw, "frames": frames}
        else:
            header["packet_number"] = received
            received += 1
            ranges = _acked(row)
            frames = [{"frame_type": "ack", "acked_ranges": ranges}] if ranges else []
            data = {"header": header, "raw": raw, "frames": frames}
            yield row["time_ps"], RECEIVED, "transport:packet_received", data


def _data_frame(row: Row, segment: int) -> dict[str, Any]:
    if row["kind"] == "datagram":
        return {"frame_type": "datagram", "length": row["payload_bytes"]}
    offset = row["number"] * segment
    return {"frame_type": "stream", "stream_id": 0, "offset": offset, "length": row["payload_bytes"]}


def _acked(row: Row) -> list[list[int]]:
    """Return the first and the last number of each range that a packet acknowledges, ascending."""
    if row["kind"] == "echo":
        return [[row["number"], row["number"]]]
    if row["kind"] != "ack":
        return []
    blocks = [(row[f"sack{place}_start"], row[f"sack{place}_end"]) for place in (1, 2, 3)]
    ranges = [(0, row["number"]), *((int(start), int(end)) for start, end in blocks if start is not None)]
    return [[start, end - 1] for start, end in sorted(ranges) if end > start]


def _write(run: RunFolder, folder: Path, name: str, rows: Sequence[list[Row]]) -> Path:
    """Write the file of a flow from its rows of the series, the log of events and the packet log."""
    samples, events, packets = rows
    group, _, flow = name.removesuffix("]").rpartition("[")
    segment = run.segment_bytes(group)
    head = {
        "qlog_format": "JSON-SEQ",
        "qlog_version": "0.3",
        "title": run.manifest["title"],
        "description": f"{name}, from a simulation: packets of {segment} bytes of payload",
        "trace": {
            "title": name,
            "vantage_point": {"name": "sender", "type": "client"},
            "common_fields": {
                "time_format": "absolute",
                "reference_time": 0,
                "group_id": name,
                "protocol_type": [PROTOCOL],
            },
        },
    }
    all_events = [*_sampled(samples, segment), *_happened(events, segment), *_exchanged(packets, segment)]
    # Stable: simultaneous events of one kind keep their order.
    all_events.sort(key=lambda event: event[:2])
    file = folder / f"{file_name(group)}-{flow}.sqlog"
    with file.open("w", encoding="utf-8") as out:
        _record(out, head)
        for at, _, event, data in all_events:
            _record(out, {"time": at / PICOSECONDS_PER_MS, "name": event, "data": data})
    return file


def _named(table: pa.Table | None, replication: int) -> Iterator[tuple[str, Row]]:
    for row in _rows(table, replication) if table is not None else ():
        yield f"{row['group']}[{row['flow']}]", row


def _rows(table: pa.Table, replication: int) -> list[Row]:
    import pyarrow.compute as pc

    rows: list[Row] = table.filter(pc.equal(table["replication"], replication)).to_pylist()
    return rows


def _by_flow(rows: Iterable[tuple[str, Row]]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for name, row in rows:
        found.setdefault(name, []).append(row)
    return found


def _record(out: Any, content: Mapping[str, Any]) -> None:
    # RFC 7464 §2.2: a record separator, the text, a line feed.
    out.write("\x1e" + json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")


PROTOCOL = "TCP"
HANDSHAKE = frozenset({"syn", "syn-ack", "established"})
# The triggers of `packet_lost` by rule; all others count later packets.
TRIGGERS = {"rack": "time_threshold", "timeout": "pto_expired", "probe": "pto_expired"}
# The order of simultaneous events: arrivals, conclusions of the sender, transmissions.
RECEIVED, LOST, STATE, METRICS, SENT = range(5)
PICOSECONDS = 1e12
PICOSECONDS_PER_MS = 1e9
