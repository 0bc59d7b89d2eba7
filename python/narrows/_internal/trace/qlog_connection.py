# SPDX-License-Identifier: Apache-2.0
"""The flows of a connection from its events in qlog: one that was sent, one that was received.

The payload of a packet is the length of its stream, datagram and crypto frames, or of the packet if its frames are not
logged. Delivered is what acknowledgements in received packets, or `packets_acked`, name for the first time. Marked are
the packets that `ce` counts, with the largest payload each. A timeout is an expired timer of the kind `pto`, or a
greater `pto_count`, or else a packet whose trigger is the probe timeout: the first of these that a trace has.
"""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from narrows._internal.trace.record import Data, Floats, Flow, Lost, Place, Series
from narrows._internal.trace.tcp_info import joined
from narrows._internal.trace.values import label, shown

Event = Mapping[str, Any]


class Values:
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


class Packets:
    """The packets of one space that were sent, and the packets among them that no acknowledgement has named."""

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


class View(NamedTuple):
    """How a log saw its connections: the place, the time from which times count, and the unit of round-trip times."""

    place: Place
    from_s: float
    rtt_unit_s: float


class Connection:
    """What the events of a connection show."""

    def __init__(self, protocol: str, left_out: Counter[str]) -> None:
        """Begin without events; `left_out` counts those that are left out."""
        self.protocol = protocol
        self.left_out = left_out
        self.ends: tuple[str, str] | None = None
        self.start_s, self.end_s = math.inf, -math.inf
        self.metrics = {name: Values() for name in dict.fromkeys(METRICS.values())}
        self.spaces = (Packets(), Packets(), Packets())
        self.sent, self.received = Values(), Values()
        self.offsets, self.again = array("d"), bytearray()
        self.sent_bytes, self.received_bytes, self.delivered_bytes = 0.0, 0.0, 0.0
        self.delivered = Values()
        self.marks = [0.0, 0.0, 0.0]
        self.marked = Values()
        self.lost, self.spurious = Values(), bytearray()
        self.expired, self.counts, self.probes = array("d"), array("d"), array("d")
        self.probe_count = 0.0
        self.states = {kind: Intervals() for kind in STATES}

    def packet_sent(self, at_s: float, data: Event) -> None:
        """Read a packet that was sent."""
        space, number = _header(data)
        payload = self._payload(data)
        again = number is not None and self.spaces[space].send(number, at_s, payload)
        if payload > 0:
            self.sent.add(at_s, payload)
            self.offsets.append(self._offset(data) if self.protocol == "TCP" else self.sent_bytes)
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
            raise EventError("has packet_numbers that are no list")
        self._deliver(at_s, space, ((_whole(number, "packet_numbers"),) * 2 for number in numbers))

    def packet_lost(self, at_s: float, data: Event) -> None:
        """Read a packet that is declared lost."""
        if data.get("is_mtu_probe_packet") is True:
            self.left_out["lost probes of the path MTU"] += 1
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
            found = amount(value, MOST, key)
            if name == "pto_count":
                if found > self.probe_count:
                    self.counts.append(at_s)
                self.probe_count = found
            elif name != "threshold" or found < INFINITE:
                self.metrics[name].add(at_s, found)

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

    def flows(self, title: str, view: View) -> Iterator[Flow]:
        """Yield the flow that was sent, and the flow that was received, each if the events show it."""
        metrics = {name: values.series(view.from_s) for name, values in self.metrics.items()}
        smoothed = not len(metrics["rtt"])
        rtt = metrics["smoothed_rtt" if smoothed else "rtt"]
        least = metrics["least_rtt"].values
        known: dict[str, Any] = {
            "protocol": self.protocol,
            "start_s": self.start_s - view.from_s,
            "end_s": self.end_s - view.from_s,
            "rtt": Series(rtt.times_s, rtt.values * view.rtt_unit_s),
            "smoothed": smoothed and len(rtt) > 0,
            "least_rtt_s": float(least.min()) * view.rtt_unit_s if len(least) else math.nan,
        }
        if len(self.sent) or any(len(series) for series in metrics.values()):
            yield self._sent_flow(title, view, known, metrics)
        if len(self.received):
            yield self._received_flow(title, view, known)

    def _sent_flow(self, title: str, view: View, known: Mapping[str, Any], metrics: Mapping[str, Series]) -> Flow:
        data = self.sent.series(view.from_s)
        order = _order(np.asarray(self.sent.times))
        lost = self.lost.series(view.from_s)
        largest = float(data.values.max()) if len(data) else 0.0
        return Flow(
            name=" > ".join(self.ends) if self.ends else title,
            place=view.place,
            segment_bytes=int(largest),
            data=Data(
                data.times_s, data.values, np.asarray(self.offsets)[order], np.frombuffer(self.again, np.bool_)[order]
            ),
            delivered=self.delivered.series(view.from_s, rising=True),
            in_flight=metrics["in_flight"],
            window=metrics["window"],
            threshold=metrics["threshold"],
            pacing_rate=metrics["pacing_rate"],
            lost=Lost(
                lost.times_s,
                lost.values - view.from_s,
                np.frombuffer(self.spurious, np.bool_)[_order(np.asarray(self.lost.times))],
            ),
            timeouts_s=np.sort(np.unique(self.expired or self.counts or self.probes) - view.from_s),
            marked=self.marked.series(view.from_s, largest, rising=True),
            application_limited=self.states["application"].found(self.end_s, view.from_s),
            receiver_limited=self.states["receiver"].found(self.end_s, view.from_s),
            **known,
        )

    def _received_flow(self, title: str, view: View, known: Mapping[str, Any]) -> Flow:
        data = self.received.series(view.from_s)
        total = np.cumsum(data.values)
        return Flow(
            name=" > ".join(reversed(self.ends)) if self.ends else f"{title}, received",
            place=Place.RECEIVER if view.place is Place.SENDER else view.place,
            segment_bytes=int(data.values.max()),
            data=Data(data.times_s, data.values, total - data.values, np.zeros(len(data), dtype=np.bool_)),
            delivered=Series(data.times_s, total),
            **known,
        )

    def _acknowledged(self, at_s: float, space: int, frame: Event) -> None:
        ranges = frame.get("acked_ranges", [])
        if type(ranges) is not list:
            raise EventError("has acked_ranges that are no list")
        self._deliver(at_s, space, map(_range, ranges))
        marks = frame.get("ce")
        if marks is not None:
            self.marks[space] = max(self.marks[space], amount(marks, MOST, "ce"))
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
                    raise EventError("has a frame that is no object")
                if frame.get("frame_type") in PAYLOAD:
                    length = frame.get("length")
                    if length is None:
                        raw = member(frame, "raw")
                        length = raw.get("payload_length", raw.get("length"))
                    if length is None:
                        break
                    total += amount(length, LARGEST_PACKET, "length")
            else:
                return total
        raw, header = member(data, "raw"), member(data, "header")
        for where, key in (
            (raw, "payload_length"),
            (raw, "length"),
            (header, "payload_length"),
            (header, "packet_size"),
        ):
            if where.get(key) is not None:
                self.left_out["packets have the size of the packet, as their frames are not logged"] += 1
                return amount(where[key], LARGEST_PACKET, key)
        return 0.0

    def _offset(self, data: Event) -> float:
        """Return the position of the first frame of a stream, or the sum of all bytes before."""
        frames = data.get("frames")
        for frame in frames if type(frames) is list else ():
            if frame.get("frame_type") == "stream" and frame.get("offset") is not None:
                return amount(frame["offset"], MOST, "offset")
        return self.sent_bytes


