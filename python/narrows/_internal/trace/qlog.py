# SPDX-License-Identifier: Apache-2.0
"""Flows from qlog: of JSON, of JSON text sequences (RFC 7464), and of lines of JSON.

Sources: draft-ietf-quic-qlog-main-schema-02 (`qlog_version` 0.3) to -14 (`file_schema`, §7.1 for times), and
draft-ietf-quic-qlog-quic-events-01 to -13, whose events have the names `transport:packet_sent` and
`recovery:metrics_updated` in the first and `quic:packet_sent` and `quic:recovery_metrics_updated` in the last;
draft-marx-qlog-main-schema-00 to -02, in which an event is a row of `event_fields`, times and round-trip times have the
unit `time_units`, and numbers may be strings. Otherwise times and round-trip times are milliseconds. Windows and
amounts are bytes, rates bits per second.

The payload of a packet is the length of its stream, datagram and crypto frames, or of the packet if its frames are not
logged. Delivered is what acknowledgements in received packets, or `packets_acked`, name for the first time. Marked are
the packets that `ce` counts, with the largest payload each. A timeout is an expired timer of the kind `pto`, or a
greater `pto_count`, or else a packet whose trigger is the probe timeout: the first of these that a trace has.
"""

from __future__ import annotations

import io
import json
import math
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from narrows._internal.errors import InputError
from narrows._internal.trace.record import Data, Floats, Flow, Lost, Place, Series, Trace
from narrows._internal.trace.tcp_info import joined

Event = Mapping[str, Any]


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
            content = _whole_value(text)
        except (ValueError, RecursionError) as error:
            if last and logs:
                # RFC 7464, §2.4: a record that was cut off is left out.
                cut = "the last record, which is cut off"
                break
            raise InputError(str(file), f"record {number} is damaged: {_why(error)}") from None
        if not isinstance(content, dict):
            raise InputError(str(file), f"record {number} is no object")
        if "trace" in content or not logs:
            logs.append(_log(file, content.get("trace"), f"record {number}"))
        else:
            logs[-1].take(content, "record", number)
    return _trace(file, "qlog (JSON-SEQ)", logs, [cut] if cut else [])


def read_contained(file: Path, text: str) -> Trace:
    """Read the traces of an object in JSON."""
    cursor = _Cursor(file, text)
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
            version = str(value)[:SHOWN] if key == "qlog_version" else version
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


def _whole_value(text: str) -> Any:
    content, end = DECODER.raw_decode(text)
    if end != len(text):
        raise ValueError(f"there is more behind character {end}")
    return content


class _Cursor:
    """A place in a text in JSON, so that a trace of many events need not be in memory as objects."""

    def __init__(self, file: Path, text: str) -> None:
        self.file = file
        self.text = text
        self.at = 0

    def value(self) -> Any:
        """Read a value."""
        self._skip()
        try:
            found, self.at = DECODER.raw_decode(self.text, self.at)
        except (ValueError, RecursionError) as error:
            at = getattr(error, "pos", self.at)
            line = self.text.count("\n", 0, at) + 1
            raise InputError(str(self.file), f"line {line}, character {at}: {_why(error)}") from None
        return found

    def members(self) -> Iterator[str]:
        """Yield the key of each member of an object; its value is read in between."""
        self._expect("{")
        while not self._is("}"):
            key = self.value()
            if not isinstance(key, str):
                raise self._error("a key that is no string")
            self._expect(":")
            yield key
            if not self._is(","):
                self._expect("}")
                return

    def elements(self) -> Iterator[int]:
        """Yield the number of each element of a list; it is read in between."""
        self._expect("[")
        number = 0
        while not self._is("]"):
            number += 1
            yield number
            if not self._is(","):
                self._expect("]")
                return

    def begins(self, character: str) -> bool:
        """Return whether the next value begins with a character."""
        if self.text.startswith(character, self.at):
            return True
        self._skip()
        return self.text.startswith(character, self.at)

    def end(self) -> None:
        """Refuse more text."""
        self._skip()
        if self.at < len(self.text):
            raise self._error("text behind the end of the log")

    def _is(self, character: str) -> bool:
        found = self.begins(character)
        self.at += found
        return found

    def _expect(self, character: str) -> None:
        if not self._is(character):
            cut = self.at >= len(self.text)
            raise self._error("the end of a log that is cut off" if cut else f"something else than {character!r}")

    def _skip(self) -> None:
        found = BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _error(self, what: str) -> InputError:
        line = self.text.count("\n", 0, self.at) + 1
        return InputError(str(self.file), f"line {line}, character {self.at}: {what}")


