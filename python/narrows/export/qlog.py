"""The series of a run's flows as qlog 0.3, for qvis.

Sources: draft-ietf-quic-qlog-main-schema-02 (`qlog_version` 0.3, JSON text sequences of RFC 7464) and
draft-ietf-quic-qlog-quic-events-01 (`recovery:metrics_updated`). Each flow has its own file: a sequence
holds one trace.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.files.folder import file_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from narrows.export.source import RunFolder


def write(run: RunFolder, folder: Path, replication: int | None) -> list[Path]:
    """Write `GROUP-N.sqlog` into `folder` for flow N of each group, with an event at the end of each interval.

    Args:
        run: The folder of the run.
        folder: The existing folder for the files.
        replication: Number of the replication; None is the first.

    Returns:
        The files written.

    Raises:
        InputError: The run has no such replication, or no series of flows.
    """
    import pyarrow.compute as pc

    series = run.table("series", "has no series")
    number = run.replication(replication)
    series = series.filter(pc.and_(pc.equal(series["replication"], number), pc.equal(series["kind"], "flow")))
    if not series.num_rows:
        raise InputError(str(run.path), 'has no series of flows: the scenario must say record.flows = "all"')
    traces: dict[str, list[dict[str, Any]]] = {}
    for row in series.to_pylist():
        traces.setdefault(row["name"], []).append(row)
    return [_write(run, folder, name, rows) for name, rows in traces.items()]


def metrics(row: Mapping[str, Any], segment: int) -> dict[str, float]:
    """Return the data of a `recovery:metrics_updated` event: bytes, milliseconds, bits per second.

    Args:
        row: A row of the series.
        segment: Payload of a packet, bytes, by which packets are converted.
    """
    scaled = {
        "min_rtt": (row["min_rtt_s"], 1000.0),
        "smoothed_rtt": (row["srtt_s"], 1000.0),
        "latest_rtt": (row["rtt_s"], 1000.0),
        "congestion_window": (row["cwnd_packets"], segment),
        "bytes_in_flight": (row["in_flight_packets"], segment),
        "ssthresh": (row["ssthresh_packets"], segment),
        "pacing_rate": (row["pacing_rate_bps"], 1),
    }
    known = {name: value * factor for name, (value, factor) in scaled.items() if value is not None}
    return {name: value if name.endswith("rtt") else round(value) for name, value in known.items()}


def _write(run: RunFolder, folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    group, _, flow = name.removesuffix("]").rpartition("[")
    segment = run.segment_bytes(group)
    head = {
        "qlog_format": "JSON-SEQ",
        "qlog_version": "0.3",
        "title": run.manifest["title"],
        "description": f"{name}, from the series of a simulation: packets of {segment} bytes of payload",
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
    file = folder / f"{file_name(group)}-{flow}.sqlog"
    with file.open("w", encoding="utf-8") as out:
        _record(out, head)
        for row in rows:
            data = metrics(row, segment)
            if data:
                _record(out, {"time": row["time_s"] * 1000.0, "name": "recovery:metrics_updated", "data": data})
    return file


def _record(out: Any, content: Mapping[str, Any]) -> None:
    # RFC 7464 §2.2: a record separator, the text, a line feed.
    out.write("\x1e" + json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")


PROTOCOL = "TCP"