class Intervals:
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


class EventError(Exception):
    """The fault of an event, as a sentence without its subject."""


def _header(data: Event) -> tuple[int, int | None]:
    """Return the space of packet numbers of a packet, and its number."""
    header = data.get("header")
    if type(header) is not dict:
        header = NOTHING
    kind, number = header.get("packet_type"), header.get("packet_number")
    if kind is None:
        kind = data.get("packet_type")
    if number is None:
        number = data.get("packet_number")
    space = SPACES.get(kind, APPLICATION) if type(kind) is str else APPLICATION
    return space, None if number is None else _whole(number, "packet_number")


def _range(found: object) -> tuple[int, int]:
    if type(found) is not list or len(found) not in {1, 2}:
        raise EventError("has acked_ranges that are no pairs")
    first, last = _whole(found[0], "acked_ranges"), _whole(found[-1], "acked_ranges")
    if first > last:
        raise EventError("has acked_ranges that end before they begin")
    return first, last


def _whole(value: Any, what: str) -> int:
    if type(value) is str and value.isdigit() and value.isascii() and len(value) <= DIGITS:
        value = int(value)
    if type(value) is not int or not 0 <= value < MOST:
        raise EventError(f"has {what} {shown(value)}, no whole number from 0 to 2^64")
    return value