def _contained(cursor: _Cursor, place: str) -> _Log | None:
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


def _events(cursor: _Cursor, log: _Log, place: str) -> None:
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
        self.connections: dict[str, _Connection] = {}
        self.left_out: Counter[str] = Counter()
        self.zero: float | None = None
        self.now = 0.0
        self.least_s = 0.0
        common, configuration = (_object(head, key) for key in ("common_fields", "configuration"))
        self.unit_s = 1e-6 if configuration.get("time_units") == "us" else 1e-3
        fields = head.get("event_fields")
        self.columns = _columns(file, fields, place) if isinstance(fields, list) else None
        self.delta = common.get("time_format") in DELTA
        if self.columns is not None:
            self.delta = self.columns[3]
        self.group = str(common.get("group_id", ""))[:SHOWN]
        protocol = common.get("protocol_type")
        self.protocol = "TCP" if protocol in ("TCP", ["TCP"]) else "QUIC"
        self.title, self.kind, self.place = "", "", Place.UNKNOWN
        self.name(head)

    def name(self, head: Mapping[str, Any]) -> None:
        """Take title and place of observation of the head of the trace."""
        vantage = _object(head, "vantage_point")
        title = head.get("title") or vantage.get("name") or self.group or "qlog"
        self.title = str(title)[:SHOWN]
        kind = vantage.get("type")
        self.kind = kind[:SHOWN].lower() if isinstance(kind, str) else ""
        self.place = PLACES.get(self.kind, Place.UNKNOWN)

    def take(self, event: object, place: str, number: int) -> None:
        """Read an event."""
        try:
            self._take(event)
        except _WrongError as error:
            raise InputError(str(self.file), f"{place} {number} {error}") from None

    def _take(self, event: object) -> None:
        name, time, data, group, delta = self._parts(event)
        time = _amount(time, MOST_TIME, "time")
        self.now = self.now + time if delta else time
        if self.zero is None:
            self.zero = self.now
        at_s = (self.now - self.zero) * self.unit_s
        if not -LONGEST_S <= at_s <= LONGEST_S:
            raise _WrongError(f"is {at_s:g} s from the first event")
        self.least_s = min(at_s, self.least_s)
        handler = HANDLERS.get(name.rpartition(":")[2])
        if handler is None:
            return
        if type(data) is not dict:
            raise _WrongError("has data that are no object")
        connection = self.connections.get(group)
        if connection is None:
            if len(self.connections) >= MOST_FLOWS:
                raise _WrongError(f"begins more than {MOST_FLOWS} connections")
            connection = self.connections[group] = _Connection(self)
        handler(connection, at_s, data)
        connection.start_s = min(at_s, connection.start_s)
        connection.end_s = max(at_s, connection.end_s)

    def flows(self) -> Iterator[Flow]:
        """Yield the flows of all connections."""
        for group, connection in self.connections.items():
            title = f"{self.title} {group}" if len(self.connections) > 1 else self.title
            yield from connection.flows(title, self)

    def _parts(self, event: object) -> tuple[str, Any, Any, str, bool]:
        """Return name, time, data and group of an event, and whether its time counts from the event before."""
        if self.columns is not None:
            if not isinstance(event, list):
                raise _WrongError("is no row of event_fields")
            clock, kind, content, _ = self.columns
            if max(clock, kind, content) >= len(event):
                raise _WrongError(f"has {len(event)} fields")
            if not isinstance(event[kind], str):
                raise _WrongError("has a name that is no string")
            return event[kind].lower(), event[clock], event[content], self.group, self.delta
        if not isinstance(event, dict):
            raise _WrongError("is no object")
        name = event.get("name")
        if not isinstance(name, str):
            raise _WrongError("has no name")
        group = event.get("group_id")
        own = event.get("time_format")
        return (
            name,
            event.get("time"),
            event.get("data", EMPTY),
            self.group if group is None else str(group)[:SHOWN],
            self.delta if own is None else own in DELTA,
        )


