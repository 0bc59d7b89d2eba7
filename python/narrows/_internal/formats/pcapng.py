# SPDX-License-Identifier: Apache-2.0
"""The packet log of a run as a pcapng capture, for Wireshark and similar tools."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.files.run_folder import RunFolder, bytes_of
from narrows._internal.formats import blocks, headers
from narrows._internal.versions import version

if TYPE_CHECKING:
    import pyarrow as pa


class Point(NamedTuple):
    """A point at which packets are captured."""

    name: str
    place: str
    events: frozenset[str]


def write(run: RunFolder, file: Path, at: Sequence[str], replication: int | None) -> int:
    """Write a capture."""
    table = run.table("packets", "has no packet log: the scenario must say record.packets = true")
    number = run.replication(replication)
    wanted = choose(at, known(table), str(run.path))
    flows = _Flows(run, table.filter(_equal(table, "replication", number)))
    count = 0
    with file.open("wb") as out:
        out.write(blocks.section(f"narrows {version('narrows')}"))
        for point in wanted:
            out.write(blocks.interface(point.name, f"packets {', '.join(sorted(point.events))} there"))
        interfaces = {(point.place, event): place for place, point in enumerate(wanted) for event in point.events}
        for row in flows.rows(interfaces):
            interface = interfaces[row["place"], row["event"]]
            content, length = flows.packet(row)
            outbound = {"sent": True, "received": False}.get(row["event"])
            out.write(blocks.packet(blocks.Seen(interface, row["time_ps"] // 1000, content, length, outbound)))
            count += 1
    return count


def known(table: pa.Table) -> list[Point]:
    """Return every point of a packet log: sender, receiver, and per link its deliveries and its drops."""
    places = [place for place in table["place"].unique().to_pylist() if place not in {"sender", "receiver"}]
    ends = [Point(name, name, frozenset({"sent", "received"})) for name in ("sender", "receiver")]
    links = [
        point
        for place in sorted(places)
        for point in (
            Point(place, place, frozenset({"departed"})),
            Point(f"{place} dropped", place, frozenset({"dropped", "lost"})),
        )
    ]
    return ends + links


def choose(at: Sequence[str], points: Sequence[Point], folder: str) -> list[Point]:
    """Return the points of these names."""
    if "all" in at:
        return list(points)
    named = {point.name: point for point in points}
    for name in at:
        if name not in named:
            raise InputError(folder, f"no packets are logged at {name!r}; allowed: {', '.join(named)}, all")
    return [named[name] for name in dict.fromkeys(at)]


def _equal(table: pa.Table, column: str, value: object) -> Any:
    import pyarrow.compute as pc

    return pc.equal(table[column], value)


class _Flow(NamedTuple):
    """The properties of a flow that its headers need."""

    addresses: tuple[int, int]
    port: int
    segment: int
    short: tuple[int, ...]
    """Numbers of segments that are not full, ascending: the last of a transfer, or of each write of an application."""
    missing: tuple[int, ...]
    """What all before each of them lack of a full segment together, and all of them, bytes."""
    window: int
    scale: int
    ecn: bool

    def offset(self, segments: int) -> int:
        """Return the sequence number of the byte that follows this many segments."""
        return 1 + segments * self.segment - self.missing[bisect_left(self.short, segments)]


class _Flows:
    def __init__(self, run: RunFolder, table: pa.Table) -> None:
        self._table = table
        self._flows: dict[tuple[str, int, int], _Flow] = {}
        self._groups = {str(each["name"]): place for place, each in enumerate(run.scenario["flows"])}
        self._describe(run)

    def rows(self, wanted: Iterable[tuple[str, str]]) -> Iterator[dict[str, Any]]:
        """Yield the rows of these places and events."""
        import pyarrow.compute as pc

        chosen = pc.scalar(False)  # noqa: FBT003  # if there are no points, there are no rows
        for place, event in wanted:
            chosen |= (pc.field("place") == place) & (pc.field("event") == event)
        for batch in self._table.filter(chosen).to_batches(max_chunksize=ROWS):
            names = batch.schema.names
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                yield dict(zip(names, values, strict=True))

    def packet(self, row: dict[str, Any]) -> tuple[bytes, int]:
        """Return the headers of a packet and its length with payload, bytes."""
        flow = self._flows[row["group"], row["flow"], row["turn"]]
        forward = row["kind"] in FORWARD
        addresses = flow.addresses if forward else flow.addresses[::-1]
        if row["kind"] in DATAGRAMS:
            content = row["number"].to_bytes(8, "big")
            payload = max(row["payload_bytes"], len(content))
            inner, behind = headers.udp(addresses, flow.port, content, payload), payload - len(content)
            protocol = headers.UDP
        else:
            inner, behind = _segment(flow, addresses, row), row["payload_bytes"]
            protocol = headers.TCP
        length = len(inner) + behind
        head = headers.ipv4(addresses, protocol, length, ecn=CODEPOINTS[row["ecn"]], number=row["number"])
        return head + inner, len(head) + length

    def _describe(self, run: RunFolder) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        table = self._table.select(["group", "flow", "turn", "number", "payload_bytes", "ecn", "kind"])
        is_data = pc.is_in(table["kind"], pa.array(["data", "datagram"]))
        payloads: dict[tuple[str, int, int], dict[int, int]] = {}
        capable = set()
        for row in (
            table.filter(is_data)
            .group_by(["group", "flow", "turn", "number", "payload_bytes", "ecn"])
            .aggregate([])
            .to_pylist()
        ):
            key = (row["group"], row["flow"], row["turn"])
            payloads.setdefault(key, {})[row["number"]] = row["payload_bytes"]
            if row["ecn"] != "not-ect":
                capable.add(key)
        keys = self._table.group_by(["group", "flow", "turn"]).aggregate([]).to_pylist()
        for row in keys:
            key = (str(row["group"]), int(row["flow"]), int(row["turn"]))
            segment = run.segment_bytes(key[0])
            window, scale = _window(run.of_group(key[0], "receive_window"), segment)
            place = self._groups[key[0]]
            addresses = _addresses(str(run.path), place, key[1])
            port = FIRST_PORT + key[2] + (key[1] >> 16) * TURNS
            lacking = {number: segment - payload for number, payload in payloads.get(key, {}).items()}
            short = sorted(number for number, bytes_ in lacking.items() if bytes_ > 0)
            missing = tuple(accumulate((lacking[number] for number in short), initial=0))
            self._flows[key] = _Flow(addresses, port, segment, tuple(short), missing, window, scale, key in capable)


# The sender of flow F of group G is 10.G.x.y, its receiver 10.(128 + G).x.y; x.y are the low 16 bits of F. Both ends
# have the same port.
def _addresses(folder: str, group: int, flow: int) -> tuple[int, int]:
    if group >= GROUPS or flow >= FLOWS:
        problem = f"has more than {GROUPS} groups or {FLOWS} flows in a group, for which there are no addresses"
        raise InputError(folder, problem)
    low = 10 << 24 | flow & 0xFFFF
    return low | group << 16, low | (GROUPS + group) << 16


def _window(text: str | None, segment: int) -> tuple[int, int]:
    """Return the window field and the window scale for a receive window of the resolved scenario."""
    if text is None or text == "infinite":
        return 0xFFFF, 14
    window = round(float(text.removesuffix("pkt"))) * segment if text.endswith("pkt") else bytes_of(text)
    scale = min(max(window.bit_length() - 16, 0), 14)
    return min(window >> scale, 0xFFFF), scale


def _segment(flow: _Flow, addresses: tuple[int, int], row: dict[str, Any]) -> bytes:
    kind, number = row["kind"], row["number"]
    window, options, sequence, acknowledgement = flow.window, b"", 1, 1
    if kind in {"syn", "syn-ack"}:
        # RFC 7323 §2.2: the window of a SYN is never scaled.
        window = min(flow.window << flow.scale, 0xFFFF)
        options = headers.syn_options(flow.segment, flow.scale)
        flags = headers.SYN if kind == "syn" else headers.SYN | headers.ACK
        sequence, acknowledgement = 0, int(kind == "syn-ack")
        # RFC 3168 §6.1.1.
        if flow.ecn:
            flags |= headers.ECE | (headers.CWR if kind == "syn" else 0)
    else:
        flags = headers.ACK
        if kind == "data":
            sequence = flow.offset(number)
            flags |= headers.CWR if row["ecn_echo"] else 0
        elif kind == "window-probe":
            # Below the next expected number, so that it acknowledges it (RFC 9293 §3.10.7.4).
            sequence = flow.offset(number) - 1
        elif kind == "ack":
            acknowledgement = flow.offset(number)
            flags |= headers.ECE if row["ecn_echo"] else 0
            options = headers.sack_option([flow.offset(int(row[edge])) for edge in EDGES if row[edge] is not None])
    content = headers.Segment(sequence, acknowledgement, flags, window, options, row["payload_bytes"])
    return headers.tcp(addresses, flow.port, content)


FORWARD = {"syn", "established", "data", "datagram", "window-probe"}
DATAGRAMS = {"datagram", "echo", "report"}
CODEPOINTS = {"not-ect": 0, "ect1": 1, "ect0": 2, "ce": 3}
EDGES = [f"sack{place}_{edge}" for place in (1, 2, 3) for edge in ("start", "end")]
ROWS = 10_000
GROUPS = 128
TURNS = 1024
FIRST_PORT = 49152
FLOWS = 16 * 65536