def amount(value: Any, most: float, what: str) -> float:
    """Return a number, which old logs have as a string."""
    if type(value) is str and NUMBER.fullmatch(value):
        value = float(value)
    if (type(value) is not int and type(value) is not float) or not 0 <= value <= most:
        raise EventError(f"has {what} {shown(value)}, no number from 0 to {most:g}")
    return float(value)


def member(holder: Event, key: str) -> Event:
    """Return the object that a member is; an empty one if it is none."""
    found = holder.get(key)
    return found if isinstance(found, dict) else NOTHING


def _end(holder: Event, *pairs: tuple[str, str]) -> str:
    """Return the address and the port of an end; nothing if they are not there."""
    for address, port in pairs:
        if holder.get(address):
            host = label(holder[address])
            return f"[{host}]:{label(holder.get(port))}" if ":" in host else f"{host}:{label(holder.get(port))}"
    return ""


def _order(times: Floats) -> Any:
    """Return the order of times; a slice if they ascend."""
    return slice(None) if not np.any(np.diff(times) < 0) else np.argsort(times, kind="stable")


Handler = Callable[[Connection, float, Event], None]

NOTHING: Event = {}
METRICS = {
    "latest_rtt": "rtt", "smoothed_rtt": "smoothed_rtt", "min_rtt": "least_rtt", "congestion_window": "window",
    "cwnd": "window", "bytes_in_flight": "in_flight", "ssthresh": "threshold", "pacing_rate": "pacing_rate",
    "pto_count": "pto_count",
}  # fmt: skip
HANDLERS: dict[str, Handler] = {
    "packet_sent": Connection.packet_sent,
    "packet_received": Connection.packet_received,
    "packets_acked": Connection.packets_acked,
    "packet_lost": Connection.packet_lost,
    "metrics_updated": Connection.metrics_updated,
    "metric_update": Connection.metrics_updated,
    "recovery_metrics_updated": Connection.metrics_updated,
    "loss_timer_updated": Connection.timer_updated,
    "timer_updated": Connection.timer_updated,
    "congestion_state_updated": Connection.state_updated,
    "connection_data_blocked_updated": Connection.blocked_updated,
    "connection_started": Connection.started,
    "connection_new": Connection.started,
}
STATES = {"application": ("application",), "receiver": ("connection_flow_control", "stream_flow_control")}
"""Reasons for which a connection is blocked (quic-events-13, §5.17), by what they show."""

INITIAL, HANDSHAKE, APPLICATION = range(3)
SPACES = {"initial": INITIAL, "INITIAL": INITIAL, "handshake": HANDSHAKE, "HANDSHAKE": HANDSHAKE}
# Tuples: the value that is looked up may have no hash. Draft 00 has capital letters.
PAYLOAD = ("stream", "datagram", "crypto", "STREAM", "CRYPTO")
ACKNOWLEDGEMENTS = ("ack", "ACK")
PROBES = ("pto_probe", "pto_expired", "retransmit_timeout")
NUMBER = re.compile(r"\d{1,20}(?:\.\d{0,20})?", re.ASCII)
MOST = 2**64
DIGITS = 20
INFINITE = 2**31 - 1
LARGEST_PACKET = 1 << 20