class _Values:
    """Values over time."""

    def __init__(self) -> None:
        self.times = array("d")
        self.values = array("d")

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.times)

    def add(self, at_s: float, value: float) -> None:
        """Add a value."""
        self.times.append(at_s)
        self.values.append(value)

    def series(self, from_s: float, scale: float = 1.0, *, rising: bool = False) -> Series:
        """Return the values in the order of their times."""
        times, values = np.asarray(self.times) - from_s, np.asarray(self.values) * scale
        order = _order(times)
        values = values[order]
        return Series(times[order], np.maximum.accumulate(values) if rising else values)


class _Packets:
    """The packets of one space that were sent, and those of them that no acknowledgement has named."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.payload = array("d")
        self.times = array("d")
        self.losses: dict[int, int] = {}
        # The next packet from each place on that is not acknowledged, with shortcuts: each is passed over once.
        self.next = array("q")

    def send(self, number: int, at_s: float, payload: float) -> bool:
        """Add a packet; return whether its number has been sent before."""
        if not self.numbers or number > self.numbers[-1]:
            self.next.append(len(self.numbers))
            self.numbers.append(number)
            self.times.append(at_s)
            self.payload.append(payload)
            return False
        place = self.find(number)
        if place is not None:
            self.times[place] = at_s
            self.losses.pop(place, None)
        return place is not None

    def find(self, number: int | None) -> int | None:
        """Return the place of a packet."""
        if number is None:
            return None
        place = bisect_left(self.numbers, number)
        return place if place < len(self.numbers) and self.numbers[place] == number else None

    def acknowledge(self, first: int, last: int) -> Iterator[int]:
        """Yield the places of packets in a range that are acknowledged for the first time."""
        place = self._open(bisect_left(self.numbers, first))
        while place < len(self.numbers) and self.numbers[place] <= last:
            self.next[place] = place + 1
            yield place
            place = self._open(place + 1)

    def _open(self, place: int) -> int:
        following, count = self.next, len(self.next)
        end = place
        while end < count and following[end] != end:
            end = following[end]
        while place < end:
            following[place], place = end, following[place]
        return end


class _Connection:
    """What the events of a connection show."""

    def __init__(self, log: _Log) -> None:
        self.log = log
        self.ends: tuple[str, str] | None = None
        self.start_s, self.end_s = math.inf, -math.inf
        self.metrics = {name: _Values() for name in dict.fromkeys(METRICS.values())}
        self.spaces = (_Packets(), _Packets(), _Packets())
        self.sent, self.received = _Values(), _Values()
        self.offsets, self.again = array("d"), bytearray()
        self.sent_bytes, self.received_bytes, self.delivered_bytes = 0.0, 0.0, 0.0
        self.delivered = _Values()
        self.marks = [0.0, 0.0, 0.0]
        self.marked = _Values()
        self.lost, self.spurious = _Values(), bytearray()
        self.expired, self.counts, self.probes = array("d"), array("d"), array("d")
        self.probe_count = 0.0
        self.states = {kind: _Intervals() for kind in STATES}

    def packet_sent(self, at_s: float, data: Event) -> None:
        """Read a packet that was sent."""
        space, number = _header(data)
        payload = self._payload(data)
        again = number is not None and self.spaces[space].send(number, at_s, payload)
        if payload > 0:
            self.sent.add(at_s, payload)
            self.offsets.append(self._offset(data) if self.log.protocol == "TCP" else self.sent_bytes)
            self.again.append(again)
            self.sent_bytes += payload
        if data.get("trigger") in PROBES:
            self.probes.append(at_s)

    def packet_received(self, at_s: float, data: Event) -> None:
        """Read a packet that arrived."""
        space, _ = _header(data)
        frames = data.get("frames")
        for frame in frames if type(frames) is list else ():
            if type(frame) is dict and frame.get("frame_type") in ACKNOWLEDGEMENTS:
                self._acknowledged(at_s, space, frame)
        payload = self._payload(data)
        if payload > 0:
            self.received_bytes += payload
            self.received.add(at_s, payload)

    def packets_acked(self, at_s: float, data: Event) -> None:
        """Read the packets that the sender takes as acknowledged."""
        space = SPACES.get(str(data.get("packet_number_space")), APPLICATION)
        numbers = data.get("packet_numbers", [])
        if not isinstance(numbers, list):
            raise _WrongError("has packet_numbers that are no list")
        self._deliver(at_s, space, ((_whole(number, "packet_numbers"),) * 2 for number in numbers))

    def packet_lost(self, at_s: float, data: Event) -> None:
        """Read a packet that is declared lost."""
        if data.get("is_mtu_probe_packet") is True:
            self.log.left_out["lost probes of the path MTU"] += 1
            return
        space, number = _header(data)
        packets = self.spaces[space]
        place = packets.find(number)
        self.lost.add(at_s, math.nan if place is None else packets.times[place])
        if place is not None:
            packets.losses[place] = len(self.spurious)
        self.spurious.append(0)
        if data.get("trigger") in PROBES:
            self.probes.append(at_s)

    def metrics_updated(self, at_s: float, data: Event) -> None:
        """Read metrics of recovery."""
        for key, value in data.items():
            name = METRICS.get(key)
            if name is None or value is None:
                continue
            amount = _amount(value, MOST, key)
            if name == "pto_count":
                if amount > self.probe_count:
                    self.counts.append(at_s)
                self.probe_count = amount
            elif name != "threshold" or amount < INFINITE:
                self.metrics[name].add(at_s, amount)

    def timer_updated(self, at_s: float, data: Event) -> None:
        """Read a timer of loss recovery."""
        if data.get("event_type") == "expired" and data.get("timer_type") == "pto":
            self.expired.append(at_s)

    def state_updated(self, at_s: float, data: Event) -> None:
        """Read a state of the congestion controller."""
        new = data.get("new")
        limited = isinstance(new, str) and new.lower().replace(" ", "_") == "application_limited"
        self.states["application"].set(at_s, begins=limited)

    def blocked_updated(self, at_s: float, data: Event) -> None:
        """Read whether the connection can send."""
        reason = data.get("reason")
        begins = data.get("new") == "blocked"
        for kind, reasons in STATES.items():
            if not begins or reason in reasons:
                self.states[kind].set(at_s, begins=begins)

    def started(self, _: float, data: Event) -> None:
        """Read the addresses of the ends."""
        local, remote = (data.get(key) for key in ("local", "remote"))
        if isinstance(local, dict) and isinstance(remote, dict):
            ends = [_end(each, ("ip_v4", "port_v4"), ("ip_v6", "port_v6")) for each in (local, remote)]
        else:
            ends = [_end(data, (f"{way}_ip", f"{way}_port")) for way in ("src", "dst")]
        if all(ends):
            self.ends = (ends[0], ends[1])

    def flows(self, title: str, log: _Log) -> Iterator[Flow]:
        """Yield the flow that was sent, and the flow that was received, each if the events show it."""
        metrics = {name: values.series(log.least_s) for name, values in self.metrics.items()}
        smoothed = not len(metrics["rtt"])
        rtt = metrics["smoothed_rtt" if smoothed else "rtt"]
        least = metrics["least_rtt"].values
        known: dict[str, Any] = {
            "protocol": log.protocol,
            "start_s": self.start_s - log.least_s,
            "end_s": self.end_s - log.least_s,
            "rtt": Series(rtt.times_s, rtt.values * log.unit_s if log.columns else rtt.values * MS),
            "smoothed": smoothed and len(rtt) > 0,
            "least_rtt_s": float(least.min()) * (log.unit_s if log.columns else MS) if len(least) else math.nan,
        }
        if len(self.sent) or any(len(series) for series in metrics.values()):
            yield self._sent_flow(title, log, known, metrics)
        if len(self.received):
            yield self._received_flow(title, log, known)

    def _sent_flow(self, title: str, log: _Log, known: Mapping[str, Any], metrics: Mapping[str, Series]) -> Flow:
        data = self.sent.series(log.least_s)
        order = _order(np.asarray(self.sent.times))
        lost = self.lost.series(log.least_s)
        largest = float(data.values.max()) if len(data) else 0.0
        return Flow(
            name=" > ".join(self.ends) if self.ends else title,
            place=log.place,
            segment_bytes=int(largest),
            data=Data(
                data.times_s, data.values, np.asarray(self.offsets)[order], np.frombuffer(self.again, np.bool_)[order]
            ),
            delivered=self.delivered.series(log.least_s, rising=True),
            in_flight=metrics["in_flight"],
            window=metrics["window"],
            threshold=metrics["threshold"],
            pacing_rate=metrics["pacing_rate"],
            lost=Lost(
                lost.times_s,
                lost.values - log.least_s,
                np.frombuffer(self.spurious, np.bool_)[_order(np.asarray(self.lost.times))],
            ),
            timeouts_s=np.sort(np.unique(self.expired or self.counts or self.probes) - log.least_s),
            marked=self.marked.series(log.least_s, largest, rising=True),
            application_limited=self.states["application"].found(self.end_s, log.least_s),
            receiver_limited=self.states["receiver"].found(self.end_s, log.least_s),
            **known,
        )

    def _received_flow(self, title: str, log: _Log, known: Mapping[str, Any]) -> Flow:
        data = self.received.series(log.least_s)
        total = np.cumsum(data.values)
        return Flow(
            name=" > ".join(reversed(self.ends)) if self.ends else f"{title}, received",
            place=Place.RECEIVER if log.place is Place.SENDER else log.place,
            segment_bytes=int(data.values.max()),
            data=Data(data.times_s, data.values, total - data.values, np.zeros(len(data), dtype=np.bool_)),
            delivered=Series(data.times_s, total),
            **known,
        )

    def _acknowledged(self, at_s: float, space: int, frame: Event) -> None:
        ranges = frame.get("acked_ranges", [])
        if type(ranges) is not list:
            raise _WrongError("has acked_ranges that are no list")
        self._deliver(at_s, space, map(_range, ranges))
        marks = frame.get("ce")
        if marks is not None:
            self.marks[space] = max(self.marks[space], _amount(marks, MOST, "ce"))
            self.marked.add(at_s, sum(self.marks))

    def _deliver(self, at_s: float, space: int, ranges: Iterator[tuple[int, int]]) -> None:
        packets = self.spaces[space]
        before = self.delivered_bytes
        for first, last in ranges:
            for place in packets.acknowledge(first, last):
                self.delivered_bytes += packets.payload[place]
                lost = packets.losses.get(place)
                if lost is not None:
                    self.spurious[lost] = 1
        if self.delivered_bytes > before:
            self.delivered.add(at_s, self.delivered_bytes)

    def _payload(self, data: Event) -> float:
        """Return the payload of a packet, bytes."""
        frames = data.get("frames")
        if type(frames) is list:
            total = 0.0
            for frame in frames:
                if type(frame) is not dict:
                    raise _WrongError("has a frame that is no object")
                if frame.get("frame_type") in PAYLOAD:
                    length = frame.get("length")
                    if length is None:
                        raw = _object(frame, "raw")
                        length = raw.get("payload_length", raw.get("length"))
                    if length is None:
                        break
                    total += _amount(length, LARGEST_PACKET, "length")
            else:
                return total
        raw, header = _object(data, "raw"), _object(data, "header")
        for where, key in (
            (raw, "payload_length"),
            (raw, "length"),
            (header, "payload_length"),
            (header, "packet_size"),
        ):
            if where.get(key) is not None:
                self.log.left_out["packets have the size of the packet, as their frames are not logged"] += 1
                return _amount(where[key], LARGEST_PACKET, key)
        return 0.0

    def _offset(self, data: Event) -> float:
        """Return the position of the first frame of a stream, or the sum of all bytes before."""
        frames = data.get("frames")
        for frame in frames if type(frames) is list else ():
            if frame.get("frame_type") == "stream" and frame.get("offset") is not None:
                return _amount(frame["offset"], MOST, "offset")
        return self.sent_bytes


class _Intervals:
    """Intervals in which something holds."""

    def __init__(self) -> None:
        self.starts, self.ends = array("d"), array("d")

    def set(self, at_s: float, *, begins: bool) -> None:
        """Begin an interval, or end it."""
        if begins and len(self.starts) == len(self.ends):
            self.starts.append(at_s)
        elif not begins and len(self.starts) > len(self.ends):
            self.ends.append(at_s)

    def found(self, end_s: float, from_s: float) -> Floats | None:
        """Return the intervals; None if there has been none, since a logger may not know."""
        if not self.starts:
            return None
        ends = [*self.ends, end_s][: len(self.starts)]
        return joined(np.asarray(self.starts) - from_s, np.asarray(ends) - from_s)


class _WrongError(Exception):
    """What is wrong with an event, as a sentence without its subject."""


def _columns(file: Path, fields: list[object], place: str) -> tuple[int, int, int, bool]:
    """Return the columns of time, name and data of a row, and whether the time counts from the row before."""
    names = [str(field).lower() for field in fields[:MOST_COLUMNS]]
    found = []
    for allowed in (("relative_time", "delta_time", "time"), ("event_type", "event", "name"), ("data",)):
        column = next((names.index(each) for each in allowed if each in names), None)
        if column is None:
            raise InputError(str(file), f"{place} has event_fields without {' or '.join(allowed)}")
        found.append(column)
    return found[0], found[1], found[2], names[found[0]] == "delta_time"


def _header(data: Event) -> tuple[int, int | None]:
    """Return the space of packet numbers of a packet, and its number."""
    header = data.get("header")
    if type(header) is not dict:
        header = EMPTY
    kind, number = header.get("packet_type"), header.get("packet_number")
    if kind is None:
        kind = data.get("packet_type")
    if number is None:
        number = data.get("packet_number")
    space = SPACES.get(kind, APPLICATION) if type(kind) is str else APPLICATION
    return space, None if number is None else _whole(number, "packet_number")


def _range(found: object) -> tuple[int, int]:
    if type(found) is not list or len(found) not in {1, 2}:
        raise _WrongError("has acked_ranges that are no pairs")
    first, last = _whole(found[0], "acked_ranges"), _whole(found[-1], "acked_ranges")
    if first > last:
        raise _WrongError("has acked_ranges that end before they begin")
    return first, last


def _whole(value: Any, what: str) -> int:
    if type(value) is str and value.isdigit() and value.isascii() and len(value) <= DIGITS:
        value = int(value)
    if type(value) is not int or not 0 <= value < MOST:
        raise _WrongError(f"has {what} {_shown(value)}, no whole number from 0 to 2^64")
    return value


def _amount(value: Any, most: float, what: str) -> float:
    if type(value) is str and NUMBER.fullmatch(value):
        value = float(value)
    if (type(value) is not int and type(value) is not float) or not 0 <= value <= most:
        raise _WrongError(f"has {what} {_shown(value)}, no number from 0 to {most:g}")
    return float(value)


def _shown(value: object) -> str:
    # The digits of a long integer are not to be computed.
    return "that is too large" if isinstance(value, int) and abs(value) > MOST else repr(value)[:SHOWN]


def _object(holder: Event, key: str) -> Event:
    found = holder.get(key)
    return found if isinstance(found, dict) else EMPTY


def _end(holder: Event, *pairs: tuple[str, str]) -> str:
    """Return the address and the port of an end; nothing if they are not there."""
    for address, port in pairs:
        if holder.get(address):
            shown = str(holder[address])[:SHOWN]
            return f"[{shown}]:{holder.get(port)}"[:SHOWN] if ":" in shown else f"{shown}:{holder.get(port)}"[:SHOWN]
    return ""


def _order(times: Floats) -> Any:
    """Return the order of times; a slice if they ascend."""
    return slice(None) if not np.any(np.diff(times) < 0) else np.argsort(times, kind="stable")


def _why(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:SHOWN]


Handler = Callable[[_Connection, float, Event], None]

EMPTY: Event = {}
METRICS = {
    "latest_rtt": "rtt", "smoothed_rtt": "smoothed_rtt", "min_rtt": "least_rtt", "congestion_window": "window",
    "cwnd": "window", "bytes_in_flight": "in_flight", "ssthresh": "threshold", "pacing_rate": "pacing_rate",
    "pto_count": "pto_count",
}  # fmt: skip
HANDLERS: dict[str, Handler] = {
    "packet_sent": _Connection.packet_sent,
    "packet_received": _Connection.packet_received,
    "packets_acked": _Connection.packets_acked,
    "packet_lost": _Connection.packet_lost,
    "metrics_updated": _Connection.metrics_updated,
    "metric_update": _Connection.metrics_updated,
    "recovery_metrics_updated": _Connection.metrics_updated,
    "loss_timer_updated": _Connection.timer_updated,
    "timer_updated": _Connection.timer_updated,
    "congestion_state_updated": _Connection.state_updated,
    "connection_data_blocked_updated": _Connection.blocked_updated,
    "connection_started": _Connection.started,
    "connection_new": _Connection.started,
}
STATES = {"application": ("application",), "receiver": ("connection_flow_control", "stream_flow_control")}
"""Reasons for which a connection is blocked (quic-events-13, §4.17), by what they show."""

PLACES = {"client": Place.SENDER, "server": Place.SENDER, "network": Place.BETWEEN}
INITIAL, HANDSHAKE, APPLICATION = range(3)
SPACES = {"initial": INITIAL, "INITIAL": INITIAL, "handshake": HANDSHAKE, "HANDSHAKE": HANDSHAKE}
# Tuples: what is looked up may have no hash. Draft 00 has capital letters.
PAYLOAD = ("stream", "datagram", "crypto", "STREAM", "CRYPTO")
ACKNOWLEDGEMENTS = ("ack", "ACK")
PROBES = ("pto_probe", "pto_expired", "retransmit_timeout")
DELTA = ("delta", "relative_to_previous_event")
SEPARATOR = "\x1e"
DECODER = json.JSONDecoder()
BLANK = re.compile(r"[ \t\r\n]*")
NUMBER = re.compile(r"\d{1,20}(?:\.\d{0,20})?", re.ASCII)
SPACE = " \t\r\n"
MS = 1e-3
MOST = 2**64
DIGITS = 20
INFINITE = 2**31 - 1
MOST_TIME = 1e17
LONGEST_S = 1e7
LARGEST_PACKET = 1 << 20
LARGEST_RECORD = 16 << 20
CHUNK = 1 << 20
MOST_FLOWS = 1000
MOST_COLUMNS = 100
SHOWN = 100
