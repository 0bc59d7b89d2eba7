# SPDX-License-Identifier: Apache-2.0
"""Flows from qlog: of JSON, of JSON text sequences (RFC 7464), and of lines of JSON.

Sources: draft-ietf-quic-qlog-main-schema-02 (`qlog_version` 0.3) to -14 (`file_schema`, §7.1 for times), and
draft-ietf-quic-qlog-quic-events-01 to -13, whose events have the names `transport:packet_sent` and
`recovery:metrics_updated` in the first and `quic:packet_sent` and `quic:recovery_metrics_updated` in the last;
draft-marx-qlog-main-schema-00 to -02, in which an event is a row of `event_fields`, times and round-trip times have the
unit `time_units`, and numbers may be strings. Otherwise times and round-trip times are milliseconds. Windows and
amounts are bytes, rates bits per second.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.trace.json_cursor import Cursor, whole_value, why
from narrows._internal.trace.qlog_connection import HANDLERS, NOTHING, Connection, EventError, View, amount, member
from narrows._internal.trace.record import Flow, Place, Trace
from narrows._internal.trace.values import label


def is_sequence(text: str) -> bool:
    """Return whether a text begins as a sequence of qlog."""
    if text.startswith(SEPARATOR):
        return True
    try:
        head = json.loads(text.split("\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(head, dict) and isinstance(head.get("trace"), dict)


def is_contained(text: str) -> bool:
    """Return whether a text in JSON looks like qlog."""
    return any(f'"{key}"' in text for key in ("qlog_version", "qlog_format", "file_schema"))


def read_sequence(file: Path, start: str, rest: io.TextIOBase) -> Trace:
    """Read a sequence that begins with a text and goes on in a stream."""
    separator = SEPARATOR if start.startswith(SEPARATOR) else "\n"
    logs: list[_Log] = []
    cut = ""
    for number, text, last in _records(file, start, rest, separator):
        try:
            content = whole_value(text)
        except (ValueError, RecursionError) as error:
            if last and logs:
                # RFC 7464, §2.4: a record that was cut off is left out.
                cut = "the last record, which is cut off"
                break
            raise InputError(str(file), f"record {number} is damaged: {why(error)}") from None
        if not isinstance(content, dict):
            raise InputError(str(file), f"record {number} is no object")
        if "trace" in content or not logs:
            logs.append(_log(file, content.get("trace"), f"record {number}"))
        else:
            logs[-1].take(content, "record", number)
    return _trace(file, "qlog (JSON-SEQ)", logs, [cut] if cut else [])


def read_contained(file: Path, text: str) -> Trace:
    """Read the traces of an object in JSON."""
    cursor = Cursor(file, text)
    logs: list[_Log] = []
    left_out: list[str] = []
    version = ""
    for key in cursor.members():
        if key == "traces":
            for number in cursor.elements():
                if len(logs) >= MOST_FLOWS:
                    raise InputError(str(file), f"has more than {MOST_FLOWS} traces")
                log = _contained(cursor, f"trace {number}")
                if log is None:
                    left_out.append(f"trace {number}, which has no events")
                else:
                    logs.append(log)
        else:
            value = cursor.value()
            version = label(value) if key == "qlog_version" else version
    cursor.end()
    return _trace(file, f"qlog {version} (JSON)".replace("  ", " "), logs, left_out)


def _trace(file: Path, form: str, logs: list[_Log], left_out: list[str]) -> Trace:
    titles = Counter(log.title for log in logs)
    for log in logs:
        if titles[log.title] > 1 and log.kind:
            log.title += f" ({log.kind})"
    flows = [flow for log in logs for flow in log.flows()]
    if not flows:
        raise InputError(str(file), "is qlog without packets, and without metrics of recovery")
    kinds: Counter[str] = sum((log.left_out for log in logs), Counter())
    return Trace(file, form, tuple(flows), (*left_out, *(f"{count} {kind}" for kind, count in kinds.items())))


def _records(file: Path, start: str, rest: io.TextIOBase, separator: str) -> Iterator[tuple[int, str, bool]]:
    """Yield number and text of each record that is not empty, and whether it is the last."""
    held, number = start, 0
    while True:
        more = rest.read(CHUNK)
        *whole, held = (held + more).split(separator)
        for text in whole:
            if stripped := text.strip(SPACE):
                number += 1
                yield number, stripped, False
        if not more:
            break
        if len(held) > LARGEST_RECORD:
            raise InputError(str(file), f"record {number + 1} is larger than {LARGEST_RECORD >> 20} MiB")
    if stripped := held.strip(SPACE):
        yield number + 1, stripped, True


def _contained(cursor: Cursor, place: str) -> _Log | None:
    """Read a trace; None if it is an error of the logger in place of one."""
    head: dict[str, Any] = {}
    events: int | None = None
    log: _Log | None = None
    if not cursor.begins("{"):
        cursor.value()
        return None
    for key in cursor.members():
        if key != "events" or not cursor.begins("["):
            head[key] = cursor.value()
        elif "common_fields" in head or "event_fields" in head:
            log = log or _log(cursor.file, head, place)
            _events(cursor, log, place)
        else:
            # What their times mean may come behind them.
            events = cursor.at
            for _ in cursor.elements():
                cursor.value()
    if events is not None:
        behind = cursor.at
        cursor.at = events
        log = _log(cursor.file, head, place)
        _events(cursor, log, place)
        cursor.at = behind
    if log is not None:
        log.name(head)
    return log


def _events(cursor: Cursor, log: _Log, place: str) -> None:
    for number in cursor.elements():
        event = cursor.value()
        # Loggers that write a comma behind each row end with an empty one.
        if event != []:
            log.take(event, f"{place}, event", number)


def _log(file: Path, head: object, place: str) -> _Log:
    if not isinstance(head, dict):
        raise InputError(str(file), f"is no qlog: {place} has no trace")
    return _Log(file, head, place)


class _Log:
    """The events of a trace."""

    def __init__(self, file: Path, head: Mapping[str, Any], place: str) -> None:
        self.file = file
        self.connections: dict[str, Connection] = {}
        self.left_out: Counter[str] = Counter()
        self.zero: float | None = None
        self.now = 0.0
        self.least_s = 0.0
        common, configuration = (member(head, key) for key in ("common_fields", "configuration"))
        self.unit_s = 1e-6 if configuration.get("time_units") == "us" else 1e-3
        fields = head.get("event_fields")
        self.columns = _columns(file, fields, place) if isinstance(fields, list) else None
        self.delta = common.get("time_format") in DELTA
        if self.columns is not None:
            self.delta = self.columns[3]
        self.group = label(common.get("group_id"))
        protocol = common.get("protocol_type")
        self.protocol = "TCP" if protocol in ("TCP", ["TCP"]) else "QUIC"
        self.title, self.kind, self.place = "", "", Place.UNKNOWN
        self.name(head)

    def name(self, head: Mapping[str, Any]) -> None:
        """Take title and place of observation of the head of the trace."""
        vantage = member(head, "vantage_point")
        title = head.get("title") or vantage.get("name") or self.group
        self.title = label(title) or "qlog"
        kind = vantage.get("type")
        self.kind = label(kind).lower()
        self.place = PLACES.get(self.kind, Place.UNKNOWN)

    def take(self, event: object, place: str, number: int) -> None:
        """Read an event."""
        try:
            self._take(event)
        except EventError as error:
            raise InputError(str(self.file), f"{place} {number} {error}") from None

    def _take(self, event: object) -> None:
        name, time, data, group, delta = self._parts(event)
        time = amount(time, MOST_TIME, "time")
        self.now = self.now + time if delta else time
        if self.zero is None:
            self.zero = self.now
        at_s = (self.now - self.zero) * self.unit_s
        if not -LONGEST_S <= at_s <= LONGEST_S:
            raise EventError(f"is {at_s:g} s from the first event")
        self.least_s = min(at_s, self.least_s)
        handler = HANDLERS.get(name.rpartition(":")[2])
        if handler is None:
            return
        if type(data) is not dict:
            raise EventError("has data that are no object")
        connection = self.connections.get(group)
        if connection is None:
            if len(self.connections) >= MOST_FLOWS:
                raise EventError(f"begins more than {MOST_FLOWS} connections")
            connection = self.connections[group] = Connection(self.protocol, self.left_out)
        handler(connection, at_s, data)
        connection.start_s = min(at_s, connection.start_s)
        connection.end_s = max(at_s, connection.end_s)

    def flows(self) -> Iterator[Flow]:
        """Yield the flows of all connections."""
        view = View(self.place, self.least_s, MS if self.columns is None else self.unit_s)
        for group, connection in self.connections.items():
            title = f"{self.title} {group}" if len(self.connections) > 1 else self.title
            yield from connection.flows(title, view)

    def _parts(self, event: object) -> tuple[str, Any, Any, str, bool]:
        """Return name, time, data and group of an event, and whether its time counts from the event before."""
        if self.columns is not None:
            if not isinstance(event, list):
                raise EventError("is no row of event_fields")
            clock, kind, content, _ = self.columns
            if max(clock, kind, content) >= len(event):
                raise EventError(f"has {len(event)} fields")
            if not isinstance(event[kind], str):
                raise EventError("has a name that is no string")
            return event[kind].lower(), event[clock], event[content], self.group, self.delta
        if not isinstance(event, dict):
            raise EventError("is no object")
        name = event.get("name")
        if not isinstance(name, str):
            raise EventError("has no name")
        group = event.get("group_id")
        own = event.get("time_format")
        return (
            name,
            event.get("time"),
            event.get("data", NOTHING),
            self.group if group is None else label(group),
            self.delta if own is None else own in DELTA,
        )


def _columns(file: Path, fields: list[object], place: str) -> tuple[int, int, int, bool]:
    """Return the columns of time, name and data of a row, and whether the time counts from the row before."""
    names = [label(field).lower() for field in fields[:MOST_COLUMNS]]
    found = []
    for allowed in (("relative_time", "delta_time", "time"), ("event_type", "event", "name"), ("data",)):
        column = next((names.index(each) for each in allowed if each in names), None)
        if column is None:
            raise InputError(str(file), f"{place} has event_fields without {' or '.join(allowed)}")
        found.append(column)
    return found[0], found[1], found[2], names[found[0]] == "delta_time"


PLACES = {"client": Place.SENDER, "server": Place.SENDER, "network": Place.BETWEEN}
DELTA = ("delta", "relative_to_previous_event")
SEPARATOR = "\x1e"
SPACE = " \t\r\n"
MS = 1e-3
MOST_TIME = 1e17
LONGEST_S = 1e7
LARGEST_RECORD = 16 << 20
CHUNK = 1 << 20
MOST_FLOWS = 1000
MOST_COLUMNS = 100
